//! Signals that end a run: the first one is remembered, and everything that waits looks at it.

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// For those who cannot be handed it.
static RECEIVED: AtomicI32 = AtomicI32::new(0);

/// The number of the last signal that asked for the end, or 0.
pub(crate) fn received() -> i32 {
    RECEIVED.load(Ordering::Relaxed)
}

/// The number of the first signal that came, or 0. A thread that called this and is parked is woken.
pub(crate) fn watch() -> anyhow::Result<Arc<AtomicI32>> {
    let received = Arc::new(AtomicI32::new(0));
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
    let remembered = received.clone();
    let waiting = std::thread::current();
    std::thread::spawn(move || {
        for signal in signals.forever() {
            // Later ones change nothing: putting things back must not be interrupted.
            let _ = remembered.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed);
            RECEIVED.store(signal, Ordering::Relaxed);
            waiting.unpark();
        }
    });
    Ok(received)
}
