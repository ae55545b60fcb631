//! Waits of tests. One brake serves all, so that no test depends on the speed of the machine.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// Timeout of a wait that would never end; far longer than any wait on a busy machine.
const BRAKE: Duration = Duration::from_secs(300);
/// Pause between two looks.
const LOOK: Duration = Duration::from_millis(20);

/// Waits until the condition holds.
///
/// # Panics
/// It never holds.
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    wait_for(what, || holds().then_some(()));
}

/// Waits until the look finds something.
///
/// # Panics
/// It never does.
#[track_caller]
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < BRAKE, "never: {what}");
        std::thread::sleep(LOOK);
    }
}

/// Waits for the end of a program. Kills one that does not end, and returns none.
///
/// # Panics
/// The program is not a child of this process.
pub fn ended(child: &mut Child) -> Option<ExitStatus> {
    let begin = Instant::now();
    while begin.elapsed() < BRAKE {
        if let Some(status) = child.try_wait().expect("a child") {
            return Some(status);
        }
        std::thread::sleep(LOOK);
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}
