//! Finds where results begin in a text: logs, console output, reviews, lines of the results list, monitoring.
//!
//! No reader sees more than the lines of one result, so figures of two results cannot become one.

use super::first_line::{self, FirstLine};
use super::list_row;
use super::section_shapes;
use super::sections::{self, Line};
use super::text;
use record::StableSort;

/// Kind of text that a result was found in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PostKind {
    /// Lines without a beginning: a part of a log, or text about something else.
    Lines,
    Log,
    /// Terminal output of the bash program.
    Console,
    Review,
    /// A line of the results list.
    Row,
    /// A report of this program.
    Report,
}

/// Lines of one result.
#[derive(Debug)]
pub(crate) struct Post<'t> {
    pub(crate) kind: PostKind,
    pub(crate) lines: Vec<Line<'t>>,
    version: String,
    name: Option<String>,
    started_ms: Option<i64>,
    has_release: bool,
    has_review: bool,
    has_summary: bool,
    has_mark: bool,
    /// True after a section at the end of logs.
    has_end: bool,
    console_block: Option<usize>,
}

impl<'t> Post<'t> {
    fn new(kind: PostKind) -> Self {
        Self {
            kind,
            lines: Vec::new(),
            version: String::new(),
            name: None,
            started_ms: None,
            has_release: false,
            has_review: false,
            has_summary: false,
            has_mark: false,
            has_end: false,
            console_block: None,
        }
    }

    /// True if the lines contain a result.
    pub(crate) fn is_result(&self) -> bool {
        self.kind != PostKind::Lines || self.has_mark
    }

    /// True if a review with this version and date is the end of this log. Its name may be spelt otherwise.
    fn is_reviewed_by(&self, review: &Review<'_>) -> bool {
        const HOURS_MS: i64 = 12 * 3_600_000;
        let is_later = match (self.started_ms, review.ended_ms) {
            (Some(started), Some(ended)) => (0..HOURS_MS).contains(&(ended - started)),
            _ => true,
        };
        let is_open = self.kind == PostKind::Log && !self.has_review && !self.has_summary;
        is_open && self.version.starts_with(review.version) && is_later
    }
}

/// First lines of a review.
struct Review<'t> {
    version: &'t str,
    ended_ms: Option<i64>,
}

/// Splits a text at the beginnings of results. The first part has the lines before the first result.
pub(crate) fn split<'t>(lines: &[Line<'t>]) -> Vec<Post<'t>> {
    let mut posts = vec![Post::new(PostKind::Lines)];
    let mut indent = 0;
    for (index, line) in lines.iter().enumerate() {
        for part in parts(line, lines.get(index + 1..).unwrap_or_default()) {
            let Some(last) = posts.last() else { continue };
            if let Some(mut post) = begins(&part, lines.get(index + 1..).unwrap_or_default(), last) {
                indent = part.text.len() - part.text.trim_start().len();
                let heading = own_heading(posts.last_mut(), &post);
                post.lines = governors_above(posts.last_mut(), post.kind);
                posts.push(post);
                if let Some(first) = posts.first_mut() {
                    first.lines.extend(heading);
                }
            }
            let cut = part.text.len().min(indent);
            let cut = if part.text.as_bytes()[..cut].iter().all(|byte| matches!(byte, b' ' | b'\t')) { cut } else { 0 };
            let part = Line { text: &part.text[cut..], ..part };
            if let Some(post) = posts.last_mut() {
                note(&part, post);
                post.lines.push(part);
            }
        }
    }
    if let [first, rest @ ..] = posts.as_mut_slice()
        && !rest.is_empty()
    {
        first.lines.stable_sort_by_key(|line| line.number);
    }
    posts
}

/// Maximum number of lines between the first line of a log and the distribution.
const HEADER_LINES_MAX: usize = 20;

/// Takes the heading that a person wrote above the next result from the lines of the result before it.
fn own_heading<'t>(before: Option<&mut Post<'t>>, next: &Post<'t>) -> Vec<Line<'t>> {
    const LINES_MAX: usize = 8;
    let Some(before) = before.filter(|before| before.is_result() && next.kind != PostKind::Row) else {
        return Vec::new();
    };
    let from = before.lines.len().saturating_sub(LINES_MAX);
    let is_heading = |line: &&Line<'_>| {
        let text = line.text.trim_start();
        text.starts_with('#') && text.trim_start_matches('#').starts_with(' ') && !sections::is_separator(text)
            || text.starts_with("```")
            || text.starts_with("<details")
    };
    let tail = before.lines.get(from..).unwrap_or_default();
    let blank_tail = tail.iter().rev().take_while(|line| line.is_blank() || is_heading(line)).count();
    let at = before.lines.len() - blank_tail;
    before.lines.split_off(at)
}

/// Takes the table of governors, which the bash program prints before its version.
fn governors_above<'t>(before: Option<&mut Post<'t>>, kind: PostKind) -> Vec<Line<'t>> {
    let before = before.filter(|before| kind == PostKind::Console && !before.is_result());
    let found = before.and_then(|before| {
        let is_start = |line: &Line<'_>| line.text.trim_start().starts_with("Status of performance related");
        let at = before.lines.iter().rposition(is_start)?;
        Some(before.lines.split_off(at))
    });
    found.unwrap_or_default()
}

/// Parts of a line: a file without a line feed at its end may be followed by the next result.
fn parts<'t>(line: &Line<'t>, next: &[Line<'_>]) -> impl Iterator<Item = Line<'t>> + use<'t> {
    let text = line.text;
    let within = |at: usize| at > 0 && !text[..at].trim().is_empty();
    let header = || {
        let at = text.find("sbc-bench v").filter(|at| within(*at) && !text[..*at].ends_with("with "))?;
        first_line::parse(&text[at..]).filter(FirstLine::is_dated).map(|_| at)
    };
    let release = || text.find("Distributor ID:").filter(|at| within(*at));
    let review = || {
        let at = text.rfind("# ").filter(|at| within(*at) && !text[..*at].ends_with('#'))?;
        review(&text[at..], next).map(|_| at)
    };
    let row = || {
        let at = text.find("| ").filter(|at| within(*at))?;
        list_row::is_row(&text[at..]).then_some(at)
    };
    let at =
        may_have_parts(text).then(|| header().or_else(release).or_else(review).or_else(row)).flatten().unwrap_or(0);
    let number = line.number;
    let first = (at > 0).then(|| Line { number, text: &text[..at] });
    first.into_iter().chain([Line { number, text: &text[at..] }])
}

/// True if a part may begin behind the first character of a line. Called for every line: one pass over its bytes.
fn may_have_parts(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut later = bytes.iter().enumerate().skip(1);
    later.any(|(at, byte)| match byte {
        b'#' | b'|' => bytes.get(at + 1) == Some(&b' '),
        b's' => bytes[at..].starts_with(b"sbc-bench v"),
        b'D' => bytes[at..].starts_with(b"Distributor ID:"),
        _ => false,
    })
}

/// The post that begins with this line, if any.
fn begins<'t>(line: &Line<'t>, next: &[Line<'_>], current: &Post<'_>) -> Option<Post<'t>> {
    let text = line.text.trim_start();
    // Called for every line: only titles of reports begin with other characters.
    let first = text.as_bytes().first()?;
    if !matches!(first, b'#' | b'*' | b'7' | b'C' | b'D' | b'M' | b'N' | b'O' | b'R' | b'S' | b's' | b'|')
        && first_line::report_title(text).is_none()
    {
        return None;
    }
    if let Some(header) = first_line::parse(text) {
        let kind = match () {
            () if header.is_dated() => PostKind::Log,
            () if header.name.is_none() => PostKind::Console,
            // A log that was cut within its first line.
            () if next.iter().all(Line::is_blank) && current.lines.iter().all(Line::is_blank) => PostKind::Log,
            () => return None,
        };
        return Some(Post {
            version: header.version.to_owned(),
            name: header.name.map(str::to_owned),
            started_ms: header.started_ms(),
            ..Post::new(kind)
        });
    }
    if report_heading(line, next).is_some() {
        return Some(Post::new(PostKind::Report));
    }
    if first_line::is_report_verdict(text) {
        let is_own = current.kind == PostKind::Report && current.lines.iter().skip(1).all(Line::is_blank);
        return (!is_own).then(|| Post::new(PostKind::Report));
    }
    if let Some((name, _)) = first_line::report_title(text) {
        let is_own = current.kind == PostKind::Report && current.name.is_none();
        return (!is_own).then(|| Post { name: Some(name.to_owned()), ..Post::new(PostKind::Report) });
    }
    if text.starts_with("Distributor ID:") {
        let is_above = current.kind == PostKind::Lines && current.lines.iter().any(|line| !line.is_blank());
        let is_next = current.has_release || is_above || current.lines.len() > HEADER_LINES_MAX;
        let is_other = matches!(current.kind, PostKind::Review | PostKind::Row | PostKind::Console | PostKind::Report);
        return (is_next || is_other).then(|| Post::new(PostKind::Log));
    }
    if let Some(review) = review(text, next) {
        return (!current.is_reviewed_by(&review)).then(|| Post {
            has_review: true,
            version: review.version.to_owned(),
            ..Post::new(PostKind::Review)
        });
    }
    if text.starts_with('|') && list_row::is_row(text) {
        let is_own = matches!(current.kind, PostKind::Log | PostKind::Console | PostKind::Lines)
            && !current.has_summary
            && current.has_mark;
        // The name in the first line may have been changed by hand.
        let is_other_name = current.kind == PostKind::Log
            && !current.has_end
            && current.name.as_deref().is_some_and(|name| !list_row::is_of(text, name));
        return (!is_own || is_other_name).then(|| Post { has_summary: true, ..Post::new(PostKind::Row) });
    }
    let block = console_block(text)?;
    let is_next = current.console_block.is_some_and(|last| block <= last);
    let is_other = matches!(current.kind, PostKind::Review | PostKind::Row);
    (is_next || is_other).then(|| Post::new(PostKind::Console))
}

/// Keeps the data of a line about its result.
fn note(line: &Line<'_>, post: &mut Post<'_>) {
    let trimmed = line.text.trim_start();
    if post.kind == PostKind::Report
        && let Some((name, _)) = first_line::report_title(trimmed)
    {
        post.name = Some(name.to_owned());
    }
    // Called for every line: nothing below begins with other characters.
    let Some(b'#' | b'7' | b'C' | b'D' | b'E' | b'M' | b'O' | b'R' | b'S' | b'T' | b's' | b't' | b'|') =
        trimmed.as_bytes().first()
    else {
        return;
    };
    const ENDS: [&str; 4] = ["Results validation:", "Status of performance related", "DT compat:", "Compiler:"];
    post.has_end |= text::start_of(trimmed, &ENDS).is_some();
    post.has_release |= trimmed.starts_with("Distributor ID:");
    post.has_mark |= is_mark(trimmed);
    post.has_summary |= trimmed.starts_with('|') && list_row::is_row(trimmed);
    post.has_review |= trimmed.starts_with("Tested with sbc-bench v");
    // A log has tables instead of these blocks, and its own validation near its end.
    if post.kind != PostKind::Log
        && let Some(block) = console_block(trimmed)
    {
        post.console_block = Some(block);
        if block > 0 && post.kind == PostKind::Lines {
            post.kind = PostKind::Console;
        }
    }
}

/// Blocks of console output in their order.
const CONSOLE_BLOCKS: [&str; 6] = [
    "Results validation:",
    "Memory performance",
    "Cpuminer total scores",
    "Stockfish scores",
    "7-zip total scores",
    "OpenSSL results",
];

fn console_block(line: &str) -> Option<usize> {
    text::start_of(line, &CONSOLE_BLOCKS)
}

/// Board named by the heading of a report of this program in Markdown.
pub(crate) fn report_heading<'t>(line: &Line<'t>, next: &[Line<'_>]) -> Option<&'t str> {
    let name = line.text.trim_start().strip_prefix("## ")?;
    let below = next.iter().map(|line| line.text.trim_start()).find(|text| !text.is_empty())?;
    (below.starts_with("**") && first_line::is_report_verdict(below)).then(|| name.trim())
}

/// Version and date of the review that begins with this line.
fn review<'t>(text: &'t str, next: &[Line<'t>]) -> Option<Review<'t>> {
    const LINES_MAX: usize = 12;
    text.strip_prefix("# ")?;
    let mut lines = next.iter().take(LINES_MAX).map(|line| line.text.trim()).filter(|text| !text.is_empty());
    let first = lines.next()?;
    if first.starts_with("### General information") || first.starts_with("### Clockspeeds (idle vs") {
        return Some(Review { version: "", ended_ms: None });
    }
    let (version, ended) = tested(first)?;
    Some(Review { version, ended_ms: ended.map(|(ended, _)| ended) })
}

/// Parses `Tested with sbc-bench v0.9.72 on Thu, 30 Apr 2026 12:22:41 +0200.`: the version, and the end of the run with its
/// offset from UTC in minutes. Some reviews have lost the version.
pub(crate) fn tested(text: &str) -> Option<(&str, Option<(i64, i32)>)> {
    let rest = text.strip_prefix("Tested ")?;
    let (version, date) = match rest.strip_prefix("with sbc-bench v") {
        Some(rest) => rest.split_once(' ').unwrap_or((rest.trim_end_matches('.'), "")),
        None => ("", rest),
    };
    let date = date.strip_prefix("on ").unwrap_or_default();
    let ended = text::rfc2822(date.split(". ").next().unwrap_or(date).trim_end_matches('.'));
    (!version.is_empty() || ended.is_some()).then_some((version, ended))
}

/// Beginnings of lines that occur only in texts of sbc-bench.
const MARKS: [&str; 14] = [
    "Checking cpufreq OPP",
    "Cpufreq OPP:",
    "Distributor ID:",
    "Executing benchmark ",
    "System health while running",
    "Tested with sbc-bench v",
    "Testing clockspeeds again",
    "Testing maximum cpufreq again",
    // Reviews of a few versions do not contain their version.
    "### Clockspeeds (idle vs",
    "tinymembench v",
    "7-zip total scores",
    "Cpuminer total scores",
    "OpenSSL results",
    "Memory performance",
];

/// Place of such a beginning within a line, or of the first key of a result file.
pub(crate) fn mark_within(line: &str) -> Option<usize> {
    MARKS.iter().chain(["sbc-bench v", "\"schema\""].iter()).find_map(|mark| line.find(mark))
}

/// True for a line that occurs only in texts of sbc-bench.
pub(crate) fn is_mark(line: &str) -> bool {
    let trimmed = line.trim_start();
    match trimmed.as_bytes().first() {
        Some(b'T') if section_shapes::is_monitor_header(trimmed) => true,
        Some(b'|') => list_row::is_row(trimmed),
        Some(b's') => first_line::parse(trimmed).is_some_and(|header| header.is_dated() || header.name.is_none()),
        _ => text::start_of(trimmed, &MARKS).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::lines;

    const LOG: &str = include_str!("fixtures/0.9.72-review.txt");
    const OTHER: &str = include_str!("fixtures/0.6-raspberry-pi.txt");

    fn kinds(text: &str) -> Vec<PostKind> {
        split(&lines(text)).iter().filter(|post| post.is_result()).map(|post| post.kind).collect()
    }

    #[test]
    fn results_are_found_wherever_they_begin() {
        use PostKind::{Console, Log, Review, Row};
        let (_, review) = LOG.split_once("# Testboard Three\n").unwrap();
        let review = format!("# Testboard Three\n{review}");
        let row = "| A board | 1800/1400 MHz | 6.6 | Debian arm64 | 9790 | 1860 | 1293880 | 4020 | 9000 | 12.00 |";
        for (text, expected) in [
            (LOG.to_owned(), vec![Log]),
            (format!("{LOG}{OTHER}"), vec![Log, Log]),
            (format!("{}{OTHER}", LOG.trim_end()), vec![Log, Log]),
            (format!("# My boards\n\n## One\n```\n{OTHER}\n```\n## Two\n```\n{LOG}\n```"), vec![Log, Log]),
            (review.clone(), vec![Review]),
            (format!("{}{review}", review.trim_end()), vec![Review, Review]),
            (format!("{OTHER}\n{review}"), vec![Log, Review]),
            (format!("{row}\n{row}"), vec![Row, Row]),
            ("sbc-bench v0.9.41\n\n7-zip total scores (3 consecutive runs): 1,2,3\n".to_owned(), vec![Console]),
            ("7-zip total scores (3 consecutive runs): 1,2\n7-zip total scores: 3".to_owned(), vec![Console, Console]),
            ("I ran sbc-bench v0.9.8 on it.\nsbc-bench v0.9.8 is good.".to_owned(), vec![]),
        ] {
            assert_eq!(kinds(&text), expected, "{:.60}", text);
        }
    }

    #[test]
    fn every_line_is_in_one_post() {
        let text = format!("# Mine\ntext\n{OTHER}\n## Other\n{LOG}");
        let lines = lines(&text);
        let mut numbers: Vec<u32> = split(&lines).iter().flat_map(|post| &post.lines).map(|line| line.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), lines.len());
    }
}
