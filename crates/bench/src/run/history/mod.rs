//! Directory of all runs: Record, log, and a stream during the run. A stream without a living run is that of a run that
//! died.
//!
//! All three share a stem, reserved by creating the stream, so that runs in one second and boards without a clock never
//! overwrite each other.

// Leftovers that cannot be removed stay for the next start; this run does not depend on them.
#![allow(clippy::let_underscore_must_use)]

use machine::faults::{self, Call};
use machine::files::{Access, Error, Exclusive, Folder};
use record::{End, Missing, Record, StableSort, UnreadableRange, read_stream};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Suffixes of stream names, current and old.
const STREAMS: [&str; 2] = [".stream", ".events.jsonl"];
/// Suffix of the stream of a finished run whose end did not fit on the disk.
const ENDED: &str = ".ended";
/// Suffix of an unreadable stream, reported once.
const UNREADABLE: &str = ".unreadable";
/// Maximum number of stems to try.
const STEMS_MAX: u32 = 1000;
/// Limits of kept runs; the oldest are removed first.
const RUNS_MAX: usize = 200;
const RUNS_BYTES_MAX: u64 = 256 << 20;
/// Bytes read from the beginning and from the end of a long stream (weeks of monitoring).
const PART_BYTES: u64 = 64 << 20;

/// Directory of all runs.
#[derive(Debug)]
pub struct Runs {
    folder: Folder,
}

/// Files of a new run.
#[derive(Debug)]
pub struct NewRun {
    /// File name without suffix.
    pub stem: String,
    /// Its stream.
    pub path: PathBuf,
    pub(crate) file: Exclusive<File>,
    /// Reason why other processes cannot detect that this run is alive.
    pub(crate) unlocked: Option<std::io::Error>,
}

/// Leftovers besides finished runs.
#[derive(Debug)]
pub enum Leftover {
    /// A run died, or its results could not be written.
    Run(Box<DeadRun>),
    /// An unreadable stream.
    Unreadable {
        /// Reason.
        why: Missing,
        /// New path, which later starts ignore; `None` to try again.
        kept: Option<PathBuf>,
    },
}

/// Stream of a run that has ended.
#[derive(Debug)]
pub struct DeadRun {
    /// File name without suffix.
    pub stem: String,
    /// Readable part.
    pub record: Record,
    /// True if the run finished and only its results could not be written.
    pub has_ended: bool,
    name: OsString,
    /// Lock that prevents another start from recovering it.
    _file: Exclusive<File>,
}

impl Runs {
    /// Opens the directory; creates it for its owner only if missing.
    ///
    /// # Errors
    /// It is a link, belongs to another user, or cannot be created.
    pub fn make(path: &Path) -> Result<Self, Error> {
        if let Some(state) = path.parent().filter(|state| state.ends_with("sbc-bench")) {
            Folder::state(state)?;
        }
        let folder = Folder::state(path)?;
        Ok(Self { folder })
    }

    /// Opens the directory, if it exists.
    ///
    /// # Errors
    /// It is not a directory, belongs to another user, or cannot be opened.
    pub fn existing(path: &Path) -> Result<Option<Self>, Error> {
        match Folder::own(path) {
            Ok(folder) => Ok(Some(Self { folder })),
            Err(error) if error.is_absent() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reserves a stem for a run that starts at this time, and creates its stream.
    ///
    /// # Errors
    /// The stream cannot be created.
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
                    // The lock marks the run as alive; the kernel releases it when the process dies.
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

    /// Stores the results of a run and removes its stream. `stamp` is its start as known now; the file names differ
    /// from that of the stream if the time of day was set. Returns their stem.
    ///
    /// # Errors
    /// The Record cannot be written, and the stream stays; or the log cannot be written.
    pub fn keep(&self, stem: &str, stamp: &str, json: &str, log: &str) -> Result<String, Error> {
        let kept = if stem.starts_with(stamp) {
            Some(stem.to_owned())
        } else {
            (1..STEMS_MAX).map(|number| self::stem(stamp, number)).find(|stem| !self.is_kept(stem))
        };
        let kept = kept.unwrap_or_else(|| stem.to_owned());
        let name = |end: &str| OsString::from(format!("{kept}{end}"));
        // All other files can be recreated from the Record.
        self.folder.replace(&name(".json"), json.as_bytes(), Access::Owner)?;
        let log = self.folder.replace_unsynced(&name(".log"), log.as_bytes(), Access::Owner);
        self.forget(stem);
        log.map(|()| kept)
    }

    /// Removes a stream that is no longer needed. If it stays, the next start sees by its end or by the Record that the
    /// run did not die.
    pub fn forget(&self, stem: &str) {
        let _ = self.folder.remove(OsStr::new(&format!("{stem}{}", STREAMS[0])));
    }

    /// Marks a stream without its end as that of a finished run.
    pub fn mark_ended(&self, stem: &str) {
        let name = |end: &str| OsString::from(format!("{stem}{end}{}", STREAMS[0]));
        // Renaming works on a full disk. If it fails, the next start considers the run dead.
        let _ = self.folder.rename(&name(""), &name(ENDED));
    }

    /// Streams of ended runs. The stream of a living run is locked and skipped; one with a stored Record is removed.
    ///
    /// # Errors
    /// The directory cannot be listed.
    pub fn left_behind(&self) -> Result<Vec<Leftover>, Error> {
        let names = self.folder.names()?;
        let left = names.into_iter().filter_map(|name| {
            let text = name.to_string_lossy().into_owned();
            let stem = STREAMS.iter().find_map(|end| text.strip_suffix(end))?;
            match self.left_run(&name, stem) {
                Ok(left) => left.map(|left| Leftover::Run(Box::new(left))),
                Err((why, kept)) => Some(Leftover::Unreadable { why, kept }),
            }
        });
        Ok(left.collect())
    }

    /// The run of a stream; or the reason why it is unreadable, with its new path.
    fn left_run(&self, name: &OsStr, stem: &str) -> Result<Option<DeadRun>, (Missing, Option<PathBuf>)> {
        let file = self.folder.readable(name).map_err(|error| (error.into(), None))?;
        let file = Exclusive::new(file);
        let path = self.folder.path().join(name).display().to_string();
        match file.lock() {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Ok(None),
            // Without locks, living runs are unknown.
            Err(error) => {
                let why = format!("{path} cannot be locked: {error}");
                return Err((Missing::unsupported(path, why), None));
            }
        }
        // A second read of the drive may succeed.
        let record = match read(&file).or_else(|_| read(&file)) {
            Ok(record) => record,
            // Killed before the first write: no run.
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

    /// Renames an unreadable stream of this user so that later starts ignore it; returns its path. A read error may be
    /// temporary.
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

    /// Records of all runs, newest first, each or the reason why it is unreadable.
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

    /// Stores the Record of a dead run and returns its path.
    ///
    /// # Errors
    /// The Record cannot be written; the stream stays.
    pub fn recover(&self, left: &DeadRun, json: &str) -> Result<PathBuf, Error> {
        let name = OsString::from(format!("{}.json", left.stem));
        self.folder.replace(&name, json.as_bytes(), Access::Owner)?;
        // A remaining stream is recovered again, into the same Record.
        let _ = self.folder.remove(&left.name);
        Ok(self.folder.path().join(name))
    }

    /// Removes the oldest runs beyond the limits, except the one of this stem, which is the newest even if a wrong
    /// clock dates it earlier. Streams are never removed.
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
        files.stable_sort_by_key(|(name, _)| Path::new(name).file_stem() == Some(OsStr::new(stem)));
        for name in beyond(&files) {
            // The next run tries again.
            let _ = self.folder.remove(name);
        }
        Ok(())
    }
}

/// Stem of a run that started at this time; runs of one process are numbered.
fn stem(stamp: &str, number: u32) -> String {
    let stem = format!("{stamp}-{}", std::process::id());
    match number {
        1 => stem,
        number => format!("{stem}-{number}"),
    }
}

/// True for the stem of a run; only such files are removed.
fn is_stem(name: &OsStr) -> bool {
    // `2026-11-22T03-34-41Z-4711`, optionally with `-2`.
    const FORM: &[u8] = b"0000-00-00T00-00-00Z-0";
    let digits = |byte: &u8| if byte.is_ascii_digit() { b'0' } else { *byte };
    let form: Vec<u8> = name.as_bytes().iter().map(digits).collect();
    form.starts_with(FORM) && form[FORM.len()..].iter().all(|byte| matches!(byte, b'0' | b'-'))
}

/// The oldest of these files, sorted by time, beyond the limits; a run has two files.
fn beyond<'a>(files: &[(&'a OsString, u64)]) -> Vec<&'a OsString> {
    let mut kept_bytes = 0;
    let mut beyond = Vec::new();
    for (count, (name, bytes)) in files.iter().rev().enumerate() {
        kept_bytes += bytes;
        // The latest run is kept regardless of its size.
        if count >= 2 && (count >= 2 * RUNS_MAX || kept_bytes > RUNS_BYTES_MAX) {
            beyond.push(*name);
        }
    }
    beyond
}

/// Record of a stream; a very long stream is read without its middle, and unreadable pages are left out.
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

/// Reads bytes at an offset; unreadable parts become zeros, which are not a line.
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
                // Bad sector: continue at the next page.
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
