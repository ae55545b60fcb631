//! Removes what a place of publication adds to a text: colours, HTML, quotation marks, line numbers, line wraps.
//!
//! A step that finds nothing of its kind returns the text as it is, so a plain log is not copied. All steps except
//! line breaks of HTML keep the number of lines. Line wraps are removed by `wraps`, which needs a reading to be sure.

use super::first_line;
use super::html::without_html;
use super::prefixes;
use super::transfer::windows_1252;
use record::{report_words, without_colours};
use std::borrow::Cow;

/// Maximum depth of quotation and other prefixes.
const PREFIXES_MAX: usize = 4;

/// The text without colours, HTML, special blanks and prefixes of lines.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    let mut text = without_colours(text);
    for step in [without_shown_colours, windows_1252, without_html, plain_characters] {
        if let Some(plain) = step(&text) {
            text = Cow::Owned(plain);
        }
    }
    for _ in 0..PREFIXES_MAX {
        match prefixes::without(&text) {
            Some(plain) => text = Cow::Owned(plain),
            None => break,
        }
    }
    if let Some(whole) = whole_titles(&text) {
        text = Cow::Owned(whole);
    }
    text
}

/// The text without colours whose escape character is lost or visible: `[1;32m`, `^[[0m`; `None` for text without these.
fn without_shown_colours(text: &str) -> Option<String> {
    const ESCAPES: [&str; 5] = ["^[", "␛", "\\e", "\\033", "\\x1b"];
    if !text.contains("[0m") {
        return None;
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        plain.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let end = behind.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        if let Some(after) = end.strip_prefix(['m', 'K']) {
            let escape = ESCAPES.iter().find(|escape| plain.ends_with(*escape)).map_or(0, |escape| escape.len());
            plain.truncate(plain.len() - escape);
            rest = after;
        } else {
            plain.push('[');
            rest = behind;
        }
    }
    plain.push_str(rest);
    Some(plain)
}

/// Titles of this program's reports on one line each, with blank lines in place of those that continued them; `None` for
/// text without such titles.
fn whole_titles(text: &str) -> Option<String> {
    const CONTINUATION: &str = "   ";
    const LINES_MAX: usize = 4;
    // Most texts are logs, which have no verdict of this program.
    if !["Results are ", report_words::UNPROVEN].iter().any(|words| text.contains(words)) {
        return None;
    }
    let mut lines: Vec<Cow<'_, str>> = text.lines().map(Cow::Borrowed).collect();
    let mut found = false;
    for end in 1..lines.len() {
        let continues = |line: &str| line.starts_with(CONTINUATION);
        // The version may stand alone on the last line.
        if !continues(&lines[end]) || !lines[end - 1..=end].iter().any(|line| line.contains("sbc-bench")) {
            continue;
        }
        let from = lines[..end].iter().rev().take(LINES_MAX).take_while(|line| continues(line)).count();
        let Some(start) = (end - from).checked_sub(1) else { continue };
        let title = lines[start..=end].iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
        if first_line::report_title(&title).is_some() && !continues(&lines[start]) {
            lines[start..=end].fill(Cow::Borrowed(""));
            lines[start] = Cow::Owned(title);
            found = true;
        }
    }
    found.then(|| lines.join("\n") + "\n")
}

/// Number of bytes that are tested for ASCII at once.
const CHUNK_BYTES: usize = 64;

/// Usual blanks and line ends instead of special ones; `None` for text without these.
fn plain_characters(text: &str) -> Option<String> {
    let is_return = |(at, _): (usize, &str)| !matches!(text.as_bytes().get(at + 1), Some(b'\n' | b'\r') | None);
    let has_return = || text.match_indices('\r').any(is_return);
    // Few characters beyond ASCII share the first byte of special ones.
    let bytes = text.as_bytes();
    let is_special = |at: usize| {
        matches!(bytes[at], 0xc2 | 0xe2 | 0xe3 | 0xef) && text[at..].chars().next().and_then(special).is_some()
    };
    let has_special = |(chunk, from): (&[u8], usize)| !chunk.is_ascii() && (from..from + chunk.len()).any(is_special);
    if !bytes.chunks(CHUNK_BYTES).zip((0..).step_by(CHUNK_BYTES)).any(has_special) && !has_return() {
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

/// Visible characters of ASCII.
const VISIBLE: &str =
    "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";

/// Replacement of a character that programs insert for layout.
fn special(character: char) -> Option<&'static str> {
    match character {
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{3000}' => Some(" "),
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => Some(""),
        '\u{85}' | '\u{2028}' | '\u{2029}' => Some("\n"),
        // Wide forms of ASCII, of a Chinese or Japanese keyboard or translation.
        '\u{ff01}'..='\u{ff5e}' => {
            let at = character as usize - 0xff01;
            Some(&VISIBLE[at..=at])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections;
    use crate::wraps::{Wrap, unwrap};
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
            ("2026-04-30T12:17:29.1Z Distributor ID: a\n2026-04-30T12:17:30.1Z b", "Distributor ID: a\nb"),
            (
                "Apr 9 host x[9]: Distributor ID: a\nApr 10 host x[10]:\nApr 10 host x[10]:  b",
                "Distributor ID: a\n\n b",
            ),
            ("\"Distributor ID: a\"\n\" b\"\n\"\"\n", "Distributor ID: a\n b\n"),
            ("Distributor ID:^Ia$\n$\nb$", "Distributor ID:\ta\n\nb"),
            ("| Distributor ID: a |\n| b |\n|\n", "Distributor ID: a \nb"),
            ("a.txt:9:Distributor ID: a\na.txt:10:b\na.txt:11:", "Distributor ID: a\nb"),
            ("│ Distributor ID: a\n│ b\n│", "Distributor ID: a\nb"),
            ("+Distributor ID: a\n+b\n+", "Distributor ID: a\nb"),
            ("^[[1;32ma^[[0m b", "a b"),
            ("[1;32ma[0m [b]", "a [b]"),
            ("（a：1）", "(a:1)"),
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
