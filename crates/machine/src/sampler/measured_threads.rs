//! Finds the measured threads, and sums their run and wait times.
//!
//! Measured threads are those of this process, except for the main thread, which only waits for the others, and the
//! sampler's own; and all threads of descendant processes. Source: `schedstat` of each thread
//! (<https://docs.kernel.org/scheduler/sched-stats.html>), and `children` of each, which needs `CONFIG_PROC_CHILDREN`.

use crate::Root;
use crate::number::numbers;
use record::Reading;
use std::collections::BTreeMap;

/// Names of monitoring threads, at most 15 characters as in the kernel.
const WATCHING: [&str; 2] = ["sampler", "slow-sensors"];

/// Maximum number of threads, to limit the cost.
const THREADS_MAX: usize = 128;

/// Measured threads with their times.
#[derive(Debug, Default)]
pub(super) struct MeasuredThreads {
    /// Latest `(on a CPU, waiting)` of each live thread, in nanoseconds.
    latest: BTreeMap<u32, [i64; 2]>,
    total: [i64; 2],
}

impl MeasuredThreads {
    /// Total time on a CPU and total waiting time in nanoseconds, since each thread was first found. The time between
    /// the last read and the end of a thread is lost.
    pub(super) fn read(&mut self, root: &Root) -> Reading<[i64; 2]> {
        let own: u32 = rustix::process::getpid().as_raw_pid() as u32;
        let mut now = BTreeMap::new();
        let mut processes = vec![own];
        while let Some(process) = processes.pop() {
            let directory = format!("/proc/{process}/task");
            let names = match root.list(&directory) {
                Ok(names) => names,
                // The process has ended; only our own must be readable.
                Err(missing) if process == own => return Err(missing),
                Err(_) => continue,
            };
            for thread in names.iter().filter_map(|name| name.parse::<u32>().ok()) {
                if now.len() >= THREADS_MAX {
                    break;
                }
                let directory = format!("{directory}/{thread}");
                let children = root.read(&format!("{directory}/children"));
                let children = children.unwrap_or_default();
                processes.extend(children.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
                if process == own && (thread == own || watches(root, &directory)) {
                    continue;
                }
                if let Ok(text) = root.read_bytes(&format!("{directory}/schedstat")) {
                    let mut times = [0; 2];
                    numbers(&text, &mut times);
                    now.insert(thread, times);
                }
            }
        }
        self.add(now);
        Ok(self.total)
    }

    /// Adds the time of each thread since the last read; a new thread starts at zero.
    fn add(&mut self, now: BTreeMap<u32, [i64; 2]>) {
        for (thread, times) in &now {
            let before = self.latest.get(thread).unwrap_or(&[0; 2]);
            for (index, total) in self.total.iter_mut().enumerate() {
                // A smaller number belongs to a new thread with the same id.
                let grown = times[index] - before[index];
                *total += if grown < 0 { times[index] } else { grown };
            }
        }
        self.latest = now;
    }
}

fn watches(root: &Root, directory: &str) -> bool {
    let name = root.read_value(&format!("{directory}/comm"));
    name.is_ok_and(|name| WATCHING.contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(own: u32, worker_ns: [u64; 2], child_ns: [u64; 2]) -> Root {
        let task = |process: u32, thread: u32, name: &str, ns: [u64; 2], children: &str| {
            let directory = format!("/proc/{process}/task/{thread}");
            let [on_cpu, waiting] = ns;
            format!(
                "== {directory}/comm\n{name}\n== {directory}/schedstat\n{on_cpu} {waiting} 7\n\
                 == {directory}/children\n{children}\n"
            )
        };
        let board = [
            task(own, own, "sbc-bench", [900, 900], "88 99 "),
            task(own, own + 1, "sampler", [800, 800], ""),
            task(own, own + 2, "worker", worker_ns, ""),
            task(88, 88, "7zz", child_ns, ""),
        ];
        Root::from_board(&board.concat()).unwrap()
    }

    #[test]
    fn workers_and_programs_count_and_watchers_do_not() {
        let own = rustix::process::getpid().as_raw_pid() as u32;
        let mut threads = MeasuredThreads::default();
        let mut read = |worker, child| threads.read(&board(own, worker, child)).unwrap();
        assert_eq!(read([100, 5], [1_000, 10]), [1_100, 15]);
        assert_eq!(read([150, 5], [1_000, 40]), [1_150, 45]);
        // The child is a new process now.
        assert_eq!(read([150, 5], [20, 1]), [1_170, 46]);
    }

    #[test]
    fn machine_without_proc_says_so() {
        let root = Root::from_board("").unwrap();
        assert!(MeasuredThreads::default().read(&root).is_err());
    }

    #[test]
    fn threads_of_the_running_system_are_found() {
        // The harness runs this in a separate thread, which counts.
        let mut threads = MeasuredThreads::default();
        let mut on_cpu = || threads.read(&Root::system()).unwrap()[0];
        // The kernel accounts at its ticks: a thread that has just started has no time yet.
        while on_cpu() == 0 {}
    }
}
