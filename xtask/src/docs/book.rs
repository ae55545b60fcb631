//! The table of contents of all documents, `docs/SUMMARY.md`, in the format of mdBook.

use crate::workspace;
use anyhow::{Context, Result, ensure};
use rules::RULES;
use std::fmt::Write;

const SUMMARY: &str = "docs/SUMMARY.md";
/// The documents in reading order.
const CHAPTERS: [&str; 12] = [
    "commands.md",
    "running.md",
    "power-meters.md",
    "reading-results.md",
    "json.md",
    "other-systems.md",
    "kernel-dates.md",
    "farms.md",
    "hub.md",
    "virtual-boards.md",
    "glossary.md",
    "dependencies.md",
];

/// The table of contents.
///
/// # Errors
/// A document is not in the list of chapters, or has no heading.
pub(super) fn summary() -> Result<(String, String)> {
    let is_chapter = |path: &str| path.starts_with("docs/") && path.ends_with(".md") && path.matches('/').count() == 1;
    let documents = workspace::files(|path| is_chapter(path) && path != SUMMARY)?;
    let mut text = "# Summary\n\n".to_owned();
    for chapter in CHAPTERS {
        let document = documents.iter().find(|document| document.path == format!("docs/{chapter}"));
        let document = document.with_context(|| format!("docs/{chapter} is not there"))?;
        let title = document.text.lines().next().and_then(|line| line.strip_prefix("# "));
        let title = title.with_context(|| format!("{} has no heading", document.path))?;
        let _ = writeln!(text, "- [{title}]({chapter})");
    }
    let forgotten = documents.iter().find(|document| !CHAPTERS.iter().any(|chapter| document.path.ends_with(chapter)));
    ensure!(forgotten.is_none(), "{} is no chapter of the book", forgotten.map_or("", |document| &document.path));
    text.push_str("- [Rules](rules/README.md)\n");
    for rule in RULES.iter() {
        let _ = writeln!(text, "  - [{0}](rules/{0}.md)", rule.id);
    }
    Ok((SUMMARY.to_owned(), text))
}
