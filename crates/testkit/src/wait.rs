//! Waits of tests. One brake serves all, so that no test depends on the speed of the machine.

use std::time::{Duration, Instant};

/// Timeout of a wait that would never end; far longer than any wait on a busy machine.
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
