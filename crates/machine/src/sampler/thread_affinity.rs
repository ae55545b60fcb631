//! Affinity of the sampler's threads, off the measured CPUs, and their priority.

use rustix::thread::{CpuSet, Pid, gettid, sched_getaffinity, sched_setaffinity, set_current_timer_slack};
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, MutexGuard};

/// Timer slack of the kernel in nanoseconds. The default is 50 µs.
const TIMER_SLACK_NS: u64 = 1_000;

/// Reduces wake-up delays of the calling thread, as sampling requires.
pub fn raise_priority() {
    // Without permission, ticks are delayed under load, which the delay channel shows.
    let _ = crate::syscall::run_first();
    // On failure ticks are up to 50 µs later, which is negligible.
    let _ = set_current_timer_slack(NonZeroU64::new(TIMER_SLACK_NS));
}

/// Threads of one sampler. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct ThreadAffinity(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    threads: Vec<Pid>,
    /// Affinity of future threads; `None` leaves it unchanged.
    cpus: Option<CpuSet>,
}

impl ThreadAffinity {
    /// Adds the calling thread.
    ///
    /// # Errors
    /// errno if the kernel rejects the affinity.
    pub(super) fn join(&self) -> Result<(), i32> {
        let mut state = self.state();
        state.threads.push(gettid());
        match &state.cpus {
            Some(cpus) => sched_setaffinity(None, cpus).map_err(|error| error.raw_os_error()),
            None => Ok(()),
        }
    }

    /// Moves all present and future threads to these CPUs; an empty list has no effect.
    pub(super) fn move_to(&self, cpus: &[u32]) {
        let Some(cpus) = crate::threads::cpu_set(cpus) else { return };
        let mut state = self.state();
        // A thread that has ended cannot be moved.
        state.threads.retain(|thread| sched_setaffinity(Some(*thread), &cpus).is_ok());
        state.cpus = Some(cpus);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        crate::threads::lock(&self.0)
    }
}

/// Affinity of the calling thread.
pub(super) fn allowed() -> Vec<u32> {
    let set = sched_getaffinity(None).unwrap_or_default();
    let cpus = (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu));
    cpus.map(|cpu| cpu as u32).collect()
}

/// CPUs of `allowed` that are not measured; all of them if none remains.
pub(super) fn unmeasured(allowed: &[u32], measured: &[u32]) -> Vec<u32> {
    let others = allowed.iter().copied().filter(|cpu| !measured.contains(cpu));
    let others: Vec<u32> = others.collect();
    if others.is_empty() { allowed.to_vec() } else { others }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unmeasured_threads_are_not_moved() {
        for (allowed, measured, expected) in [
            (&[0, 1, 2, 3][..], &[0][..], &[1, 2, 3][..]),
            (&[0, 1, 2, 3], &[2, 3], &[0, 1]),
            (&[0, 1], &[0, 1], &[0, 1]),
            (&[0], &[0], &[0]),
            (&[4, 5], &[], &[4, 5]),
        ] {
            assert_eq!(unmeasured(allowed, measured), expected);
        }
    }

    #[test]
    fn thread_is_moved_and_so_is_one_that_comes_later() {
        let all = allowed();
        let last = vec![*all.last().unwrap()];
        let affinity = ThreadAffinity::default();
        let (joined, wait) = std::sync::mpsc::channel();
        let (go, gone) = std::sync::mpsc::channel::<()>();
        let first = {
            let affinity = affinity.clone();
            std::thread::spawn(move || {
                affinity.join().unwrap();
                joined.send(()).unwrap();
                gone.recv().unwrap();
                allowed()
            })
        };
        wait.recv().unwrap();
        affinity.move_to(&[]);
        affinity.move_to(&last);
        go.send(()).unwrap();
        assert_eq!(first.join().unwrap(), last);
        let later = std::thread::spawn(move || {
            affinity.join().unwrap();
            allowed()
        });
        assert_eq!(later.join().unwrap(), last);
        assert_eq!(allowed(), all);
    }
}
