//! Signals that end a run: the first one is remembered, and everything that waits looks at it. What was
//! ignored before this program began (`nohup`) stays ignored. Ctrl-Z stops the loads as well.

use crate::output;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::{PipeFlags, pipe_with};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use std::os::fd::OwnedFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

/// Becomes readable with the first signal, for those who wait.
static ARRIVALS: OnceLock<OwnedFd> = OnceLock::new();

/// The number of the first signal that came, or 0.
static RECEIVED: AtomicI32 = AtomicI32::new(0);

/// What is done when a second signal asks for the end.
static AT_SECOND: OnceLock<Box<dyn Fn(i32) + Send + Sync>> = OnceLock::new();

/// Asks for the end; any of them more than once is somebody who has waited long enough.
const ENDS: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// The number of the first signal that asked for the end, or 0: for those who cannot be handed it.
pub(crate) fn received() -> i32 {
    RECEIVED.load(Ordering::Relaxed)
}

/// What is done in the thread of signals when a second one asks for the end, with its number: put back what must
/// be, and leave. Without it a second signal changes nothing. The first call counts.
#[allow(
    dead_code,
    reason = "restoring at once belongs to runs that change settings"
)]
pub(crate) fn at_second(leave: impl Fn(i32) + Send + Sync + 'static) {
    let _ = AT_SECOND.set(Box::new(leave));
}

/// The number of the first signal that came, or 0. A thread that called this and is parked is woken.
pub(crate) fn watch() -> anyhow::Result<&'static AtomicI32> {
    let heard = ENDS.into_iter().chain([SIGTSTP]);
    let heard = heard.filter(|signal| !machine::signals::is_ignored(*signal));
    let mut signals = Signals::new(heard)?;
    let waiting = std::thread::current();
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
    let _ = ARRIVALS.set(reader);
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if signal == SIGTSTP {
                stop();
                continue;
            }
            let first = RECEIVED.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed);
            // A full pipe is as readable as one with a single byte.
            let _ = rustix::io::write(&writer, b"s");
            waiting.unpark();
            if first.is_err()
                && let Some(leave) = AT_SECOND.get()
            {
                leave(signal);
            }
        }
    });
    Ok(&RECEIVED)
}

/// Ctrl-Z: everything stands still until somebody lets it go on, and says afterwards for how long.
fn stop() {
    if let Some(time) = bench::pause() {
        let seconds = time.as_secs_f64();
        output::note(&format!(
            "stopped for {seconds:.1} s; what was being measured meanwhile took that much longer."
        ));
    }
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
