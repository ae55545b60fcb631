//! Starts threads without panicking (the kernel may reject them because of a limit of tasks or processes, or missing
//! memory), and locks what they share.

use crate::faults::{self, Call};
use record::{Missing, MissingReason, Reading};
use rustix::thread::CpuSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

/// Locks a mutex, also after a panic of another holder.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a scoped thread with a name that `ps` shows (at most 15 letters).
///
/// # Errors
/// The kernel rejects the thread.
pub fn spawn_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Reading<ScopedJoinHandle<'scope, T>> {
    let start = || Builder::new().name(name.into()).spawn_scoped(scope, work);
    faults::pass(Call::Thread, name, start).map_err(|why| refused(&why))
}

/// Starts a named thread that may outlive its creator.
///
/// # Errors
/// The kernel rejects the thread.
pub fn spawn<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> Reading<JoinHandle<T>> {
    let start = || Builder::new().name(name.into()).spawn(work);
    faults::pass(Call::Thread, name, start).map_err(|why| refused(&why))
}

/// Runs work in a separate thread, so that the calling one keeps its affinity, rights and cgroup.
///
/// # Errors
/// The kernel rejects the thread.
pub fn run<T: Send>(name: &str, work: impl FnOnce() -> T + Send) -> Reading<T> {
    std::thread::scope(|scope| spawn_scoped(scope, name, work).map(join))
}

/// Replaces a real-time scheduling policy of the calling thread, and thereby of its future children, by the normal one;
/// returns the name of the previous one. A workload with a real-time policy would starve the sampler, because threads
/// of equal real-time priority do not preempt each other.
///
/// # Errors
/// The kernel rejects it.
pub fn leave_real_time() -> Reading<Option<&'static str>> {
    let refused = |errno| Missing { path: "sched_setscheduler".into(), why: MissingReason::Io(errno) };
    crate::syscall::leave_real_time().map_err(refused)
}

/// Set of valid CPUs; `None` if it is empty.
pub(crate) fn cpu_set(cpus: &[u32]) -> Option<CpuSet> {
    let mut set = CpuSet::new();
    let fitting = cpus.iter().filter(|cpu| (**cpu as usize) < CpuSet::MAX_CPU);
    fitting.for_each(|cpu| set.set(*cpu as usize));
    (set.count() > 0).then_some(set)
}

/// Result of a thread; a panic is propagated.
pub fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Error of a rejected thread as data.
pub fn refused(why: &std::io::Error) -> Missing {
    Missing::unsupported("pthread_create", format!("cannot create a thread: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::plan;

    #[test]
    fn a_refused_thread_is_data() {
        assert_eq!(run("own", || 7), Ok(7));
        let why = plan::under("run thread own 1 EAGAIN", || run("own", || 7));
        assert!(why.unwrap_err().to_string().contains("cannot create a thread"));
        let why = plan::under("run thread own 1 EAGAIN", || spawn("own", || 7).is_err());
        assert!(why);
    }
}
