//! What `sbc-bench run -- CMD` adds to a command: time around it, and time to the command itself.
//!
//! Both are measured from outside, on commands that need nothing but a shell, and interleaved with runs of
//! the same commands alone: a machine that is busy with other things slows both.

use super::figures::{Bound, Figure};
use anyhow::{Context, Result, ensure};
use record::{Measured, Outcome, Record, WorkloadId};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// A command that does nothing.
const NOTHING: [&str; 1] = ["/bin/true"];
/// Half a second of pure computing on a middling machine, the same work each time.
const WORK: [&str; 3] = ["/bin/sh", "-c", "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done"];
/// Runs of a command in each block.
const REPETITIONS: usize = 6;

/// Measures and returns the figures.
pub(super) fn figures(binary: &Path, blocks: usize) -> Result<[Figure; 3]> {
    let mut overheads_ms = Vec::new();
    for _ in 0..blocks {
        overheads_ms.push(overhead_ms(binary)?);
    }
    let mut effects_percent = Vec::new();
    for block in 0..blocks {
        effects_percent.push(effect_percent(binary, block)?);
    }
    let [low, middle, high] = interval(&mut effects_percent);
    println!("effect on a command's own time: {middle:+.2} % (95 % of {low:+.2} to {high:+.2}, {blocks} blocks)");
    Ok([
        Figure::new(
            "run -- CMD beyond CMD, gate, clocks",
            Some(interval(&mut overheads_ms)[1]),
            Bound::Below(20.0),
            "ms",
        ),
        Figure::new("effect on the command, either way", Some(middle.abs()), Bound::AtMost(0.3), "%"),
        Figure::new("the same, far end of the interval", Some(low.abs().max(high.abs())), Bound::AtMost(0.3), "%"),
    ])
}

/// Time of a whole run of a command, less the gate, the clock passes and the command alone.
fn overhead_ms(binary: &Path) -> Result<f64> {
    let alone = alone_s(&NOTHING)?;
    let started = Instant::now();
    let record = run(binary, 1, &NOTHING)?;
    let whole = started.elapsed().as_secs_f64();
    let gate = record.gate.known().map_or(0, |gate| gate.waited_ms);
    let clocks = record.steps_of(WorkloadId::Clock).map(|step| step.window.elapsed_ms());
    let apart_ms = clocks.sum::<i64>() as f64 + gate as f64;
    Ok((whole - alone) * 1e3 - apart_ms)
}

/// How much longer the command takes inside a run: the quickest of some repetitions inside against the
/// quickest of as many alone, half of them before and half of them after, or the other way round.
fn effect_percent(binary: &Path, block: usize) -> Result<f64> {
    let some = |count: usize| -> Result<Vec<f64>> { (0..count).map(|_| alone_s(&WORK)).collect() };
    let inside = || -> Result<Vec<f64>> {
        let record = run(binary, REPETITIONS, &WORK)?;
        Ok(times_s(&record))
    };
    let (alone, inside) = if block.is_multiple_of(2) {
        let mut alone = some(REPETITIONS / 2)?;
        let inside = inside()?;
        alone.extend(some(REPETITIONS / 2)?);
        (alone, inside)
    } else {
        let inside_first = inside()?;
        (some(REPETITIONS)?, inside_first)
    };
    ensure!(inside.len() == REPETITIONS, "only {} runs were scored", inside.len());
    let quickest = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
    Ok(100.0 * (quickest(&inside) / quickest(&alone) - 1.0))
}

fn alone_s(words: &[&str]) -> Result<f64> {
    let started = Instant::now();
    let status = Command::new(words[0]).args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "{} ended with {status}", words[0]);
    Ok(started.elapsed().as_secs_f64())
}

/// Runs the command under watch and reads what was recorded.
fn run(binary: &Path, repetitions: usize, words: &[&str]) -> Result<Record> {
    let folder = std::env::temp_dir().join(format!("sbc-bench-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let log = folder.join("run.log");
    let status = Command::new(binary)
        .args(["run", "--force", "--wait", "0s", "--name", "work"])
        .arg("--repeat")
        .arg(repetitions.to_string())
        .arg("--log")
        .arg(&log)
        .arg("--")
        .args(words)
        .env("NOTUNING", "yes")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .with_context(|| binary.display().to_string())?;
    let record = super::read(&folder.join("run.json"));
    std::fs::remove_dir_all(&folder)?;
    ensure!(matches!(status.code(), Some(0 | 3)), "the run ended with {status}");
    record
}

fn times_s(record: &Record) -> Vec<f64> {
    let time = |step: &record::Step| match &step.outcome {
        Outcome::Done(Measured::Scores(scores)) => scores.rows.first().map(|row| row.value),
        _ => None,
    };
    record.steps_of("work").filter_map(time).collect()
}

/// Median of the values, between the ends of its 95 % interval by the sign test.
fn interval(values: &mut [f64]) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    let (mut probability, mut tail, mut rank) = (0.5_f64.powi(n as i32), 0.0, 0);
    while tail + probability <= 0.025 && rank < n / 2 {
        tail += probability;
        probability *= (n - rank) as f64 / (rank + 1) as f64;
        rank += 1;
    }
    let low = rank.saturating_sub(1);
    let median = (values[(n - 1) / 2] + values[n / 2]) / 2.0;
    [values[low], median, values[n - 1 - low]]
}

#[cfg(test)]
mod tests {
    use super::interval;

    #[test]
    fn intervals_are_those_of_the_tables() {
        let mut twenty: Vec<f64> = (1..=20).map(f64::from).collect();
        twenty.reverse();
        assert_eq!(interval(&mut twenty), [6.0, 10.5, 15.0]);
        assert_eq!(interval(&mut [3.0, 1.0, 2.0]), [1.0, 2.0, 3.0]);
    }
}
