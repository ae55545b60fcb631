//! Separates disk writes from timed windows of built-in work. Code that times work in this process holds a [`Window`]; the
//! thread that writes the stream works between windows, and a new window waits for it. There is one instance per process, as
//! there is one disk and one set of CPUs.
//!
//! External programs need no windows: the sampler reports the cost of the writer like that of any process.

use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Maximum time for which a hanging disk delays a measurement.
const WRITER_TIME_MAX: Duration = Duration::from_secs(2);

static GATE: WindowGate = WindowGate::new();

/// Time after which the writer delays new windows. Threads that work together have concurrent windows, and a delayed thread
/// leaves the others too much of the machine, so the writer first waits for a moment without windows.
const WRITER_PATIENCE: Duration = Duration::from_secs(3);

struct WindowGate {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    windows: u32,
    /// Start of the writer's wait for windows to close.
    waits: Option<Instant>,
    /// Whether the writer works or may begin.
    writes: bool,
    /// Whether the writer hangs: windows open without waiting until it is done.
    hangs: bool,
}

/// A timed window, at most a second long. Windows must not be nested, and code in a window must not wait for a thread that opens
/// one.
pub struct Window(&'static WindowGate);

/// Guard of the writer's work.
pub struct WriteGuard(&'static WindowGate);

/// Opens a window, after the writer if it works.
pub fn window() -> Window {
    GATE.open(WRITER_TIME_MAX);
    Window(&GATE)
}

/// Waits until no window is open.
pub fn writing() -> WriteGuard {
    GATE.write();
    WriteGuard(&GATE)
}

impl WindowGate {
    const fn new() -> Self {
        let state = State { windows: 0, waits: None, writes: false, hangs: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn open(&self, patience: Duration) {
        let until = Instant::now() + patience;
        let mut state = self.state();
        let is_late = |since: Instant| since.elapsed() > WRITER_PATIENCE;
        while !state.hangs && (state.writes || state.waits.is_some_and(is_late)) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                state.hangs = state.writes;
                break;
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.map_or_else(|e| e.into_inner().0, |(state, _)| state);
        }
        state.windows += 1;
    }

    fn write(&self) {
        let mut state = self.state();
        // Several runs in one process (tests) take turns.
        while state.writes || state.waits.is_some() {
            state = self.changed.wait(state).unwrap_or_else(|e| e.into_inner());
        }
        state.waits = (state.windows > 0).then(Instant::now);
        state.writes = state.windows == 0;
        // Closing the last window wakes the writer.
        while !state.writes {
            state = self.changed.wait(state).unwrap_or_else(|e| e.into_inner());
        }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.windows -= 1;
        if state.windows == 0 && state.waits.take().is_some() {
            state.writes = true;
        }
        drop(state);
        self.0.changed.notify_all();
    }
}

impl Drop for WriteGuard {
    fn drop(&mut self) {
        let mut state = self.0.state();
        (state.writes, state.hangs) = (false, false);
        drop(state);
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn writer_waits_for_windows_and_new_windows_for_the_writer() {
        static OWN: WindowGate = WindowGate::new();
        OWN.open(Duration::ZERO);
        let first = Window(&OWN);
        let (written, opened) = (AtomicBool::new(false), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                OWN.write();
                let writing = WriteGuard(&OWN);
                std::thread::sleep(Duration::from_millis(20));
                assert!(!opened.load(Ordering::SeqCst));
                written.store(true, Ordering::SeqCst);
                drop(writing);
            });
            while OWN.state().waits.is_none() {
                std::thread::yield_now();
            }
            // Concurrent windows do not wait; a later one does.
            OWN.open(Duration::ZERO);
            drop(Window(&OWN));
            assert!(!written.load(Ordering::SeqCst));
            drop(first);
            assert!(OWN.state().waits.is_none());
            scope.spawn(|| {
                OWN.open(Duration::from_secs(600));
                assert!(written.load(Ordering::SeqCst));
                opened.store(true, Ordering::SeqCst);
                drop(Window(&OWN));
            });
        });
        assert!(opened.load(Ordering::SeqCst));
    }

    #[test]
    fn hanging_disk_does_not_block_measurement() {
        static OWN: WindowGate = WindowGate::new();
        OWN.write();
        let writing = WriteGuard(&OWN);
        OWN.open(Duration::from_millis(5));
        assert_eq!(OWN.state().windows, 1);
        // Later windows do not wait either, until the disk answers again.
        OWN.open(Duration::from_secs(600));
        drop(writing);
        assert!(!OWN.state().hangs);
    }
}
