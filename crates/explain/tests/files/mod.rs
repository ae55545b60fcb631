//! Finds logs and reads them: those composed for these tests, and a corpus of published ones.
//!
//! The corpus is not part of this repository. It is looked for as `shared/corpus` next to one of the folders above
//! this crate; the variable `SBC_BENCH_CORPUS` names another place. Without it, tests that run over all logs run
//! over the composed ones; those that judge by the truth about the corpus are skipped and say so.
//!
//! `composed` has a log of every dialect and a cpuinfo file of every family, written for these tests: boards and
//! figures are invented, formats and the output of cores are real. `composed/truth` has the expected values.

#![allow(dead_code, reason = "no test needs all of it")]

use std::path::{Path, PathBuf};

/// Folder of the corpus; a test that needs it is excused without it.
pub(crate) fn corpus() -> Option<PathBuf> {
    let found = find();
    if found.is_none() {
        testkit::excuse(testkit::Excuse::Corpus);
    }
    found
}

/// Folder of the corpus, for tests that also run without it.
pub(crate) fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("SBC_BENCH_CORPUS") {
        return Some(PathBuf::from(named));
    }
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared/corpus"))
        .find(|folder| folder.join("open/results").is_dir())
}

/// Folder of the composed logs.
pub(crate) fn composed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../explain/tests/composed")
}

/// Rows of `composed/truth/TABLE.tsv`, without comments and titles.
pub(crate) fn truth<const COLUMNS: usize>(table: &str) -> Vec<[String; COLUMNS]> {
    let text = std::fs::read_to_string(composed().join(format!("truth/{table}.tsv"))).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|line| {
        let cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
        cells.try_into().unwrap_or_else(|cells| panic!("{table}: {COLUMNS} columns: {cells:?}"))
    })
    .collect()
}

/// Parts of the corpus, each a folder with `results` and files about them.
pub(crate) const PARTS: [&str; 2] = ["open", "more"];

/// Folders of logs: the composed ones, and those of the corpus if there is one.
pub(crate) fn folders() -> Vec<PathBuf> {
    let parts = PARTS.iter().filter_map(|part| Some(find()?.join(part).join("results")));
    [composed(), composed().with_file_name("made")].into_iter().chain(parts).collect()
}

/// Text of a log of the corpus, from any of its folders.
pub(crate) fn log(corpus: &Path, name: &str) -> String {
    let of_folder = |folder: &str| std::fs::read(corpus.join(folder).join("results").join(format!("{name}.txt")));
    let bytes = of_folder("more").or_else(|_| of_folder("open"));
    String::from_utf8_lossy(&bytes.unwrap_or_else(|error| panic!("{name}: {error}"))).into_owned()
}

/// Name and text of every log in these folders.
pub(crate) fn texts(folders: &[PathBuf]) -> Vec<(String, String)> {
    folders.iter().flat_map(|folder| texts_in(folder, "txt")).collect()
}

/// Name and text of every file in a folder with this extension.
pub(crate) fn texts_in(folder: &Path, wanted: &str) -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == wanted))
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let bytes = std::fs::read(&path).unwrap();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, String::from_utf8_lossy(&bytes).into_owned())
        })
        .collect()
}
