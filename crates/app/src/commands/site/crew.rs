//! The threads that read results and make their pages, one for each CPU: a page depends on its own result alone.

use super::sources::Source;
use compare::reference::Reference;
use explain::results::Entry;
use std::sync::Mutex;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::scope;

/// Pages of each thread that wait to be written. Few, as each takes up to a megabyte of memory.
const WAITING_MAX: usize = 4;

/// One result: the name of its page, and the page with what is listed of it, or why it cannot be read.
pub(super) struct PageResult {
    pub(super) page: String,
    pub(super) source: Source,
    pub(super) what: anyhow::Result<(Entry, String)>,
}

/// Makes pages and hands each to `take` in the calling thread, in no order.
///
/// # Errors
/// The first error of `take`, which ends the work.
pub(super) fn make(
    work: Vec<(String, Source)>,
    reference: &Reference,
    mut take: impl FnMut(PageResult) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let threads = threads().min(work.len());
    let rest = Mutex::new(work.into_iter());
    let next = || {
        let (page, source) = rest.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next()?;
        let what = source.record().map(|record| {
            let explained = explain::explain(record);
            (Entry::of(&explained, &source.name), page::page(&explained, reference))
        });
        Some(PageResult { page, source, what })
    };
    let (send, made) = sync_channel(WAITING_MAX * threads);
    let hand_on = |send: SyncSender<PageResult>| while next().is_some_and(|made| send.send(made).is_ok()) {};
    scope(|scope| {
        for _ in 1..threads {
            let send = send.clone();
            // A thread that the kernel refuses is not needed: the others do its work.
            if machine::threads::spawn_scoped(scope, "page", || hand_on(send)).is_err() {
                break;
            }
        }
        drop(send);
        // This thread makes pages as well, and writes what the others have made in between.
        while let Some(one) = next() {
            take(one)?;
            made.try_iter().try_for_each(&mut take)?;
        }
        made.into_iter().try_for_each(&mut take)
    })
}

/// How many threads there are, with the calling one. The allocator of static programs serves one thread at a time:
/// there a second one makes the whole slower.
fn threads() -> usize {
    if cfg!(target_feature = "crt-static") {
        1
    } else {
        std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get)
    }
}
