//! Writes frames to the terminal on a separate thread, so that a terminal that stops reading blocks neither sampling nor
//! quitting.

use crate::write::write_all;
use machine::Outbox;
use std::io::{Write, stdout};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

static OUTLET: Outbox<Frames> = Outbox::new(Frames { due: Vec::new(), is_busy: false, has_thread: false });

struct Frames {
    /// Pending output.
    due: Vec<u8>,
    /// The thread is writing.
    is_busy: bool,
    has_thread: bool,
}

/// Collects a frame, and queues it when it is complete.
#[derive(Debug, Default)]
pub(super) struct FrameQueue(Vec<u8>);

impl FrameQueue {
    /// Starts the thread.
    ///
    /// # Errors
    /// The kernel refuses a thread.
    pub(super) fn start() -> std::io::Result<Self> {
        let mut state = OUTLET.lock();
        if !state.has_thread {
            let builder = std::thread::Builder::new().name("screen".into());
            builder.spawn(|| OUTLET.serve(Frames::next, |due: Vec<u8>| write_all(stdout().as_fd(), &due)))?;
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
        OUTLET.change(|frames| frames.due.append(&mut self.0));
        Ok(())
    }
}

/// True if everything is written within this time.
pub(super) fn is_idle_within(patience: Duration) -> bool {
    let is_idle = |frames: &mut Frames| !frames.is_busy && frames.due.is_empty();
    let mut frames = OUTLET.wait(Some(Instant::now() + patience), is_idle);
    is_idle(&mut frames)
}

impl Frames {
    /// Takes the pending output, if any, and marks the thread as writing.
    fn next(&mut self) -> Option<Vec<u8>> {
        self.is_busy = !self.due.is_empty();
        self.is_busy.then(|| std::mem::take(&mut self.due))
    }
}
