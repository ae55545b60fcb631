//! Reads Records from any file: a result file, the stream of a run that died, a recording, a log.

use crate::{input, output};
use anyhow::Context;
use logs::any_file::{self, UnreadableReason};
use logs::{ForeignFile, TextResult};
use record::Record;
use std::io::Read;
use std::path::Path;

/// Maximum size of a file: four times that of an hour with hundreds of channels.
pub const FILE_BYTES_MAX: u64 = 256 << 20;

/// Maximum number of files in an archive.
const FILES_MAX: usize = 5000;

/// A result with its name.
#[derive(Debug)]
pub struct NamedRecord {
    /// File, with member of the archive and first line where it has several results.
    pub name: String,
    /// Its Record.
    pub record: Record,
}

/// Reads the Record of a file; `-` is standard input. Notes that only the last of several results is read.
pub fn read(file: &Path) -> anyhow::Result<Record> {
    one(read_all(file)?, file)
}

/// As [`read`], from an open file.
pub fn read_from(input: impl Read, file: &Path) -> anyhow::Result<Record> {
    one(read_all_from(input, file)?, file)
}

fn one(mut results: Vec<NamedRecord>, file: &Path) -> anyhow::Result<Record> {
    let last = results.pop().with_context(|| format!("{} contains no results.", file.display()))?;
    if !results.is_empty() {
        let (file, count) = (file.display(), results.len() + 1);
        output::note(&format!("{file} contains {count} results; this is the last one ({}).", last.name));
    }
    Ok(last.record)
}

/// Reads all results of a file, at least one; `-` is standard input.
pub fn read_all(file: &Path) -> anyhow::Result<Vec<NamedRecord>> {
    anyhow::ensure!(!file.is_dir(), "{0} is a directory; pass its files, for example {0}/*.", file.display());
    read_all_from(input::open(file)?, file)
}

/// Error for a readable file without results.
#[derive(Debug)]
pub struct NoResults(String);

impl std::fmt::Display for NoResults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoResults {}

fn read_all_from(input: impl Read, file: &Path) -> anyhow::Result<Vec<NamedRecord>> {
    let bytes = input::whole(input, file, FILE_BYTES_MAX)?;
    let name = file.display().to_string();
    let limits = archive::Limits { files_max: FILES_MAX, bytes_max: FILE_BYTES_MAX as usize };
    let members = archive::files(bytes, limits).map_err(|problem| match problem {
        archive::Problem::Damaged(why) => anyhow::anyhow!("{name} is damaged: {}.", facts::plain(&why)),
        larger => anyhow::anyhow!("{name} {larger}."),
    })?;
    let count = members.len();
    anyhow::ensure!(count > 0, "{name} is an archive without files.");
    let (mut results, mut first_error) = (Vec::new(), None);
    for member in members {
        let name = match member.name.as_str() {
            "" => name.clone(),
            within => format!("{name}: {}", facts::plain(within)),
        };
        match any_file::read_all(member.bytes, record::VALUES_MAX) {
            Ok(mut found) if found.len() == 1 => {
                results.extend(found.pop().map(|found| NamedRecord { name, record: found.record }));
            }
            Ok(found) => results.extend(found.into_iter().map(|TextResult { line, record }| {
                let name = format!("{name}, line {line}");
                NamedRecord { name, record }
            })),
            // Archives of logs contain other files.
            Err(why) if count > 1 => drop(first_error.get_or_insert(sentence(why, &name))),
            Err(why) => return Err(sentence(why, &name)),
        }
    }
    match first_error {
        Some(error) if results.is_empty() => Err(error),
        _ => Ok(results),
    }
}

fn sentence(why: UnreadableReason, file: &str) -> anyhow::Error {
    match why {
        UnreadableReason::Stream(missing) => anyhow::Error::new(missing).context(file.to_owned()),
        UnreadableReason::NoSamples => anyhow::anyhow!("{file} is a recording without samples."),
        UnreadableReason::Json(error) => {
            anyhow::Error::new(error).context(format!("{file} is JSON but not an sbc-bench result file"))
        }
        UnreadableReason::LogPart(_)
        | UnreadableReason::Comparison(_)
        | UnreadableReason::LostLines
        | UnreadableReason::Misread(_) => {
            anyhow::anyhow!("{file} is {why}.")
        }
        UnreadableReason::Foreign(_) => NoResults(format!("{file} is {why}.")).into(),
        UnreadableReason::NoResults(text) if text.trim().is_empty() => NoResults(format!("{file} is empty.")).into(),
        UnreadableReason::NoResults(text) => match command_for(&text) {
            Some((what, way)) => NoResults(format!("{file} is {what} and contains no results; use {way}.")),
            None => match ForeignFile::of_text(&text) {
                Some(kind) => NoResults(format!("{file} is {}; {}.", kind.what, kind.way)),
                None => {
                    NoResults(format!("{file} contains no results; it is neither an sbc-bench log nor a result file."))
                }
            },
        }
        .into(),
    }
}

/// Type of a text without results, and the command that reads it, if any.
fn command_for(text: &str) -> Option<(&'static str, &'static str)> {
    if machine::BoardFile::is_one(text) {
        return Some(("a snapshot of a machine", "sbc-bench inspect identify FILE"));
    }
    machine::is_cpuinfo(text).then_some(("/proc/cpuinfo", "sbc-bench inspect identify FILE"))
}
