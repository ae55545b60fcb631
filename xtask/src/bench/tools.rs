//! Runs this program and other tools in turn on one CPU and prints what they reach side by side. It
//! only runs and prints; the decisions are in `measured.rs`.

use super::measured::{self, Must, Row};
use anyhow::{Context, Result, ensure};
use record::{MemoryOperation, Record};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Everything is measured on the first CPU.
const CPU: &str = "0";
/// Successive readings of the clock.
const READINGS: &str = "20";

/// Prints the table.
pub(super) fn main(binary: &Path) -> Result<()> {
    let before = steal_and_total()?;
    let mut rows = clock(binary)?;
    rows.extend(memory(binary)?);
    rows.push(cipher(binary)?);
    let after = steal_and_total()?;
    println!("what is measured, beside what must be reached and other tools (CPU {CPU}):");
    rows.iter().for_each(|row| println!("  {row}"));
    let total = (after.1 - before.1).max(1);
    let percent = |ticks: u64| 100.0 * ticks as f64 / total as f64;
    println!(
        "  meanwhile {:.1} % of the time of all CPUs was stolen by the hypervisor, {:.1} % was idle\n",
        percent(after.0 - before.0),
        percent(after.2 - before.2)
    );
    Ok(())
}

fn clock(binary: &Path) -> Result<Vec<Row>> {
    let words = ["clock", "--quick", "--readings", READINGS, "--cpu", CPU];
    let idle = ours(binary, &words)?;
    let mut competitor = Competitor::start();
    let beside = ours(binary, &words);
    competitor.end();
    let beside = beside?;
    let row = |name: &str, found, limit, unit, record: &Record| Row {
        name: name.to_owned(),
        found,
        must: Must::AtMost(limit),
        unit,
        detail: measured::disturbance(record),
    };
    Ok(vec![
        row("one clock reading after pre-heating", measured::reading_ms(&idle), 5.0, "ms", &idle),
        row("spread of successive readings", measured::spread_percent(&idle), 0.2, "%", &idle),
        row("the same beside a competing process", measured::spread_percent(&beside), 1.0, "%", &beside),
    ])
}

fn memory(binary: &Path) -> Result<Vec<Row>> {
    let first = ours(binary, &["memory", "--cpu", CPU])?;
    let second = ours(binary, &["memory", "--cpu", CPU])?;
    let mut rows = vec![Row {
        name: "the whole memory picture".into(),
        found: measured::picture_s(&first),
        must: Must::AtMost(20.0),
        unit: "s",
        detail: measured::half_widths(&first),
    }];
    for (name, operation) in [
        ("best copy over the best of the peers", MemoryOperation::Copy),
        ("best read over the best of the peers", MemoryOperation::Read),
    ] {
        rows.push(ratio(name, operation, [&first, &second]));
    }
    for (name, level) in [("L1", 1), ("L2", 2), ("L3", 3), ("memory", 0)] {
        rows.push(Row {
            name: format!("latency of {name}, difference of two runs"),
            found: measured::latency_difference_percent(&first, &second, level),
            must: Must::AtMost(2.0),
            unit: "%",
            detail: String::new(),
        });
    }
    Ok(rows)
}

/// Our best over the best of the peers, all with buffers of the same size.
fn ratio(name: &str, operation: MemoryOperation, records: [&Record; 2]) -> Row {
    let best = records.into_iter().filter_map(|record| measured::best(record, operation));
    let best = best.reduce(|a, b| if b.0 > a.0 { b } else { a });
    let bytes = best.as_ref().map_or(128 << 20, |best| best.2);
    let peers = match operation {
        MemoryOperation::Copy => vec![mbw(bytes), perf(bytes)],
        _ => vec![sysbench(bytes)],
    };
    let fastest = peers.iter().filter_map(|(_, rate)| rate.as_ref().ok()).copied();
    let fastest = fastest.reduce(f64::max);
    let found = match (&best, fastest) {
        (Some((own, ..)), Some(peer)) => Ok(own / peer),
        (None, _) => Err("there is no row of our own".into()),
        (_, None) => Err("no peer gave a figure".into()),
    };
    let told = |(name, rate): &(&str, Result<f64, String>)| match rate {
        Ok(rate) => format!("{name} {:.0}", rate / 1e6),
        Err(why) => format!("{name}: {why}"),
    };
    let mut detail: Vec<String> =
        best.iter().map(|(rate, routine, _)| format!("MB/s: {routine} {:.0}", rate / 1e6)).collect();
    detail.extend(peers.iter().map(told));
    Row { name: name.to_owned(), found, must: Must::AtLeast(1.0), unit: "", detail: detail.join(", ") }
}

fn cipher(binary: &Path) -> Result<Row> {
    let own = ours(binary, &["workload", "aes", "aes-256-cbc", "--cpu", CPU])?;
    let own = measured::aes_bytes_per_s(&own);
    let words = ["speed", "-mr", "-elapsed", "-seconds", "2", "-bytes", "16384", "-evp", "aes-256-cbc"];
    let peer = tool("openssl", &words, measured::parse_openssl);
    let found = match (own, &peer) {
        (Some(own), Ok(peer)) => Ok(own / peer),
        (None, _) => Err("the workload aes gave no figure".to_owned()),
        (_, Err(why)) => Err(format!("openssl: {why}")),
    };
    let rate = |rate: f64| format!("{:.0} MB/s", rate / 1e6);
    Ok(Row {
        name: "aes over openssl, aes-256-cbc at 16 KiB".into(),
        found,
        must: Must::AtLeast(0.9),
        unit: "",
        detail: format!("aes {}, openssl {}", own.map_or("-".into(), rate), peer.map_or("-".into(), rate)),
    })
}

type Peer = (&'static str, Result<f64, String>);

fn mbw(bytes: u64) -> Peer {
    let mib = (bytes >> 20).to_string();
    ("mbw", tool("mbw", &["-q", "-n", "10", &mib], measured::parse_mbw))
}

fn perf(bytes: u64) -> Peer {
    let size = format!("{}MB", bytes >> 20);
    let words = ["bench", "mem", "memcpy", "-s", &size, "-l", "10", "-f", "all"];
    ("perf bench mem", tool("perf", &words, measured::parse_perf))
}

fn sysbench(bytes: u64) -> Peer {
    let size = format!("--memory-block-size={}M", bytes >> 20);
    let words = ["memory", &size, "--memory-total-size=1000G", "--time=2", "--memory-oper=read", "run"];
    ("sysbench memory", tool("sysbench", &words, measured::parse_sysbench))
}

/// Runs a tool on the CPU and reads its figure, or says why it gave none.
fn tool(name: &str, words: &[&str], parse: fn(&str) -> Option<f64>) -> Result<f64, String> {
    let output = Command::new("taskset").args(["-c", CPU, name]).args(words).output();
    let output = output.map_err(|error| format!("taskset: {error}"))?;
    // Some of them write their figures to standard error.
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    match parse(&text) {
        Some(rate) => Ok(rate),
        // What taskset says when it finds no such program.
        None if output.status.code() == Some(127) => Err("not installed".into()),
        None => Err("its output was not understood".into()),
    }
}

/// The Record of one question to our own program.
fn ours(binary: &Path, words: &[&str]) -> Result<Record> {
    let output = Command::new(binary).args(words).args(["--json", "--quiet"]).output();
    let output = output.with_context(|| binary.display().to_string())?;
    ensure!(
        matches!(output.status.code(), Some(0 | 3)),
        "{} ended with {}: {}",
        words.join(" "),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).with_context(|| words.join(" "))
}

/// A process that does nothing but use the CPU. It is ended when this is dropped.
struct Competitor(Option<Child>);

impl Competitor {
    fn start() -> Self {
        let words = ["-c", CPU, "sh", "-c", "while :; do :; done"];
        let child = Command::new("taskset").args(words).stdin(Stdio::null()).spawn();
        Self(child.ok())
    }

    fn end(&mut self) {
        if let Some(mut child) = self.0.take() {
            // Failing means that it is gone already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Competitor {
    fn drop(&mut self) {
        self.end();
    }
}

/// Ticks stolen, in all, and idle, of all CPUs since boot.
fn steal_and_total() -> Result<(u64, u64, u64)> {
    let text = std::fs::read_to_string("/proc/stat").context("/proc/stat")?;
    let line = text.lines().next().unwrap_or_default();
    let ticks: Vec<u64> = line.split_whitespace().skip(1).filter_map(|n| n.parse().ok()).collect();
    // Guest time, the last two, is part of user time.
    let total = ticks.iter().take(8).sum();
    let at = |index: usize| ticks.get(index).copied().unwrap_or(0);
    Ok((at(7), total, at(3) + at(4)))
}
