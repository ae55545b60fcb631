//! `docs/commands.md`: commands, options, variables and exit statuses, as tables made from `--help`.

use anyhow::Result;
use std::fmt::Write;

const HEAD: &str = "# Commands

`sbc-bench` without a command runs the standard benchmark, `sbc-bench FILE` explains a log or result file, and `explain`, `compare`
and `results` without a file take the last run. This page holds what `--help` prints (`cargo xtask docs` writes it).

";

/// The page, made from the output of `sbc-bench WORDS --help`.
///
/// # Errors
/// The program does not print its help.
pub(super) fn page(help: &dyn Fn(&[&str]) -> Result<String>) -> Result<String> {
    let program = help(&[])?;
    let mut text = HEAD.to_owned();
    let groups: Vec<Section> = sections(&program);
    table(&mut text, ["command", "description"], groups.iter().filter(|section| section.is_verbs()).flat_map(rows));
    for section in groups.iter().filter(|section| !section.is_verbs() && section.heading != "Usage") {
        let _ = writeln!(text, "\n## {}\n", section.title());
        table(&mut text, ["name", "description"], rows(section));
    }
    for verb in groups.iter().filter(|section| section.is_verbs()).flat_map(|section| &section.rows) {
        let own = help(&[&verb.name])?;
        write_verb(&mut text, &verb.name, &own);
        for inner in sections(&own)
            .iter()
            .filter(|section| ["What", "Commands"].contains(&section.heading.as_str()))
            .flat_map(|what| &what.rows)
        {
            if inner.name != "help" {
                write_verb(&mut text, &format!("{} {}", verb.name, inner.name), &help(&[&verb.name, &inner.name])?);
            }
        }
    }
    Ok(text)
}

/// Writes the description, usage and options of a verb.
fn write_verb(text: &mut String, name: &str, help: &str) {
    let (about, rest) = help.split_once("\nUsage: ").unwrap_or((help, ""));
    let usage = rest.lines().next().unwrap_or_default();
    let about = about.trim().split("\n\n").map(|part| part.replace('\n', " ")).collect::<Vec<_>>().join("\n\n");
    let _ = writeln!(text, "\n## {name}\n\n{about}\n\n```text\n{usage}\n```\n");
    let rows: Vec<_> = sections(help).iter().filter(|section| section.heading != "Usage").flat_map(rows).collect();
    let is_own = |(name, _): &(String, String)| !["-h, --help", "-V, --version", "help"].contains(&name.as_str());
    table(text, ["argument", "description"], rows.into_iter().filter(is_own));
}

/// The lines of a help text below a heading.
struct Section {
    heading: String,
    rows: Vec<Row>,
}

struct Row {
    name: String,
    text: String,
}

impl Section {
    /// Whether it is a group of verbs.
    fn is_verbs(&self) -> bool {
        ["Measure", "This machine", "Results", "Share", "Maintain"].contains(&self.heading.as_str())
    }

    fn title(&self) -> &str {
        match self.heading.as_str() {
            "Options" => "Options without a command",
            other => other,
        }
    }
}

/// Parses the sections of a help text. A row has a small indentation. Its description follows two spaces, or is on the next
/// lines with a larger indentation.
fn sections(help: &str) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    for line in help.lines().filter(|line| !line.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        if indent == 0 {
            let (heading, _) = line.split_once(':').unwrap_or((line, ""));
            if line.ends_with(':') || heading == "Usage" {
                found.push(Section { heading: heading.to_owned(), rows: Vec::new() });
            }
            continue;
        }
        let Some(section) = found.last_mut() else { continue };
        let words = line.trim_start();
        if indent <= 6 {
            let (name, text) = words.split_once("  ").unwrap_or((words, ""));
            section.rows.push(Row { name: name.to_owned(), text: text.trim().to_owned() });
        } else if let Some(row) = section.rows.last_mut() {
            row.text = format!("{} {words}", row.text).trim().to_owned();
        }
    }
    found
}

fn rows(section: &Section) -> Vec<(String, String)> {
    section.rows.iter().map(|row| (row.name.clone(), row.text.clone())).collect()
}

fn table(text: &mut String, head: [&str; 2], rows: impl IntoIterator<Item = (String, String)>) {
    let mut rows = rows.into_iter().peekable();
    if rows.peek().is_none() {
        return;
    }
    let _ = writeln!(text, "| {} | {} |\n|---|---|", head[0], head[1]);
    for (name, about) in rows {
        let (name, about) = (name.replace('|', "\\|"), about.replace('|', "\\|").replace('<', "&lt;"));
        let _ = writeln!(text, "| `{name}` | {about} |");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_is_read_in_both_layouts() {
        let help = "Does it.\n\nUsage: x\n\nOptions:\n  -c           Also heat\n               more\n      --at <KHZ>\n          \
                    Clocks\n\n          Both\n\nExit status:\n  0    fine\nThat is all.\n";
        let sections = sections(help);
        let found: Vec<_> = sections.iter().map(|section| (section.heading.as_str(), rows(section))).collect();
        let row = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        assert_eq!(
            found,
            [
                ("Usage", vec![]),
                ("Options", vec![row("-c", "Also heat more"), row("--at <KHZ>", "Clocks Both")]),
                ("Exit status", vec![row("0", "fine")]),
            ]
        );
    }
}
