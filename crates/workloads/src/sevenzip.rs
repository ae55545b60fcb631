//! `sevenzip`: benchmark of an installed 7-zip (`7zz b`), LZMA compression and decompression of generated data. Integer work
//! with many cache misses; its rating in MIPS is the best known score for small boards. Without 7-zip, `lzma` runs
//! instead, under its own name.
//!
//! Ratings of different versions are not comparable (code and compilers differ), so the major version is the method.
//! Neither are ratings with different dictionaries: the needed memory is computed first, and a run that does not fit uses
//! a smaller dictionary and is marked.
//!
//! Of several installed versions 16.02 runs, because most known scores are of it, unless `SEVENZIP=` names a program.
//! Where 16.02 and another version are installed, the other one also runs on one CPU (`single-other-version`).

mod parse;
mod short;

use super::Workload;
use super::attributes::{Attributes, ClockForm, DurationRule, OppRepetitions, PACKERS};
use super::scored::{garbled, not_started};
use crate::job::Job;
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use machine::available_kib;
pub(super) use parse::{parse, parse_passes};
use process::tools::{InstalledProgram, ToolKind, Tools};
use record::{Compression, Failure, FailureKind, Missing, Reading, StepMeasurement, Variant, WorkloadId};
use std::time::Duration;

/// The entry in the table of workloads.
pub(super) const SEVENZIP: Workload = Workload {
    id: WorkloadId::SevenZip,
    about: "7-zip's LZMA compression and decompression benchmark, in MIPS.",
    link: "https://7-zip.org/",
    tool: Some(&KIND),
    attributes: Attributes {
        takes: DurationRule::Work(60.0),
        at_a_clock: Some(ClockForm::SINGLE),
        at_an_opp: Some(OppRepetitions::Once),
        forms: PACKERS,
        ..Attributes::PLAIN
    },
    lacking,
    run,
    ..Workload::PLAIN
};

const KIND: ToolKind = ToolKind {
    name: "7-zip",
    // 7-zip of its author first; then p7zip, whose `7zr` and `7z` are the same benchmark.
    programs: &["7zz", "7za", "7z", "7zr"],
    version_args: &[],
    recognise: &banner,
    is_preferred: Some(is_listed),
    variable: Some("SEVENZIP"),
    needs_no_rights: true,
    ..ToolKind::PLAIN
};

/// Dictionary of the last pass by default: 2^25 bytes. Ratings with another one are not comparable.
const DEFAULT_LOG2: u32 = 25;
/// Smallest dictionary. Smaller ones fit into small caches.
const SMALLEST_LOG2: u32 = 18;
/// Memory left to the system and to this program, in KiB.
const RESERVE_KIB: u64 = 32 << 10;
/// Memory limit of a 32-bit program: 2 GiB less code and fragmentation.
const ADDRESSES_KIB: u64 = 1900 << 10;
/// A run that takes this long hangs: one pass over all dictionaries takes half a minute on a desktop and three minutes on the
/// slowest known board (250 MIPS).
const TIME_LIMIT: Duration = Duration::from_secs(15 * 60);

/// The program of a step.
fn program(context: &WorkloadContext) -> Reading<InstalledProgram> {
    if context.job.variant == Variant::OTHER_VERSION { other_version(context.tools) } else { context.tools.find(&KIND) }
}

/// The other 7-zip where 16.02 and another version are installed: ratings of both on one CPU give the ratio of their scores.
///
/// # Errors
/// 16.02 and another version are not both installed.
pub fn other_version(tools: &Tools) -> Reading<InstalledProgram> {
    let found = tools.find_all(&KIND)?;
    let is_used_listed = is_listed(&found[0].version);
    let other = found.into_iter().find(|other| is_listed(&other.version) != is_used_listed);
    other.ok_or_else(|| Missing::unsupported("7-zip", "16.02 and another version are not both installed"))
}

fn lacking(context: &WorkloadContext) -> Option<Missing> {
    match program(context) {
        Err(missing) => Some(missing),
        Ok(found) => choose_dictionary(context, &found).err(),
    }
}

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    let found = program(context).map_err(not_started)?;
    report.method = method(&found.version);
    let dictionary_log2 = choose_dictionary(context, &found).map_err(not_started)?;
    if let Some(time) = context.job.time {
        return short::run(context, report, &found, time).map(StepMeasurement::Compression);
    }
    let threads = format!("-mmt={}", context.job.threads.max(1));
    // Without `-md` it walks up to its default, as in every other published score.
    let dictionary = format!("-md={dictionary_log2}");
    let mut arguments = vec!["b", threads.as_str()];
    if dictionary_log2 < DEFAULT_LOG2 {
        arguments.push(&dictionary);
    }
    let output = context.program(report, &found, &arguments, time_limit(context.job)).map_err(wrong_data)?;
    let (measured, _) = parse(&output).map_err(|why| garbled(why, &output))?;
    if let Some(why) = not_comparable(&measured, context.job) {
        report.not_comparable.get_or_insert(why);
    }
    Ok(StepMeasurement::Compression(measured))
}

/// The first line of 7-zip and p7zip, up to its version and the word width:
/// `7-Zip (z) 26.02 (x64)`, `7-Zip (a) [32] 16.02`, `7-Zip (A) 9.20`.
fn banner(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with("7-Zip"))?;
    let banner = line.split("Copyright").next()?.trim_end_matches([' ', ':']);
    version(banner).map(|_| banner.to_owned())
}

/// Major and minor version.
fn version(banner: &str) -> Option<(u32, u32)> {
    banner.split_whitespace().find_map(|word| {
        let (major, minor) = word.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    })
}

/// True of 16.02, the version of most known scores.
fn is_listed(banner: &str) -> bool {
    version(banner) == Some((16, 2))
}

/// The major version.
fn method(banner: &str) -> u32 {
    version(banner).map_or(0, |(major, _)| major)
}

fn is_32_bit(banner: &str) -> bool {
    ["[32]", "(x86)", "(arm)", "(armt)"].iter().any(|word| banner.contains(word))
}

/// Memory that the benchmark needs, in KiB.
///
/// Two threads share one encoder. By the `RAM usage` of versions 9.20 to 26.02, a pair and a single thread take 13.57 times
/// the dictionary and 3 to 10 MiB:
///
/// | dictionary | 1 thread | 2 | 4 | 8 |
/// |---|---|---|---|---|
/// | 2^25 | 435..437 MB | 441..444 | 882..889 | 1765..1779 |
/// | 2^24 | 219..220 MB | 225..227 | 450..455 | 901..911 |
/// | 2^22 | 57 MB | 65 | 130 | 260 |
///
/// The formula rounds these up by at most 5 MB a pair.
fn need_kib(threads: u32, dictionary_log2: u32) -> u64 {
    let pairs = u64::from(threads / 2).max(1);
    let dictionary_kib = (1 << dictionary_log2) / 1024;
    pairs * (dictionary_kib * 136 / 10 + (11 << 10))
}

/// The largest dictionary up to the default for which the memory suffices.
fn choose_dictionary(context: &WorkloadContext, found: &InstalledProgram) -> Result<u32, Missing> {
    // If the kernel does not report its memory, 7-zip chooses.
    let Ok(available) = available_kib(context.root) else { return Ok(DEFAULT_LOG2) };
    let mut room = available.saturating_sub(RESERVE_KIB);
    if is_32_bit(&found.version) {
        room = room.min(ADDRESSES_KIB);
    }
    let threads = context.job.threads.max(1);
    let sizes = (SMALLEST_LOG2..=DEFAULT_LOG2).rev();
    sizes.into_iter().find(|&log2| need_kib(threads, log2) <= room).ok_or_else(|| {
        let need = need_kib(threads, SMALLEST_LOG2) / 1024;
        Missing::unsupported(
            "/proc/meminfo",
            format!("7-zip with {threads} threads needs at least {need} MiB, only {} MiB are available", room / 1024),
        )
    })
}

/// Why the score is not that of the standard benchmark. 7-zip can choose smaller dictionaries, so this checks its output and
/// not its arguments.
fn not_comparable(measured: &Compression, job: &Job) -> Option<String> {
    let largest = measured.compressing.iter().map(|row| row.dictionary_log2).max();
    let mib = |log2: u32| f64::from(1 << log2) / f64::from(1 << 20);
    match (largest, measured.benchmark_threads) {
        (None, _) => Some("7-zip did not print its dictionaries".to_owned()),
        (Some(largest), _) if largest != DEFAULT_LOG2 => Some(format!(
            "largest dictionary {} MiB instead of {} MiB for lack of memory",
            mib(largest),
            mib(DEFAULT_LOG2)
        )),
        (_, None) => Some("7-zip did not print its number of threads".to_owned()),
        (_, Some(threads)) if threads != job.threads.max(1) => {
            Some(format!("7-zip ran {threads} threads instead of {}", job.threads))
        }
        _ => None,
    }
}

/// Threads that share a CPU take turns.
fn time_limit(job: &Job) -> Duration {
    match job.cpus.len() as u32 {
        0 => TIME_LIMIT,
        cpus => TIME_LIMIT * job.threads.div_ceil(cpus).max(1),
    }
}

/// Marks failed verifications: 7-zip compares decompressed data with its input, and a difference means that memory or CPU is
/// unstable.
fn wrong_data(failure: Failure) -> Failure {
    let printed = failure.output_tail.to_lowercase();
    let error = ["decoding error", "crc error", "data error"];
    if failure.kind == FailureKind::ExitStatus && error.iter().any(|text| printed.contains(text)) {
        return Failure {
            kind: FailureKind::WrongAnswer,
            message: "7-zip output differs from its input; memory, clock or voltage of this machine is unstable."
                .to_owned(),
            ..failure
        };
    }
    failure
}

#[cfg(test)]
mod tests;
