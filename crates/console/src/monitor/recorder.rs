//! The thread that writes a recording: a drive that is slow or never answers keeps neither the samples of the other
//! views nor the user who quits. So many rows wait for it; what comes behind them is a gap with its reason.

use super::live;
use super::recording::{Recording, Row};
use crate::output;
use explain::monitor::Watch;
use record::{ChannelId, Event, Mark, Record};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
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
    shared: Arc<Shared>,
    name: String,
    /// Rows since the beginning.
    rows: u64,
    /// The channel that stands for the temperature of the SoC, if any does, once that was written.
    chosen: Option<Option<ChannelId>>,
}

#[derive(Default)]
struct Shared {
    desk: Mutex<WriteQueue>,
    changed: Condvar,
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
        let shared: Arc<Shared> = Arc::default();
        let theirs = Arc::clone(&shared);
        let builder = std::thread::Builder::new().name("recording".into());
        let work = move || theirs.work(recording);
        builder.stack_size(STACK_BYTES).spawn(work)?;
        let name = path.display().to_string();
        Ok(Self { shared, name, rows: 0, chosen: None })
    }

    /// Writes what is known before the first row.
    pub(super) fn begin(&mut self, watch: &Watch) {
        (self.rows, self.chosen) = (0, None);
        let begin = Job::Begin(Box::new(watch.record().clone()), watch.at_ms());
        self.shared.lock().jobs.push_back(begin);
        self.shared.changed.notify_all();
    }

    /// Writes a row. Notes of others that were read since are told to the watch.
    pub(super) fn row(&mut self, watch: &mut Watch) {
        let choice = self.choice(watch);
        let mut desk = self.shared.lock();
        if desk.jobs.len() >= ROWS_MAX {
            let (_, rows) = desk.lost.get_or_insert((watch.at_ms(), 0));
            *rows += 1;
            if *rows == 1 {
                let note = format!("{} is not responding. Monitoring continues.", self.name);
                desk.notes.push(note);
            }
        } else {
            if let Some((at_ms, rows)) = desk.lost.take() {
                desk.jobs.push_back(Job::Lost(at_ms, rows));
            }
            if let Some((channel, _)) = &choice {
                self.chosen = Some(channel.clone());
            }
            let choice = choice.map(|(_, event)| event);
            desk.jobs.push_back(Job::Row(Row { choice, ..Row::of(watch) }));
        }
        let marks = std::mem::take(&mut desk.marks);
        drop(desk);
        self.shared.changed.notify_all();
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
        std::mem::take(&mut self.shared.lock().notes)
    }

    /// Writes that it ended, and waits for the drive, but not for ever; false if the end is not in the file.
    pub(super) fn end(&mut self, watch: &Watch, signal: i32) -> bool {
        let mut desk = self.shared.lock();
        if let Some((at_ms, rows)) = desk.lost.take() {
            desk.jobs.push_back(Job::Lost(at_ms, rows));
        }
        desk.jobs.push_back(Job::End(Row::of(watch), signal));
        self.shared.changed.notify_all();
        let is_open = |desk: &mut WriteQueue| desk.ended.is_none();
        let waited = self.shared.changed.wait_timeout_while(desk, LAST_PATIENCE, is_open);
        let (desk, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if desk.ended.is_none() {
            let rows = desk.jobs.len();
            output::note(&format!("{} is not responding; the last {rows} samples were not written.", self.name));
        }
        desk.ended == Some(true)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, WriteQueue> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what is due, and makes sure of it now and then.
    fn work(&self, mut recording: Recording) {
        let mut sync_due: Option<Instant> = None;
        loop {
            let job = self.next(sync_due);
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
                    // Others are told that it ended before anybody takes it for ended.
                    drop(recording);
                    let mut desk = self.lock();
                    desk.notes.append(&mut notes);
                    desk.ended = Some(is_written);
                    return self.changed.notify_all();
                }
            }
            let mut desk = self.lock();
            desk.marks.append(&mut marks);
            desk.notes.append(&mut recording.take_notes());
        }
    }

    /// The next thing to write; nothing when it is time to make sure of what was written.
    fn next(&self, sync_due: Option<Instant>) -> Option<Job> {
        let mut desk = self.lock();
        loop {
            if let Some(job) = desk.jobs.pop_front() {
                return Some(job);
            }
            let Some(due) = sync_due else {
                let waited = self.changed.wait(desk);
                desk = waited.unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            let waited = self.changed.wait_timeout(desk, left);
            desk = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
