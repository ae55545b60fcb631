//! A file as a source: a recording, a Record, the stream of a run, or a log of the bash program, at any speed.

use super::Poll;
use super::args::Replay;
use crate::input;
use crate::read::read_from;
use anyhow::Context;
use explain::monitor::{Item, RecordingLines, Watch, items_of_record};
use record::recording::is_recording;
use std::io::{BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Replay skips pauses longer than this and than two intervals: between sessions, or while the machine slept.
const PAUSE_MAX: Duration = Duration::from_secs(10);

/// Number of bytes that identify a file type.
const BEGINNING_BYTES: u64 = 8;

pub(super) struct Source {
    file: PathBuf,
    items: Box<dyn Iterator<Item = Item> + Send>,
    next: Option<Item>,
    pace: ReplayPace,
    /// The last row was before the time of the seek.
    skipping: bool,
}

/// Times of rows.
struct ReplayPace {
    speed: Option<f64>,
    /// Longer pauses are skipped.
    pause: Duration,
    /// Earlier rows are skipped.
    seek_ms: i64,
    /// A time of the file, and when it was shown.
    anchor: Option<(i64, Instant)>,
}

impl Source {
    pub(super) fn open(replay: &Replay) -> anyhow::Result<Self> {
        let mut source = Self {
            items: items(&replay.file)?,
            file: replay.file.clone(),
            next: None,
            skipping: false,
            pace: ReplayPace {
                speed: replay.speed,
                pause: PAUSE_MAX,
                seek_ms: replay.seek.as_millis() as i64,
                anchor: None,
            },
        };
        source.next = source.items.next();
        let name = replay.file.display();
        anyhow::ensure!(source.next.is_some(), "{name} contains no samples.");
        Ok(source)
    }
}

impl super::Source for Source {
    fn seek(&mut self, at_ms: i64) -> anyhow::Result<()> {
        self.items = items(&self.file)?;
        self.next = self.items.next();
        self.pace.seek_ms = at_ms.max(0);
        self.pace.anchor = None;
        Ok(())
    }

    fn faster(&mut self, factor: f64) {
        let speed = self.pace.speed.unwrap_or(1.0) * factor;
        self.pace.speed = Some(speed.clamp(1.0 / 16.0, 4096.0));
        self.pace.anchor = None;
    }

    fn poll(&mut self, watch: &mut Watch) -> anyhow::Result<Poll> {
        loop {
            match self.next.take() {
                // Seeking beyond the end shows the end.
                None if std::mem::take(&mut self.skipping) => return Ok(Poll::Row),
                None => return Ok(Poll::End),
                Some(Item::Begin(record)) => {
                    self.next = self.items.next();
                    self.pace.anchor = None;
                    let interval = Duration::from_millis(record.samples.interval_ms);
                    self.pace.pause = PAUSE_MAX.max(interval * 2);
                    return Ok(Poll::Begin(Box::new(Watch::new(*record))));
                }
                Some(Item::Event(event)) => watch.event(*event),
                Some(Item::Row(at_ms, values)) => {
                    if let Some(wait) = self.pace.wait(at_ms) {
                        self.next = Some(Item::Row(at_ms, values));
                        return Ok(Poll::Wait(wait));
                    }
                    watch.row(at_ms, values);
                    self.skipping = at_ms < self.pace.seek_ms;
                    if !self.skipping {
                        self.next = self.items.next();
                        return Ok(Poll::Row);
                    }
                    watch.discard_events();
                }
            }
            self.next = self.items.next();
        }
    }
}

impl ReplayPace {
    /// Time until a row is due; `None` if it is.
    fn wait(&mut self, at_ms: i64) -> Option<Duration> {
        let speed = self.speed?;
        if at_ms < self.seek_ms {
            return None;
        }
        let now = Instant::now();
        let (from_ms, from) = *self.anchor.get_or_insert((at_ms, now));
        let due = Duration::from_millis(at_ms.saturating_sub(from_ms).max(0) as u64).div_f64(speed);
        let wait = due.saturating_sub(now - from);
        if wait.mul_f64(speed) > self.pause {
            self.anchor = Some((at_ms, now));
            return None;
        }
        (!wait.is_zero()).then_some(wait)
    }
}

/// Rows and events of a file.
fn items(file: &Path) -> anyhow::Result<Box<dyn Iterator<Item = Item> + Send>> {
    let name = file.display();
    let mut opened = input::open(file)?;
    let mut beginning = Vec::new();
    let read = opened.by_ref().take(BEGINNING_BYTES).read_to_end(&mut beginning);
    read.with_context(|| format!("Cannot read {name}"))?;
    let is_recording = is_recording(&beginning);
    let all = Cursor::new(beginning).chain(opened);
    if is_recording {
        return Ok(Box::new(RecordingLines::new(BufReader::new(all))));
    }
    let record = read_from(all, file)?;
    anyhow::ensure!(!record.samples.at_ms.is_empty(), "{name} contains no samples.");
    Ok(Box::new(items_of_record(record)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replay_speed() {
        let mut pace = ReplayPace { speed: Some(2.0), pause: PAUSE_MAX, seek_ms: 1000, anchor: None };
        assert_eq!(pace.wait(500), None);
        assert_eq!(pace.wait(1000), None);
        let wait = pace.wait(5000).unwrap();
        assert!(wait <= Duration::from_secs(2) && wait > Duration::from_secs(1), "{wait:?}");
        // Skips a pause; the pace continues after it.
        assert_eq!(pace.wait(3_600_000), None);
        assert!(pace.wait(3_602_000).is_some());
        pace.speed = None;
        assert_eq!(pace.wait(9_999_999), None);
    }
}
