//! What the sampler costs inside and does to others: time of a tick against bare reads, lateness
//! under full load, and the effect of a running monitor on a pinned loop.

use super::figures::{Bound, Figure};
use crate::workspace;
use anyhow::{Context, Result, ensure};
use std::hint::black_box;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Pairs of the loop with the monitor on and off.
const PAIRS: usize = 500;
/// One side of a pair takes about this long: a sample of the monitor falls into it, and the clock of a shared
/// host hardly changes.
const SIDE: Duration = Duration::from_millis(100);

/// The figures of the sampler itself, from its example in release.
pub(super) fn sampler() -> Result<Vec<Figure>> {
    let built = workspace::cargo()
        .args(["build", "--quiet", "--release", "-p", "sbc-bench-machine"])
        .args(["--example", "sampler"])
        .status()?;
    ensure!(built.success(), "the example `sampler` cannot be built");
    let example = workspace::target_folder()?.join("release/examples/sampler");
    let quiet = output(&example, &["15", "50", "--bare"])?;
    let loaded = under_load(|| output(&example, &["20", "100"]))?;
    let late = number(&loaded, "late").zip(number(&loaded, "ticks"));
    let in_time = late.map(|(late, ticks)| 100.0 * (1.0 - late / ticks));
    Ok(vec![
        Figure::new("CPU time per sample", number(&quiet, "tick"), Bound::Below(150.0), "µs"),
        Figure::new("bare preads of the same files", number(&quiet, "bare"), Bound::None, "µs"),
        Figure::new("against the bare preads", number(&quiet, "ratio"), Bound::Below(3.0), "times"),
        Figure::new("samples within 5 ms, 10 Hz, full load", in_time, Bound::AtLeast(99.0), "%"),
        Figure::new("latest sample under full load", number(&loaded, "delay_us_max"), Bound::None, "µs"),
        Figure::new("allocations per tick after warm-up", allocations()?, Bound::AtMost(0.0), ""),
    ])
}

/// 0 if the test with the counting allocator passes.
fn allocations() -> Result<Option<f64>> {
    let test = ["test", "--quiet", "-p", "sbc-bench-machine", "--test", "no_allocation"];
    let output = workspace::cargo().args(test).output()?;
    Ok(output.status.success().then_some(0.0))
}

fn output(program: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program).args(arguments).output();
    let output = output.with_context(|| program.display().to_string())?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The number after a word.
fn number(text: &str, word: &str) -> Option<f64> {
    let mut words = text.split_whitespace().skip_while(|known| *known != word);
    words.nth(1)?.trim_end_matches(',').parse().ok()
}

/// Does something while every CPU works.
fn under_load<T>(work: impl FnOnce() -> T) -> T {
    let stop = AtomicBool::new(false);
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cpus {
            let load = || {
                while !stop.load(Ordering::Relaxed) {
                    black_box(turns(100_000));
                }
            };
            let begun = std::thread::Builder::new().spawn_scoped(scope, load);
            begun.expect("a thread for each CPU");
        }
        let result = work();
        stop.store(true, Ordering::Relaxed);
        result
    })
}

/// A chain of dependent work.
fn turns(count: u64) -> u64 {
    let mut value = 1_u64;
    for _ in 0..count {
        value = black_box(value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    }
    value
}

/// Time of the pinned loop with the monitor at 10 Hz over its time without, in pairs in turns. The
/// monitor is held by SIGSTOP for the one side, so that both see the same machine.
pub(super) fn on_a_loop(binary: &Path) -> Result<Vec<Figure>> {
    // Started before this is pinned, so that the scheduler may keep it away as in real use.
    let monitor = Command::new(binary).args(["-m", "0.1"]).stdout(Stdio::null()).spawn();
    let mut monitor = Monitor(monitor.with_context(|| binary.display().to_string())?);
    let pinned =
        Command::new("taskset").args(["-pc", "0", &std::process::id().to_string()]).stdout(Stdio::null()).status();
    ensure!(pinned.is_ok_and(|status| status.success()), "taskset is missing (util-linux)");
    std::thread::sleep(Duration::from_secs(1));
    let begin = Instant::now();
    black_box(turns(1_000_000));
    let count = (SIDE.as_nanos() / (begin.elapsed().as_nanos() / 1_000_000).max(1)) as u64;
    let mut ratios = Vec::new();
    for pair in 0..PAIRS {
        // ABBA: what drifts meets both sides alike.
        let on_first = pair % 2 == 0;
        let first = monitor.side(on_first, count)?;
        let second = monitor.side(!on_first, count)?;
        let (on, off) = if on_first { (first, second) } else { (second, first) };
        ratios.push(on.as_secs_f64() / off.as_secs_f64());
    }
    drop(monitor);
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    let interval = explain::stats::median_interval(&ratios, 95.0);
    let interval = interval.context("too few pairs for an interval")?;
    let median = explain::stats::median(&ratios).unwrap_or(1.0);
    println!(
        "effect of the monitor at 10 Hz on a pinned loop, {PAIRS} pairs of {} ms: {:+.3} % ({:+.3} to {:+.3} %)",
        SIDE.as_millis(),
        percent(median),
        percent(interval.low),
        percent(interval.high)
    );
    let farthest = percent(interval.low).abs().max(percent(interval.high).abs());
    let includes_one = interval.low <= 1.0 && interval.high >= 1.0;
    Ok(vec![
        Figure::new("end of that interval farthest from 1", Some(farthest), Bound::AtMost(0.3), "%"),
        Figure::new(
            "interval includes 1 (1: yes)",
            Some(if includes_one { 1.0 } else { 0.0 }),
            Bound::AtLeast(1.0),
            "",
        ),
    ])
}

/// A monitor that can be held. It is ended when this is dropped.
struct Monitor(Child);

impl Drop for Monitor {
    fn drop(&mut self) {
        // Failing means that it is gone already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Monitor {
    /// Time of the loop with the monitor running, or held.
    fn side(&mut self, on: bool, count: u64) -> Result<Duration> {
        let signal = if on { "-CONT" } else { "-STOP" };
        let pid = self.0.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status()?;
        ensure!(sent.success(), "the monitor ended by itself");
        let begin = Instant::now();
        black_box(turns(count));
        Ok(begin.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_behind_their_words() {
        let text = "tick 12.5 us, bare 7.1 us for 6.0 reads, ratio 1.76\nticks 200 late 1 x y";
        for (word, expected) in
            [("tick", Some(12.5)), ("ratio", Some(1.76)), ("late", Some(1.0)), ("x", None), ("nothing", None)]
        {
            assert_eq!(number(text, word), expected, "{word}");
        }
    }
}
