//! Thread that writes the stream of a run. Every second it appends samples and kernel messages and syncs, so that a
//! freeze loses at most a second. It works between the timed windows of built-in workloads
//! ([`workloads::measure::window_gate`]).
//!
//! A full, read-only or hanging disk never ends or delays a run: failed writes are retried every second, the file stays
//! locked, and the run continues in memory.

use crate::run::history::NewRun;
use machine::faults::{self, Call};
use machine::files::Exclusive;
use machine::kernel_log::KernelLog;
use machine::{Outbox, SamplerThread, Timeline};
use record::recording::{RowWriter, frame};
use record::{Event, Fact, Missing, Reading};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use workloads::measure::window_gate;

/// Maximum time between syncs.
const EVERY: Duration = Duration::from_secs(1);
/// Longest wait for the disk.
const DISK_TIME_MAX: Duration = Duration::from_secs(10);
/// Maximum size of the queue while writes fail; then the oldest entries are dropped, because memory is being measured.
const QUEUE_BYTES_MAX: usize = 16 << 20;
const STACK_BYTES: usize = 256 << 10;

/// Sources of a run and their stream.
#[derive(Debug)]
pub(crate) struct StreamWriter {
    shared: Arc<StreamState>,
    thread: Option<JoinHandle<()>>,
    pub(crate) path: Option<PathBuf>,
}

#[derive(Debug)]
struct StreamState {
    sources: Mutex<Sources>,
    queue: Outbox<WriteQueue>,
}

/// Sampler and kernel log. The lock is held while reading, never while writing to disk.
#[derive(Debug)]
struct Sources {
    sampler: Option<SamplerThread>,
    log: Option<Reading<KernelLog>>,
    timeline: Timeline,
    rows: RowWriter,
    /// Samples taken by the thread and not yet in the Record.
    fresh: Vec<Event>,
    /// True once it is known whether the kernel's messages can be read.
    is_log_known: bool,
    /// True once the thread avoids the same CPUs as the sampler.
    is_along: bool,
}

/// Data to write.
#[derive(Debug, Default)]
struct WriteQueue {
    bytes: Vec<u8>,
    /// Numbers of the last requested and the last completed sync.
    asked: u64,
    done: u64,
    stop: bool,
    /// True while the drive does not answer in time; nothing waits for it.
    is_late: bool,
    /// Reason why data are missing from the file, and whether they still are.
    trouble: Option<Missing>,
    broken: bool,
    /// True if rows were dropped: the next row must be complete.
    lost: bool,
}

impl StreamWriter {
    /// Starts a tape to this place; `None` to keep everything in memory.
    pub(crate) fn start(place: Option<NewRun>, timeline: &Timeline) -> Self {
        let sources = Sources {
            sampler: None,
            log: None,
            timeline: timeline.clone(),
            rows: RowWriter::default(),
            fresh: Vec::new(),
            is_log_known: false,
            is_along: false,
        };
        let shared = Arc::new(StreamState { sources: Mutex::new(sources), queue: Outbox::default() });
        let (path, thread) = place.map(|place| Self::thread(&shared, place)).unzip();
        Self { shared, thread: thread.flatten(), path }
    }

    fn thread(shared: &Arc<StreamState>, place: NewRun) -> (PathBuf, Option<JoinHandle<()>>) {
        let NewRun { path, file, unlocked, .. } = place;
        if let Some(error) = unlocked {
            let why = format!(
                "the event stream cannot be locked, so another sbc-bench may treat this run as dead: \
                               {error}"
            );
            shared.queue.lock().trouble = Some(Missing::unsupported(path.display().to_string(), why));
        }
        let theirs = Arc::clone(shared);
        let builder = std::thread::Builder::new().name("stream".into());
        let builder = builder.stack_size(STACK_BYTES);
        let work = move || Writer::new(file).work(&theirs);
        let thread = faults::pass(Call::Thread, "stream", || builder.spawn(work));
        if let Err(error) = &thread {
            shared.queue.lock().fail(&path, error);
        }
        (path, thread.ok())
    }

    /// Adds a sampler.
    pub(crate) fn watch_by(&self, sampler: SamplerThread) {
        let mut sources = self.shared.sources();
        sources.sampler = Some(sampler);
        sources.is_along = false;
    }

    /// Adds the kernel messages.
    pub(crate) fn listen(&self, log: Reading<KernelLog>) {
        self.shared.sources().log = Some(log);
    }

    /// Keeps all watching off CPUs that are measured from now on.
    pub(crate) fn keep_off(&self, cpus: &[u32]) {
        if let Some(sampler) = &self.shared.sources().sampler {
            sampler.keep_off(cpus);
        }
    }

    /// Appends an event.
    pub(crate) fn append(&self, event: &Event) {
        if self.thread.is_some() {
            self.shared.queue.lock().push(line(event).as_bytes());
        }
    }

    /// Events since the last call.
    pub(crate) fn flush(&self) -> Vec<Event> {
        let mut sources = self.shared.sources();
        let mut events = std::mem::take(&mut sources.fresh);
        let seen = sources.look();
        self.hand_over(&mut sources, &seen, true);
        events.extend(seen);
        events
    }

    /// Stops the sampler and returns its events since the last flush.
    pub(crate) fn stop_sampler(&self) -> Vec<Event> {
        let sampler = self.shared.sources().sampler.take();
        // Without the lock, so that a hanging sampler does not delay the writer.
        let last = sampler.map(SamplerThread::stop).unwrap_or_default();
        let mut sources = self.shared.sources();
        let mut events = std::mem::take(&mut sources.fresh);
        self.hand_over(&mut sources, &last, true);
        events.extend(last);
        events
    }

    fn hand_over(&self, sources: &mut Sources, seen: &[Event], costs: bool) {
        if self.thread.is_some() {
            self.shared.hand_over(sources, seen, costs);
        }
    }

    /// Waits until all events are on disk, or the disk does not answer.
    pub(crate) fn sync(&self) {
        let Some(path) = self.path.as_ref().filter(|_| self.thread.is_some()) else { return };
        let until = Instant::now() + DISK_TIME_MAX;
        let asked = self.shared.queue.change(|queue| {
            queue.asked += 1;
            queue.asked
        });
        let mut queue = self.shared.queue.wait(Some(until), |queue| queue.done >= asked || queue.is_late);
        if queue.done < asked && !queue.is_late {
            let late = std::io::Error::other("the drive does not respond");
            queue.fail(path, &late);
            queue.is_late = true;
        }
    }

    /// Ends the stream. Returns its path, its error, and whether data are missing from it.
    pub(crate) fn finish(mut self) -> (Option<PathBuf>, Option<Missing>, bool) {
        self.sync();
        let queue = self.shared.queue.lock();
        let ended = (self.path.take(), queue.trouble.clone(), queue.broken);
        drop(queue);
        ended
    }
}

impl Drop for StreamWriter {
    fn drop(&mut self) {
        self.shared.queue.change(|queue| queue.stop = true);
        if let Some(thread) = self.thread.take() {
            let queue = self.shared.queue.lock();
            // The thread of a hanging disk is left behind.
            let answers = queue.done == queue.asked;
            drop(queue);
            if answers {
                thread.join().ok();
            }
        }
    }
}

impl StreamState {
    fn sources(&self) -> MutexGuard<'_, Sources> {
        self.sources.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Queues events. Sampling costs are long and constant, so they are written rarely.
    fn hand_over(&self, sources: &mut Sources, seen: &[Event], costs: bool) {
        let mut queue = self.queue.lock();
        if std::mem::take(&mut queue.lost) {
            sources.rows.start_again();
        }
        for event in seen {
            match event {
                Event::SamplerCost { .. } if !costs => {}
                Event::Samples { at_ms, columns } => {
                    for (row, at_ms) in at_ms.iter().enumerate() {
                        let values = columns.iter().map(|column| column.get(row).copied().flatten());
                        queue.push(frame(&sources.rows.row(*at_ms, values)).as_bytes());
                    }
                }
                event => {
                    if matches!(event, Event::Channels { .. }) {
                        sources.rows = RowWriter::default();
                    }
                    queue.push(line(event).as_bytes());
                }
            }
        }
    }

    /// Collects and queues events, once a second.
    fn collect_and_enqueue(&self) {
        let mut sources = self.sources();
        if let Some(sampler) = sources.sampler.as_ref().filter(|_| !sources.is_along) {
            sampler.keep_off_caller();
            sources.is_along = true;
        }
        let seen = sources.look();
        self.hand_over(&mut sources, &seen, false);
        // Only the last cost event is kept.
        sources.fresh.retain(|event| !matches!(event, Event::SamplerCost { .. }));
        sources.fresh.extend(seen);
    }
}

impl Sources {
    /// Events since the last call.
    fn look(&mut self) -> Vec<Event> {
        let mut seen = self.sampler.as_mut().map(SamplerThread::drain).unwrap_or_default();
        let messages = match &mut self.log {
            Some(Ok(log)) => log.since(&self.timeline),
            Some(Err(missing)) => Err(missing.clone()),
            None => return seen,
        };
        let tells = messages.as_ref().is_ok_and(|messages| !messages.is_empty());
        if tells || !self.is_log_known {
            self.is_log_known = true;
            seen.push(Event::KernelMessages { messages: Fact::from(messages) });
        }
        seen
    }
}

impl WriteQueue {
    fn push(&mut self, line: &[u8]) {
        if self.bytes.len() + line.len() > QUEUE_BYTES_MAX {
            self.bytes.clear();
            // Terminates the dropped line.
            self.bytes.push(b'\n');
            self.lost = true;
        }
        self.bytes.extend_from_slice(line);
    }

    fn fail(&mut self, path: &Path, error: &std::io::Error) {
        let path = path.display().to_string();
        let why = format!("{path}: {error}");
        self.broken = true;
        self.trouble.get_or_insert(Missing::unsupported(path, why));
    }
}

/// Writer thread.
struct Writer {
    file: Exclusive<File>,
}

impl Writer {
    fn new(file: Exclusive<File>) -> Self {
        Self { file }
    }

    fn work(self, shared: &StreamState) {
        let mut due = Instant::now() + EVERY;
        loop {
            let queue = shared.queue.wait(Some(due), |queue| queue.stop || queue.done != queue.asked);
            let (asked, stop) = (queue.asked, queue.stop);
            drop(queue);
            let writing = window_gate::writing();
            if Instant::now() >= due {
                shared.collect_and_enqueue();
                due = Instant::now() + EVERY;
            }
            let bytes = std::mem::take(&mut shared.queue.lock().bytes);
            let (written, error) = self.write(&bytes);
            drop(writing);
            shared.queue.change(|queue| {
                match error {
                    None => queue.broken = false,
                    Some(error) => {
                        queue.fail(Path::new("the run's event stream"), &error);
                        // New data follow the unwritten rest.
                        let newer = std::mem::replace(&mut queue.bytes, bytes[written..].to_vec());
                        queue.push(&newer);
                    }
                }
                queue.done = asked;
                queue.is_late = false;
            });
            if stop {
                return;
            }
        }
    }

    /// Writes and syncs; returns the number of bytes written and the error.
    fn write(&self, bytes: &[u8]) -> (usize, Option<std::io::Error>) {
        if bytes.is_empty() {
            return (0, None);
        }
        let length = || self.file.metadata().map_or(0, |meta| meta.len());
        let before = length();
        match faults::write_all(&self.file, bytes) {
            Ok(()) => (bytes.len(), faults::sync_data(&self.file).err()),
            // The growth of the file is the number of bytes written, because no other process writes to it.
            Err(error) => {
                let grown = length().saturating_sub(before) as usize;
                (grown.min(bytes.len()), Some(error))
            }
        }
    }
}

fn line(event: &Event) -> String {
    frame(&serde_json::to_string(event).unwrap_or_default())
}
