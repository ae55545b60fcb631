//! Work on many things at once: pages are pure functions of their results, so that any CPU may make any of them.

use machine::threads;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The name of a thread that helps, as `ps` shows it.
const NAME: &str = "site";

/// Works on every thing, on all CPUs that this process may use, and returns what was made in the order of the things.
///
/// # Errors
/// That of the first thing that failed; nothing more is begun then.
pub(super) fn each<T: Sync, R: Send>(
    things: &[T],
    work: impl Fn(&T) -> anyhow::Result<R> + Sync,
) -> anyhow::Result<Vec<R>> {
    let cpus = std::thread::available_parallelism().map_or(1, NonZero::get);
    on(cpus, things, work)
}

/// As [`each`], in so many threads: the calling one and others, as far as the kernel allows them.
fn on<T: Sync, R: Send>(
    threads: usize,
    things: &[T],
    work: impl Fn(&T) -> anyhow::Result<R> + Sync,
) -> anyhow::Result<Vec<R>> {
    let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let take_turns = || {
        let mut made = Vec::new();
        while !has_failed.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(thing) = things.get(at) else { break };
            let one = work(thing);
            has_failed.fetch_or(one.is_err(), Ordering::Relaxed);
            made.push((at, one));
        }
        made
    };
    let mut made = std::thread::scope(|scope| {
        let helpers = 1..threads.min(things.len());
        let helpers: Vec<_> = helpers.filter_map(|_| threads::begin(scope, NAME, take_turns).ok()).collect();
        let own = take_turns();
        helpers.into_iter().map(threads::joined).fold(own, |mut all, made| {
            all.extend(made);
            all
        })
    });
    made.sort_by_key(|(at, _)| *at);
    made.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    #[test]
    fn results_are_in_order_with_any_number_of_threads() {
        for count in [0_u32, 1, 2, 100] {
            let things: Vec<u32> = (0..count).collect();
            let expected: Vec<u32> = things.iter().map(|thing| thing * 2).collect();
            for threads in [0, 1, 2, 7] {
                assert_eq!(on(threads, &things, |thing| Ok(thing * 2)).unwrap(), expected, "{threads} threads");
            }
        }
    }

    #[test]
    fn first_failure_is_told_and_ends_the_work() {
        let begun = AtomicUsize::new(0);
        let things: Vec<usize> = (0..1000).collect();
        let work = |thing: &usize| match thing {
            3.. => bail!("thing {thing}"),
            _ => Ok(begun.fetch_add(1, Ordering::Relaxed)),
        };
        let error = on(1, &things, work).unwrap_err();
        assert_eq!((error.to_string().as_str(), begun.into_inner()), ("thing 3", 3));
        assert!(on(4, &things, |thing| if *thing < 3 { Ok(()) } else { bail!("thing {thing}") }).is_err());
    }

    #[test]
    fn refused_threads_leave_the_work_to_the_calling_one() {
        let own = std::thread::current().id();
        let work = |_: &()| Ok(std::thread::current().id());
        let made = machine::faults::plan::under("run thread site 0 EAGAIN", || on(4, &[(); 3], work));
        assert_eq!(made.unwrap(), [own; 3]);
    }
}
