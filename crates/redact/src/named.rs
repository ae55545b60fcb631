//! Values after a keyword: passwords, network names, numbers of modems and chips. The table of keywords is in `words`;
//! this module finds the values and their ends.

use super::entry::{Keyword, Separator, Value};
use super::pairs::Pairs;
use super::words::NAMED;
use super::{BLANK, Redactor};

/// Number of bytes by which a value is recognised.
const NEAR_BYTES: usize = 32;

impl Redactor {
    /// Redacts values after keywords.
    pub(super) fn named(&mut self, line: &str, pairs: &Pairs) -> String {
        let mut line = line.to_owned();
        // Has the same byte offsets as the line.
        let mut lower = line.to_ascii_lowercase();
        for named in NAMED {
            for word in named.words {
                if !pairs.may_hold(word) {
                    continue;
                }
                if let Some(from) = first_place(&lower, word, named) {
                    let out = self.behind(&line, &lower, (word, from), named);
                    if let Some(out) = out {
                        line = out;
                        lower = line.to_ascii_lowercase();
                    }
                }
            }
        }
        line
    }

    /// Line without the values after a word; `None` if there is no such value.
    fn behind(&mut self, line: &str, lower: &str, (word, from): (&str, usize), named: &Keyword) -> Option<String> {
        let is_option = word.starts_with('-');
        let mut out = String::new();
        let mut done = 0;
        for (at, _) in lower[from..].match_indices(word) {
            let at = from + at;
            let is_part = |c: char| c.is_ascii_alphanumeric() || is_option && c == '-';
            if at < done || lower[..at].ends_with(is_part) {
                continue;
            }
            let Some((start, end)) = value_of(line, at + word.len(), named) else { continue };
            let value = &line[start..end];
            if value == BLANK || self.is_everybodys(named.kind, value) {
                continue;
            }
            out.push_str(&line[done..start]);
            self.tell(named.kind, value);
            match named.value {
                Value::Word | Value::Line => out.push_str(&self.blank(named.kind)),
                Value::Digits | Value::LineDigits => {
                    // The `x` of `0x` is not a digit.
                    let head = value.len() - value.trim_start_matches("0x").len();
                    let digits = self.digits(named.kind, &value[head..]);
                    out.push_str(&value[..head]);
                    out.push_str(&digits);
                }
            }
            done = end;
        }
        (done > 0).then(|| out + &line[done..])
    }
}

/// First possible offset of a word: after the name of its program.
fn first_place(lower: &str, word: &str, named: &Keyword) -> Option<usize> {
    let from = match named.of {
        [] => 0,
        programs => {
            let ends = programs.iter().filter_map(|program| Some(lower.find(program)? + program.len()));
            ends.min()?
        }
    };
    lower[from..].contains(word).then_some(from)
}

/// Range of the value after a word.
fn value_of(line: &str, behind: usize, named: &Keyword) -> Option<(usize, usize)> {
    // The keyword may be quoted, as in JSON.
    let rest = &line[behind..];
    let name_ends = if rest.starts_with("\":") || rest.starts_with("':") { 1 } else { 0 };
    let rest = &rest[name_ends..];
    let gap = rest.len() - rest.trim_start_matches([' ', '\t', ':', '=']).len();
    let sign = rest[..gap].trim();
    let quote = rest[gap..].chars().next().filter(|c| matches!(c, '"' | '\''));
    let fits = match named.between {
        Separator::Sign => !sign.is_empty(),
        Separator::Equals => sign == "=" || name_ends > 0 && sign == ":",
        Separator::Blank => gap > 0 && sign.is_empty(),
        Separator::Joined => gap == 0 && name_ends == 0,
        Separator::Colon => rest.starts_with(": "),
        Separator::Any => gap > 0,
        Separator::SignOrQuote => !sign.is_empty() || gap > 0 && quote.is_some(),
        Separator::Quote => sign == "=" && quote.is_some(),
    };
    if !fits {
        return None;
    }
    let start = behind + name_ends + gap + usize::from(quote.is_some());
    let text = &line[start..];
    // A rejected value is not scanned to its end, because the same word may occur a million times.
    let mut ends = (0..=NEAR_BYTES.min(text.len())).rev();
    let near = ends.find(|at| text.is_char_boundary(*at));
    let near = &text[..near.unwrap_or(0)];
    let value = match end_of(near, quote, named.value) {
        Some(end) => &text[..end],
        None if near.len() == text.len() => text,
        None if (named.fits)(near) => &text[..end_of(text, quote, named.value).unwrap_or(text.len())],
        None => return None,
    };
    let value = value.trim_end();
    let value = match named.value {
        Value::Digits => value.trim_end_matches(['.', ':']),
        _ => value,
    };
    (named.fits)(value).then_some((start, start + value.len()))
}

/// End of a value, if any.
fn end_of(text: &str, quote: Option<char>, value: Value) -> Option<usize> {
    match (quote, value) {
        (Some(quote), _) => text.find(quote),
        (None, Value::Line | Value::LineDigits) => text.find("  ").or(text.find([',', '\t'])),
        (None, Value::Word | Value::Digits) => {
            text.find(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '\'' | '`' | '&' | ')' | ']' | '}'))
        }
    }
}
