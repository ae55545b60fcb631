//! The folder of all runs: for each a Record and a log, and a stream while it goes on. A stream without a
//! living run is what a run left that died.
//!
//! All three have one stem, which is taken by making the stream: two runs in one second, or a board whose
//! clock begins at the same moment at every start, never write over each other.

// Leftovers that cannot be removed stay for the next start; this run does not depend on them.
#![allow(clippy::let_underscore_must_use)]

use machine::faults::{self, Call};
use machine::files::{Access, Error, Exclusive, Folder};
use record::{Arrange, End, Missing, Record, UnreadableRange, read_stream};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Suffixes of stream names, current and old.
const STREAMS: [&str; 2] = [".stream", ".events.jsonl"];
/// The stream of a run that ended, but whose end did not fit on the disk.
const ENDED: &str = ".ended";
/// A stream that says nothing; it is told once.
const UNREADABLE: &str = ".unreadable";
/// Stems that are tried.
const STEMS_MAX: u32 = 1000;
/// Limits of kept runs; the oldest are removed first.
const RUNS_MAX: usize = 200;
const RUNS_BYTES_MAX: u64 = 256 << 20;
/// Bytes read from the begin and from the end of a longer stream (weeks of watching).
const PART_BYTES: u64 = 64 << 20;

/// The folder of all runs.
#[derive(Debug)]
pub struct Runs {
    folder: Folder,
}

/// The place of a run that begins.
#[derive(Debug)]
pub struct NewRun {
    /// File name without suffix.
    pub stem: String,
    /// Its stream.
    pub path: PathBuf,
    pub(crate) file: Exclusive<File>,
    /// Why others cannot see that this run is alive.
    pub(crate) unlocked: Option<std::io::Error>,
}

/// Leftovers besides finished runs.
#[derive(Debug)]
pub enum Left {
    /// A run died, or its end could not be kept.
    Run(Box<DeadRun>),
    /// A stream that cannot be read.
    Unreadable {
        /// Why.
        why: Missing,
        /// New path, which later starts ignore; `None` if another look may tell more.
        kept: Option<PathBuf>,
    },
}

/// The stream of a run that is no more.
#[derive(Debug)]
pub struct DeadRun {
    /// File name without suffix.
    pub stem: String,
    /// Readable part.
    pub record: Record,
    /// True if the run came to its end, and only its results could not be written.
    pub has_ended: bool,
    name: OsString,
    /// Holds the lock, so that no other start recovers it at the same time.
    _file: Exclusive<File>,
}

impl Runs {
    /// The folder, made where it is missing, for its owner alone.
    ///
    /// # Errors
    /// It is a link, belongs to another user, or cannot be made.
    pub fn make(path: &Path) -> Result<Self, Error> {
        if let Some(state) = path.parent().filter(|state| state.ends_with("sbc-bench")) {
            Folder::state(state)?;
        }
        let folder = Folder::state(path)?;
        Ok(Self { folder })
    }

    /// The folder, if there is one.
    ///
    /// # Errors
    /// It is a link or no folder, belongs to another user, or cannot be opened.
    pub fn existing(path: &Path) -> Result<Option<Self>, Error> {
        match Folder::own(path) {
            Ok(folder) => Ok(Some(Self { folder })),
            Err(error) if error.is_absent() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes a stem for a run that begins at this moment, and makes its stream.
    ///
    /// # Errors
    /// The stream cannot be made.
    pub fn begin(&self, stamp: &str) -> Result<NewRun, Error> {
        let mut number = 1;
        loop {
            let stem = stem(stamp, number);
            number += 1;
            let name = format!("{stem}{}", STREAMS[0]);
            if self.is_kept(&stem) && number <= STEMS_MAX {
                continue;
            }
            match self.folder.create_new(OsStr::new(&name), Access::Owner) {
                Err(error) if error.is_taken() && number <= STEMS_MAX => {}
                Err(error) => return Err(error),
                Ok(file) => {
                    // Tells others that this run is alive; the kernel lets go when it dies.
                    let file = Exclusive::new(file);
                    let unlocked = file.lock().err().map(Into::into);
                    self.folder.sync()?;
                    let path = self.folder.path().join(name);
                    return Ok(NewRun { stem, path, file, unlocked });
                }
            }
        }
    }

    fn is_kept(&self, stem: &str) -> bool {
        let name = format!("{stem}.json");
        self.folder.readable(OsStr::new(&name)).is_ok()
    }

    /// Keeps what a run came to, and lets go of its stream. `stamp` is when it began, as is known by now: where the
    /// time of day was set meanwhile, the names of its files are others than that of its stream. The stem of those.
    ///
    /// # Errors
    /// The Record cannot be written, and the stream stays; or the log cannot.
    pub fn keep(&self, stem: &str, stamp: &str, json: &str, log: &str) -> Result<String, Error> {
        let kept = if stem.starts_with(stamp) {
            Some(stem.to_owned())
        } else {
            (1..STEMS_MAX).map(|number| self::stem(stamp, number)).find(|stem| !self.is_kept(stem))
        };
        let kept = kept.unwrap_or_else(|| stem.to_owned());
        let name = |end: &str| OsString::from(format!("{kept}{end}"));
        // All other files can be made from the Record.
        self.folder.replace(&name(".json"), json.as_bytes(), Access::Owner)?;
        let log = self.folder.replace_unsynced(&name(".log"), log.as_bytes(), Access::Owner);
        self.forget(stem);
        log.map(|()| kept)
    }

    /// Removes the stream of a run of which nothing is to be kept, or everything is. If it stays, the next
    /// start sees by its end, or by the Record next to it, that nobody died.
    pub fn forget(&self, stem: &str) {
        let _ = self.folder.remove(OsStr::new(&format!("{stem}{}", STREAMS[0])));
    }

    /// Says of a stream whose end could not be written that its run came to it.
    pub fn mark_ended(&self, stem: &str) {
        let name = |end: &str| OsString::from(format!("{stem}{end}{}", STREAMS[0]));
        // A name needs no room on a full disk. If that fails, too, the next start takes it for dead.
        let _ = self.folder.rename(&name(""), &name(ENDED));
    }

    /// Streams whose runs are no more. One whose run goes on is locked by it and left alone; one of a run
    /// whose Record is kept is removed.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn left_behind(&self) -> Result<Vec<Left>, Error> {
        let names = self.folder.names()?;
        let left = names.into_iter().filter_map(|name| {
            let text = name.to_string_lossy().into_owned();
            let stem = STREAMS.iter().find_map(|end| text.strip_suffix(end))?;
            match self.left_run(&name, stem) {
                Ok(left) => left.map(|left| Left::Run(Box::new(left))),
                Err((why, kept)) => Some(Left::Unreadable { why, kept }),
            }
        });
        Ok(left.collect())
    }

    /// The run of a stream; or why it cannot be read, and where it lies now.
    fn left_run(&self, name: &OsStr, stem: &str) -> Result<Option<DeadRun>, (Missing, Option<PathBuf>)> {
        let file = self.folder.readable(name).map_err(|error| (error.into(), None))?;
        let file = Exclusive::new(file);
        let path = self.folder.path().join(name).display().to_string();
        match file.lock() {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Ok(None),
            // A drive without locks does not tell who lives.
            Err(error) => {
                let why = format!("{path} cannot be locked: {error}");
                return Err((Missing::unsupported(path, why), None));
            }
        }
        // A second read of the drive may succeed.
        let record = match read(&file).or_else(|_| read(&file)) {
            Ok(record) => record,
            // Killed before anything was written: there was no run yet.
            Err(_) if file.metadata().is_ok_and(|meta| meta.len() == 0) => {
                let _ = self.folder.remove(name);
                return Ok(None);
            }
            Err(missing) => {
                let kept = self.set_aside(&file, name, stem);
                return Err((Missing { path, ..missing }, kept));
            }
        };
        let (stem, was_marked) = match stem.strip_suffix(ENDED) {
            Some(stem) => (stem, true),
            None => (stem, false),
        };
        let has_ended = was_marked || record.run.end != End::Died;
        let is_kept = self.is_kept(stem);
        let nothing =
            matches!(record.run.end, End::Refused) || (record.run.end != End::Died && record.steps.is_empty());
        if has_ended && (is_kept || nothing) {
            let _ = self.folder.remove(name);
            return Ok(None);
        }
        Ok(Some(DeadRun { stem: stem.to_owned(), record, has_ended, name: name.to_owned(), _file: file }))
    }

    /// Gives a stream of ours that says nothing a name by which nobody looks at it again; where it lies then. What
    /// the drive does not give now, it may give later.
    fn set_aside(&self, file: &File, name: &OsStr, stem: &str) -> Option<PathBuf> {
        let stem = stem.strip_suffix(ENDED).unwrap_or(stem);
        let mut all = file.take(2 * PART_BYTES);
        let copy = || std::io::copy(&mut all, &mut std::io::sink());
        if !is_stem(OsStr::new(stem)) || faults::pass_open(Call::Read, file, copy).is_err() {
            return None;
        }
        let first = std::iter::once(format!("{stem}{UNREADABLE}"));
        let names = first.chain((2..STEMS_MAX).map(|n| format!("{stem}-{n}{UNREADABLE}")));
        let mut names = names.map(OsString::from);
        let to = names.find(|name| !self.folder.holds(name))?;
        let renamed = self.folder.rename(name, &to);
        renamed.is_ok().then(|| self.folder.path().join(to))
    }

    /// Result file of the newest run.
    pub fn newest(&self) -> Option<PathBuf> {
        let names = self.folder.names().ok()?;
        let newest = names.into_iter().rev().find(|name| Path::new(name).extension() == Some(OsStr::new("json")))?;
        Some(self.folder.path().join(newest))
    }

    /// Records of all runs, the newest first, each or why it cannot be read.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn kept(&self) -> Result<impl Iterator<Item = Result<Record, Missing>>, Error> {
        let is_record = |name: &OsString| Path::new(name).extension() == Some(OsStr::new("json"));
        let names = self.folder.names()?.into_iter().rev().filter(is_record);
        Ok(names.map(|name| {
            let file = self.folder.readable(&name)?;
            let broken = |error: &dyn std::fmt::Display| {
                let path = self.folder.path().join(&name).display().to_string();
                let why = format!("{path} is not an sbc-bench result file: {error}");
                Missing::unsupported(path, why)
            };
            let text = std::io::read_to_string(file).map_err(|error| broken(&error))?;
            serde_json::from_str(&text).map_err(|error| broken(&error))
        }))
    }

    /// Keeps the Record of a run that left only its stream; where it is.
    ///
    /// # Errors
    /// It cannot be written; the stream stays.
    pub fn recover(&self, left: &DeadRun, json: &str) -> Result<PathBuf, Error> {
        let name = OsString::from(format!("{}.json", left.stem));
        self.folder.replace(&name, json.as_bytes(), Access::Owner)?;
        // One that stays is recovered again, into the same Record.
        let _ = self.folder.remove(&left.name);
        Ok(self.folder.path().join(name))
    }

    /// Removes the oldest runs beyond what is kept. The one of this stem has just ended and is the latest, regardless of
    /// its name says: a board that does not know the time makes it look like the oldest. Streams are never removed here.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn bound(&self, stem: &str) -> Result<(), Error> {
        let names = self.folder.names()?;
        let is_of_run = |name: &&OsString| {
            let path = Path::new(name);
            let end = path.extension();
            let is_ours = path.file_stem().is_some_and(is_stem);
            is_ours && end.is_some_and(|end| end == "json" || end == "log" || end == &UNREADABLE[1..])
        };
        let mut files: Vec<(&OsString, u64)> = Vec::new();
        for name in names.iter().filter(is_of_run) {
            files.push((name, self.folder.length(name).unwrap_or(0)));
        }
        files.arrange_by_key(|(name, _)| Path::new(name).file_stem() == Some(OsStr::new(stem)));
        for name in beyond(&files) {
            // It is tried again behind the next run.
            let _ = self.folder.remove(name);
        }
        Ok(())
    }
}

/// File name of a run that began at this moment; runs of one process are numbered.
fn stem(stamp: &str, number: u32) -> String {
    let stem = format!("{stamp}-{}", std::process::id());
    match number {
        1 => stem,
        number => format!("{stem}-{number}"),
    }
}

/// True for the stem of a run: only files of ours are removed, not what else is kept next to them.
fn is_stem(name: &OsStr) -> bool {
    // `2026-11-22T03-34-41Z-4711`, and `-2` behind it.
    const FORM: &[u8] = b"0000-00-00T00-00-00Z-0";
    let digits = |byte: &u8| if byte.is_ascii_digit() { b'0' } else { *byte };
    let form: Vec<u8> = name.as_bytes().iter().map(digits).collect();
    form.starts_with(FORM) && form[FORM.len()..].iter().all(|byte| matches!(byte, b'0' | b'-'))
}

/// The oldest of these files (sorted by time) that are beyond the bounds; a run has two of them.
fn beyond<'a>(files: &[(&'a OsString, u64)]) -> Vec<&'a OsString> {
    let mut kept_bytes = 0;
    let mut beyond = Vec::new();
    for (count, (name, bytes)) in files.iter().rev().enumerate() {
        kept_bytes += bytes;
        // The latest run stays, regardless of its size.
        if count >= 2 && (count >= 2 * RUNS_MAX || kept_bytes > RUNS_BYTES_MAX) {
            beyond.push(*name);
        }
    }
    beyond
}

/// The Record of a stream; of a very long one without its middle. What the drive does not give is left out,
/// page by page.
fn read(file: &File) -> Result<Record, Missing> {
    let length = file.metadata().map_or(0, |meta| meta.len());
    let mut bytes = read_part(file, 0, length.min(PART_BYTES));
    let left_out = length.saturating_sub(2 * PART_BYTES);
    if length > PART_BYTES {
        bytes.push(b'\n');
        let from = length - (length - PART_BYTES).min(PART_BYTES);
        bytes.extend(read_part(file, from, length - from));
    }
    let mut record = read_stream(&bytes)?;
    if left_out > 0 {
        record.run.unreadable.push(UnreadableRange { from_byte: PART_BYTES, bytes: left_out });
    }
    Ok(record)
}

/// Reads a number of bytes at an offset; zeros, which are no line, where the drive reports an error.
fn read_part(file: &File, from: u64, length: u64) -> Vec<u8> {
    const PAGE: usize = 4096;
    let mut bytes = vec![0; length as usize];
    let mut at = 0;
    while at < bytes.len() {
        let offset = from + at as u64;
        let end = bytes.len().min(at + (1 << 20));
        let read = |to: &mut [u8]| faults::pass_open(Call::Read, file, || file.read_at(to, offset)).unwrap_or(0);
        match read(&mut bytes[at..end]) {
            0 => {
                // A bad sector: on to the next page, at its beginning.
                let next = end.min(at + PAGE);
                let got = read(&mut bytes[at..next]);
                at = if got == 0 { next } else { at + got };
            }
            got => at += got,
        }
    }
    bytes
}

#[cfg(test)]
mod tests;
