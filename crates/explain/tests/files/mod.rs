//! Finds the corpus and reads its logs.

use std::path::{Path, PathBuf};

/// The folder of the corpus, if there is one.
pub(crate) fn corpus() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("SBC_BENCH_CORPUS") {
        return Some(PathBuf::from(named));
    }
    let found = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared/corpus"))
        .find(|folder| folder.join("open/results").is_dir());
    if found.is_none() {
        testkit::excuse(testkit::Excuse::Corpus);
    }
    found
}

/// Name and text of every log.
pub(crate) fn texts(corpus: &Path) -> Vec<(String, String)> {
    texts_in(&corpus.join("open/results"), "txt")
}

/// Name and text of every file in a folder with this extension.
pub(crate) fn texts_in(folder: &Path, wanted: &str) -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == wanted)
        })
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
