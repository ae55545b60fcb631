//! Links in documents lead to existing files of the checkout and to headings of these files.

use super::Problem;
use crate::workspace::File;

/// Broken links.
pub(super) fn check(files: &[File], paths: &[String]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for document in files.iter().filter(|file| file.path.ends_with(".md")) {
        for (line, link) in links(&document.text) {
            let problem = lost(document, link, files, paths);
            problems.extend(problem.map(|message| Problem::new(&document.path, line, message)));
        }
    }
    problems
}

/// Numbered lines outside of code blocks.
pub(super) fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_block = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let is_fence = line.trim_start().starts_with("```");
        in_block ^= is_fence;
        (!in_block && !is_fence).then_some((index + 1, line))
    })
}

/// Links outside of code blocks, with their lines.
fn links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    prose(text).flat_map(|(number, line)| {
        let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        targets.map(move |(target, _)| (number, target))
    })
}

/// Why a link is broken.
fn lost(document: &File, link: &str, files: &[File], paths: &[String]) -> Option<String> {
    if link.contains("://") {
        return None;
    }
    let (path, heading) = link.split_once('#').map_or((link, None), |(path, heading)| (path, Some(heading)));
    let path = match path {
        "" => document.path.clone(),
        path => from(&document.path, path),
    };
    let is_folder = || paths.iter().any(|known| known.starts_with(&format!("{}/", path.trim_end_matches('/'))));
    if !paths.contains(&path) && !is_folder() {
        return Some(format!("the link {link:?} leads to no file"));
    }
    let heading = heading?;
    let target = files.iter().find(|file| file.path == path)?;
    let has_heading = target.text.lines().filter(|line| line.starts_with('#')).any(|line| slug(line) == heading);
    (!has_heading).then(|| format!("{path} has no heading {heading:?}"))
}

/// Resolves a path relative to a document.
fn from(document: &str, path: &str) -> String {
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The anchor of a heading: `workload-definitions` for `## Workload definitions`.
fn slug(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_files_and_headings() {
        let file = |path: &str, text: &str| File { path: path.into(), text: text.into() };
        let check = |text: &str, expected: &[&str]| {
            let files =
                [file("docs/a.md", text), file("README.md", "# Top\n## A `b` c\n"), file("docs/r/x.md", "# X\n")];
            let paths = files.each_ref().map(|file| file.path.clone());
            let found: Vec<String> = super::check(&files, &paths).iter().map(Problem::to_string).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("[a](../README.md), [b](../README.md#a-b-c) [c](r/x.md) [d](r) [e](https://lost.example/x)", &[]);
        check("# Here\n[a](#here)\n```\n[a](lost.md)\n```\n", &[]);
        check("[a](lost.md)", &["docs/a.md:1: the link \"lost.md\" leads to no file"]);
        check("\n[a](../README.md#b)", &["docs/a.md:2: README.md has no heading \"b\""]);
    }
}
