//! What a hub does without being asked: counts, derives results of older builds once more, sends notices. Any number of
//! hubs share this work through the database; one that dies leaves nothing half done.

use crate::counts::Counts;
use crate::hub_state::{Hub, Tally};
use crate::store::Trouble;
use crate::{clock, log, notify, outdated};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Pause between two looks for work.
const BEAT: Duration = Duration::from_millis(200);
/// Counting takes at most this part of the time.
const COUNTING_PART: u32 = 20;
/// Pause between two lines about progress.
const PROGRESS_BEAT: Duration = Duration::from_secs(10);

/// Counts now and then until `ends`.
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

/// Derives and sends until `ends`.
pub fn work(hub: &Hub, ends: &AtomicBool) {
    let mut said = None;
    while !ends.load(Ordering::Relaxed) {
        let mut is_idle = true;
        match outdated::derive_one(&*hub.store, &hub.workers, &hub.deriving, hub.build) {
            Ok(true) => {
                Tally::add(&hub.tally.derived);
                is_idle = false;
            }
            Ok(false) => {}
            Err(trouble) => report(&trouble),
        }
        match notify::send_one(&*hub.store, &hub.settings.public_url, clock::now_utc_ms()) {
            Ok(true) => {
                Tally::add(&hub.tally.notices);
                is_idle = false;
            }
            Ok(false) => {}
            Err(trouble) => report(&trouble),
        }
        if !is_idle && said.is_none_or(|at: Instant| at.elapsed() >= PROGRESS_BEAT) {
            said = Some(Instant::now());
            progress(hub);
        } else if is_idle {
            if said.take().is_some() {
                progress(hub);
            }
            rest(ends, BEAT);
        }
    }
}

fn progress(hub: &Hub) {
    if let Ok(left) = outdated::count(&*hub.store, hub.build) {
        hub.tally.outdated.store(left.max(0) as u64, Ordering::Relaxed);
        log::event("derived", &[("left", &left.to_string())]);
    }
}

fn report(trouble: &Trouble) {
    log::event("store", &[("error", &trouble.message)]);
    std::thread::sleep(BEAT);
}

/// Waits, but not for long once the end has come.
fn rest(ends: &AtomicBool, pause: Duration) {
    let until = Instant::now() + pause;
    while !ends.load(Ordering::Relaxed) && Instant::now() < until {
        std::thread::sleep(BEAT.min(pause));
    }
}
