//! Appends a stream to a file in the form of [`record::recording`]. Rows that cannot be written become a gap with its reason;
//! the recording continues once the drive has room again.

use super::jsonl::beginning;
use super::running::{ActiveRecording, has_recording_header};
use explain::monitor::Watch;
use machine::faults;
use machine::files::{self, Access, Exclusive};
use record::recording::{RowWriter, frame, payload};
use record::{ChannelId, End, Event, Gap, Mark, Missing, Record};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Maximum size of appended data that is searched for marks of other processes.
const FOREIGN_BYTES_MAX: u64 = 1 << 20;

/// An open recording.
pub(super) struct Recording {
    file: Exclusive<File>,
    path: PathBuf,
    rows: RowWriter,
    /// Length of the file after the last write of this process; other processes append behind it.
    end: u64,
    /// The file ends in half a line, so the next write begins with a newline.
    torn: bool,
    trouble: Option<WriteFailure>,
    /// Notes for the user.
    notes: Vec<String>,
    /// Entry for other processes.
    running: Option<ActiveRecording>,
    /// The entry was made or cannot be made.
    announced: bool,
}

/// A row with its events.
pub(super) struct Row {
    pub(super) at_ms: i64,
    pub(super) values: Vec<Option<i64>>,
    pub(super) happened: Vec<Event>,
    /// New choice of the SoC's temperature from this row on.
    pub(super) choice: Option<Event>,
}

impl Row {
    /// The latest row.
    pub(super) fn of(watch: &Watch) -> Self {
        let (values, happened) = (watch.read().to_vec(), watch.happened().to_vec());
        Self { at_ms: watch.at_ms(), values, happened, choice: None }
    }
}

/// Rows that could not be written.
struct WriteFailure {
    at_ms: i64,
    rows: u32,
    why: String,
}

impl Recording {
    /// Opens a file for appending.
    ///
    /// # Errors
    /// The file is not a recording, another process writes it, or it cannot be opened.
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        let name = path.display();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(missing) = folder.filter(|folder| !folder.is_dir()) {
            anyhow::bail!("--record {name}: directory {} does not exist; create it first.", missing.display());
        }
        let file = Exclusive::new(files::append(path, Access::Group)?);
        let end = file.metadata()?.len();
        anyhow::ensure!(
            end == 0 || has_recording_header(&file),
            "{name} exists and is not a recording; use another file."
        );
        file.lock().map_err(|_| anyhow::anyhow!("{name} is being written by another monitor; use another file."))?;
        let mut last = [b'\n'];
        if end > 0 {
            file.read_at(&mut last, end - 1)?;
        }
        Ok(Self {
            path: path.to_path_buf(),
            notes: Vec::new(),
            running: None,
            announced: false,
            file,
            rows: RowWriter::default(),
            end,
            torn: last != *b"\n",
            trouble: None,
        })
    }

    /// Writes machine and channels.
    pub(super) fn begin(&mut self, record: &Record, at_ms: i64) {
        let events = beginning(record);
        self.rows = RowWriter::default();
        self.append(at_ms, &events.each_ref().map(text_of).concat());
    }

    /// Writes a row with its events. Returns the marks that other processes appended.
    pub(super) fn row(&mut self, row: &Row) -> Vec<Mark> {
        let marks = self.marks_of_others();
        let at_ms = row.at_ms;
        if !std::mem::replace(&mut self.announced, true) {
            self.announce(at_ms);
        }
        let mut text = String::new();
        if let Some(trouble) = &self.trouble {
            text.push_str(&text_of(&trouble.event()));
        }
        text.extend(row.choice.iter().map(text_of));
        text.push_str(&frame(&self.rows.row(at_ms, row.values.iter().copied())));
        text.extend(row.happened.iter().map(text_of));
        self.append(at_ms, &text);
        marks
    }

    /// Notes rows lost because the drive did not respond, and the time of the first one.
    pub(super) fn lose(&mut self, at_ms: i64, rows: u32) {
        let why = "the drive did not respond".to_owned();
        let trouble = self.trouble.get_or_insert(WriteFailure { at_ms, rows: 0, why });
        trouble.rows += rows;
        self.rows.start_again();
    }

    /// Syncs the file; the next write also returns an error.
    pub(super) fn sync(&self) {
        let _ = faults::sync_data(&self.file);
    }

    /// Makes the entry for other processes; `at_ms` is the current time of the recording.
    fn announce(&mut self, at_ms: i64) {
        let now_ms = (machine::timeline::monotonic_ns() / 1_000_000) as i64;
        match ActiveRecording::announce(&self.path, now_ms - at_ms) {
            Ok(running) => self.running = Some(running),
            Err(why) => {
                self.notes.push(format!("{why}; use `sbc-bench monitor mark --record FILE` for this recording."))
            }
        }
    }

    /// Notes for the user since the last call.
    pub(super) fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Writes the end. False if the last samples could not be written.
    pub(super) fn end(&mut self, row: &Row, signal: i32) -> bool {
        let end = match signal {
            0 => End::Finished,
            signal => End::Interrupted { signal },
        };
        let elapsed_ms = row.at_ms.max(0) as u64;
        let mut text: String = row.happened.iter().map(text_of).collect();
        text.push_str(&text_of(&Event::Ended { end, elapsed_ms }));
        self.append(row.at_ms, &text);
        self.sync();
        if let Some(trouble) = &self.trouble {
            let (path, rows) = (self.path.display(), trouble.rows);
            self.notes.push(format!("{path} lacks the last {rows} samples."));
        }
        self.trouble.is_none()
    }

    /// Writes at once, so that lines of other processes cannot split it.
    fn append(&mut self, at_ms: i64, text: &str) {
        let text = if self.torn { format!("\n{text}") } else { text.to_owned() };
        match faults::write_all(&self.file, text.as_bytes()) {
            Ok(()) => {
                if let Some(trouble) = self.trouble.take() {
                    let lost = trouble.sentence();
                    self.notes.push(format!("Recording resumed; {lost}."));
                }
                self.torn = false;
                self.end += text.len() as u64;
            }
            Err(error) => self.fail(at_ms, &error),
        }
    }

    fn fail(&mut self, at_ms: i64, error: &std::io::Error) {
        if self.trouble.is_none() {
            let path = self.path.display();
            self.notes.push(format!("Cannot write {path}: {error}. Monitoring continues."));
        }
        let trouble = self.trouble.get_or_insert_with(|| WriteFailure { at_ms, rows: 0, why: error.to_string() });
        trouble.rows += 1;
        self.rows.start_again();
        self.torn = true;
        self.end = self.file.metadata().map_or(self.end, |meta| meta.len());
    }

    /// Marks that other processes appended since the last write.
    fn marks_of_others(&mut self) -> Vec<Mark> {
        let length = self.file.metadata().map_or(self.end, |meta| meta.len());
        let foreign = length.saturating_sub(self.end).min(FOREIGN_BYTES_MAX);
        if foreign == 0 {
            return Vec::new();
        }
        let mut bytes = vec![0; foreign as usize];
        let read = self.file.read_at(&mut bytes, self.end).unwrap_or(0);
        self.end = length;
        let lines = bytes[..read].split(|byte| *byte == b'\n');
        let events = lines.filter_map(|line| serde_json::from_str(payload(line)?).ok());
        events
            .filter_map(|event| match event {
                Event::Mark { mark } => Some(mark),
                _ => None,
            })
            .collect()
    }
}

impl WriteFailure {
    fn sentence(&self) -> String {
        format!("{} samples were lost: {}", self.rows, self.why)
    }

    fn event(&self) -> Event {
        Event::Gap {
            channel: ChannelId::ALL_CHANNELS_GAP,
            gap: Gap { at_ms: self.at_ms, missing: Missing::unsupported("recording", self.sentence()) },
        }
    }
}

fn text_of(event: &Event) -> String {
    frame(&serde_json::to_string(event).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use explain::monitor::Watch;
    use record::{Channel, ChannelKind, Fact, Unit, nothing_known, read_stream};

    fn watch() -> Watch {
        let channel = |id| Channel::new(id, Unit::Count, ChannelKind::Gauge);
        let mut record = nothing_known();
        record.run.started = Fact::Known(0);
        record.samples.channels = vec![channel(ChannelId::own("x")), channel(ChannelId::ALL_CHANNELS_GAP)];
        Watch::new(record)
    }

    fn path(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("sbc-bench-{}-{name}.rec", std::process::id()))
    }

    fn row(recording: &mut Recording, watch: &mut Watch, at_ms: i64) {
        watch.row(at_ms, [Some(at_ms * 3), None]);
        recording.row(&Row::of(watch));
        watch.discard_events();
    }

    #[test]
    fn full_disk_leaves_gap_with_reason() {
        let path = path("full");
        let mut recording = Recording::open(&path).unwrap();
        let mut watch = watch();
        recording.begin(watch.record(), 0);
        row(&mut recording, &mut watch, 0);
        let full = File::options().append(true).read(true).open("/dev/full").unwrap();
        let file = std::mem::replace(&mut recording.file, Exclusive::new(full));
        row(&mut recording, &mut watch, 500);
        row(&mut recording, &mut watch, 1000);
        assert!(recording.take_notes()[0].contains("No space left"));
        recording.file = file;
        row(&mut recording, &mut watch, 1500);
        assert!(recording.take_notes()[0].contains("2 samples were lost"));
        row(&mut recording, &mut watch, 2000);
        assert!(recording.end(&Row::of(&watch), 2));
        let record = read_stream(&std::fs::read(&path).unwrap()).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(record.samples.at_ms, [0, 1500, 2000]);
        assert_eq!(record.samples.channels[0].values, [Some(0), Some(4500), Some(6000)]);
        let gap = &record.samples.channels[1].gaps[0];
        assert_eq!(gap.at_ms, 500);
        assert!(gap.missing.to_string().contains("No space left"), "{gap:?}");
        assert_eq!(record.run.end, End::Interrupted { signal: 2 });
    }

    #[test]
    fn foreign_marks_are_read() {
        let path = path("marks");
        let mut recording = Recording::open(&path).unwrap();
        let mut watch = watch();
        recording.begin(watch.record(), 0);
        row(&mut recording, &mut watch, 0);
        let mark = Mark { at_ms: 200, text: "fan off".into() };
        let other = File::options().append(true).open(&path).unwrap();
        let event = Event::Mark { mark: mark.clone() };
        faults::write_all(&other, text_of(&event).as_bytes()).unwrap();
        watch.row(500, [Some(1), None]);
        assert_eq!(recording.row(&Row::of(&watch)), std::slice::from_ref(&mark));
        watch.event(event);
        watch.discard_events();
        row(&mut recording, &mut watch, 1000);
        let record = read_stream(&std::fs::read(&path).unwrap()).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!((record.marks, record.samples.at_ms), (vec![mark], vec![0, 500, 1000]));
    }

    #[test]
    fn recording_has_one_writer() {
        let path = path("writers");
        let recording = Recording::open(&path).unwrap();
        let Err(error) = Recording::open(&path) else {
            panic!("two writers");
        };
        assert!(error.to_string().contains("another monitor"), "{error}");
        drop(recording);
        std::fs::write(&path, "my thesis").unwrap();
        let Err(error) = Recording::open(&path) else {
            panic!("overwritten");
        };
        assert!(error.to_string().contains("is not a recording"), "{error}");
        std::fs::remove_file(&path).unwrap();
    }
}
