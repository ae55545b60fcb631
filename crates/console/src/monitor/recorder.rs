//! Thread that writes a recording, so that a slow drive delays neither other views nor the end. A bounded number of rows is
//! queued; further rows become a gap with its reason.

use super::live;
use super::recording::{Recording, Row};
use crate::output;
use explain::monitor::Watch;
use machine::Outbox;
use record::{ChannelId, Event, Mark, Record};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum number of queued rows: ten minutes at one per second.
const ROWS_MAX: usize = 600;
/// Maximum wait for the drive at the end.
const LAST_PATIENCE: Duration = Duration::from_secs(5);
/// Interval of syncs: older data survive a power loss.
const SYNC_EVERY: Duration = Duration::from_secs(2);
/// Number of rows between choices of the SoC's temperature, which depend on the load so far.
const ROWS_PER_CHOICE: u64 = 15;
const STACK_BYTES: usize = 256 << 10;

/// Handle of the thread.
pub(super) struct Recorder {
    queue: Arc<Outbox<WriteQueue>>,
    name: String,
    /// Rows since the start of the stream.
    rows: u64,
    /// Written channel of the SoC's temperature; the inner value is none where no channel has it.
    chosen: Option<Option<ChannelId>>,
}

#[derive(Default)]
struct WriteQueue {
    jobs: VecDeque<Job>,
    /// Time of the first dropped row, and the number of them.
    lost: Option<(i64, u32)>,
    /// Marks of other processes.
    marks: Vec<Mark>,
    /// Notes for the user.
    notes: Vec<String>,
    /// Whether the end was written, once the thread ended.
    ended: Option<bool>,
}

/// Pending data.
enum Job {
    Begin(Box<Record>, i64),
    Row(Row),
    /// Time of the first dropped row, and the number of them.
    Lost(i64, u32),
    End(Row, i32),
}

impl Recorder {
    /// Opens a file for appending and starts the thread.
    ///
    /// # Errors
    /// The file is not a recording, another process writes it, it cannot be opened, or the kernel refuses a thread.
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        let recording = Recording::open(path)?;
        let queue: Arc<Outbox<WriteQueue>> = Arc::default();
        let theirs = Arc::clone(&queue);
        let builder = std::thread::Builder::new().name("recording".into());
        let work = move || work(&theirs, recording);
        builder.stack_size(STACK_BYTES).spawn(work)?;
        let name = path.display().to_string();
        Ok(Self { queue, name, rows: 0, chosen: None })
    }

    /// Queues machine and channels of a stream.
    pub(super) fn begin(&mut self, watch: &Watch) {
        (self.rows, self.chosen) = (0, None);
        let begin = Job::Begin(Box::new(watch.record().clone()), watch.at_ms());
        self.queue.change(|queue| queue.jobs.push_back(begin));
    }

    /// Queues a row, and hands marks of other processes to the watch.
    pub(super) fn row(&mut self, watch: &mut Watch) {
        let choice = self.choice(watch);
        let marks = self.queue.change(|queue| {
            if queue.jobs.len() >= ROWS_MAX {
                let (_, rows) = queue.lost.get_or_insert((watch.at_ms(), 0));
                *rows += 1;
                if *rows == 1 {
                    let note = format!("{} is not responding. Monitoring continues.", self.name);
                    queue.notes.push(note);
                }
            } else {
                queue.push_lost();
                if let Some((channel, _)) = &choice {
                    self.chosen = Some(channel.clone());
                }
                let choice = choice.map(|(_, event)| event);
                queue.jobs.push_back(Job::Row(Row { choice, ..Row::of(watch) }));
            }
            std::mem::take(&mut queue.marks)
        });
        for mark in marks {
            watch.event(Event::Mark { mark });
        }
    }

    /// Channel of the SoC's temperature, if it differs from the written one. A replayed recording has its own events.
    fn choice(&mut self, watch: &Watch) -> Option<(Option<ChannelId>, Event)> {
        let is_due = self.rows.is_multiple_of(ROWS_PER_CHOICE) || self.chosen.is_none();
        self.rows += 1;
        let tells = |event: &Event| matches!(event, Event::SocTemperature { .. });
        let is_told = watch.happened().iter().any(tells);
        if !is_due && !is_told {
            return None;
        }
        let choice = live::chosen(watch);
        let channel = choice.as_ref().ok().map(|choice| choice.channel.clone());
        if is_told {
            self.chosen = Some(channel);
            return None;
        }
        let is_news = self.chosen.as_ref() != Some(&channel);
        is_news.then(|| (channel, Event::SocTemperature { choice: choice.into() }))
    }

    /// Notes for the user since the last call.
    pub(super) fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.queue.lock().notes)
    }

    /// Queues the end and waits for the drive, up to [`LAST_PATIENCE`]. False if the end was not written.
    pub(super) fn end(&mut self, watch: &Watch, signal: i32) -> bool {
        self.queue.change(|queue| {
            queue.push_lost();
            queue.jobs.push_back(Job::End(Row::of(watch), signal));
        });
        let queue = self.queue.wait(Some(Instant::now() + LAST_PATIENCE), |queue| queue.ended.is_some());
        if queue.ended.is_none() {
            let rows = queue.jobs.len();
            output::note(&format!("{} is not responding; the last {rows} samples were not written.", self.name));
        }
        queue.ended == Some(true)
    }
}

impl WriteQueue {
    fn push_lost(&mut self) {
        self.jobs.extend(self.lost.take().map(|(at_ms, rows)| Job::Lost(at_ms, rows)));
    }
}

/// Writes jobs, and syncs the file every [`SYNC_EVERY`].
fn work(queue: &Outbox<WriteQueue>, mut recording: Recording) {
    let mut sync_due: Option<Instant> = None;
    loop {
        let job = queue.wait(sync_due, |queue| !queue.jobs.is_empty()).jobs.pop_front();
        if sync_due.is_some_and(|due| Instant::now() >= due) {
            recording.sync();
            sync_due = None;
        }
        let Some(job) = job else { continue };
        sync_due.get_or_insert_with(|| Instant::now() + SYNC_EVERY);
        let mut marks = Vec::new();
        match job {
            Job::Begin(record, at_ms) => recording.begin(&record, at_ms),
            Job::Row(row) => marks = recording.row(&row),
            Job::Lost(at_ms, rows) => recording.lose(at_ms, rows),
            Job::End(row, signal) => {
                let is_written = recording.end(&row, signal);
                let mut notes = recording.take_notes();
                // Notify readers of the end before the writer counts as finished.
                drop(recording);
                return queue.change(|queue| {
                    queue.notes.append(&mut notes);
                    queue.ended = Some(is_written);
                });
            }
        }
        let mut queue = queue.lock();
        queue.marks.append(&mut marks);
        queue.notes.append(&mut recording.take_notes());
    }
}
