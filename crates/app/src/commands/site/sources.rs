//! Source files of a site: named ones, and those in directories by their endings.

use super::folder;
use anyhow::Context;
use console::read::{FILE_BYTES_MAX, read_from};
use console::{input, output};
use record::Record;
use std::path::{Path, PathBuf};

/// Endings of logs and result files.
const ENDINGS: [&str; 3] = ["json", "log", "txt"];
/// Maximum depth of directories.
const DEPTH_MAX: usize = 16;

/// A file with a result.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct Source {
    /// Name on the site: the path within the named directory, without paths of this machine.
    pub(in super::super) name: String,
    /// Path.
    pub(in super::super) path: PathBuf,
    /// Named by the user, not found in a directory.
    pub(in super::super) is_named: bool,
}

impl Source {
    /// A file that the user names.
    pub(in super::super) fn named(path: PathBuf) -> Source {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Source { name, path, is_named: true }
    }

    /// All of it.
    pub(super) fn bytes(&self) -> anyhow::Result<Vec<u8>> {
        input::read(&self.path, FILE_BYTES_MAX)
    }

    /// The result in it.
    pub(super) fn record(&self) -> anyhow::Result<Record> {
        read_from(input::open(&self.path)?, &self.path)
    }
}

/// All files sorted by name. Notes the number of files with other endings.
///
/// # Errors
/// A named file does not exist, or a directory cannot be read.
pub(in super::super) fn find(from: &[PathBuf]) -> anyhow::Result<Vec<Source>> {
    let mut found = Vec::new();
    let mut others = 0;
    for path in from {
        if path.is_dir() {
            look_into(path, path, 0, &mut found, &mut others)?
        } else {
            found.push(Source::named(path.clone()));
        }
    }
    if others > 0 {
        output::note(&format!("{others} files are ignored: they do not end with {}.", endings()));
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Endings of logs and result files in words.
pub(in super::super) fn endings() -> String {
    ENDINGS.map(|ending| format!(".{ending}")).join(", ")
}

fn look_into(top: &Path, at: &Path, depth: usize, found: &mut Vec<Source>, others: &mut usize) -> anyhow::Result<()> {
    let cannot = || format!("Cannot read {}", at.display());
    for entry in at.read_dir().with_context(cannot)? {
        let entry = entry.with_context(cannot)?;
        let (path, kind) = (entry.path(), entry.file_type().with_context(cannot)?);
        // A link to a file is a result; a link to a directory may lead back to here.
        if kind.is_dir() {
            // The results.json of a site is not a result.
            if depth < DEPTH_MAX && !folder::is_site(&path) {
                look_into(top, &path, depth + 1, found, others)?;
            }
        } else if path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known)) {
            let name = path.strip_prefix(top).unwrap_or(&path).to_string_lossy().into_owned();
            found.push(Source { name, path, is_named: false });
        } else if !path.is_dir() {
            *others += 1;
        }
    }
    Ok(())
}
