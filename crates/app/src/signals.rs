//! Signals that end a run: the first one is remembered, and everything that waits looks at it.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::{PipeFlags, pipe_with};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use std::os::fd::OwnedFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

/// Becomes readable with the first signal, for those who wait.
static ARRIVALS: OnceLock<OwnedFd> = OnceLock::new();

/// The number of the first signal that came, or 0.
static RECEIVED: AtomicI32 = AtomicI32::new(0);

/// The number of the first signal that asked for the end, or 0: for those who cannot be handed it.
pub(crate) fn received() -> i32 {
    RECEIVED.load(Ordering::Relaxed)
}

/// The number of the first signal that came, or 0. A thread that called this and is parked is woken.
pub(crate) fn watch() -> anyhow::Result<&'static AtomicI32> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
    let waiting = std::thread::current();
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
    let _ = ARRIVALS.set(reader);
    std::thread::spawn(move || {
        for signal in signals.forever() {
            // Later ones change nothing: putting things back must not be interrupted.
            let _ = RECEIVED.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed);
            // A full pipe is as readable as one with a single byte.
            let _ = rustix::io::write(&writer, b"s");
            waiting.unpark();
        }
    });
    Ok(&RECEIVED)
}

/// Waits, at most so long; a signal that came or comes ends the wait. With less code than parking, which
/// counts where somebody does it once a second for days.
pub(crate) fn wait(time: Duration) {
    let Some(arrivals) = ARRIVALS.get() else {
        std::thread::park_timeout(time);
        return;
    };
    let mut arrivals = [PollFd::new(arrivals, PollFlags::IN)];
    let time = Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: time.subsec_nanos().into(),
    };
    // Interrupted or refused, the caller only looks again.
    let _ = poll(&mut arrivals, Some(&time));
}
