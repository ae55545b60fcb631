//! Work on many independent files on all CPUs.

use allocator::ThreadCache;
use std::sync::Mutex;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::scope;

/// Maximum number of queued results per thread; a page takes up to a megabyte of memory.
const WAITING_MAX: usize = 4;

/// Makes a result of each item and hands it to `take` in the calling thread, in any order.
///
/// # Errors
/// Returns the first error of `take` and drops the remaining items.
pub(super) fn make_all<W: Send, R: Send>(
    work: Vec<W>,
    make: impl Fn(W) -> R + Sync,
    mut take: impl FnMut(R) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let threads = cpus.min(work.len());
    let rest = Mutex::new(work.into_iter());
    let next = || {
        let item = rest.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next()?;
        Some(make(item))
    };
    let (send, made) = sync_channel(WAITING_MAX * threads);
    let hand_on = |send: SyncSender<R>| {
        let _cache = ThreadCache::start();
        while next().is_some_and(|made| send.send(made).is_ok()) {}
    };
    scope(|scope| {
        for _ in 1..threads {
            let send = send.clone();
            // The other threads do the work of a thread that the kernel refuses.
            if machine::threads::spawn_scoped(scope, "reader", || hand_on(send)).is_err() {
                break;
            }
        }
        drop(send);
        let _cache = ThreadCache::start();
        // This thread also makes results, and takes those of others in between.
        while let Some(one) = next() {
            take(one)?;
            made.try_iter().try_for_each(&mut take)?;
        }
        made.into_iter().try_for_each(&mut take)
    })
}
