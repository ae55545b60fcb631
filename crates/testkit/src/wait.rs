//! Waits of tests. One brake serves all, so that no test depends on the speed of the machine.

use std::time::{Duration, Instant};

/// Far above what any wait takes on a busy machine: it ends a test that would hang, and measures nothing.
const BRAKE: Duration = Duration::from_secs(120);
/// Pause between two looks.
const LOOK: Duration = Duration::from_millis(20);

/// Waits until the condition holds.
///
/// # Panics
/// It never holds.
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < BRAKE, "never: {what}");
        std::thread::sleep(LOOK);
    }
}
