//! Manual pages that a program generates.

use std::path::Path;

/// Missing pages of `folder`: the page of `program`, and pages that others refer to.
#[must_use]
pub fn missing_manual_pages(folder: &Path, program: &str) -> Vec<String> {
    let mut named = vec![program.to_owned()];
    for entry in folder.read_dir().expect("manual pages") {
        let text = std::fs::read_to_string(entry.expect("a manual page").path()).expect("text").replace("\\-", "-");
        let words = text.split_whitespace().filter_map(|word| word.split("(1)").next().filter(|name| *name != word));
        named.extend(words.filter(|word| word.starts_with(program)).map(str::to_owned));
    }
    assert!(named.len() > 10, "few pages are named: {named:?}");
    named.retain(|name| !folder.join(format!("{name}.1")).exists());
    named
}
