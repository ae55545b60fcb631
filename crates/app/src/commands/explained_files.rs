//! Several results at once, without those that cannot be read.

use super::site::sources::{self, Source};
use super::unread::Unread;
use super::workers;
use crate::args::written::Form;
use crate::paths;
use anyhow::{Context, bail, ensure};
use console::output;
use console::read::{NamedRecord, read_all};
use facts::Explained;
use machine::files::{self, Access};
use std::path::{Path, PathBuf};

/// Explained results with their files.
pub(super) struct ExplainedFiles {
    pub(super) results: Vec<(String, Explained<'static>)>,
    /// 0, or failure if a file could not be read.
    pub(super) status: u8,
}

/// Explains all files and notes those that it cannot read; fails if fewer than `count_min` are left, or the only file cannot be
/// read.
pub(super) fn read_many(files: &[Source], count_min: usize) -> anyhow::Result<ExplainedFiles> {
    let (results, status) = read_each(files, count_min, |name, explained| (name, explained))?;
    Ok(ExplainedFiles { results, status })
}

/// As [`read_many`], but keeps only what `of` makes of each result, so that memory does not grow with Records. Returns it in the
/// order of the files, with 0, or failure if a file could not be read.
pub(super) fn read_each<T: Send>(
    files: &[Source],
    count_min: usize,
    of: impl Fn(String, Explained<'static>) -> T + Sync,
) -> anyhow::Result<(Vec<T>, u8)> {
    let mut results: Vec<Option<anyhow::Result<Vec<T>>>> = files.iter().map(|_| None).collect();
    let make = |(index, file): (usize, &Source)| {
        let explained = |NamedRecord { name, record }: NamedRecord| of(name, explain::explain(record));
        (index, read_all(&file.path).map(|results| results.into_iter().map(explained).collect()))
    };
    workers::make_all(files.iter().enumerate().collect(), make, |(index, made)| {
        results[index] = Some(made);
        Ok(())
    })?;
    let (mut made, mut unread) = (Vec::new(), Unread::default());
    for (file, result) in files.iter().zip(results.into_iter().flatten()) {
        match result {
            Ok(results) => made.extend(results),
            Err(error) if files.len() == 1 => return Err(error),
            Err(error) => unread.add(&file.name, file.is_named, &error),
        }
    }
    let status = unread.end();
    if made.len() < count_min {
        bail!("Only {} of {} files could be read, {count_min} are needed.", made.len(), files.len());
    }
    Ok((made, status))
}

/// The files and those of directories, or the last run where none is named.
///
/// # Errors
/// No file is named and no run exists, or a directory has no logs or result files.
pub(super) fn files_or_last(files: &[PathBuf]) -> anyhow::Result<Vec<Source>> {
    let mut all = Vec::new();
    for path in named_or_last(files)? {
        if path.is_dir() {
            let found = sources::find(std::slice::from_ref(&path))?;
            let (folder, endings) = (path.display(), sources::endings());
            ensure!(!found.is_empty(), "{folder} has no logs or result files: none of its files ends with {endings}.");
            all.extend(found);
        } else {
            all.push(Source::named(path));
        }
    }
    Ok(all)
}

/// The files and directories, or the last run where none is named.
///
/// # Errors
/// No file is named and no run exists.
pub(super) fn named_or_last(files: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    if !files.is_empty() {
        return Ok(files.to_vec());
    }
    let last = paths::last_run().context("No run was found; run `sbc-bench` first, or name a FILE.")?;
    output::note(&format!("The last run: {}", last.display()));
    Ok(vec![last])
}

/// Prints a text, or writes it into a file.
pub(super) fn write(text: &str, (form, file): (Form, Option<&Path>)) -> anyhow::Result<()> {
    match file {
        Some(file) => Ok(files::replace_unsynced(file, text.as_bytes(), Access::World)?),
        None if form == Form::Text => output::print_text(text),
        None => output::print(text),
    }
}
