//! First line of a log: `sbc-bench v0.4 -- DATE` up to 0.4, `sbc-bench vX NAME[ MODE] (DATE)` later, none before 0.4.

use super::text;
use record::{Mode, report_words};

/// Modes between name and date.
const MODES: [Mode; 6] =
    [Mode::UntunedReview, Mode::Extensive, Mode::Unattended, Mode::Review, Mode::Phoronix, Mode::Geekbench];

/// Values of the first line.
#[derive(Debug, Default, PartialEq)]
pub(super) struct FirstLine<'t> {
    pub(super) version: &'t str,
    pub(super) name: Option<&'t str>,
    pub(super) mode: Option<Mode>,
    pub(super) date: Option<&'t str>,
}

impl<'t> FirstLine<'t> {
    /// True if the line contains the date of the run, in any language.
    pub(super) fn is_dated(&self) -> bool {
        self.date.is_some_and(|date| date.contains(|c: char| c.is_ascii_digit()))
    }

    /// Start of the run in milliseconds since 1970.
    pub(super) fn started_ms(&self) -> Option<i64> {
        text::rfc2822(self.date?).map(|(started, _)| started)
    }
}

/// Parses the first line of a log.
pub(super) fn parse(line: &str) -> Option<FirstLine<'_>> {
    let rest = line.trim_start().strip_prefix("sbc-bench v")?.trim_end();
    let (version, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    if !version.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut first = FirstLine { version, ..FirstLine::default() };
    let rest = rest.trim();
    if let Some(date) = rest.strip_prefix("-- ") {
        first.date = Some(date.trim());
        return Some(first);
    }
    // A name may contain parentheses: the date is in the last pair.
    let name = match rest.rfind('(') {
        Some(open) if rest.ends_with(')') => {
            first.date = Some(&rest[open + 1..rest.len() - 1]);
            rest[..open].trim_end()
        }
        _ => rest,
    };
    let mode = MODES.into_iter().find_map(|mode| {
        let before = name.strip_suffix(mode.as_str())?;
        // A board may be called `4gb`: a mode must be a separate word.
        before.ends_with(' ').then_some((before, mode))
    });
    let (name, mode) = match mode {
        Some((before, mode)) => (before, Some(mode)),
        None => (name, None),
    };
    first.mode = mode;
    first.name = Some(name.trim_end()).filter(|name| !name.is_empty());
    Some(first)
}

/// Name and version of the title of a report of this program: `Board (SoC), 2026-02-20, sbc-bench 1.0.0`.
pub(super) fn report_title(line: &str) -> Option<(&str, &str)> {
    // Called for every line: a search for a byte begins sooner than one for a text.
    let (at, version) =
        line.rmatch_indices(',').find_map(|(at, _)| Some((at, line[at..].strip_prefix(", sbc-bench")?)))?;
    let (name, version) = (&line[..at], version.trim_start_matches(',').trim());
    let is_version = ["unknown version", "before 0.4"].contains(&version)
        || (2..=3).contains(&version.split('.').count()) && version.starts_with(|c: char| c.is_ascii_digit());
    let is_name = !name.trim().is_empty() && !name.contains(['|', '>', '<']);
    (is_version && is_name && version.len() < 20)
        .then_some((name.trim_start(), if version.starts_with('u') { "" } else { version }))
}

/// True for the first words of a report of this program, as text or Markdown.
pub(super) fn is_report_verdict(line: &str) -> bool {
    text::start_of(line.strip_prefix("**").unwrap_or(line), &report_words::ALL).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_lines() {
        for (line, version, name, mode, date) in [
            ("sbc-bench v0.4 -- Sun, 29 Jul 2018 12:34:58 +0000", "0.4", None, None, true),
            ("sbc-bench v0.6.2  (Fri, 30 Nov 2018 14:43:57 +0100)", "0.6.2", None, None, true),
            (
                "sbc-bench v0.9.37 Made / N305 extensive (Fri, 10 Mar 2023 16:35:09 +1100)",
                "0.9.37",
                Some("Made / N305"),
                Some(Mode::Extensive),
                true,
            ),
            (
                "sbc-bench v0.9.9 Board (Linux) (Fri, 10 Mar 2023 16:35:09 +1100)",
                "0.9.9",
                Some("Board (Linux)"),
                None,
                true,
            ),
            (
                "sbc-bench v0.9.40 X NOTUNING review (Fri, 10 Mar 2023 16:35:09 +1100)",
                "0.9.40",
                Some("X"),
                Some(Mode::UntunedReview),
                true,
            ),
            ("sbc-bench v0.9.40 Board 4gb (Fri, 10 Mar 2023 16:35:09 +1100)", "0.9.40", Some("Board 4gb"), None, true),
            ("sbc-bench v0.9.40 Cut off in the na", "0.9.40", Some("Cut off in the na"), None, false),
        ] {
            let first = parse(line).unwrap();
            assert_eq!((first.version, first.name, first.mode), (version, name, mode));
            assert_eq!(first.date.is_some_and(|date| text::rfc2822(date).is_some()), date, "{line}");
        }
        assert_eq!(parse("Tested with sbc-bench v0.9.72 on Thu"), None);
        assert_eq!(parse("sbc-bench vNext"), None);
        assert!(is_report_verdict("**Results are valid; only AES is degraded: heat.**"));
    }
}
