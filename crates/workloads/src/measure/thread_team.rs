//! Threads that start together or not at all.
//!
//! The kernel may refuse a thread (limits of tasks, processes or memory). Threads that wait for it would block forever, so no
//! thread begins before all are started.

use machine::faults::{self, Call};
use machine::threads::refused;
use microbench::load::{Load, spin};
use process::child::move_to;
use record::Missing;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Start signal for the threads of a team.
#[derive(Debug, Default)]
pub struct Gate(OnceLock<bool>);

/// Starts a thread for each work. The result of a thread is `None` if it did not begin.
///
/// # Errors
/// The kernel refuses a thread; the started ones end without work.
pub fn start_team<'scope, T, F>(
    scope: &'scope Scope<'scope, '_>,
    gate: &'scope Gate,
    works: impl IntoIterator<Item = F>,
) -> Result<Vec<ScopedJoinHandle<'scope, Option<T>>>, Missing>
where
    T: Send + 'scope,
    F: FnOnce() -> T + Send + 'scope,
{
    let start = |work: F| {
        let waiting = move || gate.0.wait().then(work);
        let start = || Builder::new().spawn_scoped(scope, waiting);
        faults::pass(Call::Thread, "team", start)
    };
    let threads: std::io::Result<Vec<_>> = works.into_iter().map(start).collect();
    let _ = gate.0.set(threads.is_ok());
    threads.map_err(|why| refused(&why))
}

/// Runs this while a thread on each of these CPUs has the load that draws most.
///
/// # Errors
/// The kernel refuses a thread.
pub fn while_busy<T>(cpus: impl IntoIterator<Item = u32>, run: impl FnOnce() -> T) -> Result<T, Missing> {
    let (stop, gate) = (AtomicBool::new(false), Gate::default());
    std::thread::scope(|scope| {
        let stop = &stop;
        let work = |cpu| move || move_to(&[cpu]).map(|()| spin(stop, Load::Widest));
        start_team(scope, &gate, cpus.into_iter().map(work))?;
        let done = run();
        stop.store(true, Ordering::Relaxed);
        Ok(done)
    })
}

/// Results of the threads in order; propagates a panic of a thread.
pub fn joined<T>(threads: Vec<ScopedJoinHandle<'_, Option<T>>>) -> Vec<T> {
    let joined = threads.into_iter().map(ScopedJoinHandle::join);
    let ended = joined.map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
    ended.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::faults::plan;
    use std::sync::Barrier;

    /// Three threads that wait for each other.
    fn meet() -> Result<Vec<usize>, Missing> {
        let (gate, barrier) = (Gate::default(), Barrier::new(3));
        std::thread::scope(|scope| {
            let barrier = &barrier;
            let work = |number: usize| {
                move || {
                    barrier.wait();
                    number
                }
            };
            start_team(scope, &gate, (0..3).map(work)).map(joined)
        })
    }

    #[test]
    fn refused_thread_does_not_block_others() {
        assert_eq!(meet(), Ok(vec![0, 1, 2]));
        for number in 1..=3 {
            let refused = plan::under(&format!("run thread team {number} EAGAIN"), meet);
            let why = refused.unwrap_err().to_string();
            assert!(why.contains("cannot create a thread"), "{why}");
        }
    }
}
