//! Result files of earlier versions are read, and their output is read again as the same.

#![allow(clippy::disallowed_methods)]

use explain::Document;
use record::Record;
use std::path::Path;

#[test]
fn old_result_files_are_read_and_printed_ones_are_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/old_records");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        // As they are, without what newer ones open with.
        let record: Record = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let explained = explain::explain(&record);
        for printed in [
            Document::printed(&explained.facts, &explained.assessment),
            Document::saved(&explained.facts, &explained.assessment),
        ] {
            let read = record::from_json(&printed).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!(read, record, "{}", path.display());
            assert_eq!(explain::explain(&read).assessment, explained.assessment, "{}", path.display());
        }
        count += 1;
    }
    assert_eq!(count, 5);
}
