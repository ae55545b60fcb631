//! `lzma`: built-in LZMA compression and decompression, for machines without 7-zip. The work is of the same kind
//! (integers, unpredictable branches, cache misses), with another program and a smaller dictionary, so its score is MB of
//! text per second in both directions, not MIPS.
//!
//! The text is generated from a fixed seed: words of a random vocabulary by frequency. Threads are independent, and each
//! verifies its output.

use super::Workload;
use super::attributes::{Attributes, ClockForm, DurationRule, OppRepetitions, PACKERS};
use super::scored::{too_little_memory, wrong_answer};
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use crate::measure::turns::{Turn, series};
use crate::measure::window_gate;
use lzma_rust2::{EncodeMode, LzmaOptions, LzmaReader, LzmaWriter, MfType};
use record::{Failure, Missing, StepMeasurement, WorkloadId};
use std::io::{Read, Write};
use std::sync::Barrier;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

/// The entry in the table of workloads.
pub(super) const LZMA: Workload = Workload {
    id: WorkloadId::Lzma,
    about: "Built-in LZMA compression and decompression of generated text; same code on every machine.",
    link: "https://7-zip.org/sdk.html",
    attributes: Attributes {
        takes: DurationRule::Work(10.0),
        at_a_clock: Some(ClockForm::SINGLE),
        at_an_opp: Some(OppRepetitions::UntilSteady),
        forms: PACKERS,
        ..Attributes::PLAIN
    },
    lacking,
    run,
    ..Workload::PLAIN
};

/// Rises when text, settings or code change, including the library's version.
const METHOD: u32 = 1;
/// Size of the text of one turn, and of the dictionary. The encoder's trees are eleven times as large, more than the caches
/// of small boards; a turn takes the slowest board four seconds.
const TEXT_BYTES: usize = 512 << 10;
/// Text of one turn of a short run, for tests that repeat it at many clocks.
const SHORT_TEXT_BYTES: usize = TEXT_BYTES / 4;
/// Decompressions in a turn. Decompression is about twenty times as fast as compression, so both have equal weight, as in
/// 7-zip's rating.
const DECOMPRESSIONS: u32 = 20;
/// Turns begin until this much time is used.
const TIME: Duration = Duration::from_secs(5);
/// Minimum number of turns.
const TURNS_MIN: usize = 2;
/// Memory left to the system, in KiB.
const RESERVE_KIB: u64 = 32 << 10;

fn lacking(context: &WorkloadContext) -> Option<Missing> {
    let threads = u64::from(context.job.threads.max(1));
    too_little_memory(context, &format!("LZMA with {threads} threads needs"), threads * need_kib() + RESERVE_KIB)
}

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    report.method = METHOD;
    let threads = context.job.threads.max(1) as usize;
    let cancelled = context.cancelled;
    let time = context.time_or(TIME);
    // A short run takes short turns, to have enough for a median.
    let bytes = if context.job.time.is_some() { SHORT_TEXT_BYTES } else { TEXT_BYTES };
    if bytes < TEXT_BYTES {
        let why = "short run with a small text; comparable only with other short runs";
        report.not_comparable = Some(why.into());
    }
    let text = text(bytes);
    let start = Barrier::new(threads);
    let ended = context.pinned_threads(report, |_| turns(&text, &start, cancelled, time))?;
    let turns: Result<Vec<Vec<Turn>>, String> = ended.into_iter().collect();
    let turns = turns.map_err(wrong_answer)?;
    let detail = format!(
        "per iteration {} KiB of text compressed once and decompressed {DECOMPRESSIONS} times; sum of {threads} threads",
        bytes >> 10
    );
    Ok(StepMeasurement::Series(series(&turns, "MB/s", detail)))
}

/// Takes turns for `time` after a common start.
fn turns(text: &[u8], start: &Barrier, cancelled: &AtomicI32, time: Duration) -> Result<Vec<Turn>, String> {
    let mut restored = Vec::with_capacity(text.len());
    let mut packed = Vec::with_capacity(text.len());
    // A tenth of the text warms up clock and caches.
    let warm = work(&text[..text.len() / 10], &mut packed, &mut restored);
    // Other threads wait at the barrier even if this one has failed.
    start.wait();
    warm?;
    let started = Instant::now();
    let mut turns = Vec::new();
    while cancelled.load(Ordering::Relaxed) == 0 && (turns.len() < TURNS_MIN || started.elapsed() < time) {
        let work = work(text, &mut packed, &mut restored)?;
        let rate = text.len() as f64 / 1e6 / work.as_secs_f64().max(1e-9);
        turns.push(Turn { at: started.elapsed(), rate });
    }
    Ok(turns)
}

/// One turn. All memory is allocated before the clock starts.
fn work(text: &[u8], packed: &mut Vec<u8>, restored: &mut Vec<u8>) -> Result<Duration, String> {
    let broken = |e: &dyn std::fmt::Display| format!("LZMA could not decompress its own output: {e}");
    let options = options();
    packed.clear();
    let mut writer = LzmaWriter::new_no_header(&mut *packed, &options, false).map_err(|e| broken(&e))?;
    let window = window_gate::window();
    let started = Instant::now();
    writer.write_all(text).map_err(|e| broken(&e))?;
    writer.finish().map_err(|e| broken(&e))?;
    let mut elapsed = started.elapsed();
    drop(window);
    for _ in 0..DECOMPRESSIONS {
        let size = text.len() as u64;
        let LzmaOptions { lc, lp, pb, dict_size, .. } = options;
        let mut reader =
            LzmaReader::new(packed.as_slice(), size, lc, lp, pb, dict_size, None).map_err(|e| broken(&e))?;
        restored.clear();
        let _window = window_gate::window();
        let started = Instant::now();
        reader.read_to_end(restored).map_err(|e| broken(&e))?;
        elapsed += started.elapsed();
        if restored != text {
            let why = "LZMA output differs from its input; memory, clock or voltage of this machine is unstable.";
            return Err(why.to_owned());
        }
    }
    Ok(elapsed)
}

/// Settings of 7-zip's benchmark except the dictionary: binary trees, optimal parsing.
fn options() -> LzmaOptions {
    let (lc, lp, pb) = (LzmaOptions::LC_DEFAULT, LzmaOptions::LP_DEFAULT, LzmaOptions::PB_DEFAULT);
    let dictionary = TEXT_BYTES as u32;
    LzmaOptions::new(dictionary, lc, lp, pb, EncodeMode::Normal, 32, MfType::Bt4, 0)
}

/// Memory of one thread: encoder, decoder's dictionary, two buffers and one to spare, in KiB.
fn need_kib() -> u64 {
    u64::from(options().get_memory_usage()) + 4 * (TEXT_BYTES as u64 >> 10)
}

/// Text that compresses about as well as prose: 4096 words of two to nine letters, low numbers more often.
fn text(bytes: usize) -> Vec<u8> {
    let mut random = Random(0x5bc_b0a7d);
    let words: Vec<Vec<u8>> = (0..4096)
        .map(|_| {
            let length = 2 + random.below(8);
            (0..length).map(|_| b'a' + (random.below(26).min(random.below(26))) as u8).collect()
        })
        .collect();
    let mut text = Vec::with_capacity(bytes + 16);
    while text.len() < bytes {
        // The minimum of three numbers is usually small.
        let rank = random.below(4096).min(random.below(4096)).min(random.below(4096));
        text.extend_from_slice(&words[rank as usize]);
        text.push(if random.below(12) == 0 { b'\n' } else { b' ' });
    }
    text.truncate(bytes);
    text
}

/// A xorshift generator (Marsaglia 2003, 64 bits): the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The upper bits are more random.
        (self.0 >> 32) % limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::testing::Bench;

    #[test]
    fn text_round_trip_and_density() {
        let text = text(50_000);
        let (mut packed, mut restored) = (Vec::new(), Vec::new());
        work(&text, &mut packed, &mut restored).unwrap();
        assert_eq!(restored, text);
        let percent = packed.len() * 100 / text.len();
        assert!((20..60).contains(&percent), "{percent} %");
    }

    #[test]
    fn every_thread_takes_at_least_two_turns_unless_interrupted() {
        let text = text(20_000);
        for (signal, expected) in [(0, TURNS_MIN), (2, 0)] {
            let start = Barrier::new(1);
            let turns = turns(&text, &start, &AtomicI32::new(signal), Duration::ZERO).unwrap();
            assert_eq!(turns.len(), expected);
            assert!(turns.windows(2).all(|pair| pair[0].at < pair[1].at));
        }
    }

    /// METHOD must rise when the text changes.
    #[test]
    fn text_is_the_same_on_every_machine() {
        let start = String::from_utf8(text(60)).unwrap();
        expect_test::expect![[r#"
            hbrhbjobh oelchj ojyedfs
            meq bjr pdep gcshrk yu aclaie
            ff sw"#]]
        .assert_eq(&start);
        let sum = text(TEXT_BYTES).iter().fold(0u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(*byte)));
        expect_test::expect!["2963590203"].assert_eq(&sum.to_string());
    }

    #[test]
    fn too_little_memory_is_refused() {
        let bench = Bench::new(&[]);
        let job = Job { workload: WorkloadId::Lzma, threads: 4, ..Job::default() };
        assert_eq!(bench.with(&job, |context, _| lacking(context)), None);
        bench.root.write("/proc/meminfo", "MemAvailable: 60000 kB").unwrap();
        let why = bench.with(&job, |context, _| lacking(context)).unwrap().to_string();
        assert!(why.starts_with("LZMA with 4 threads needs "), "{why}");
    }
}
