//! Waits of tests, with one generous timeout, so that tests do not depend on the speed of the machine.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// Timeout, far longer than any wait on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(300);
/// Polling interval.
const POLL: Duration = Duration::from_millis(20);

/// Waits until the condition holds.
///
/// # Panics
/// Timeout.
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    wait_for(what, || holds().then_some(()));
}

/// Waits until the function returns a value.
///
/// # Panics
/// Timeout.
#[track_caller]
pub fn wait_for<T>(what: &str, mut poll: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = poll() {
            return found;
        }
        assert!(begin.elapsed() < TIMEOUT, "never: {what}");
        std::thread::sleep(POLL);
    }
}

/// Waits for the end of a child process. Kills it after a timeout and returns `None`.
///
/// # Panics
/// The program is not a child of this process.
pub fn ended(child: &mut Child) -> Option<ExitStatus> {
    let begin = Instant::now();
    while begin.elapsed() < TIMEOUT {
        if let Some(status) = child.try_wait().expect("a child") {
            return Some(status);
        }
        std::thread::sleep(POLL);
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}
