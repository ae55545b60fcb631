//! `data/reference.tsv`, made from the logs of a corpus, which is not part of this repository.
//!
//! The table depends only on the logs. A test compares the committed table with that of the current reader and rules,
//! so that no figure or verdict changes unnoticed.

mod elasticity;

use crate::workspace;
use anyhow::{Context, Result, ensure};
use compare::reference::{Row, write as write_table};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Path of the table, from the workspace's folder.
const TABLE: &str = "data/reference.tsv";
/// Comment above the table.
const COMMENT: &str = "\
# Figures of real boards: one row for each log, made by `cargo xtask corpus`, never edited by hand.
# source is the name of the log at https://github.com/ThomasKaiser/sbc-bench/tree/master/results (BSD-3-Clause).
# name is what the list of results calls the machine, where the log has another name. userland_bits is the word size of its programs. Columns named workload@method hold figures (MIPS, kB/s, MB/s, ns, MHz, kH/s); those ending in /core one for each cluster
# in the order of `cores`, separated by `;`. `~` marks a figure that must not be compared with others, `!` one that
# something lowered, so that it does not say what the board can do; `-` is nothing.
";

/// Folders of logs in a corpus, each optional.
const FOLDERS: [&str; 2] = ["open/results", "more/results"];

/// Folder of the corpus: `SBC_BENCH_CORPUS`, else `shared/corpus` next to one of the folders above the checkout.
pub(crate) fn corpus() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("SBC_BENCH_CORPUS") {
        return Some(PathBuf::from(named));
    }
    let root = workspace::root();
    let mut above = root.ancestors().map(|folder| folder.join("shared/corpus"));
    above.find(|folder| folder.join(FOLDERS[0]).is_dir())
}

/// Table of the logs of a corpus.
fn table(corpus: &Path) -> Result<String> {
    let mut files = Vec::new();
    for folder in FOLDERS.map(|folder| corpus.join(folder)).iter().filter(|folder| folder.is_dir()) {
        files.extend(workspace::files_of(folder, &["txt"])?);
    }
    // One log of the corpus is empty.
    files.retain(|file| file.metadata().is_ok_and(|meta| meta.len() > 0));
    files.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
    ensure!(!files.is_empty(), "no logs in {}", corpus.display());
    let names = names()?;
    let rows = files
        .iter()
        .map(|file| {
            let bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
            let name = workspace::name(file);
            let log = name.trim_end_matches(".txt");
            Ok(Row { name: names.get(log).cloned(), ..row(&String::from_utf8_lossy(&bytes), &name) })
        })
        .collect::<Result<Vec<Row>>>()?;
    Ok(COMMENT.to_owned() + &write_table(&rows))
}

/// Names for people of the machines of logs, without line breaks and the SoC in parentheses.
fn names() -> Result<BTreeMap<String, String>> {
    let Some(folder) = crate::boards::folder() else { return Ok(BTreeMap::new()) };
    let rows = crate::boards::list(&folder, "result-names.tsv")?.into_iter();
    let name = |cells: Vec<String>| match cells.as_slice() {
        [log, name, ..] => {
            let name = name.replace("<br />", " ");
            Some((log.clone(), name.split(" (").next().unwrap_or(&name).trim_end().to_owned()))
        }
        _ => None,
    };
    Ok(rows.filter_map(name).collect())
}

fn row(text: &str, name: &str) -> Row {
    let record = logs::read(text);
    let explained = explain::explain(&record);
    Row::of(&explained.facts, &explained.assessment, name)
}

/// Prints the loss of scores by a lower clock.
pub(crate) fn elasticity() {
    elasticity::main();
}

/// Writes the table.
pub(crate) fn main() -> Result<()> {
    let corpus = corpus()
        .context("there is no shared/corpus in a folder above this one; SBC_BENCH_CORPUS can name its place")?;
    let text = table(&corpus)?;
    std::fs::write(workspace::root().join(TABLE), &text).context(TABLE)?;
    let rows = text.lines().filter(|line| !line.starts_with('#')).count() - 1;
    println!("wrote {TABLE}: {rows} logs, {} KiB", text.len() >> 10);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use compare::reference::{Reference, parse};

    #[test]
    fn table_is_what_the_logs_give() {
        let Some(corpus) = corpus() else { return testkit::excuse(testkit::Excuse::Corpus) };
        let expected = table(&corpus).unwrap();
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
        assert!(rows.iter().eq(Reference::builtin().rows()), "the built-in rows differ");
        let written = write_table(&rows);
        assert!(text.ends_with(&written), "reading and writing lose something");
    }
}
