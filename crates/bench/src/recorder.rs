//! Keeps the Record of a run, in memory and on disk at once.
//!
//! Every event is appended to a file, one JSON object per line, and the file is synced before
//! whatever takes time, so that a freeze or a power cut leaves everything measured so far plus the place
//! where it died. A full disk does not end a run: the Record goes on in memory and says so.

use machine::faults::{self, Call};
use record::{Event, Missing, Record, Run, SCHEMA_VERSION, Source, Why};
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Keeps the Record of a run.
#[derive(Debug)]
pub struct Recorder {
    record: Record,
    stream: Option<(PathBuf, File)>,
    /// True if the disk may lack something of the stream.
    unsynced: bool,
    trouble: Option<Missing>,
}

impl Recorder {
    /// Starts a Record, and its stream on disk if a path is given.
    pub fn start(source: Source, run: Run, path: Option<&Path>) -> Self {
        let mut recorder = Self {
            record: Record::new(source.clone(), run.clone()),
            stream: None,
            unsynced: false,
            trouble: None,
        };
        if let Some(path) = path {
            let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
            let create = || faults::pass(Call::Open, path, || File::create_new(path));
            match folder.and_then(|()| create()) {
                Ok(file) => {
                    // Tells others that this run is alive; the kernel lets go when it dies. A file
                    // system without locks only loses this courtesy.
                    let _ = flock(&file, FlockOperation::NonBlockingLockExclusive);
                    recorder.stream = Some((path.to_path_buf(), file));
                }
                Err(error) => recorder.note(path, &error),
            }
        }
        recorder.write(&Event::Started {
            schema: SCHEMA_VERSION,
            source,
            run: Box::new(run),
        });
        recorder.sync();
        recorder
    }

    /// Adds an event.
    pub fn append(&mut self, event: Event) {
        self.write(&event);
        self.record.apply(event);
    }

    /// Makes sure that everything appended so far survives a loss of power.
    pub fn sync(&mut self) {
        if std::mem::take(&mut self.unsynced)
            && let Some((path, file)) = &self.stream
            && let Err(error) = faults::sync_data(file)
        {
            let path = path.clone();
            self.note(&path, &error);
        }
    }

    /// The Record so far.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The Record, where its stream lies on disk, and what went wrong with writing it.
    pub fn finish(mut self) -> (Record, Option<PathBuf>, Option<Missing>) {
        self.sync();
        (self.record, self.stream.map(|(path, _)| path), self.trouble)
    }

    fn write(&mut self, event: &Event) {
        let Some((path, file)) = &mut self.stream else {
            return;
        };
        let mut line = serde_json::to_vec(event).unwrap_or_default();
        line.push(b'\n');
        self.unsynced = true;
        if let Err(error) = faults::write_all(file, &line) {
            let path = path.clone();
            self.note(&path, &error);
        }
    }

    /// Gives up writing after the first error; what stands on disk until then stays readable.
    fn note(&mut self, path: &Path, error: &std::io::Error) {
        self.stream = None;
        let why = match error.kind() {
            std::io::ErrorKind::PermissionDenied => Why::Denied,
            _ => Why::Unsupported(format!("{}: {error}", path.display())),
        };
        self.trouble.get_or_insert(Missing {
            path: path.display().to_string(),
            why,
        });
    }
}

/// Reads a stream back, also one that was cut in the middle of a line.
///
/// # Errors
/// Its first line is not the beginning of a run.
pub fn read_stream(text: &str) -> Result<Record, Missing> {
    Record::from_events(
        text.lines()
            .map_while(|line| serde_json::from_str(line).ok()),
    )
}

/// Streams in a folder whose runs have died, with the Records that they make. A stream whose run
/// goes on is locked by it and left alone, and so is whatever is no stream.
pub fn died_streams(folder: &Path) -> Vec<(PathBuf, Record)> {
    #[expect(
        clippy::disallowed_methods,
        reason = "a folder of our own, not one of the kernel"
    )]
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let streams = paths.filter(|path| path.to_string_lossy().ends_with(".events.jsonl"));
    let died = streams.filter_map(|path| {
        let file = File::open(&path).ok()?;
        flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
        let record = read_stream(&std::fs::read_to_string(&path).ok()?).ok()?;
        Some((path, record))
    });
    died.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::End;

    fn path(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("sbc-bench-{}-{name}", std::process::id()))
    }

    fn recorder(path: Option<&Path>) -> Recorder {
        let source = Source::Run {
            version: "0".into(),
            target: "test".into(),
        };
        Recorder::start(
            source,
            Run {
                mode: "standard".into(),
                ..Run::default()
            },
            path,
        )
    }

    #[test]
    fn the_stream_on_disk_is_the_record() {
        let path = path("stream");
        let mut recorder = recorder(Some(&path));
        recorder.append(Event::Gate {
            gate: record::Gate::default(),
        });
        recorder.append(Event::Ended {
            end: End::Finished,
            elapsed_ms: 5,
        });
        let (record, written, trouble) = recorder.finish();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(written, Some(path));
        assert_eq!(trouble, None);
        assert_eq!(read_stream(&text).unwrap(), record);
    }

    #[test]
    fn a_stream_cut_at_any_byte_still_gives_what_stood_before() {
        let path = path("cut");
        let mut recorder = recorder(Some(&path));
        recorder.append(Event::Gate {
            gate: record::Gate::default(),
        });
        recorder.append(Event::Ended {
            end: End::Finished,
            elapsed_ms: 5,
        });
        drop(recorder);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let first = text.find('\n').unwrap();
        let second = first + 1 + text[first + 1..].find('\n').unwrap();
        for cut in 0..text.len() {
            match read_stream(&text[..cut]) {
                Err(_) => assert!(cut < first),
                Ok(record) => {
                    assert!(cut >= first);
                    assert_eq!(record.gate.known().is_some(), cut >= second);
                }
            }
        }
    }

    #[test]
    fn only_streams_of_dead_runs_are_found() {
        let folder = path("died");
        let stream = folder.join("x.events.jsonl");
        let alive = recorder(Some(&stream));
        std::fs::write(folder.join("other.json"), "{}").unwrap();
        assert_eq!(died_streams(&folder), []);
        drop(alive);
        let died = died_streams(&folder);
        assert_eq!(died.len(), 1);
        assert_eq!((&died[0].0, &died[0].1.run.end), (&stream, &End::Died));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_path_that_cannot_be_written_leaves_the_record_in_memory() {
        let mut recorder = recorder(Some(Path::new("/proc/none/stream")));
        recorder.append(Event::Gate {
            gate: record::Gate::default(),
        });
        let (record, written, trouble) = recorder.finish();
        assert!(record.gate.known().is_some());
        assert_eq!(written, None);
        assert!(trouble.is_some());
    }
}
