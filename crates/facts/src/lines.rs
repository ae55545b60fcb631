//! Lines that several reports print alike: sentences of findings, what was not measured, breaks at the last column,
//! durations.

use crate::{Explanation, Finding, Severity, view};
use record::{Missing, Outcome, Record, Step, WorkloadId};
use std::fmt::Write;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Maximum number of unreadable files named; the Record contains all of them.
const UNREAD_SHOWN: usize = 4;
/// Width of a line in columns, which every terminal has.
pub const COLUMNS: usize = 80;

/// Columns that a text takes on a terminal.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Breaks a line at 80 columns; following lines are indented.
pub fn wrapped(line: &str, indent: usize) -> String {
    wrapped_at(line, indent, COLUMNS)
}

/// Breaks a line at this column and indents the following ones. No line begins with a number sign, so that a name never
/// looks like a heading.
pub fn wrapped_at(line: &str, indent: usize, columns: usize) -> String {
    let mut text = String::new();
    let lead = line.len() - line.trim_start().len();
    text.push_str(&line[..lead]);
    let mut column = lead;
    let room = columns.saturating_sub(indent).max(1);
    let mut words: Vec<(String, bool)> = Vec::new();
    for (part, word) in line.split_whitespace().flat_map(|word| pieces(word, room).enumerate()) {
        let has_room = |before: &str| indent == 0 || width(before) + 1 + width(word) <= room;
        let is_number = part == 0 && word.starts_with('#');
        match words.last_mut().filter(|(before, _)| is_number && has_room(before)) {
            Some((before, _)) => *before = format!("{before} {word}"),
            None => words.push((word.to_owned(), part > 0)),
        }
    }
    for (index, (word, is_rest)) in words.iter().enumerate() {
        let width = width(word);
        if *is_rest || index > 0 && column + 1 + width > columns {
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            column = indent;
        } else if index > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += width;
    }
    text
}

/// A line of a table, broken like a paragraph if the terminal is too narrow. The blanks before the first break stay.
pub fn fitted(line: &str, indent: usize, columns: usize) -> String {
    if width(line) <= columns {
        return line.to_owned();
    }
    let lead = line.len() - line.trim_start().len();
    let is_break = |at: &usize| *at > lead && !line[*at..].trim_start().starts_with('#');
    let breaks = line.match_indices(' ').map(|(at, _)| at).filter(is_break);
    match breaks.take_while(|at| width(&line[..*at]) <= columns).last() {
        Some(at) => {
            let rest = format!("{:indent$}{}", "", line[at..].trim_start());
            format!("{}\n{}", line[..at].trim_end(), wrapped_at(&rest, indent, columns))
        }
        None => wrapped_at(line, indent, columns),
    }
}

/// A text of [`COLUMNS`] columns in fewer: its paragraphs are joined and broken again, as are rows of tables without room.
pub fn narrowed(text: &str, columns: usize) -> String {
    if columns >= COLUMNS {
        return text.to_owned();
    }
    let lead = |line: &str| line.len() - line.trim_start().len();
    // A line is continued where its next word had no room.
    let continues = |line: &str, next: &str| {
        let word = next.split_whitespace().next().map_or(0, width);
        word > 0 && width(line) + 1 + word > COLUMNS
    };
    let (mut narrow, mut lines) = (String::new(), text.lines().peekable());
    while let Some(line) = lines.next() {
        let (mut paragraph, mut last, mut indent) = (line.to_owned(), line, lead(line) + 3);
        while let Some(next) = lines.next_if(|next| continues(last, next)) {
            paragraph = format!("{paragraph} {}", next.trim_start());
            (last, indent) = (next, lead(next));
        }
        narrow += &(fitted(&paragraph, indent, columns) + "\n");
    }
    narrow
}

/// Fills up with blanks, or cuts: exactly this many columns.
pub fn padded(text: &str, columns: usize) -> String {
    let mut room = columns;
    let fits = |letter: &char| {
        let width = letter.width().unwrap_or(0);
        let fits = width <= room;
        room = if fits { room - width } else { 0 };
        fits
    };
    let text: String = text.chars().take_while(fits).collect();
    let blanks = columns.saturating_sub(width(&text));
    text + &" ".repeat(blanks)
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed(words: &[String]) -> String {
    match words {
        [first @ .., before, last] => [first, &[format!("{before} and {last}")]].concat().join(", "),
        words => words.concat(),
    }
}

/// Pieces of a word that fit into a line: paths can be longer, and are broken behind a slash.
fn pieces(word: &str, columns: usize) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let mut column = 0;
        let too_wide = |(at, letter): (usize, char)| {
            column += letter.width().unwrap_or(0);
            // A letter wider than the line gets its own line.
            (column > columns && at > 0).then_some(at)
        };
        let end = match rest.char_indices().find_map(too_wide) {
            Some(end) => rest[..end].rfind('/').map_or(end, |slash| slash + 1),
            None => rest.len(),
        };
        let (piece, others) = rest.split_at(end);
        rest = others;
        (!piece.is_empty()).then_some(piece)
    })
}

/// `2 h 5 min`, `1 min 30 s`, `7.5 s`.
pub fn duration(ms: i64) -> String {
    let seconds = ms / 1000;
    match seconds {
        3600.. => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        60.. => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{}.{} s", seconds, ms % 1000 / 100),
    }
}

/// The text with a capital.
pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// A UTC time in this form of strftime(3); `None` outside of the calendar.
pub fn utc(utc_ms: i64, form: &str) -> Option<String> {
    Some(jiff::Timestamp::from_millisecond(utc_ms).ok()?.strftime(form).to_string())
}

/// `1 figure`, `2 figures`.
pub fn how_many(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// A number of bytes: `512 B`, `45.3 KiB`, `1.5 MiB`.
pub fn size_words(bytes: u64) -> String {
    let units = [(1_u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let Some((unit, name)) = units.into_iter().find(|(unit, _)| bytes >= *unit) else {
        return format!("{bytes} B");
    };
    let value = bytes as f64 / unit as f64;
    if value.fract() < 0.05 { format!("{value:.0} {name}") } else { format!("{value:.1} {name}") }
}

/// The sentences of findings, each marked by how much it harms.
pub fn sentences(findings: &[Finding]) -> String {
    findings.iter().map(|finding| sentence(finding, true, COLUMNS)).collect()
}

/// Sentences of an explanation: causes are marked by severity, with their evidence below.
pub fn explanation(explained: &Explanation, columns: usize) -> String {
    explained.in_order().into_iter().map(|(finding, is_cause)| sentence(finding, is_cause, columns)).collect()
}

fn sentence(finding: &Finding, is_marked: bool, columns: usize) -> String {
    let mark = match finding.severity {
        Severity::Invalid if is_marked => "!!",
        Severity::Degraded if is_marked => " !",
        _ => "  ",
    };
    let line = format!("{mark} {}", finding.sentence());
    wrapped_at(&line, 3, columns) + "\n"
}

/// Skipped and failed steps of one workload (or of all), and everything else that an own run lacks, with reasons. Steps
/// with these names are left out, because they are reported elsewhere.
pub fn unmeasured(record: &Record, workload: Option<WorkloadId>, said: &[String]) -> Vec<String> {
    let why = |outcome: &Outcome| match outcome {
        Outcome::Done(_) => None,
        Outcome::Failed(failure) => Some(failure.message.clone()),
        Outcome::Skipped(missing) => Some(missing.to_string()),
    };
    let is_wanted = |step: &&Step| workload.is_none_or(|workload| step.workload == workload);
    let is_unsaid = |step: &&Step| !said.contains(&view::step_name(step));
    let unsaid = record.steps.iter().filter(is_unsaid);
    let lines = unsaid.filter(is_wanted).filter_map(|step| {
        let reason = why(&step.outcome)?;
        Some(format!("{}: {reason}", view::step_name(step)))
    });
    let mut lines = counted(lines);
    if !view::is_log(record) && matches!(workload, None | Some(WorkloadId::Clock)) {
        if workload.is_none()
            && let Some(missing) = record.kernel_messages.missing()
        {
            lines.push(format!("kernel messages: {missing}"));
        }
        if workload.is_none() && !record.unread.is_empty() {
            lines.push(unread(&record.unread));
        }
        if !record.run.as_root && !record.machine.policies.is_empty() {
            lines.push("governors and clock limits were not changed (needs root)".into());
        }
    }
    lines
}

fn unread(unread: &[Missing]) -> String {
    let shown = unread.iter().take(UNREAD_SHOWN).map(Missing::to_string);
    let mut line = format!("could not read: {}", shown.collect::<Vec<_>>().join(", "));
    if unread.len() > UNREAD_SHOWN {
        let more = unread.len() - UNREAD_SHOWN;
        let _ = write!(line, " and {more} more in the result file");
    }
    line
}

/// Each distinct line once, with its count if repeated.
fn counted(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for line in lines {
        match counts.iter_mut().find(|(known, _)| *known == line) {
            Some((_, count)) => *count += 1,
            None => counts.push((line, 1)),
        }
    }
    let words = |(line, count): (String, usize)| match count {
        1 => line,
        _ => format!("{line} ({count} times)"),
    };
    counts.into_iter().map(words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_at_80_columns() {
        let line = format!(" ! {}", "word ".repeat(40));
        let text = wrapped(&line, 3);
        assert!(text.lines().all(|line| line.chars().count() <= 80));
        assert!(text.lines().skip(1).all(|line| line.starts_with("   word")));
        assert_eq!(text.split_whitespace().count(), 41);
        let text = wrapped(&"long".repeat(50), 6);
        assert!(text.lines().count() == 3 && text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn narrow_text_has_the_words_of_the_wide_one() {
        let prose = format!(" ! {}", "some words ".repeat(20));
        let table = "   random   179.6   343.6   185.0   200.0   ns\n   single  1.0\n";
        let wide = format!("{}\n\n{table}{}\n", wrapped(&prose, 3), wrapped(&prose, 0));
        assert_eq!(narrowed(&wide, COLUMNS), wide);
        for columns in [40, 60, 79] {
            let narrow = narrowed(&wide, columns);
            assert!(narrow.lines().all(|line| width(line) <= columns), "{narrow}");
            assert!(narrow.split_whitespace().eq(wide.split_whitespace()), "{narrow}");
            // A paragraph is as full as if it had been broken once.
            assert!(narrow.starts_with(&wrapped_at(prose.trim_end(), 3, columns)), "{narrow}");
            assert!(narrow.contains("\n   single  1.0\n"), "{narrow}");
        }
    }

    #[test]
    fn width_is_in_columns() {
        for (text, columns, expected) in [
            ("香橙派五", 8, "香橙派五"),
            ("香橙派五", 5, "香橙 "),
            ("Pi", 5, "Pi   "),
            ("e\u{301}t\u{e9}", 4, "e\u{301}t\u{e9} "),
        ] {
            assert_eq!(padded(text, columns), expected);
        }
        let text = wrapped_at(&"香橙派五 ".repeat(9), 3, 40);
        assert!(text.lines().count() == 3 && text.lines().all(|line| width(line) <= 40), "{text}");
        assert_eq!(wrapped_at("香橙", 0, 1), "香\n橙");
        assert_eq!(wrapped_at("/a/path/without/blanks", 0, 12), "/a/path/\nwithout/\nblanks");
        // Continued lines are indented and so shorter than the first. A path is broken without inserting a blank.
        assert_eq!(wrapped_at("/a/path/without", 4, 16), "/a/path/\n    without");
        assert_eq!(wrapped_at("one two #3", 0, 8), "one\ntwo #3");
        assert_eq!(fitted("  香橙   1.0   2.0 ns", 3, 14), "  香橙   1.0\n   2.0 ns");
    }

    #[test]
    fn sizes_have_the_largest_unit_that_fits() {
        for (bytes, words) in [(512, "512 B"), (32 << 10, "32 KiB"), (3 << 19, "1.5 MiB"), (4 << 30, "4 GiB")] {
            assert_eq!(size_words(bytes), words);
        }
    }

    #[test]
    fn durations() {
        for (ms, text) in [(7_500, "7.5 s"), (90_000, "1 min 30 s"), (7_500_000, "2 h 5 min")] {
            assert_eq!(duration(ms), text);
        }
    }
}
