//! CPU utilisation: total CPU time and that of every process in a time window, from two readings of `/proc/stat` and
//! `/proc/PID/stat` (proc_stat(5), proc_pid_stat(5)).
//!
//! It uses CPU time rather than the load average, which includes processes that wait for a disk and takes minutes to
//! decay after boot.

mod process_tree;
mod stat;

pub(crate) use process_tree::{Job, process_job};
pub use process_tree::{
    all, children_of, has_own_numbers, is_gone, namespace, started_ticks, state_of, with_ancestors,
};

use crate::Root;
use record::{BusyProcess, Missing, Reading, StableSort};
use stat::{ProcessTimes, parse_process};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of reported processes.
const PROCESSES_MAX: usize = 10;

/// Start of a measurement.
#[derive(Debug)]
pub struct CpuTimeBaseline {
    root: Root,
    total: CpuTimes,
    processes: BTreeMap<u32, ProcessTimes>,
    own_pid: Option<u32>,
}

/// Result of a time window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusyWindow {
    /// Utilisation of all CPUs including this program, in hundredths of a percent. I/O wait does not count.
    pub busy_hundredths_percent: u32,
    /// Share of all CPUs used by this program, in hundredths of a percent.
    pub own_hundredths_percent: u32,
    /// Busiest processes of others, busiest first, in hundredths of a percent of one CPU.
    pub processes: Vec<BusyProcess>,
}

/// Total CPU time since boot in ticks of USER_HZ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CpuTimes {
    busy: u64,
    all: u64,
    cpus: u64,
}

impl CpuTimeBaseline {
    /// Starts a time window.
    ///
    /// # Errors
    /// `/proc/stat` cannot be read or parsed.
    pub fn start(root: &Root) -> Reading<Self> {
        // The link contains the id of the reader in the PID namespace of that /proc.
        let own = root.link("/proc/self").ok();
        Ok(Self {
            root: root.clone(),
            total: read_total(root)?,
            processes: read_processes(root),
            own_pid: own.and_then(|pid| pid.parse().ok()),
        })
    }

    /// Ends the time window. `/proc/stat` has a resolution of 10 ms, so windows of a second or more are accurate to a
    /// percent.
    ///
    /// # Errors
    /// `/proc/stat` is no longer readable, or shows no elapsed time.
    pub fn finish(&self) -> Reading<BusyWindow> {
        let total = read_total(&self.root)?;
        let all = total.all.saturating_sub(self.total.all);
        let busy = total.busy.saturating_sub(self.total.busy);
        if all == 0 {
            return Err(Missing::unsupported("/proc/stat", "no time elapsed"));
        }
        let mut own_ticks = 0;
        let mut used: Vec<(u64, u32, String)> = Vec::new();
        let processes = read_processes(&self.root);
        let own = self.own_pid.map(|own| descendants(own, &processes)).unwrap_or_default();
        for (pid, now) in processes {
            let before = self
                .processes
                .get(&pid)
                .filter(|before| before.started == now.started)
                .map_or(0, |before| before.ticks);
            let ticks = now.ticks.saturating_sub(before);
            if Some(pid) == self.own_pid {
                own_ticks = ticks;
            } else if ticks > 0 && !own.contains(&pid) {
                used.push((ticks, pid, now.name));
            }
        }
        used.stable_sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        used.truncate(PROCESSES_MAX);
        let one_cpu = (all / total.cpus.max(1)).max(1);
        let process = |(ticks, pid, name)| BusyProcess { pid, name, hundredths_percent: share(ticks, one_cpu) };
        Ok(BusyWindow {
            busy_hundredths_percent: share(busy, all).min(10_000),
            own_hundredths_percent: share(own_ticks, all).min(10_000),
            processes: used.into_iter().map(process).collect(),
        })
    }
}

/// Ratio in hundredths of a percent.
fn share(part: u64, whole: u64) -> u32 {
    let hundredths = u128::from(part) * 10_000 / u128::from(whole.max(1));
    u32::try_from(hundredths).unwrap_or(u32::MAX)
}

fn read_total(root: &Root) -> Reading<CpuTimes> {
    let text = root.read("/proc/stat")?;
    parse_total(&text).ok_or_else(|| Missing::garbled("/proc/stat", &text))
}

/// All descendants of this process. Parents may follow their children in the list.
fn descendants(parent: u32, processes: &BTreeMap<u32, ProcessTimes>) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    loop {
        let before = found.len();
        let of_us = processes.iter().filter(|(_, process)| process.parent == parent || found.contains(&process.parent));
        let of_us: Vec<u32> = of_us.map(|(pid, _)| *pid).collect();
        found.extend(of_us);
        if found.len() == before {
            return found;
        }
    }
}

/// Parses the first line of `/proc/stat`, `cpu user nice system idle iowait irq softirq steal guest guest_nice`, and
/// counts the CPUs. Guest time is already included in user time.
fn parse_total(text: &str) -> Option<CpuTimes> {
    let mut lines = text.lines();
    let mut words = lines.next()?.split_whitespace();
    (words.next()? == "cpu").then_some(())?;
    let times: Vec<u64> = words.take(8).map_while(|word| word.parse().ok()).collect();
    let time = |index: usize| times.get(index).copied().unwrap_or(0);
    // Kernels before 2.6 have only the first four columns.
    (times.len() >= 4).then_some(())?;
    let all = times.iter().copied().fold(0, u64::saturating_add);
    let waiting = time(3).saturating_add(time(4));
    let cpus = lines.take_while(|line| line.starts_with("cpu")).count();
    Some(CpuTimes { busy: all.saturating_sub(waiting), all, cpus: cpus as u64 })
}

/// All readable processes; those that end in between are skipped.
fn read_processes(root: &Root) -> BTreeMap<u32, ProcessTimes> {
    let names = root.list("/proc").unwrap_or_default();
    let pids = names.iter().filter_map(|name| name.parse::<u32>().ok());
    pids.filter_map(|pid| {
        let text = root.read(&format!("/proc/{pid}/stat")).ok()?;
        Some((pid, parse_process(&text)?))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(pid: u32, name: &str, user: u64, system: u64, started: u64) -> String {
        child((pid, 1), name, user, system, started)
    }

    fn child((pid, parent): (u32, u32), name: &str, user: u64, system: u64, started: u64) -> String {
        format!(
            "== /proc/{pid}/stat\n{pid} ({name}) R {parent} 1 1 0 -1 4194304 10 0 0 0 {user} {system} 0 0 20 0 1 0 {started} 1000 10\n"
        )
    }

    fn board(times: &str, processes: &[String]) -> String {
        format!(
            "== /proc/stat\ncpu  {times}\ncpu0 1 2 3\ncpu1 1 2 3\nintr 5\n== /proc/self -> 3\n{}",
            processes.concat()
        )
    }

    /// Replaces the files of the first board by those of the second, and finishes the window.
    fn window(before: &str, after: &str) -> Reading<BusyWindow> {
        let mut busy = CpuTimeBaseline::start(&Root::from_board(before).unwrap())?;
        busy.root = Root::from_board(after).unwrap();
        busy.finish()
    }

    #[test]
    fn window_names_busy_processes() {
        let before = board(
            "100 0 100 1000 50 0 0 0 0 0",
            &[
                stat(1, "init", 5, 5, 0),
                stat(2, "Web Content) (x", 10, 0, 7),
                stat(3, "sbc-bench", 0, 0, 9),
                stat(4, "gone", 3, 3, 9),
            ],
        );
        // 200 ticks of two CPUs: one second.
        let after = board(
            "150 0 110 1120 65 2 2 1 50 0",
            &[
                stat(1, "init", 5, 5, 0),
                stat(2, "Web Content) (x", 50, 10, 7),
                stat(3, "sbc-bench", 1, 1, 9),
                stat(4, "reused", 2, 2, 300),
            ],
        );
        let window = window(&before, &after).unwrap();
        assert_eq!(window.busy_hundredths_percent, 65 * 10_000 / 200);
        assert_eq!(window.own_hundredths_percent, 100);
        let named: Vec<_> = window.processes.iter().map(|p| (p.pid, p.name.as_str(), p.hundredths_percent)).collect();
        assert_eq!(named, [(2, "Web Content) (x", 5_000), (4, "reused", 400)]);
    }

    #[test]
    fn own_programs_are_not_others() {
        let processes = |used: u64| {
            // Process ids wrap: a child may have a smaller one than its parent.
            [
                stat(3, "sbc-bench", 0, 0, 9),
                child((20, 3), "guard", used, 0, 10),
                child((7, 20), "7zr", used, 0, 11),
                stat(30, "apt", used, 0, 12),
            ]
        };
        let before = board("100 0 100 1000 50 0 0 0 0 0", &processes(0));
        let after = board("300 0 100 1000 50 0 0 0 0 0", &processes(50));
        let window = window(&before, &after).unwrap();
        let named: Vec<_> = window.processes.iter().map(|process| process.name.as_str()).collect();
        assert_eq!(named, ["apt"]);
    }

    #[test]
    fn idle_window_has_no_busy_process() {
        let before = board("100 0 100 1000 0 0 0 0", &[stat(1, "init", 5, 5, 0)]);
        let after = board("100 0 100 1200 0 0 0 0", &[stat(1, "init", 5, 5, 0)]);
        let window_seen = window(&before, &after).unwrap();
        assert_eq!(window_seen.busy_hundredths_percent, 0);
        assert_eq!(window_seen.processes, []);
        assert!(window(&before, &before).is_err(), "no time elapsed");
    }

    #[test]
    fn garbled_files_never_panic() {
        for text in ["", "cpu", "cpu 1 2 3", "intr 1", "cpu a b c d"] {
            assert_eq!(parse_total(text), None, "{text}");
        }
        for text in ["", "1 (x", "1 (x) R", "1 x) R 1", "(a)) S 1 2 3"] {
            assert_eq!(parse_process(text), None, "{text}");
        }
    }

    #[test]
    fn running_system_can_be_watched() {
        // The test needs a busy program, and only an orphan is not a descendant.
        let mut own = std::process::Command::new("/bin/sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let script = "(while :; do :; done) >/dev/null 2>&1 & echo $!";
        let started = std::process::Command::new("/bin/sh").args(["-c", script]).output().unwrap();
        let orphan: i32 = String::from_utf8(started.stdout).unwrap().trim().parse().unwrap();
        // On a busy machine it may take several windows.
        let is_seen = (0..200).any(|_| {
            let busy = CpuTimeBaseline::start(&Root::system()).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(100));
            let window = busy.finish().unwrap();
            let of_us = [std::process::id(), own.id()];
            assert!(window.processes.iter().all(|process| !of_us.contains(&process.pid)));
            let mut processes = window.processes.iter();
            window.busy_hundredths_percent > 0
                && processes.any(|process| process.pid == orphan.unsigned_abs() && process.name == "sh")
        });
        let pid = rustix::process::Pid::from_raw(orphan).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        own.kill().unwrap();
        own.wait().unwrap();
        assert!(is_seen);
    }

    proptest::proptest! {
        #[test]
        fn process_names_with_parentheses(name in "[ -~]{0,20}", user in 0..u64::MAX, system: u64, started: u64) {
            let zeros = "0 ".repeat(10);
            let text = format!("7 ({name}) S {zeros}{user} {system} 0 0 0 0 0 0 {started} 0\n");
            let found = parse_process(&text).unwrap();
            proptest::prop_assert_eq!((found.ticks, found.started), (user.saturating_add(system), started));
            proptest::prop_assert_eq!(found.name, name);
        }

        #[test]
        fn busy_is_never_more_than_all(text in "(cpu|[0-9 ()\n]|\\PC){0,60}", times: [u64; 8]) {
            let words = times.map(|time| time.to_string()).join(" ");
            let line = format!("cpu  {words}\ncpu0 {words}\n{text}");
            let found = parse_total(&line).unwrap();
            proptest::prop_assert!(found.busy <= found.all && found.cpus >= 1);
            let waiting = times[3].saturating_add(times[4]);
            proptest::prop_assert_eq!(found.all.saturating_sub(waiting), found.busy);
            if let Some(found) = parse_total(&text) {
                proptest::prop_assert!(found.busy <= found.all);
            }
        }
    }
}
