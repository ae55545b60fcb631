//! `data/reference.tsv`: made from the logs of a corpus, which is no part of this repository.
//!
//! The table is the same on every machine that has the same logs. A test compares the committed
//! one with what the reader and the rules make today, so that neither can change figures or
//! verdicts unseen.

use crate::workspace;
use anyhow::{Context, Result, ensure};
use explain::reference::{Row, write as write_table};
use explain::{Explanation, logs};
use std::path::{Path, PathBuf};

/// Where the table is, from the workspace's folder.
const TABLE: &str = "data/reference.tsv";
/// What stands above the table.
const COMMENT: &str = "\
# Figures of real boards: one row for each log, made by `cargo xtask corpus`, never edited by hand.
# source is the name of the log at https://github.com/ThomasKaiser/sbc-bench/tree/master/results (BSD-3-Clause).
# Columns named workload@method hold figures (MIPS, kB/s, MB/s, ns, MHz, kH/s); those ending in /core one for each cluster
# in the order of `cores`, separated by `;`. `~` marks a figure that must not be compared with others, `-` is nothing.
";

/// The folder with the logs: named by `SBC_BENCH_CORPUS`, else `shared/corpus` next to one of the
/// folders above the checkout.
fn logs_folder() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("SBC_BENCH_CORPUS") {
        return Some(Path::new(&named).join("open/results"));
    }
    let root = workspace::root();
    root.ancestors().map(|folder| folder.join("shared/corpus/open/results")).find(|folder| folder.is_dir())
}

/// The table that the logs of a folder give.
fn table(folder: &Path) -> Result<String> {
    let entries = folder.read_dir().with_context(|| folder.display().to_string())?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    files.retain(|file| file.extension().is_some_and(|end| end == "txt"));
    files.sort();
    ensure!(!files.is_empty(), "no logs in {}", folder.display());
    let rows = files
        .iter()
        .map(|file| {
            let bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            Ok(row(&String::from_utf8_lossy(&bytes), &name))
        })
        .collect::<Result<Vec<Row>>>()?;
    Ok(COMMENT.to_owned() + &write_table(&rows))
}

fn row(text: &str, name: &str) -> Row {
    let record = logs::read(text);
    Row::of(&record, Explanation::of(&record).verdict, name)
}

/// Writes the table.
pub(crate) fn main() -> Result<()> {
    let folder = logs_folder()
        .context("there is no shared/corpus in a folder above this one; SBC_BENCH_CORPUS can name its place")?;
    let text = table(&folder)?;
    std::fs::write(workspace::root().join(TABLE), &text).context(TABLE)?;
    let rows = text.lines().filter(|line| !line.starts_with('#')).count() - 1;
    println!("wrote {TABLE}: {rows} logs, {} KiB", text.len() >> 10);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use explain::reference::{Reference, parse};

    #[test]
    fn table_is_what_the_logs_give() {
        let Some(folder) = logs_folder() else {
            return testkit::excuse(testkit::Excuse::Corpus);
        };
        let expected = table(&folder).unwrap();
        let found = std::fs::read_to_string(workspace::root().join(TABLE)).unwrap();
        for (found, expected) in found.lines().zip(expected.lines()) {
            assert_eq!(found, expected, "run: cargo xtask corpus");
        }
        assert_eq!(found.len(), expected.len(), "run: cargo xtask corpus");
    }

    #[test]
    fn committed_table_can_be_read() {
        let text = std::fs::read_to_string(workspace::root().join(TABLE)).unwrap();
        let rows = parse(&text).unwrap();
        assert!(rows.len() > 100, "{} rows", rows.len());
        assert_eq!(rows, Reference::builtin().rows);
        let written = write_table(&rows);
        assert!(text.ends_with(&written), "reading and writing lose something");
    }
}
