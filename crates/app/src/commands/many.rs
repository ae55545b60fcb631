//! Several results at once: one that cannot be read must not hide the others.

use crate::paths;
use anyhow::{Context, bail};
use console::read::read;
use console::{output, status};
use facts::Explained;
use machine::files::{self, Access};
use std::path::{Path, PathBuf};

/// Results that could be read, each with its file and what is to be said of it.
pub(crate) struct Many {
    pub(crate) results: Vec<(String, Explained<'static>)>,
    /// 0, or failure if a file could not be read.
    pub(crate) status: u8,
}

/// Reads all files and says on stderr which of them it could not read; fails if fewer than `count_min` are left. A
/// single file that cannot be read is an error.
pub(crate) fn read_many(files: &[PathBuf], count_min: usize) -> anyhow::Result<Many> {
    let mut results = Vec::new();
    let status = read_each(files, count_min, |name, explained| results.push((name, explained)))?;
    Ok(Many { results, status })
}

/// As [`read_many`], but hands each result to `take`, so that memory does not grow with the number of files. Returns 0, or
/// failure if a file could not be read.
pub(crate) fn read_each(
    files: &[PathBuf],
    count_min: usize,
    mut take: impl FnMut(String, Explained<'static>),
) -> anyhow::Result<u8> {
    let (mut count, mut status) = (0, 0);
    for file in files {
        match read(file) {
            Ok(record) => {
                take(file.display().to_string(), explain::explain(record));
                count += 1;
            }
            Err(error) if files.len() == 1 => return Err(error),
            Err(error) => {
                status = status::FAILURE;
                output::note(&format!("Skipped: {error:#}"));
            }
        }
    }
    if count < count_min {
        bail!("Only {count} of {} files could be read, {count_min} are needed.", files.len());
    }
    Ok(status)
}

/// The files, or the last run where none is named.
///
/// # Errors
/// No file is named and no run exists.
pub(crate) fn files_or_last(files: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    if !files.is_empty() {
        return Ok(files.to_vec());
    }
    let last = paths::last_run().context("No run was found; run `sbc-bench` first, or name a FILE.")?;
    output::note(&format!("The last run: {}", last.display()));
    Ok(vec![last])
}

/// Prints what is said of them, or writes it into a file.
pub(crate) fn write(text: &str, file: Option<&Path>) -> anyhow::Result<()> {
    match file {
        Some(file) => Ok(files::replace_unsynced(file, text.as_bytes(), Access::World)?),
        None => output::print(text),
    }
}
