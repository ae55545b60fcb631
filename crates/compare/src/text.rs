//! Comparisons as text for a terminal.

use super::{CauseOfSeveral, Comparison, LeftOut, Line, left_out_lines};
use facts::lines::{fitted, wrapped_at};
use facts::plain::shortened;
use facts::text_table::TextTable;
use std::fmt::Write;

/// Maximum length of names of boards and figures.
const NAME_CHARS_MAX: usize = 46;

/// Adds a row for a core, with the title of the figure above the first one; a figure of all CPUs has its title as name.
pub(super) fn under_heading(
    table: &mut TextTable,
    heading: &mut String,
    of: (&str, &str),
    core: Option<&str>,
    cells: Vec<String>,
) {
    let title = match of.1 {
        "" => cut(of.0),
        unit => format!("{} ({})", cut(of.0), cut(unit)),
    };
    let first = match core {
        Some(core) => {
            if *heading != title {
                table.row(vec![title.clone()]);
            }
            format!("   {}", cut(core))
        }
        None => title.clone(),
    };
    *heading = title;
    table.row(std::iter::once(first).chain(cells).collect());
}

/// Opening sentence for an invalid result.
pub(super) fn invalid(what: &str, because: &[String]) -> String {
    let why = because.first().map_or("its cause is in `sbc-bench explain`.", String::as_str);
    let more = match because.len() {
        0 | 1 => String::new(),
        count => format!(" ({} more: `sbc-bench explain`)", count - 1),
    };
    format!("{what} is INVALID, do not use it: {}{more}", facts::plain::plain(why))
}

/// Extent of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Answer, bars and causes.
    Summary,
    /// All figures and settings as well.
    Full,
}

/// Names the option that shows all figures.
pub(super) fn more(what: &str) -> String {
    format!("\n{what}: --details\n")
}

/// Speeds, bars and causes, with all figures and differing settings if wanted, in lines of at most `columns` columns.
pub fn text(comparison: &Comparison, columns: usize, detail: Detail) -> String {
    let mut text = String::new();
    for sentence in &comparison.sentences {
        let _ = writeln!(text, "{}", wrapped_at(sentence, 0, columns));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    for (letter, side) in labels().zip(&comparison.sides) {
        let board = side.board.as_deref().unwrap_or("unknown board");
        let line = format!("{letter}  {} ({}, {})", side.name, cut(board), side.verdict);
        let _ = writeln!(text, "{}", fitted(&line, 3, columns));
    }
    let headlines = comparison.headlines();
    let shown = if detail == Detail::Full { headlines.len() } else { 1 };
    for (words, line) in headlines.into_iter().take(shown) {
        text.push_str(&bars(words, line, columns.min(BARS_COLUMNS), comparison.is_long()));
    }
    if detail == Detail::Summary && comparison.is_long() {
        return text + &more("Causes, all figures, and settings that differ");
    }
    let causes = comparison.causes();
    let sentence =
        |cause: &CauseOfSeveral| if detail == Detail::Full { cause.sentence() } else { cause.brief_sentence() };
    let causes: String =
        causes.iter().map(|cause| wrapped_at(&format!("   {}", sentence(cause)), 6, columns) + "\n").collect();
    if !causes.is_empty() {
        text.push_str(&format!("\nLikely causes:\n{causes}"));
    }
    if detail == Detail::Summary {
        return text + &more("All figures, and settings that differ");
    }
    let letters: Vec<String> = labels().take(comparison.sides.len()).collect();
    text.push_str(&figures(comparison, &letters, columns));
    text.push_str(&listed("Estimated (≈), with 90 % intervals", comparison.estimates(), columns));
    text.push_str(&settings(comparison, &letters, columns));
    text.push_str(&left_out(&comparison.left_out, columns));
    text
}

/// Maximum width of bars with their letters and values.
const BARS_COLUMNS: usize = 78;
/// Width of a value in front of a bar.
const VALUE_COLUMNS: usize = 9;

/// A bar for each result that has a figure; of many results the best first.
fn bars(words: &str, line: &Line, columns: usize, is_long: bool) -> String {
    let room = columns.saturating_sub(VALUE_COLUMNS + 8).max(8);
    let most = line.values.iter().flatten().copied().fold(f64::MIN_POSITIVE, f64::max);
    let mut text = format!("\n{words} ({})\n", line.unit);
    let mut order = line.best_first();
    if !is_long {
        order.sort_unstable();
    }
    let letters: Vec<String> = labels().take(line.values.len()).collect();
    for (index, value) in order.into_iter().filter_map(|index| Some((index, line.values[index]?))) {
        let bar = "#".repeat(((value / most * room as f64).round() as usize).clamp(1, room));
        let _ = writeln!(text, "   {} {:>VALUE_COLUMNS$} {bar}", letters[index], line.value_words(index));
    }
    text
}

/// Names of results in a table: A to Z, then numbers.
pub fn labels() -> impl Iterator<Item = String> {
    let numbers = (27..).map(|number: u32| number.to_string());
    ('A'..='Z').map(String::from).chain(numbers)
}

fn settings(comparison: &Comparison, letters: &[String], columns: usize) -> String {
    if comparison.settings.is_empty() {
        return "\nNo difference in known settings.\n".to_owned();
    }
    let mut text = "\nSettings that differ:\n".to_owned();
    for setting in &comparison.settings {
        let _ = writeln!(text, "{}", fitted(&format!("   {}", setting.name), 6, columns));
        for (letter, value) in letters.iter().zip(&setting.values) {
            let line = format!("      {letter}  {}", value.as_deref().unwrap_or("-"));
            let _ = writeln!(text, "{}", fitted(&line, 9, columns));
        }
    }
    text
}

fn figures(comparison: &Comparison, letters: &[String], columns: usize) -> String {
    if comparison.lines.is_empty() {
        return "\nNo comparable figures.\n".to_owned();
    }
    let others: Vec<usize> = (1..letters.len()).collect();
    // Splits results over several tables if they do not fit; each table has the first result.
    let tables = |count: usize| -> Vec<TextTable> {
        others.chunks(count).map(|others| table(comparison, letters, others)).collect()
    };
    let fits = |tables: &Vec<TextTable>| tables.iter().all(|table| table.width() <= columns);
    let tables = (2..=others.len()).rev().map(tables).find(fits).unwrap_or_else(|| tables(1));
    let tables: Vec<String> = tables.iter().map(|table| table.text(columns)).collect();
    let about = "Figures, and how they compare with the first result that has them:";
    format!("\n{}\n\n{}", wrapped_at(about, 0, columns), tables.join("\n"))
}

/// TextTable of the first result and some others.
fn table(comparison: &Comparison, letters: &[String], others: &[usize]) -> TextTable {
    let mut header = vec![String::new(), letters.first().cloned().unwrap_or_default()];
    header.extend(others.iter().flat_map(|index| [letters[*index].clone(), "change".to_owned()]));
    let mut table = TextTable::new(header);
    let mut heading = String::new();
    for line in comparison.main_lines() {
        let mut cells = vec![line.value_words(0)];
        for index in others {
            let difference = line.differences.get(*index).and_then(Option::as_ref);
            cells.push(line.value_words(*index));
            cells.push(difference.map_or_else(|| "-".to_owned(), |difference| line.change_words(difference)));
        }
        if cells.iter().all(|cell| cell == "-") {
            continue;
        }
        let cores = (!line.cores.is_empty()).then(|| line.cores.join(" | "));
        under_heading(&mut table, &mut heading, (&line.title, &line.unit), cores.as_deref(), cells);
    }
    table
}

fn listed<'a>(heading: &str, lines: impl Iterator<Item = (String, &'a Line, &'a str)>, columns: usize) -> String {
    // One line for all figures with the same words.
    let mut groups: Vec<((String, &str), Vec<String>)> = Vec::new();
    for (letter, line, words) in lines {
        let of = (letter, words);
        match groups.iter_mut().find(|(known, _)| *known == of) {
            Some((_, names)) => names.push(line.title.clone()),
            None => groups.push((of, vec![line.title.clone()])),
        }
    }
    let group = |((letter, words), names): &((String, &str), Vec<String>)| {
        wrapped_at(&format!("   {letter}: {words} ({})", names.join("; ")), 6, columns) + "\n"
    };
    let text: String = groups.iter().map(group).collect();
    if text.is_empty() { text } else { format!("\n{heading}:\n{text}") }
}

/// Omitted figures, with the reason.
pub(super) fn left_out(left_out: &[LeftOut], columns: usize) -> String {
    let line = |line: String| wrapped_at(&format!("   {line}"), 6, columns) + "\n";
    let text: String = left_out_lines(left_out).into_iter().map(line).collect();
    if text.is_empty() { text } else { format!("\nNot compared:\n{text}") }
}

/// Untrusted name on one line, cut to the maximum length.
pub(super) fn cut(text: &str) -> String {
    // Control characters could rewrite the terminal.
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    shortened(&plain, NAME_CHARS_MAX)
}
