//! Writes frames to the terminal: a thread of its own writes them, so that a terminal that stops reading in the
//! middle of one blocks neither the sampling nor quitting.

use crate::write::write_all;
use std::io::{Write, stdout};
use std::os::fd::AsFd;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

static OUTLET: FrameWriter = FrameWriter {
    state: Mutex::new(State { due: Vec::new(), is_busy: false, has_thread: false }),
    changed: Condvar::new(),
};

struct FrameWriter {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// Pending output.
    due: Vec<u8>,
    /// The thread is writing.
    is_busy: bool,
    has_thread: bool,
}

/// Collects a frame, and hands it over when it is whole.
#[derive(Debug, Default)]
pub(super) struct FrameQueue(Vec<u8>);

impl FrameQueue {
    /// With the thread that writes them.
    ///
    /// # Errors
    /// The kernel refuses a thread.
    pub(super) fn start() -> std::io::Result<Self> {
        let mut state = OUTLET.lock();
        if !state.has_thread {
            let builder = std::thread::Builder::new().name("screen".into());
            builder.spawn(|| OUTLET.serve())?;
            state.has_thread = true;
        }
        Ok(Self::default())
    }
}

impl Write for FrameQueue {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        OUTLET.lock().due.append(&mut self.0);
        OUTLET.changed.notify_all();
        Ok(())
    }
}

/// True if everything is written within so long.
pub(super) fn is_idle_within(patience: Duration) -> bool {
    let state = OUTLET.lock();
    let is_open = |state: &mut State| state.is_busy || !state.due.is_empty();
    let waited = OUTLET.changed.wait_timeout_while(state, patience, is_open);
    let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
    !is_open(&mut state)
}

impl FrameWriter {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what is due, for ever.
    fn serve(&self) {
        let mut state = self.lock();
        loop {
            if state.due.is_empty() {
                state.is_busy = false;
                self.changed.notify_all();
                let waited = self.changed.wait(state);
                state = waited.unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state.is_busy = true;
            let due = std::mem::take(&mut state.due);
            drop(state);
            write_all(stdout().as_fd(), &due);
            state = self.lock();
        }
    }
}
