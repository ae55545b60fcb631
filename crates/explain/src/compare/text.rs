//! Comparisons as text for a terminal.

use super::{Comparison, Difference, LeftOut, Line, Ranking, Standing};
use crate::figures::Core;
use std::fmt::Write;

/// Long names of boards and figures are cut here.
const NAME_CHARS_MAX: usize = 46;

/// A ranking for people.
pub fn ranking_text(ranking: &Ranking) -> String {
    let mut text = String::new();
    let board = ranking.board.as_deref().unwrap_or("This machine");
    let soc = match &ranking.soc {
        Some(soc) => format!(" ({})", cut(soc)),
        None => String::new(),
    };
    let _ = writeln!(text, "{}{soc} compared with valid reference results:\n", cut(board));
    if ranking.entries.is_empty() {
        text.push_str("   No comparable figures.\n");
    }
    let mut table = Table::new(vec!["figure", "core", "value", "same SoC", "same core type", "all"]);
    for entry in &ranking.entries {
        table.row(vec![
            cut(entry.figure.key.as_str()),
            cut(&entry.figure.core.as_ref().map_or(String::new(), Core::label)),
            format!("{} {}", number(entry.figure.value), entry.figure.unit),
            standing(entry.same_soc.as_ref()),
            standing(entry.same_core_type.as_ref()),
            standing(Some(&entry.all)),
        ]);
    }
    if !ranking.entries.is_empty() {
        text.push_str(&table.finish());
    }
    text.push_str(&left_out(&ranking.left_out));
    text
}

/// `3 of 12 (+5 %)`: the place, and the distance from the middle of the others.
fn standing(standing: Option<&Standing>) -> String {
    standing.map_or_else(
        || "-".to_owned(),
        |standing| format!("{} of {} ({:+.0} %)", standing.rank, standing.of, standing.gain_percent),
    )
}

/// Results side by side for people: settings that differ, then figures, then causes.
pub fn text(comparison: &Comparison) -> String {
    let mut text = String::new();
    for (letter, side) in labels().zip(&comparison.sides) {
        let board = side.board.as_deref().unwrap_or("unknown board");
        let _ = writeln!(text, "{letter}  {} ({}, {})", side.name, cut(board), side.verdict);
    }
    let letters: Vec<String> = labels().take(comparison.sides.len()).collect();
    text.push_str(&settings(comparison, &letters));
    text.push_str(&figures(comparison, &letters));
    text.push_str(&causes(comparison));
    text.push_str(&left_out(&comparison.left_out));
    text
}

/// What results are called in a table: A to Z, then by number.
fn labels() -> impl Iterator<Item = String> {
    let numbers = (27..).map(|number: u32| number.to_string());
    ('A'..='Z').map(String::from).chain(numbers)
}

fn settings(comparison: &Comparison, letters: &[String]) -> String {
    if comparison.settings.is_empty() {
        return "\nNo difference in known settings.\n".to_owned();
    }
    let mut text = "\nSettings that differ:\n".to_owned();
    for setting in &comparison.settings {
        let _ = writeln!(text, "   {}", setting.name);
        for (letter, value) in letters.iter().zip(&setting.values) {
            let _ = writeln!(text, "      {letter}  {}", value.as_deref().unwrap_or("-"));
        }
    }
    text
}

fn figures(comparison: &Comparison, letters: &[String]) -> String {
    if comparison.lines.is_empty() {
        return "\nNo comparable figures.\n".to_owned();
    }
    let mut header = vec!["figure", "core", "unit"];
    for (index, letter) in letters.iter().enumerate() {
        header.push(letter);
        if index > 0 {
            header.push("vs. A");
        }
    }
    let mut table = Table::new(header);
    for line in comparison.lines.iter().filter(|line| line.is_main) {
        let mut cells = vec![cut(line.key.as_str()), cut(&line.cores.join(" | ")), line.unit.clone()];
        for (index, (value, difference)) in line.values.iter().zip(&line.differences).enumerate() {
            cells.push(value.map_or_else(|| "-".to_owned(), number));
            if index > 0 {
                cells.push(difference.as_ref().map_or_else(|| "-".to_owned(), gain));
            }
        }
        table.row(cells);
    }
    format!("\nFigures (+ is better; * exceeds noise):\n\n{}", table.finish())
}

/// `-18.2 % *`.
fn gain(difference: &Difference) -> String {
    let mark = if difference.is_real { "*" } else { " " };
    format!("{:+.1} % {mark}", difference.gain_percent)
}

/// Key and core types; those of two results that differ are both named.
fn name(line: &Line) -> String {
    match line.cores.is_empty() {
        true => line.key.to_string(),
        false => format!("{} ({})", line.key, line.cores.join(" | ")),
    }
}

fn causes(comparison: &Comparison) -> String {
    let mut text = String::new();
    for line in comparison.lines.iter().filter(|line| line.is_main) {
        for (letter, difference) in labels().zip(&line.differences) {
            if let Some(cause) = difference.as_ref().and_then(|d| d.cause.as_ref()) {
                let _ = writeln!(text, "   {letter}  {}: {cause}", name(line));
            }
        }
    }
    match text.is_empty() {
        true => text,
        false => format!("\nLikely causes:\n{text}"),
    }
}

fn left_out(left_out: &[LeftOut]) -> String {
    let mut text = String::new();
    for one in left_out {
        let _ = writeln!(text, "   {}: {}", one.what, one.why);
    }
    match text.is_empty() {
        true => text,
        false => format!("\nNot compared:\n{text}"),
    }
}

/// Four digits that count.
fn number(value: f64) -> String {
    match value {
        value if value >= 1000.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

fn cut(text: &str) -> String {
    // Names are foreign text: a control character could rewrite the terminal.
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match plain.chars().count() > NAME_CHARS_MAX {
        true => plain.chars().take(NAME_CHARS_MAX - 1).collect::<String>() + "…",
        false => plain,
    }
}

/// Columns as wide as their widest cell; the first two are left-aligned, the others right-aligned.
struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    fn new(header: Vec<&str>) -> Self {
        let header = header.into_iter().map(str::to_owned).collect();
        Self { rows: vec![header] }
    }

    fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    fn finish(self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let cells: Vec<String> = row
                .iter()
                .enumerate()
                .map(|(column, cell)| {
                    let width = widths[column];
                    match column {
                        0 | 1 => format!("{cell:<width$}"),
                        _ => format!("{cell:>width$}"),
                    }
                })
                .collect();
            let _ = writeln!(text, "   {}", cells.join("  ").trim_end());
        }
        text
    }
}
