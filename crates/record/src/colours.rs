//! Removal of terminal escape sequences from copied text.

use std::borrow::Cow;

/// Text without the sequences for colours (`ESC [ 1 ; 31 m`) and for erasing the rest of a line (`ESC [ K`). Of other
/// sequences only `ESC` is removed.
pub fn without_colours(text: &str) -> Cow<'_, str> {
    const ESCAPE: char = '\u{1b}';
    let mut parts = text.split(ESCAPE);
    let first = parts.next().unwrap_or_default();
    if first.len() == text.len() {
        return Cow::Borrowed(text);
    }
    let mut plain = first.to_owned();
    for part in parts {
        let behind =
            part.strip_prefix('[').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';'));
        let rest = behind.and_then(|behind| behind.strip_prefix(['m', 'K']));
        plain.push_str(rest.unwrap_or(part));
    }
    Cow::Owned(plain)
}
