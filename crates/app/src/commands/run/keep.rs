//! What a run came to goes to disk: among all runs, and as the latest one. A disk that does not answer costs so
//! long and no longer; then the results are on the terminal, and what was measured is in the stream of the run.

use crate::commands::start::{SavedRun, stamp};
use crate::paths::{Paths, replace, replace_copy};
use record::Record;
use std::sync::mpsc::channel;
use std::time::Duration;

/// Longest wait for the disk.
const DISK_TIME_MAX: Duration = Duration::from_secs(15);

/// The files of a run that ended.
pub(super) struct Results {
    pub(super) paths: Paths,
    pub(super) kept: Option<SavedRun>,
    /// When it or its last part began, as far as it is known by its end.
    pub(super) stamp: String,
    pub(super) json: String,
    pub(super) log: String,
    /// The stream lacks the end of the run.
    pub(super) broken: bool,
}

/// Of this Record.
pub(super) fn stamp_of(record: &Record) -> String {
    let started = record.run.started.known().copied().unwrap_or(0);
    let last_part = record.run.resumed.last();
    stamp(started.saturating_add(last_part.map_or(0, |part| part.at_ms)))
}

/// Writes them; sentences about where they are, or why not.
pub(super) fn keep(results: Results) -> Vec<String> {
    let place = results.paths.log.display().to_string();
    let late = format!(
        "The drive with {place} has not responded for {} s; the results are shown above and, as far as written, in \
         the run's event stream.",
        DISK_TIME_MAX.as_secs()
    );
    let (sender, told) = channel();
    let write = move || {
        // Nobody listens any more when the time is up.
        let _ = sender.send(results.write());
    };
    match std::thread::Builder::new().spawn(write) {
        Ok(_) => told.recv_timeout(DISK_TIME_MAX).unwrap_or_else(|_| vec![late]),
        Err(error) => vec![format!("Cannot write the log to {place}: {error}.")],
    }
}

impl Results {
    fn write(self) -> Vec<String> {
        let mut sentences = Vec::new();
        if let Some(SavedRun { runs, stem }) = &self.kept {
            match runs.keep(stem, &self.stamp, &self.json, &self.log) {
                Ok(stem) => {
                    let bound = runs.bound(&stem);
                    let tell = |error| format!("Old runs could not be removed: {error}.");
                    sentences.extend(bound.err().map(tell));
                }
                Err(error) => {
                    if self.broken {
                        runs.mark_ended(stem);
                    }
                    sentences.push(format!("The result file could not be saved to the runs directory: {error}."));
                }
            }
        }
        let (log, record) = (self.paths.log.display(), self.paths.record.display());
        sentences.push(match self.latest() {
            Ok(()) => format!("Log: {log}, result file: {record}"),
            Err(error) => {
                format!("Cannot write the log to {log}: {error}. Use --log FILE; the results are shown above.")
            }
        });
        sentences
    }

    /// The latest pair.
    fn latest(&self) -> Result<(), machine::files::Error> {
        // Without a folder of all runs this is the only copy.
        replace(&self.paths.record, &self.json)?;
        replace_copy(&self.paths.log, &self.log)
    }
}
