//! Each crate has one program of integration tests, as linking a program takes longer than most tests. With
//! `autotests = false`, a file that no program names would never run.

use super::{Problem, find};
use crate::workspace::File;
use std::collections::BTreeMap;

/// Test files that no program contains, and crates with several programs that their manifest does not list.
pub(super) fn check(files: &[File]) -> Vec<Problem> {
    let mut crates: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in files {
        if let Some((folder, name)) = file.path.split_once("/tests/") {
            let is_root = name.ends_with("/main.rs") || (!name.contains('/') && name.ends_with(".rs"));
            if is_root && folder.starts_with("crates/") && !folder.contains("/src") {
                crates.entry(folder).or_default().push(&file.path);
            }
        }
    }
    let text = |path: &str| find(files, path).map_or("", |file| file.text.as_str());
    let problems = crates.into_iter().map(|(folder, paths)| {
        let manifest = text(&format!("{folder}/Cargo.toml"));
        if !manifest.contains("autotests = false") {
            let message = format!("{} programs of tests: make them modules of one", paths.len());
            return Vec::from_iter((paths.len() > 1).then(|| Problem::new(paths[0], None, message)));
        }
        let main = text(&format!("{folder}/tests/main.rs"));
        let is_reached = |path: &str| {
            let inside = path.strip_prefix(folder).unwrap_or(path).trim_start_matches('/');
            let module = inside.trim_start_matches("tests/").trim_end_matches(".rs");
            manifest.contains(&format!("path = \"{inside}\"")) || main.contains(&format!("mod {module};"))
        };
        let lost = paths.into_iter().filter(|path| !is_reached(path));
        lost.map(|path| Problem::new(path, None, format!("never run: name it in {folder}/tests/main.rs"))).collect()
    });
    problems.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let file = |(path, text): &(&str, &str)| File { path: (*path).to_owned(), text: (*text).to_owned() };
        check(&files.iter().map(file).collect::<Vec<_>>()).into_iter().map(|problem| problem.path).collect()
    }

    #[test]
    fn files_that_no_program_contains() {
        let manifest = ("crates/a/Cargo.toml", "autotests = false\n[[test]]\npath = \"tests/main.rs\"\n");
        let main = ("crates/a/tests/main.rs", "mod b;\n");
        let [b, c] = [("crates/a/tests/b.rs", ""), ("crates/a/tests/c.rs", "")];
        assert_eq!(found(&[manifest, main, b]), [""; 0]);
        assert_eq!(found(&[manifest, main, b, c]), ["crates/a/tests/c.rs"]);
        assert_eq!(found(&[manifest, main, ("crates/a/tests/d/main.rs", "")]), ["crates/a/tests/d/main.rs"]);
    }

    #[test]
    fn second_program_of_a_crate() {
        let manifest = ("crates/a/Cargo.toml", "");
        let [b, c] = [("crates/a/tests/b.rs", ""), ("crates/a/tests/c.rs", "")];
        assert_eq!(found(&[manifest, b]), [""; 0]);
        assert_eq!(found(&[manifest, b, c]), ["crates/a/tests/b.rs"]);
        assert_eq!(found(&[manifest, ("crates/a/src/x/tests/b.rs", ""), c]), [""; 0]);
    }
}
