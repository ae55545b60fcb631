//! The monitor beside what a distribution offers, all at once in one run: CPU time and memory.
//!
//! Every peer is seen from outside in the same way: the CPU time of its process, all its threads
//! and all programs it starts, over the same seconds. Those that need a terminal get one by
//! `script`, whose own time is left out.

use super::figures::{Bound, Figure};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Time over which all are watched.
const WATCH: Duration = Duration::from_secs(20);
/// Time for all to start and to settle.
const SETTLE: Duration = Duration::from_secs(3);

/// Something that watches the machine once a second.
struct Peer {
    name: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    /// It draws a screen and refuses to run without one.
    terminal: bool,
}

const PEERS: [Peer; 5] = [
    peer("top -b -d 1", "top", &["-b", "-d", "1"], false),
    peer("vmstat 1", "vmstat", &["1"], false),
    peer("sar -u -r 1", "sar", &["-u", "-r", "1"], false),
    peer("htop", "htop", &["-d", "10"], true),
    peer("btop", "btop", &["--force-utf"], true),
];

const fn peer(name: &'static str, program: &'static str, arguments: &'static [&'static str], terminal: bool) -> Peer {
    Peer { name, program, arguments, terminal }
}

/// A program that was started here; it is ended when this is dropped.
struct Running {
    child: Child,
    terminal: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        // With `script`, its program goes with its terminal. Failing means that it is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    fn start(program: &str, arguments: &[&str], terminal: bool) -> Option<Self> {
        let mut command = if terminal {
            let mut words = vec![program.to_owned()];
            words.extend(arguments.iter().map(|word| (*word).to_owned()));
            let mut script = Command::new("script");
            script.args(["-qfec", &words.join(" "), "/dev/null"]);
            script.env("TERM", "xterm-256color");
            script
        } else {
            let mut command = Command::new(program);
            command.args(arguments);
            command
        };
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().ok()?;
        Some(Self { child, terminal })
    }

    /// CPU time in nanoseconds of every thread of it and of what it started, by thread.
    fn threads_ns(&self) -> BTreeMap<u32, u64> {
        let mut found = BTreeMap::new();
        let mut processes = match self.terminal {
            true => children(self.child.id()),
            false => vec![self.child.id()],
        };
        while let Some(process) = processes.pop() {
            processes.extend(children(process));
            for thread in numbers(&format!("/proc/{process}/task")) {
                let path = format!("/proc/{process}/task/{thread}/schedstat");
                let text = std::fs::read_to_string(path).unwrap_or_default();
                let on_cpu = text.split(' ').next().and_then(|word| word.parse().ok());
                found.insert(thread, on_cpu.unwrap_or(0));
            }
        }
        found
    }

    /// Largest resident set in MB.
    fn resident_mb_max(&self) -> Option<f64> {
        let process = match self.terminal {
            true => *children(self.child.id()).first()?,
            false => self.child.id(),
        };
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kib: f64 = line.trim().trim_end_matches(" kB").parse().ok()?;
        Some(kib * 1024.0 / 1e6)
    }
}

/// Processes that the threads of a process started.
fn children(process: u32) -> Vec<u32> {
    let threads = numbers(&format!("/proc/{process}/task")).into_iter();
    threads
        .flat_map(|thread| {
            let path = format!("/proc/{process}/task/{thread}/children");
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let children = text.split_whitespace().map(str::to_owned);
            children.collect::<Vec<_>>()
        })
        .filter_map(|pid| pid.parse().ok())
        .collect()
}

/// Numbers among the names of a folder.
fn numbers(folder: &str) -> Vec<u32> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// What a thread used between two looks. One that came between began at nothing; one that went has
/// used at least what was seen.
fn used_ns(before: &BTreeMap<u32, u64>, after: &BTreeMap<u32, u64>) -> u64 {
    let used = after.iter().map(|(thread, ns)| {
        let before = before.get(thread).copied().unwrap_or(0);
        ns.saturating_sub(before)
    });
    used.sum()
}

/// Runs everything at once and gives the figures, and lines about the peers.
pub(super) fn measure(binary: &Path) -> Result<(Vec<Figure>, Vec<String>)> {
    let binary = binary.to_string_lossy().into_owned();
    let start_own = |interval: &str| Running::start(&binary, &["-m", interval], false).with_context(|| binary.clone());
    let slow = start_own("1")?;
    let fast = start_own("0.1")?;
    let tui = Running::start(&binary, &["monitor", "1", "--tui"], true);
    let peers: Vec<Option<Running>> =
        PEERS.iter().map(|peer| Running::start(peer.program, peer.arguments, peer.terminal)).collect();
    std::thread::sleep(SETTLE);
    let looked = |running: &Running| (running.threads_ns(), Instant::now());
    let before: Vec<_> = [&slow, &fast].into_iter().chain(tui.iter()).map(looked).collect();
    let peers_before: Vec<_> = peers.iter().map(|peer| peer.as_ref().map(looked)).collect();
    std::thread::sleep(WATCH);
    let percent = |running: &Running, (threads, at): &(BTreeMap<u32, u64>, Instant)| {
        let used_ns = used_ns(threads, &running.threads_ns());
        let alive = !running.threads_ns().is_empty();
        alive.then(|| 100.0 * used_ns as f64 / at.elapsed().as_nanos() as f64)
    };
    let (own, own_fast) = (percent(&slow, &before[0]), percent(&fast, &before[1]));
    let of_peers: Vec<Option<f64>> =
        peers.iter().zip(&peers_before).map(|(running, before)| percent(running.as_ref()?, before.as_ref()?)).collect();
    let lines = PEERS.iter().zip(&of_peers).map(|(peer, percent)| match percent {
        Some(percent) => format!("{:42} {percent:>10.3} %", peer.name),
        None => format!("{:42} {:>10}   not installed, or it ended", peer.name, "-"),
    });
    let ratio = |index: usize| {
        let peer: Option<f64> = of_peers[index];
        own.zip(peer).map(|(own, peer)| own / peer)
    };
    let figure = |name, measured, limit, unit| Figure::new(name, measured, Bound::Below(limit), unit);
    let figures = vec![
        figure("share of one core at 1 Hz", own, 0.02, "%"),
        figure("share of one core at 10 Hz", own_fast, 0.2, "%"),
        figure("against top -b -d 1, at 1 Hz", ratio(0), 0.05, "of it"),
        figure("against vmstat 1, at 1 Hz", ratio(1), 0.5, "of it"),
        figure("resident memory, classic lines", slow.resident_mb_max(), 6.0, "MB"),
        figure("resident memory, full screen", tui.as_ref().and_then(Running::resident_mb_max), 12.0, "MB"),
    ];
    Ok((figures, lines.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_come_and_go() {
        let at = |threads: &[(u32, u64)]| threads.iter().copied().collect::<BTreeMap<_, _>>();
        for (before, after, used) in [
            (&[(1, 10)][..], &[(1, 15)][..], 5),
            (&[(1, 10)], &[(1, 10), (2, 7)], 7),
            (&[(1, 10), (2, 7)], &[(1, 11)], 1),
            (&[], &[], 0),
        ] {
            assert_eq!(used_ns(&at(before), &at(after)), used);
        }
    }

    #[test]
    fn a_program_is_watched_with_what_it_starts() {
        let running = Running::start("sh", &["-c", "sleep 60 & sleep 60"], false).unwrap();
        // However busy the machine is, the shell starts its first program in the end.
        while running.threads_ns().len() < 2 {
            std::thread::sleep(Duration::from_millis(5));
        }
        let started = children(running.child.id());
        drop(running);
        for pid in started {
            let _ = Command::new("kill").arg(pid.to_string()).status();
        }
        assert!(Running::start("sbc-bench-no-such-program", &[], false).is_none());
    }
}
