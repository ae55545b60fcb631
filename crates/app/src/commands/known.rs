//! Known results with those of the user: files, directories and hubs after `--with`, and the directory of references.

mod hub;

use super::unread::Unread;
use crate::paths;
use compare::reference::{Reference, Row};
use console::output;
use console::read::{NamedRecord, read_all};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Maximum number of files read from one directory, to keep the comparison at the end of a run short.
const FILES_MAX: usize = 200;

/// Known results with those of the directory of references. Read once, so that all outputs of a command name the same
/// neighbours. Unreadable files are skipped with a note.
pub(crate) fn reference() -> &'static Reference {
    static KNOWN: LazyLock<Reference> = LazyLock::new(|| {
        let always = paths::references(machine::is_root());
        Reference::builtin_and(if always.is_dir() { rows_in(&always) } else { Vec::new() })
    });
    &KNOWN
}

/// Known results with those of the directory of references and of these files, directories and hubs. Named files must be
/// readable.
///
/// # Errors
/// A named file, directory or hub cannot be read.
pub(crate) fn reference_with(with: &[PathBuf]) -> anyhow::Result<Reference> {
    let mut rows = Vec::new();
    for path in with {
        match path {
            path if hub::is_address(path) => rows.extend(hub::rows(path)?),
            path if path.is_dir() => {
                let before = rows.len();
                rows.extend(rows_in(path));
                if rows.len() == before {
                    output::note(&format!("{} holds no results to compare with.", path.display()));
                }
            }
            path => rows.extend(rows_of(path)?),
        }
    }
    rows.extend(reference().own.iter().cloned());
    Ok(Reference::builtin_and(rows))
}

fn rows_of(file: &Path) -> anyhow::Result<Vec<Row>> {
    let row = |NamedRecord { name, record }: NamedRecord| {
        let explained = explain::explain(record);
        Row::of(&explained.facts, &explained.assessment, &name)
    };
    Ok(read_all(file)?.into_iter().map(row).collect())
}

/// Rows of all logs and result files in a directory.
fn rows_in(folder: &Path) -> Vec<Row> {
    read_each(&files_in(folder), rows_of)
}

/// What `read` makes of each file of a directory, with a note on skipped ones.
fn read_each<T>(files: &[PathBuf], read: impl Fn(&Path) -> anyhow::Result<Vec<T>>) -> Vec<T> {
    let (mut all, mut unread) = (Vec::new(), Unread::default());
    for file in files {
        match read(file) {
            Ok(made) => all.extend(made),
            Err(error) => unread.add(&file.display().to_string(), false, &error),
        }
    }
    // The other files of the directory are enough.
    let _ = unread.end();
    all
}

/// Logs and result files in a directory, sorted by name.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "json" || end == "log" || end == "txt"));
    files.sort();
    if files.len() > FILES_MAX {
        let (folder, count) = (folder.display(), files.len());
        output::note(&format!("{folder} has {count} results; the first {FILES_MAX} by name are compared with."));
        files.truncate(FILES_MAX);
    }
    files
}

/// Baseline of a limit.
pub(super) enum Baseline {
    /// Results of files.
    Results(Vec<NamedRecord>),
    /// Rows of a hub.
    Rows(Vec<Row>),
}

/// Results of a baseline. From a directory, excludes the file under comparison.
///
/// # Errors
/// The file or hub of the baseline cannot be read.
pub(super) fn baseline(baseline: &Path, file: Option<&Path>) -> anyhow::Result<Baseline> {
    if hub::is_address(baseline) {
        return hub::rows(baseline).map(Baseline::Rows);
    }
    if !baseline.is_dir() {
        return read_all(baseline).map(Baseline::Results);
    }
    let own = file.and_then(|file| file.canonicalize().ok());
    let mut files = files_in(baseline);
    files.retain(|path| own.is_none() || path.canonicalize().ok() != own);
    Ok(Baseline::Results(read_each(&files, read_all)))
}

/// True if the baseline is well-formed; checked before a run that takes hours.
pub(super) fn is_baseline(path: &Path) -> bool {
    hub::is_address(path) || path.exists()
}
