//! The page of each rule, `docs/rules/ID.md`: what it means, how it is detected, how to confirm it, how to fix it, and an
//! example. The sources are the tables of `explain`, the module comment and the thresholds of the rule's source file,
//! `docs/rules.tsv`, and the findings in the logs of the tests.

use super::source::Source;
use crate::workspace::{self, File};
use anyhow::{Context, Result, ensure};
use facts::Severity;
use logs::any_file;
use rules::{Precondition, Rule};
use std::collections::HashMap;
use std::fmt::Write;

/// Texts of each rule that the code does not contain.
const TABLE: &str = "docs/rules.tsv";
const HEADER: &str = "rule\tlooks_at\tconfirm\tlink\texample";
/// Directory of rules and their tests.
const SOURCES: &str = "crates/rules/src/";
/// Templates of sentences shared by several rules.
const SHARED: &str = "crates/record/src/unrestored_setting.rs";
/// Results to take examples from, in order of preference.
const RESULTS: [&str; 4] = [
    "crates/explain/tests/composed/",
    "crates/logs/src/fixtures/",
    "crates/explain/tests/made/",
    "crates/explain/tests/own/",
];
const INDEX: &str = "docs/rules/README.md";
/// Minimum number of letters of a template, besides its values.
const LETTERS_MIN: usize = 12;

struct Row<'a> {
    looks_at: Option<&'a str>,
    confirm: &'a str,
    link: &'a str,
    example: Option<&'a str>,
}

/// Paths and texts of all pages and their index.
///
/// # Errors
/// A rule lacks a row, a source file or an example, or no template gives the example.
pub(super) fn pages() -> Result<Vec<(String, String)>> {
    let table = std::fs::read_to_string(workspace::root().join(TABLE)).context(TABLE)?;
    let rows = rows(&table)?;
    let sources = workspace::files(|path| path.starts_with(SOURCES) && path.ends_with(".rs") || path == SHARED)?;
    let source_of = |file: &File| Source::of(file, &sources);
    let shared = sources.iter().find(|file| file.path == SHARED).map(source_of);
    let shared = shared.with_context(|| format!("{SHARED} is not there"))?.literals();
    let sources: Vec<Source> = sources.iter().map(source_of).collect();
    let seen = examples()?;
    let mut pages = vec![(INDEX.to_owned(), index())];
    for rule in rules::RULES.iter() {
        let id = rule.id.as_str();
        let row = rows.get(id).with_context(|| format!("{TABLE} has no row of the rule {id}"))?;
        let source = sources.iter().find(|source| source.has_rule(id));
        let source = source.with_context(|| format!("no source file has the rule {id}"))?;
        let example = match (seen.get(id), row.example) {
            (Some((_, sentence)), None) => sentence.as_str(),
            (None, Some(sentence)) => {
                let is_said = source.literals().iter().chain(&shared).any(|literal| is_made_of(sentence, literal));
                ensure!(is_said, "{TABLE}: no template of the rule {id} gives its example");
                sentence
            }
            (Some(_), Some(_)) => {
                anyhow::bail!("{TABLE}: a log among the tests shows the rule {id}: its example is `-`")
            }
            (None, None) => anyhow::bail!("{TABLE}: the rule {id} has no example"),
        };
        pages.push((format!("docs/rules/{id}.md"), page(rule, row, source, example)));
    }
    let unknown = rows.keys().find(|id| rules::RULES.iter().all(|rule| rule.id.as_str() != **id));
    ensure!(unknown.is_none(), "{TABLE}: no rule is called {}", unknown.unwrap_or(&""));
    Ok(pages)
}

fn rows(table: &str) -> Result<HashMap<&str, Row<'_>>> {
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    ensure!(lines.next() == Some(HEADER), "{TABLE}: the header is {HEADER:?}");
    let text = |cell| Some(cell).filter(|cell| *cell != "-");
    let row = |line| {
        let cells: Vec<&str> = str::split(line, '\t').collect();
        let [id, looks_at, confirm, link, example] = cells[..] else {
            anyhow::bail!("{TABLE}: five cells are needed in {line:?}");
        };
        ensure!(confirm.ends_with(['.', ';']) && confirm.len() > 10, "{TABLE}: {id} has no sentence in `confirm`");
        ensure!(link.starts_with("https://"), "{TABLE}: {id} has no link");
        Ok((id, Row { looks_at: text(looks_at), confirm, link, example: text(example) }))
    };
    lines.map(row).collect()
}

/// Severity and sentence of the worst finding of each rule in the results of the tests.
fn examples() -> Result<HashMap<String, (Severity, String)>> {
    let is_result = |path: &str| RESULTS.iter().any(|folder| path.starts_with(folder)) && !path.ends_with(".tsv");
    let mut files =
        workspace::files(|path| is_result(path) && !path.contains("/truth/") && !path.contains("/cpuinfo/"))?;
    let rank = |file: &File| RESULTS.iter().position(|folder| file.path.starts_with(folder));
    files.sort_by_key(rank);
    let mut seen: HashMap<String, (Severity, String)> = HashMap::new();
    for file in files {
        let Ok(record) = any_file::read(file.text.into_bytes(), usize::MAX) else { continue };
        for finding in explain::explain(&record).assessment.findings {
            let sentence = facts::plain(&finding.sentence());
            let known = seen.get(finding.rule.as_str());
            if known.is_none_or(|(severity, _)| *severity < finding.severity) {
                seen.insert(finding.rule.as_str().to_owned(), (finding.severity, sentence));
            }
        }
    }
    Ok(seen)
}

/// Whether a sentence is this template with values in place of the braces. A template without braces may be followed by
/// values in parentheses.
fn is_made_of(sentence: &str, template: &str) -> bool {
    let letters = |text: &str| text.chars().filter(char::is_ascii_alphabetic).count();
    if !template.contains('{') && letters(template) >= LETTERS_MIN && sentence.starts_with(&format!("{template} (")) {
        return true;
    }
    // Optional groups match any text.
    let open = template.replace(['[', '|', ']'], "{}");
    let mut pieces = Vec::new();
    let mut rest = open.as_str();
    while let Some((before, behind)) = rest.split_once('{') {
        pieces.push(before);
        rest = behind.split_once('}').map_or("", |(_, behind)| behind);
    }
    pieces.push(rest);
    if letters(&pieces.concat()) < LETTERS_MIN {
        return false;
    }
    let Some((first, others)) = pieces.split_first() else { return false };
    let Some(mut left) = sentence.strip_prefix(first) else { return false };
    let Some((last, middle)) = others.split_last() else { return left.is_empty() };
    let has_groups = open != template;
    for piece in middle {
        match left.split_once(piece) {
            Some((_, behind)) => left = behind,
            None if has_groups => {}
            None => return false,
        }
    }
    left.ends_with(last)
}

fn page(rule: &Rule, row: &Row, source: &Source, example: &str) -> String {
    let guide = rules::guide(rule.id);
    let when = match rule.when {
        Precondition::Run => "a run",
        Precondition::Rest => "a machine at rest (`sbc-bench review --inspect`)",
        Precondition::Both => "a run, and a machine at rest",
    };
    let mut text = format!("# {}\n\n{}\n\n## What it means\n\n", rule.id, rule.about);
    let _ = writeln!(text, "It judges {when}. It is about {}.\n", guide.judges);
    let _ = match guide.harm.strip_prefix("none: ") {
        Some(why) => writeln!(text, "It says of no score that it suffered: {why}.\n"),
        None => writeln!(text, "It says that scores suffered if {}.\n", guide.harm),
    };
    for sentence in &guide.relations {
        let _ = writeln!(text, "* {sentence}");
    }
    text.push_str("\n## How it is detected\n\n");
    if !guide.looks_at.is_empty() {
        let _ = writeln!(text, "It looks at workloads that are bound by {}.\n", guide.looks_at);
    }
    if let Some(looks_at) = row.looks_at {
        let _ = writeln!(text, "It reads: {looks_at}\n");
    }
    let _ = writeln!(text, "{}", source.detection());
    let _ = writeln!(text, "More: <{}>\n\n## How to confirm\n\n{}\n\n## How to fix\n", row.link, row.confirm);
    let remedy = match guide.remedy {
        "" => "Nothing by itself: where it belongs to a cause, the report says what helps against that.",
        remedy => remedy,
    };
    let _ = writeln!(text, "\n{remedy}\n\n## Example\n\n> {example}");
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text
}

fn index() -> String {
    let mut text =
        "# Rules\n\nEvery statement of a report comes from a rule. Each has a page: what it means, how it is \
                    detected, how to confirm it, how to fix it, and an example. `sbc-bench list rules` lists them.\n"
            .to_owned();
    for (heading, is_at_rest) in [("About runs", false), ("About a machine at rest", true)] {
        let _ = writeln!(text, "\n## {heading}\n");
        for rule in rules::RULES.iter().filter(|rule| (rule.when == Precondition::Rest) == is_at_rest) {
            let _ = writeln!(text, "* [{0}]({0}.md): {1}", rule.id, rule.about);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn example_is_its_template_with_values() {
        for (sentence, template, expected) in [
            ("CPUs 2-3 offline; scores are without them.", "{cpus} offline; scores are without them.", true),
            ("CPUs 2-3 were offline; scores are without them.", "{cpus} off; scores are without them.", false),
            ("Boost clocks are disabled.", "Boost clocks are disabled.", true),
            ("Boost clocks are disabled here.", "Boost clocks are disabled.", false),
            ("Clock of CPU 0 fell to 1 MHz.", "Clock of {cpus} fell to {clock}.", true),
            ("anything", "{a} {b}", false),
            ("Memory is slower after it (1 ns before).", "Memory is slower after it", true),
        ] {
            assert_eq!(is_made_of(sentence, template), expected, "{sentence} {template}");
        }
    }

    #[test]
    fn rows_have_five_cells_and_a_sentence() {
        let table = |row: &str| format!("# why\n{HEADER}\n{row}\n");
        assert!(rows(&table("a\t-\tRun `top` once.\thttps://x\t-")).is_ok());
        for row in ["a\t-\tRun `top` once.\t-", "a\t-\t-\t-\t-"] {
            assert!(rows(&table(row)).is_err(), "{row}");
        }
        assert!(rows("a\tb\n").is_err());
    }
}
