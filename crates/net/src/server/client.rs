//! One connection: its request and the data to send. Nothing here blocks.

use super::reply::{Site, frame, reply};
use rustix::event::{PollFd, PollFlags};
use rustix::net::sockopt::set_socket_send_buffer_size;
use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum time for a request, and for the client to accept each part of an answer.
const PATIENCE: Duration = Duration::from_secs(4);
/// Maximum size of a request; those of browsers have about 500 bytes.
const REQUEST_BYTES_MAX: usize = 8 << 10;
/// Maximum number of queued frames: the current and the newest.
const FRAMES_MAX: usize = 2;
/// Send buffer of a follower; without a limit the kernel holds some MiB for each that does not read.
const FOLLOWER_BYTES: usize = 128 << 10;

/// Purpose of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Receiving the request.
    Asks,
    /// Sending the answer, then closed.
    Hears,
    /// Sending frames.
    Follows,
}

/// One connection.
pub(super) struct Client {
    connection: TcpStream,
    phase: Phase,
    request: Vec<u8>,
    /// Data to send, and the number of bytes of the first block already sent.
    queue: VecDeque<Arc<[u8]>>,
    gone: usize,
    /// Deadline; extended whenever data moves.
    deadline: Option<Instant>,
}

impl Client {
    /// Takes a new connection.
    ///
    /// # Errors
    /// The connection is closed.
    pub(super) fn new(connection: TcpStream) -> std::io::Result<Self> {
        connection.set_nonblocking(true)?;
        let deadline = Some(Instant::now() + PATIENCE);
        Ok(Self { connection, phase: Phase::Asks, request: Vec::new(), queue: VecDeque::new(), gone: 0, deadline })
    }

    /// True if it receives a stream.
    pub(super) fn follows(&self) -> bool {
        self.phase == Phase::Follows
    }

    /// Time at which it is closed unless data moves.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Events that let it continue. A follower is also read, to detect a hang-up.
    pub(super) fn waits_for(&self) -> PollFd<'_> {
        let hears = if self.phase == Phase::Hears { PollFlags::empty() } else { PollFlags::IN };
        let sends = if self.queue.is_empty() { PollFlags::empty() } else { PollFlags::OUT };
        PollFd::new(&self.connection, hears | sends)
    }

    /// Queues a frame; it replaces one that has not been started. Frames are complete, so that no content is lost.
    pub(super) fn offer(&mut self, frame: &Arc<[u8]>, now: Instant) {
        if self.queue.is_empty() {
            self.deadline = Some(now + PATIENCE);
        }
        self.queue.truncate(FRAMES_MAX - 1);
        self.queue.push_back(Arc::clone(frame));
    }

    /// Reads and sends without blocking. False if the connection is done or closed.
    pub(super) fn goes_on(&mut self, now: Instant, site: &mut impl Site, is_local: bool, has_room: bool) -> bool {
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return false;
        }
        let listens = match self.phase {
            Phase::Asks => self.listen(site, is_local, has_room),
            Phase::Follows => self.is_there(),
            Phase::Hears => true,
        };
        listens && self.send(now)
    }

    /// Reads the request and answers a complete one.
    fn listen(&mut self, site: &mut impl Site, is_local: bool, has_room: bool) -> bool {
        let mut buffer = [0; 1024];
        loop {
            let is_whole = match self.connection.read(&mut buffer) {
                Ok(0) => true,
                Ok(count) => {
                    self.request.extend_from_slice(&buffer[..count]);
                    self.request.windows(4).any(|end| end == b"\r\n\r\n")
                }
                Err(error) => return is_only_early(&error),
            };
            if is_whole {
                self.answer(site, is_local, has_room);
                return true;
            }
            if self.request.len() > REQUEST_BYTES_MAX {
                return false;
            }
        }
    }

    fn answer(&mut self, site: &mut impl Site, is_local: bool, has_room: bool) {
        let reply = reply(&std::mem::take(&mut self.request), is_local, has_room, site);
        self.phase = if reply.is_stream { Phase::Follows } else { Phase::Hears };
        self.queue.push_back(reply.bytes.into());
        if reply.is_stream {
            // Limits the data held by the kernel.
            let _ = set_socket_send_buffer_size(&self.connection, FOLLOWER_BYTES);
            self.queue.push_back(frame(&site.news()));
        }
    }

    /// False if a follower has disconnected. Its input is ignored.
    fn is_there(&mut self) -> bool {
        match self.connection.read(&mut [0; 1024]) {
            Ok(count) => count > 0,
            Err(error) => is_only_early(&error),
        }
    }

    fn send(&mut self, now: Instant) -> bool {
        while let Some(first) = self.queue.front() {
            if self.gone == first.len() {
                self.queue.pop_front();
                self.gone = 0;
                continue;
            }
            match self.connection.write(&first[self.gone..]) {
                Ok(count) => self.gone += count,
                Err(error) => return is_only_early(&error),
            }
            self.deadline = Some(now + PATIENCE);
        }
        match self.phase {
            Phase::Asks => true,
            Phase::Follows => {
                self.deadline = None;
                true
            }
            Phase::Hears => {
                // Unread input would make the kernel send a reset instead of the answer.
                let _ = self.connection.shutdown(Shutdown::Write);
                false
            }
        }
    }
}

/// True if there are no data to read or no room to write.
fn is_only_early(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
