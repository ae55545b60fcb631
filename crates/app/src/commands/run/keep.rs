//! Writes the results of a run: among all runs, and as the latest one. After a timeout for the disk, the results are on the
//! terminal and in the stream of the run.

use crate::commands::start::{SavedRun, stamp};
use crate::paths::{Paths, replace_both};
use machine::files::Stream;
use record::Record;
use std::io::Write;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::time::Duration;

/// Longest wait for the disk, or for the reader of a pipe.
const DISK_TIME_MAX: Duration = Duration::from_secs(15);

/// The files of a run that ended.
pub(super) struct Results {
    pub(super) paths: Paths,
    /// Destination of the log if it is not a regular file.
    pub(super) stream: Option<Stream>,
    pub(super) kept: Option<SavedRun>,
    /// Start of the run, or of its resumed part.
    pub(super) stamp: String,
    pub(super) json: String,
    pub(super) log: String,
    /// The stream lacks the end of the run.
    pub(super) broken: bool,
}

/// Paths of the results. The exit status depends on them, so that a run with lost results does not report success.
#[must_use = "unwritten results have their own exit status"]
#[derive(Debug, Default)]
pub(super) struct StoredPaths {
    /// Sentence with the paths; none if the log was not written.
    pub(super) place: Option<String>,
    /// Sentences about files that could not be written.
    pub(super) problems: Vec<String>,
    /// Path of the result file; none if it was not written.
    pub(super) record: Option<PathBuf>,
}

impl StoredPaths {
    /// True if both the log and the result file were written.
    pub(super) fn is_whole(&self) -> bool {
        self.record.is_some() && self.place.is_some()
    }

    fn lost(why: String) -> Self {
        Self { problems: vec![why], ..Self::default() }
    }
}

pub(super) fn stamp_of(record: &Record) -> String {
    let started = record.run.started.known().copied().unwrap_or(0);
    let last_part = record.run.resumed.last();
    stamp(started.saturating_add(last_part.map_or(0, |part| part.at_ms)))
}

pub(super) fn keep(results: Results) -> StoredPaths {
    let place = results.paths.log.display().to_string();
    let late = match &results.stream {
        Some(stream) => format!("{place} is {} that took nothing", stream.kind),
        None => format!("The drive with {place} has not responded"),
    };
    let late = format!(
        "{late} for {} s; the results are shown above and, as far as written, in the run's event stream.",
        DISK_TIME_MAX.as_secs()
    );
    let (sender, told) = channel();
    let write = move || {
        // The receiver is gone after the timeout.
        let _ = sender.send(results.write());
    };
    match std::thread::Builder::new().spawn(write) {
        Ok(_) => told.recv_timeout(DISK_TIME_MAX).unwrap_or_else(|_| StoredPaths::lost(late)),
        Err(error) => StoredPaths::lost(format!("Cannot write the log to {place}: {error}.")),
    }
}

impl Results {
    fn write(mut self) -> StoredPaths {
        let mut kept = StoredPaths::default();
        if let Some(SavedRun { runs, stem }) = &self.kept {
            match runs.keep(stem, &self.stamp, &self.json, &self.log) {
                Ok(stem) => {
                    let tell = |error| format!("Old runs could not be removed: {error}.");
                    kept.problems.extend(runs.bound(&stem).err().map(tell));
                    kept.record = Some(self.paths.history.join(stem + ".json"));
                }
                Err(error) => {
                    if self.broken {
                        runs.mark_ended(stem);
                    }
                    kept.problems.push(format!("The result file could not be saved to the runs directory: {error}."));
                }
            }
        }
        let log = self.paths.log.display().to_string();
        match self.latest() {
            Ok(record) => {
                kept.record = record.or(kept.record);
                let record = kept.record.as_ref().map(|record| format!(", result file: {}", record.display()));
                kept.place = Some(format!("Log: {log}{}", record.unwrap_or_default()));
            }
            Err(error) => {
                kept.problems.push(format!(
                    "Cannot write the log to {log}: {error}. Use --log FILE; the results are shown above."
                ));
            }
        }
        kept
    }

    /// Writes the latest pair, or the log alone if no file can stand next to it. Returns the path of the Record.
    fn latest(&mut self) -> std::io::Result<Option<PathBuf>> {
        match (&mut self.stream, &self.paths.record) {
            (Some(stream), _) => stream.file.write_all(self.log.as_bytes()).map(|()| None),
            (None, Some(record)) => {
                // Without a runs directory this is the only copy.
                replace_both((&self.paths.log, &self.log), (record, &self.json))?;
                Ok(Some(record.clone()))
            }
            (None, None) => Ok(None),
        }
    }
}
