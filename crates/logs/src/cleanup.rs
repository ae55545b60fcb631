//! Removes what a place of publication adds to a text: colours, HTML, quotation marks, line numbers, line wraps.
//!
//! A step that finds nothing of its kind returns the text as it is, so a plain log is not copied. All steps except
//! line breaks of HTML and [`unwrap`] keep the number of lines.

use super::posts;
use super::sections::Line;
use record::{Total, without_colours};
use std::borrow::Cow;

/// Maximum depth of quotation and other prefixes.
const PREFIXES_MAX: usize = 4;
/// Maximum size of a text whose line wraps are removed, in bytes. Logs have up to a few hundred KiB.
const WRAPPED_BYTES_MAX: usize = 1 << 20;

/// The text without colours, HTML, special blanks and prefixes of lines.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    let mut text = without_colours(text);
    for step in [without_html, plain_characters] {
        if let Some(plain) = step(&text) {
            text = Cow::Owned(plain);
        }
    }
    for _ in 0..PREFIXES_MAX {
        match without_prefixes(&text).or_else(|| without_numbers(&text)) {
            Some(plain) => text = Cow::Owned(plain),
            None => break,
        }
    }
    text
}

/// Elements whose tags a paste contains. A log quotes addresses in angle brackets, so other names are text.
const ELEMENTS: [&str; 40] = [
    "a",
    "article",
    "b",
    "blockquote",
    "body",
    "br",
    "code",
    "details",
    "div",
    "em",
    "font",
    "h1",
    "h2",
    "h3",
    "h4",
    "head",
    "hr",
    "html",
    "i",
    "li",
    "link",
    "main",
    "meta",
    "ol",
    "p",
    "pre",
    "script",
    "section",
    "small",
    "span",
    "strong",
    "style",
    "summary",
    "table",
    "tbody",
    "td",
    "th",
    "title",
    "tr",
    "ul",
];
/// Elements that end a line.
const LINE_ENDS: [&str; 15] =
    ["blockquote", "br", "details", "div", "h1", "h2", "h3", "h4", "hr", "li", "p", "pre", "summary", "title", "tr"];
/// Maximum length of a tag or entity in bytes.
const TAG_BYTES_MAX: usize = 600;
const ENTITY_BYTES_MAX: usize = 10;

/// The text of a page; `None` for text without tags and entities.
fn without_html(text: &str) -> Option<String> {
    // A name may contain a tag for emphasis; a page has others.
    const PAGE: [&str; 6] = ["body", "code", "html", "span", "table", "td"];
    let is_of_page = |name: &str| PAGE.contains(&name) || LINE_ENDS.contains(&name);
    let has_tag = text.match_indices('<').any(|(at, _)| tag(&text[at..]).is_some_and(|(name, _)| is_of_page(name)));
    let has_entity =
        || ["&gt;", "&lt;", "&amp;", "&nbsp;", "&quot;", "&deg;", "&#"].iter().any(|name| text.contains(name));
    if !has_tag && !has_entity() {
        return None;
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '&']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((name, length)) = tag(rest) {
            rest = &rest[length..];
            if matches!(name, "td" | "th") {
                plain.push(' ');
            } else if LINE_ENDS.contains(&name) && !rest.starts_with(['\n', '\r']) && !plain.ends_with('\n') {
                plain.push('\n');
            }
        } else if let Some((character, length)) = entity(rest) {
            plain.push(character);
            rest = &rest[length..];
        } else {
            plain.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    plain.push_str(rest);
    Some(plain)
}

/// Element and length of the tag at the start of a text.
fn tag(text: &str) -> Option<(&'static str, usize)> {
    let inner = text.strip_prefix('<')?;
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let end = inner.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let name = &inner[..end];
    let element = ELEMENTS.iter().find(|element| element.eq_ignore_ascii_case(name))?;
    let length = text.bytes().take(TAG_BYTES_MAX).position(|byte| byte == b'>')? + 1;
    let after = text.as_bytes()[text.len() - inner.len() + end];
    let is_one = matches!(after, b'>' | b'/' | b' ' | b'\n' | b'\t') && !text[1..length].contains('<');
    is_one.then_some((*element, length))
}

/// Character and length of the entity at the start of a text.
fn entity(text: &str) -> Option<(char, usize)> {
    let length = text.bytes().take(ENTITY_BYTES_MAX).position(|byte| byte == b';')? + 1;
    let name = &text[1..length - 1];
    let code = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    let character = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "deg" => '°',
        "micro" => 'µ',
        _ => {
            let number = name.strip_prefix('#')?;
            let character = match number.strip_prefix(['x', 'X']) {
                Some(digits) => code(digits, 16),
                None => code(number, 10),
            };
            character.filter(|character| !character.is_control())?
        }
    };
    Some((character, length))
}

/// Usual blanks and line ends instead of special ones; `None` for text without these.
fn plain_characters(text: &str) -> Option<String> {
    let is_return = |(at, _): (usize, &str)| !matches!(text.as_bytes().get(at + 1), Some(b'\n' | b'\r') | None);
    let has_return = || text.match_indices('\r').any(is_return);
    let is_special = |c: char| special(c).is_some();
    if (text.is_ascii() || !text.contains(is_special)) && !has_return() {
        return None;
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match special(character) {
            Some(replacement) => plain.push_str(replacement),
            None if character == '\r' => {
                if !matches!(characters.peek(), Some('\n' | '\r') | None) {
                    plain.push('\n');
                }
            }
            None => plain.push(character),
        }
    }
    Some(plain)
}

/// Replacement of a character that programs insert for layout.
fn special(character: char) -> Option<&'static str> {
    match character {
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{3000}' => Some(" "),
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => Some(""),
        '\u{85}' | '\u{2028}' | '\u{2029}' => Some("\n"),
        _ => None,
    }
}

/// Prefix of a line: its length in bytes.
type Prefix = fn(&str) -> Option<usize>;

/// Prefixes that stand before nearly every line. Quotation marks need not: no line of a log begins with one.
const PREFIXES: [(Prefix, bool); 4] = [(quotation, false), (bar, true), (moment, true), (addition, true)];

/// The text without quotation marks, bars, timestamps or marks of a patch.
fn without_prefixes(text: &str) -> Option<String> {
    PREFIXES.iter().find_map(|(prefix, is_everywhere)| {
        let (mut with, mut lines, mut has_mark) = (0_usize, 0_usize, false);
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            lines += 1;
            if let Some(length) = prefix(line) {
                with += 1;
                has_mark |= !is_everywhere && posts::is_mark(&line[length..]);
            }
        }
        let is_used = with > 0 && (has_mark || with * 10 >= lines * if *is_everywhere { 9 } else { 5 });
        is_used.then(|| map_lines(text, |line| &line[prefix(line).unwrap_or(0)..]))
    })
}

fn map_lines<'t>(text: &'t str, mut of: impl FnMut(&'t str) -> &'t str) -> String {
    let mut mapped = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let end = line.trim_end_matches(['\n', '\r']).len();
        mapped.push_str(of(&line[..end]));
        mapped.push_str(&line[end..]);
    }
    mapped
}

/// `> `, `>> `, and the marks of chat programs that quote.
fn quotation(line: &str) -> Option<usize> {
    let rest = line.trim_start().strip_prefix('>')?;
    Some(line.len() - rest.strip_prefix(' ').unwrap_or(rest).len())
}

/// `│ `, `┃ `: a box of a chat program or terminal. A plain `|` also begins rows of tables.
fn bar(line: &str) -> Option<usize> {
    let rest = line.trim_start().strip_prefix(['│', '┃', '▌', '║'])?;
    Some(line.len() - rest.strip_prefix(' ').unwrap_or(rest).len())
}

/// `2026-04-30T12:17:29.1234567Z ` of a CI system.
fn moment(line: &str) -> Option<usize> {
    const SHAPE: &[u8] = b"0000-00-00T00:00:00";
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let fits = |(byte, shape): (&u8, &u8)| if *shape == b'0' { is_digit(byte) } else { byte == shape };
    let bytes = line.as_bytes();
    let is_moment = bytes.len() >= SHAPE.len() && bytes.iter().zip(SHAPE).all(fits);
    let end = is_moment.then(|| line.find([' ', '\t']).unwrap_or(line.len()))?;
    Some((end + 1).min(line.len()))
}

/// `+` of a patch.
fn addition(line: &str) -> Option<usize> {
    (line.starts_with('+') && !line.starts_with("+++ ")).then_some(1)
}

/// Maximum number of blanks between a line number and the text.
const NUMBER_BLANKS_MAX: usize = 2;
/// Minimum number of consecutive numbers that are line numbers. 7-zip numbers four rows.
const NUMBERS_MIN: usize = 6;

/// The text without line numbers; `None` for text without them. Numbers that are line numbers rise by one from line to
/// line, and one of these lines is of a log. The table of CPUs is numbered as well, but no such line is in it.
fn without_numbers(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut lengths = vec![0; lines.len()];
    let mut start = 0;
    while start < lines.len() {
        let Some((first, _)) = number(lines[start]) else {
            start += 1;
            continue;
        };
        let mut run: Vec<(usize, usize)> = Vec::new();
        let mut expected = first;
        for (index, line) in lines.iter().enumerate().skip(start) {
            match number(line) {
                Some((number, length)) if number == expected => {
                    run.push((index, length));
                    expected = expected.saturating_add(1);
                }
                // `nl` does not number blank lines.
                _ if line.trim().is_empty() => {}
                _ => break,
            }
        }
        let end = run.last().map_or(start, |(index, _)| *index) + 1;
        if run.len() >= NUMBERS_MIN {
            without_separators(&lines, &mut run);
            if run.iter().any(|(index, length)| posts::is_mark(&lines[*index][*length..])) {
                run.iter().for_each(|(index, length)| lengths[*index] = *length);
            }
        }
        start = end;
    }
    lengths.iter().any(|length| *length > 0).then(|| {
        let mut next = lengths.iter();
        map_lines(text, |line| &line[next.next().copied().unwrap_or(0)..])
    })
}

/// Characters between a line number and the text.
const SEPARATORS: [char; 6] = [':', '|', '│', '.', ')', ']'];

/// Number at the start of a line and the length up to its end: `12: text`, `  12\ttext`, `12 | text`.
fn number(line: &str) -> Option<(u32, usize)> {
    let digits = line.trim_start();
    let end = digits.bytes().take_while(u8::is_ascii_digit).count();
    let number = digits[..end].parse().ok()?;
    let rest = &digits[end..];
    let ends = rest.is_empty() || rest.starts_with([' ', '\t']) || rest.starts_with(SEPARATORS);
    ends.then_some((number, line.len() - rest.len()))
}

/// Adds to the lengths of line numbers the separator and the blanks that all of them have.
fn without_separators(lines: &[&str], run: &mut [(usize, usize)]) {
    let rest = |(index, length): &(usize, usize)| &lines[*index][*length..];
    let separator = SEPARATORS.into_iter().find(|separator| {
        run.iter()
            .map(rest)
            .all(|rest| rest.trim().is_empty() || rest.trim_start_matches([' ', '\t']).starts_with(*separator))
    });
    for (index, length) in run.iter_mut() {
        let rest = &lines[*index][*length..];
        if let Some(at) = separator.and_then(|separator| Some(rest.find(separator)? + separator.len_utf8())) {
            *length += at;
        }
    }
    let rest = |(index, length): &(usize, usize)| &lines[*index][*length..];
    let texts = run.iter().map(rest).filter(|text| !text.trim().is_empty());
    let blanks = texts.map(|text| text.len() - text.trim_start_matches([' ', '\t']).len()).min();
    let blanks = blanks.unwrap_or(0).min(NUMBER_BLANKS_MAX);
    for (index, length) in run.iter_mut() {
        *length = (*length + blanks).min(lines[*index].len());
    }
}

/// Ways in which lines are wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrap {
    /// At a number of characters.
    Hard,
    /// At blanks.
    Soft,
}

/// Joins wrapped lines. Returns the text and the number of the first line of each joined line; `None` if no line of the
/// text can be wrapped in this way.
pub(crate) fn unwrap(lines: &[Line<'_>], wrap: Wrap) -> Option<(String, Vec<u32>)> {
    const WIDTHS: std::ops::RangeInclusive<usize> = 30..=250;
    const FULL_LINES_MIN: usize = 2;
    let widths: Vec<usize> = lines.iter().map(|line| line.text.chars().count()).collect();
    // A word that is longer than the width stands alone on its line.
    let is_wrappable = |(line, _): &(&Line<'_>, &usize)| wrap == Wrap::Hard || line.text.trim().contains(' ');
    let width = lines.iter().zip(&widths).filter(is_wrappable).map(|(_, width)| *width).max();
    let width = width.filter(|width| WIDTHS.contains(width))?;
    let full = widths.iter().filter(|other| **other == width).count();
    let bytes: usize = lines.iter().map(|line| line.text.len()).total();
    if bytes > WRAPPED_BYTES_MAX || wrap == Wrap::Hard && full < FULL_LINES_MIN {
        return None;
    }
    let (mut text, mut numbers, mut joined) = (String::with_capacity(bytes), Vec::new(), false);
    let mut before: Option<usize> = None;
    for (line, length) in lines.iter().zip(&widths) {
        let word = line.text.trim_start_matches(' ').split(' ').next().unwrap_or_default();
        let blanks = line.text.len() - line.text.trim_start_matches(' ').len();
        let first_word = blanks + word.chars().count();
        let continues = match (wrap, before) {
            (_, None) => false,
            (Wrap::Hard, Some(before)) => before == width && !line.text.is_empty() && !posts::is_row(line.text),
            // A word that has room in the line above was not wrapped.
            (Wrap::Soft, Some(before)) => {
                before + 1 + first_word > width && !word.is_empty() && !posts::begins_a_line(line.text)
            }
        };
        if continues {
            joined = true;
            if wrap == Wrap::Soft && !text.ends_with(' ') && !line.text.starts_with(' ') {
                text.push(' ');
            }
        } else {
            if before.is_some() {
                text.push('\n');
            }
            numbers.push(line.number);
        }
        text.push_str(line.text);
        before = Some(*length);
    }
    joined.then_some((text, numbers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections;
    use proptest::prelude::*;

    #[test]
    fn plain_text_is_not_copied() {
        let log = include_str!("fixtures/0.9.72-standard.txt");
        assert!(matches!(clean(log), Cow::Borrowed(_)));
    }

    #[test]
    fn texts_as_they_were_written() {
        for (posted, written) in [
            ("> Checking cpufreq OPP\n>\n> > a\nb\nc", "Checking cpufreq OPP\n\n> a\nb\nc"),
            (">> a\n>> b", "a\nb"),
            ("\u{1b}[1;31ma\u{1b}[0m b", "a b"),
            ("a\u{a0}b\u{200b}c", "a bc"),
            ("a\rb\r\nc\r\r\n", "a\nb\nc\r\n"),
            ("<p>a &lt;b&gt; 5&nbsp;&#176;C<br>c</p>", "a <b> 5 °C\nc\n"),
            ("<pre class=\"x\">a\n</pre>", "\na\n"),
            ("mail <a.b@c> and <not a tag", "mail <a.b@c> and <not a tag"),
            ("Board <b>One</b>", "Board <b>One</b>"),
            ("2026-04-30T12:17:29.1Z a\n2026-04-30T12:17:30.1Z b", "a\nb"),
        ] {
            let cleaned = clean(posted);
            let same = cleaned.trim_start_matches('\n').trim_end() == written.trim_start_matches('\n').trim_end();
            assert!(same, "{posted:?}: {cleaned:?}");
        }
    }

    #[test]
    fn line_numbers_of_every_form() {
        let log: Vec<&str> = include_str!("fixtures/0.4-big-little.txt").lines().collect();
        let with = |of: &dyn Fn(usize, &str) -> String| {
            let lines: Vec<String> = log.iter().enumerate().map(|(index, line)| of(index + 1, line)).collect();
            lines.join("\n")
        };
        for numbered in [
            with(&|number, line| format!("{number:6}\t{line}")),
            with(&|number, line| format!("{number}:{line}")),
            with(&|number, line| format!("{number:4}  {line}")),
            with(&|number, line| format!("{number} | {line}")),
        ] {
            assert_eq!(clean(&numbered), log.join("\n"), "{}", &numbered[..80]);
        }
    }

    #[test]
    fn lines_of_every_width_are_joined() {
        let text = include_str!("fixtures/0.9.72-standard.txt");
        let plain = crate::read(text);
        for width in [40, 60, 72, 80, 100, 120] {
            let mut wrapped = String::new();
            for line in text.lines() {
                let letters: Vec<char> = line.chars().collect();
                if letters.is_empty() {
                    wrapped.push('\n');
                }
                for part in letters.chunks(width) {
                    wrapped.extend(part);
                    wrapped.push('\n');
                }
            }
            let [read] = crate::read_all(&wrapped).try_into().unwrap();
            let done = |record: &record::Record| {
                record.steps.iter().filter(|step| matches!(step.outcome, record::Outcome::Done(_))).count()
            };
            assert_eq!(done(&read.record), done(&plain), "{width}");
            assert_eq!(read.record.samples.at_ms, plain.samples.at_ms, "{width}");
            assert_eq!(read.record.machine.board, plain.machine.board, "{width}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "(<[a-z/]{0,5}|>|&[a-z#0-9]{0,8};|[0-9]{1,3}[:\t ]|\\PC|\n|\r){0,80}") {
            let plain = clean(&text).into_owned();
            let lines = sections::lines(&plain);
            for wrap in [Wrap::Hard, Wrap::Soft] {
                unwrap(&lines, wrap);
            }
        }
    }
}
