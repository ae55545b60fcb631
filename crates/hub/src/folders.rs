//! Import of results from folders, and export to a folder.

use crate::limits::LimitRefusal;
use crate::store::{Store, StoreError, each_row, first, read};
use crate::submit::{UploadOptions, submit};
use crate::worker::{Stop, Workers};
use crate::{originals, private, results};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Maximum depth of nested folders.
const DEPTH_MAX: usize = 16;
/// Maximum number of files read in parallel.
const THREADS_MAX: usize = 4;
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Number of new results.
    pub new: usize,
    /// Number of results that the hub has already.
    pub known: usize,
    /// Files without a result, each with the reason.
    pub ignored: Vec<String>,
}

/// Imports every result in these folders and files. A second import changes nothing. Results imported before a database
/// error stay.
pub fn import(
    store: &dyn Store,
    workers: &Workers,
    places: &[PathBuf],
    sent: &UploadOptions,
) -> Result<ImportReport, StoreError> {
    let mut imported = ImportReport::default();
    let files: Vec<PathBuf> = places.iter().flat_map(|place| files(place, 0, &mut imported.ignored)).collect();
    let (next, report) = (AtomicUsize::new(0), Mutex::new(imported));
    let work = || -> Result<(), StoreError> {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let done = import_file(store, workers, file, sent)?;
            let mut all = report.lock().unwrap_or_else(PoisonError::into_inner);
            all.new += done.new;
            all.known += done.known;
            all.ignored.extend(done.ignored);
        }
        Ok(())
    };
    // Each thread has its own worker.
    let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(THREADS_MAX);
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..count).filter_map(|_| std::thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        let panicked = |_| StoreError::of("The import met a defect of this program.");
        threads.into_iter().try_for_each(|thread| thread.join().map_err(panicked)?)
    })?;
    let mut imported = report.into_inner().unwrap_or_else(PoisonError::into_inner);
    imported.ignored.sort();
    Ok(imported)
}

fn import_file(
    store: &dyn Store,
    workers: &Workers,
    file: &Path,
    sent: &UploadOptions,
) -> Result<ImportReport, StoreError> {
    let mut imported = ImportReport::default();
    let name = facts::plain(&file.display().to_string());
    let bytes = match content(file, workers.limits().file_bytes_max) {
        Ok(bytes) => bytes,
        Err(why) => {
            imported.ignored.push(format!("{name}: {why}"));
            return Ok(imported);
        }
    };
    // A file that is not an archive is known by its hash, without a worker.
    let known = read(store, |session| results::known(session, sent.owner, &originals::hash(&bytes)))?;
    if known.is_some_and(|known| known.published || !sent.publish) {
        imported.known += 1;
        return Ok(imported);
    }
    // Imports send no notices.
    match submit(store, workers, &Stop::default(), &bytes, sent, &|_, _, _| Ok(())) {
        Ok(submitted) => {
            for (inner, kept) in submitted {
                let inner = if inner.is_empty() { inner } else { format!(" ({inner})") };
                match kept {
                    Ok(kept) if kept.was_there => imported.known += 1,
                    Ok(_) => imported.new += 1,
                    Err(why) => imported.ignored.push(format!("{name}{inner}: {why}")),
                }
            }
        }
        Err(LimitRefusal::Store(trouble)) => return Err(trouble),
        Err(why) => imported.ignored.push(format!("{name}: {}", words(&why))),
    }
    Ok(imported)
}

fn words(why: &LimitRefusal) -> String {
    match why {
        LimitRefusal::TooLarge(why)
        | LimitRefusal::Stopped(why)
        | LimitRefusal::Died(why)
        | LimitRefusal::Unreadable(why) => why.clone(),
        LimitRefusal::Empty => "it is empty".to_owned(),
        LimitRefusal::Damaged(why) => format!("it cannot be unpacked ({why})"),
        LimitRefusal::Store(trouble) => trouble.message.clone(),
    }
}

/// All files below a place, sorted by name. Links are not followed.
fn files(place: &Path, depth: usize, ignored: &mut Vec<String>) -> Vec<PathBuf> {
    let line = |why: String| format!("{}: {why}", facts::plain(&place.display().to_string()));
    let kind = match std::fs::symlink_metadata(place) {
        Ok(metadata) => metadata.file_type(),
        Err(error) => {
            ignored.push(line(error.to_string()));
            return Vec::new();
        }
    };
    if kind.is_file() {
        return vec![place.to_path_buf()];
    }
    if !kind.is_dir() || depth > DEPTH_MAX {
        ignored.push(line("it is neither a file nor a directory that is read".to_owned()));
        return Vec::new();
    }
    let entries = match std::fs::read_dir(place) {
        Ok(entries) => entries,
        Err(error) => {
            ignored.push(line(error.to_string()));
            return Vec::new();
        }
    };
    let mut inner: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    inner.sort();
    inner.iter().flat_map(|inner| files(inner, depth + 1, ignored)).collect()
}

fn content(file: &Path, bytes_max: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file).map_err(|error| error.to_string())?;
    let room = bytes_max as u64;
    opened.take(room + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > room { Err(format!("it is larger than {} KiB", room >> 10)) } else { Ok(bytes) }
}

/// Writes the originals of all listed results into a folder, one file each, and returns their number. An error is one
/// sentence.
pub fn export(store: &dyn Store, folder: &Path) -> Result<usize, StoreError> {
    let cannot = |error: std::io::Error| StoreError::of(format!("Cannot write to {}: {error}.", folder.display()));
    private::directory(folder).map_err(cannot)?;
    let sql = "SELECT id, slug, hash FROM result WHERE listed = 1 AND id > $1 ORDER BY id LIMIT $2";
    let mut count = 0;
    each_row(store, sql, 0.into(), |row| {
        let bytes = read(store, |session| originals::get(session, &row.words(2)))?;
        let is_json = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
        let end = if is_json { "json" } else { "txt" };
        let file = private::file(&folder.join(format!("{}.{end}", row.words(1))));
        file.and_then(|mut file| file.write_all(&bytes)).map_err(cannot)?;
        count += 1;
        Ok(())
    })?;
    Ok(count)
}

pub fn owner(store: &dyn Store, name: &str) -> Result<i64, StoreError> {
    let row = read(store, |session| first(session, "SELECT id FROM token WHERE name = $1", &[name.into()]))?;
    let id = row.and_then(|row| row.integer(0));
    id.ok_or_else(|| StoreError::of(format!("No token named {name}; make it by `sbc-bench-hub token make {name}`.")))
}
