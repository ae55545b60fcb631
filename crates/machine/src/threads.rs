//! Threads that the kernel may refuse: a limit of tasks or processes, or no memory. No start of one panics here.

use crate::faults::{self, Call};
use record::{Missing, Reading, Why};
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

/// Begins work in a thread of a scope, under a name that `ps` shows (at most 15 letters).
///
/// # Errors
/// The kernel refuses it.
pub fn begin<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Reading<ScopedJoinHandle<'scope, T>> {
    let start = || Builder::new().name(name.into()).spawn_scoped(scope, work);
    faults::pass(Call::Thread, name, start).map_err(|why| refused(&why))
}

/// Begins work in a thread that may outlive its maker, under a name.
///
/// # Errors
/// The kernel refuses it.
pub fn detach<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> Reading<JoinHandle<T>> {
    let start = || Builder::new().name(name.into()).spawn(work);
    faults::pass(Call::Thread, name, start).map_err(|why| refused(&why))
}

/// Does work in a thread of its own, so that the calling one keeps its CPUs, rights and group.
///
/// # Errors
/// The kernel refuses the thread.
pub fn apart<T: Send>(name: &str, work: impl FnOnce() -> T + Send) -> Reading<T> {
    std::thread::scope(|scope| begin(scope, name, work).map(joined))
}

/// Gives the calling thread, and with it all threads and programs that it starts, the normal scheduling policy where it has
/// one for real-time tasks; returns the name of that one. A workload with such a policy would not let the sampler
/// run: threads of equal real-time priority do not take turns.
///
/// # Errors
/// The kernel refuses it.
pub fn leave_real_time() -> Reading<Option<&'static str>> {
    let refused = |errno| Missing { path: "sched_setscheduler".into(), why: Why::Io(errno) };
    crate::syscall::leave_real_time().map_err(refused)
}

/// What a thread came to; a panic goes on here.
pub fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// A refusal as data.
pub fn refused(why: &std::io::Error) -> Missing {
    Missing::unsupported("pthread_create", format!("cannot create a thread: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::plan;

    #[test]
    fn a_refused_thread_is_data() {
        assert_eq!(apart("own", || 7), Ok(7));
        let why = plan::under("run thread own 1 EAGAIN", || apart("own", || 7));
        assert!(why.unwrap_err().to_string().contains("cannot create a thread"));
        let why = plan::under("run thread own 1 EAGAIN", || detach("own", || 7).is_err());
        assert!(why);
    }
}
