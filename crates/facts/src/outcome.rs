//! Outcome of one step in a few words, for people who follow a run. Reports combine all steps.

use crate::finding::mhz;
use crate::lines::{duration, size_words};
use record::{
    Bandwidth, BandwidthCurve, Cipher, Clocks, CoreToCore, Latency, LoadedLatency, MemoryOperation, Outcome, Score,
    Scores, Series, Step, StepMeasurement, Wait, cpu_list,
};

/// `6666 MIPS`, `148.8 ns at 64 MiB`, `failed: no output`. Empty for a step without a result to show.
pub fn outcome(step: &Step) -> String {
    match &step.outcome {
        Outcome::Failed(failure) => format!("failed: {}", ending(&failure.message)),
        Outcome::Skipped(missing) => format!("skipped: {}", ending(&missing.to_string())),
        Outcome::Done(measured) => done(step, measured),
    }
}

/// A reason continues the line.
fn ending(sentence: &str) -> &str {
    sentence.trim_end().trim_end_matches('.')
}

fn done(step: &Step, measured: &StepMeasurement) -> String {
    let words = match measured {
        StepMeasurement::Clock(clocks) => clock(clocks),
        StepMeasurement::Bandwidth(bandwidth) => rates(bandwidth),
        StepMeasurement::Latency(latency) => self::latency(latency),
        StepMeasurement::BandwidthCurve(curve) => most(curve),
        StepMeasurement::LoadedLatency(loaded) => under_load(loaded),
        StepMeasurement::Cipher(cipher) => self::cipher(cipher),
        StepMeasurement::CoreToCore(matrix) => exchanges(matrix),
        StepMeasurement::Compression(done) => Some(format!("{} MIPS", done.total_mips)),
        StepMeasurement::Series(series) => self::series(series),
        StepMeasurement::Scores(scores) => self::scores(scores),
        StepMeasurement::Wait(wait) => temperature(wait),
    };
    words.unwrap_or_else(|| format!("done in {}", duration(step.window.end_ms - step.window.start_ms)))
}

/// The highest clock of each CPU, `1415 MHz` or `1408 to 1800 MHz`.
fn clock(clocks: &Clocks) -> Option<String> {
    let mut highest: Vec<(u32, u32)> = Vec::new();
    for point in &clocks.points {
        let Some(khz) = point.readings_khz.iter().max() else { continue };
        match highest.iter_mut().find(|(cpu, _)| *cpu == point.cpu) {
            Some((_, known)) => *known = (*known).max(*khz),
            None => highest.push((point.cpu, *khz)),
        }
    }
    let values = || highest.iter().map(|(_, khz)| *khz);
    Some(span(mhz(values().min()?), mhz(values().max()?), "MHz"))
}

fn span(low: u32, high: u32, unit: &str) -> String {
    if low == high { format!("{high} {unit}") } else { format!("{low} to {high} {unit}") }
}

/// The best routine of each operation: `copy 14700 MB/s, fill 22900 MB/s`.
fn rates(bandwidth: &Bandwidth) -> Option<String> {
    operations(bandwidth.rows.iter().map(|row| (row.operation, row.bytes_per_s.as_slice())))
}

/// Highest rate of any number of CPUs.
fn most(curve: &BandwidthCurve) -> Option<String> {
    let rows = curve.rows.iter().map(|row| (row.operation, row.bytes_per_s.as_slice()));
    operations(rows).map(|words| format!("{words} at most"))
}

fn operations<'a>(rows: impl Iterator<Item = (MemoryOperation, &'a [u64])> + Clone) -> Option<String> {
    use MemoryOperation::{Copy, Fill, Other, Read};
    let words = [Copy, Fill, Read, Other].into_iter().filter_map(|operation| {
        let rates = rows.clone().filter(|(of, _)| *of == operation).flat_map(|(_, rates)| rates);
        let rate = crate::with_unit(*rates.max()? as f64 / 1e6, "MB/s");
        Some(format!("{} {rate}", operation.as_str()))
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| words.join(", "))
}

fn latency(latency: &Latency) -> Option<String> {
    let row = latency.rows.iter().max_by_key(|row| row.size_bytes)?;
    let ns = row.ns.first().copied().flatten()?;
    Some(format!("{} at {}", crate::with_unit(ns, "ns"), size_words(row.size_bytes)))
}

fn under_load(loaded: &LoadedLatency) -> Option<String> {
    let best = |row: &record::LoadedRow| row.ns.iter().copied().reduce(f64::min);
    let (idle, busy) = (best(loaded.rows.first()?)?, best(loaded.rows.last()?)?);
    let cpus = cpu_list(&loaded.load_cpus);
    let [idle, busy] = [idle, busy].map(|ns| crate::with_unit(ns, "ns"));
    Some(format!("{idle} alone, {busy} while CPU {cpus} reads memory"))
}

fn cipher(cipher: &Cipher) -> Option<String> {
    let (block_bytes, bytes_per_s) = cipher.rows.last()?;
    let rate = crate::with_unit(*bytes_per_s as f64 / 1e3, "kB/s");
    Some(format!("{rate} with blocks of {block_bytes} bytes"))
}

fn exchanges(matrix: &CoreToCore) -> Option<String> {
    let pairs = || matrix.pairs.iter().filter_map(|pair| pair.ns.iter().copied().reduce(f64::min));
    let (low, high) = (pairs().reduce(f64::min)?, pairs().reduce(f64::max)?);
    let [low, high] = [low, high].map(|ns| crate::number(ns, "ns"));
    Some(format!("{low} to {high} ns between {} CPUs", matrix.cpus.len()))
}

fn series(series: &Series) -> Option<String> {
    let settled = series.settled();
    let median = crate::stats::median(settled)?;
    let early = series.ended_early.as_deref().map_or_else(String::new, |why| format!(", ended early: {}", ending(why)));
    Some(format!("{} (median of {}){early}", crate::with_unit(median, &series.unit), settled.len()))
}

fn scores(scores: &Scores) -> Option<String> {
    let Score { name, value, unit, .. } = scores.rows.first()?;
    Some(format!("{name} {}", crate::with_unit(*value, unit)).trim().to_owned())
}

fn temperature(wait: &Wait) -> Option<String> {
    let celsius = |millicelsius: &i64| *millicelsius as f64 / 1000.0;
    let end = wait.end_millicelsius.known().map(celsius)?;
    let words = match wait.start_millicelsius.known().map(celsius) {
        Some(start) => format!("from {start:.1} to {end:.1} °C"),
        None => format!("{end:.1} °C"),
    };
    Some(match &wait.not_reached {
        None => words,
        Some(why) => format!("{words}, target not reached: {}", ending(why)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, point, series};
    use record::{BandwidthRow, CorePair, CurveRow, Fact, Failure, FailureKind, LatencyRow, LoadedRow, Missing};
    use record::{Variant, WorkloadId};

    fn check(outcome: Outcome, expected: &str) {
        let mut step = Step::new(WorkloadId::SevenZip, 16, Variant::MULTI, outcome);
        step.window.end_ms = 12_300;
        assert_eq!(super::outcome(&step), expected);
    }

    fn measured(measured: StepMeasurement, expected: &str) {
        check(Outcome::Done(measured), expected);
    }

    #[test]
    fn every_kind_of_result_is_one_line() {
        measured(compression(6666), "6666 MIPS");
        measured(series(&[1.0, 9.5, 9.6]), "9.55 kH/s (median of 2)");
        let points = vec![point(0, 600_000, 600_000), point(0, 1_800_000, 1_798_000), point(4, 1_408_000, 1_408_000)];
        measured(StepMeasurement::Clock(Clocks { points }), "1408 to 1798 MHz");
        let row = |routine: &str, operation, bytes_per_s: &[u64]| BandwidthRow {
            routine: routine.into(),
            operation,
            bytes_per_s: bytes_per_s.to_vec(),
            printed_deviation_percent: None,
            line: None,
        };
        let rows = vec![row("a", MemoryOperation::Copy, &[1, 14_700_000_000]), row("b", MemoryOperation::Fill, &[])];
        measured(StepMeasurement::Bandwidth(Bandwidth { rows, ..Bandwidth::default() }), "copy 14700 MB/s");
        // As all reports round it.
        let rows = vec![row("a", MemoryOperation::Fill, &[22_899_600_000])];
        measured(StepMeasurement::Bandwidth(Bandwidth { rows, ..Bandwidth::default() }), "fill 22900 MB/s");
        let rows = [4, 64].map(|mib: u64| LatencyRow {
            size_bytes: mib << 20,
            ns: vec![Some(2.3 * mib as f64)],
            rounds_apart_percent: None,
            line: None,
        });
        measured(StepMeasurement::Latency(Latency { rows: rows.into(), ..Latency::default() }), "147.2 ns at 64 MiB");
        let cipher =
            Cipher { algorithm: Variant::AES_256_CBC.to_string(), rows: vec![(16, 1), (16_384, 1_141_763_000)] };
        measured(StepMeasurement::Cipher(cipher), "1141763 kB/s with blocks of 16384 bytes");
        let pair = |ns| CorePair { a: 0, b: 1, ns };
        let matrix = CoreToCore { cpus: vec![0, 1], cpus_online: 2, pairs: vec![pair(vec![41.0, 40.0]), pair(vec![])] };
        measured(StepMeasurement::CoreToCore(matrix), "40.0 to 40.0 ns between 2 CPUs");
        let row = CurveRow {
            routine: "read".into(),
            operation: MemoryOperation::Read,
            cpus: vec![0, 1],
            buffer_bytes: 1,
            bytes_per_s: vec![20_000_000_000],
        };
        measured(StepMeasurement::BandwidthCurve(BandwidthCurve { rows: vec![row] }), "read 20000 MB/s at most");
        let rows = [0, 100].map(|duty_percent| LoadedRow {
            duty_percent,
            load_bytes_per_s: 0,
            ns: vec![100.0 + f64::from(duty_percent)],
        });
        let loaded = LoadedLatency { cpu: 0, load_cpus: vec![1, 2, 3], size_bytes: 1, rows: rows.into() };
        measured(StepMeasurement::LoadedLatency(loaded), "100.0 ns alone, 200.0 ns while CPU 1-3 reads memory");
        let wait =
            Wait { start_millicelsius: Fact::Known(70_000), end_millicelsius: Fact::Known(50_000), ..Wait::default() };
        measured(StepMeasurement::Wait(wait), "from 70.0 to 50.0 °C");
        let row = Score { name: "files".into(), value: 12.0, unit: "files/s".into(), higher_is_better: true };
        measured(StepMeasurement::Scores(Scores { rows: vec![row], ..Scores::default() }), "files 12.0 files/s");
    }

    #[test]
    fn empty_results_say_how_long_they_took() {
        for empty in [
            StepMeasurement::Clock(Clocks::default()),
            StepMeasurement::Bandwidth(Bandwidth::default()),
            StepMeasurement::Latency(Latency::default()),
            StepMeasurement::Cipher(Cipher::default()),
            StepMeasurement::CoreToCore(CoreToCore::default()),
            StepMeasurement::LoadedLatency(LoadedLatency::default()),
            StepMeasurement::Series(Series::default()),
            StepMeasurement::Scores(Scores::default()),
            StepMeasurement::Wait(Wait::default()),
        ] {
            measured(empty, "done in 12.3 s");
        }
    }

    #[test]
    fn failure_and_skip_have_their_reason() {
        let failure = Failure {
            kind: FailureKind::NotStarted,
            message: "No output.".into(),
            output_tail: String::new(),
            exit_status: None,
        };
        check(Outcome::Failed(failure), "failed: No output");
        check(Outcome::Skipped(Missing::unsupported("7z", "not installed")), "skipped: not installed");
    }
}
