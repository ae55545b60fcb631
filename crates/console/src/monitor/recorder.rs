//! The thread that writes a recording: a drive that is slow or never answers keeps neither the samples of the other
//! views nor the user who quits. So many rows wait for it; what comes behind them is a gap with its reason.

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

/// Rows that wait for the drive: ten minutes at one per second.
const ROWS_MAX: usize = 600;
/// At the end so long is waited for the drive.
const LAST_PATIENCE: Duration = Duration::from_secs(5);
/// Interval of syncs: older data survive a power loss.
const SYNC_EVERY: Duration = Duration::from_secs(2);
/// After so many rows it is asked again which temperature is that of the SoC: one follows the load or not.
const ROWS_PER_CHOICE: u64 = 15;
/// Composing rows needs little.
const STACK_BYTES: usize = 256 << 10;

/// A recording that is being made.
pub(super) struct Recorder {
    queue: Arc<Outbox<WriteQueue>>,
    name: String,
    /// Rows since the beginning.
    rows: u64,
    /// The channel that stands for the temperature of the SoC, if any does, once that was written.
    chosen: Option<Option<ChannelId>>,
}

#[derive(Default)]
struct WriteQueue {
    jobs: VecDeque<Job>,
    /// Moment of the first row that had no room, and how many had none.
    lost: Option<(i64, u32)>,
    /// Notes of other processes, and what people should know.
    marks: Vec<Mark>,
    notes: Vec<String>,
    /// Once it ended: whether its end could be written.
    ended: Option<bool>,
}

/// Pending data.
enum Job {
    Begin(Box<Record>, i64),
    Row(Row),
    /// Rows between two others had no room.
    Lost(i64, u32),
    End(Row, i32),
}

impl Recorder {
    /// Opens the file for appending, and tells others that it is being written.
    ///
    /// # Errors
    /// It is no recording, another process writes it, it cannot be opened, or the kernel refuses a thread.
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

    /// Writes what is known before the first row.
    pub(super) fn begin(&mut self, watch: &Watch) {
        (self.rows, self.chosen) = (0, None);
        let begin = Job::Begin(Box::new(watch.record().clone()), watch.at_ms());
        self.queue.change(|queue| queue.jobs.push_back(begin));
    }

    /// Writes a row. Notes of others that were read since are told to the watch.
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
                queue.tell_lost();
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

    /// The channel that stands for the temperature of the SoC, if it is another one than was written. A replayed
    /// recording tells it itself.
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

    /// Writes that it ended, and waits for the drive, but not for ever; false if the end is not in the file.
    pub(super) fn end(&mut self, watch: &Watch, signal: i32) -> bool {
        self.queue.change(|queue| {
            queue.tell_lost();
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
    fn tell_lost(&mut self) {
        self.jobs.extend(self.lost.take().map(|(at_ms, rows)| Job::Lost(at_ms, rows)));
    }
}

/// Writes what is due, and makes sure of it now and then.
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
