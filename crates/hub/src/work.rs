//! Background work: counts, derives results of older builds again, sends notices. Several hubs share this work through
//! the database; a hub that dies leaves nothing half done.

use crate::counts::Counts;
use crate::hub_state::Hub;
use crate::store::StoreError;
use crate::{clock, log, notify, outdated, page_store};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Pause between two searches for work.
const BEAT: Duration = Duration::from_millis(200);
/// Counting takes at most one part in this many of the time.
const COUNTING_PART: u32 = 20;
/// Interval of progress reports.
const PROGRESS_BEAT: Duration = Duration::from_secs(10);

/// Counts at intervals until `ends`.
pub fn count(hub: &Hub, ends: &AtomicBool) {
    while !ends.load(Ordering::Relaxed) {
        let began = Instant::now();
        match Counts::of(&*hub.store) {
            Ok(counts) if counts == *hub.counts() => {}
            Ok(counts) => {
                counts.note(&*hub.store).unwrap_or_else(|trouble| report(&trouble));
                hub.set_counts(counts);
            }
            Err(trouble) => report(&trouble),
        }
        rest(ends, (began.elapsed() * COUNTING_PART).max(BEAT));
    }
}

/// Derives results, sends notices and makes pages until `ends`.
pub fn work(hub: &Hub, ends: &AtomicBool) {
    let (mut said, mut finished_to, mut uploads) = (None, 0, 0);
    while !ends.load(Ordering::Relaxed) {
        let derived = outdated::derive_one(&*hub.store, &hub.workers, &hub.deriving, hub.build);
        let is_derived = counted(derived, &hub.tally.derived);
        let sent = notify::send_one(&*hub.store, &hub.settings.public_url, clock::now_utc_ms());
        let is_idle = !counted(sent, &hub.tally.notices) && !is_derived;
        if !is_idle && said.is_none_or(|at: Instant| at.elapsed() >= PROGRESS_BEAT) {
            said = Some(Instant::now());
            progress(hub);
        } else if is_idle {
            if said.take().is_some() {
                progress(hub);
            }
            // Pages wait for the end of a stream of uploads: each of them changes what pages are compared with.
            let before = std::mem::replace(&mut uploads, hub.tally.uploads.load(Ordering::Relaxed));
            if before != uploads || !counted(page_store::make_one(hub, &mut finished_to), &hub.tally.finished) {
                rest(ends, BEAT);
            }
        }
    }
}

/// Counts and returns whether something was done.
fn counted(done: Result<bool, StoreError>, counter: &AtomicU64) -> bool {
    let is_done = done.unwrap_or_else(|trouble| {
        report(&trouble);
        false
    });
    counter.fetch_add(is_done.into(), Ordering::Relaxed);
    is_done
}

fn progress(hub: &Hub) {
    if let Ok(left) = outdated::count(&*hub.store, hub.build) {
        hub.tally.outdated.store(left.max(0) as u64, Ordering::Relaxed);
        log::event("derived", &[("left", &left.to_string())]);
    }
}

fn report(trouble: &StoreError) {
    log::event("store", &[("error", &trouble.message)]);
    std::thread::sleep(BEAT);
}

/// Sleeps; returns soon after `ends`.
fn rest(ends: &AtomicBool, pause: Duration) {
    let until = Instant::now() + pause;
    while !ends.load(Ordering::Relaxed) && Instant::now() < until {
        std::thread::sleep(BEAT.min(pause));
    }
}
