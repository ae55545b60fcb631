//! Sanitises foreign text: names of cards, disks and modules, and messages may contain sequences that move the cursor,
//! recolour the screen or reverse the reading direction.

use std::borrow::Cow;

/// Longest printed name; real ones have up to 64 characters.
const CHARACTERS_MAX: usize = 300;

/// The text on one line without control sequences, cut at the maximum length.
pub fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut blank_due = false;
    for (count, c) in text.trim().chars().enumerate() {
        if count == CHARACTERS_MAX {
            out.push('…');
            break;
        }
        if c.is_whitespace() {
            blank_due = true;
            continue;
        }
        if is_obeyed(c) {
            out.push('\u{fffd}');
            continue;
        }
        if std::mem::take(&mut blank_due) {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

/// The text in at most this many letters; an ellipsis marks a cut.
pub fn shortened(text: &str, letters_max: usize) -> String {
    if text.chars().count() > letters_max {
        text.chars().take(letters_max.saturating_sub(1)).chain(['…']).collect()
    } else {
        text.to_owned()
    }
}

/// The beginning of a text that is endless.
pub fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(CHARACTERS_MAX) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The text as it stands, with what a terminal would obey crossed out; line ends (LF and CR LF) and tabs stay.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let obeyed = |c: char| is_obeyed(c) && !matches!(c, '\n' | '\t');
    // Nearly every text is ASCII, which bytes show faster than characters.
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if text.bytes().all(is_plain) || !text.contains(obeyed) {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive("\r\n").map(|line| {
        let (line, end) = match line.strip_suffix("\r\n") {
            Some(line) => (line, "\r\n"),
            None => (line, ""),
        };
        line.replace(obeyed, "\u{fffd}") + end
    });
    Cow::Owned(lines.collect())
}

/// Control characters, and those of Unicode that change the direction of text or take no room.
pub fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Text escaped for Markdown, on one line: it produces no tables, links, emphasis, code or HTML. An underscore within a
/// word is not emphasis (CommonMark, 6.2) and stays.
pub fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut letters = text.trim().chars().peekable();
    let mut before = ' ';
    while let Some(c) = letters.next() {
        let after = letters.peek().copied().unwrap_or(' ');
        let is_within_a_word = before.is_alphanumeric() && after.is_alphanumeric();
        before = c;
        match c {
            '_' if is_within_a_word => escaped.push(c),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' => escaped.extend(['\\', c]),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            c if is_obeyed(c) => escaped.push(' '),
            // XML 1.0 has no such characters, not even escaped.
            '\u{fffe}' | '\u{ffff}' => {}
            c => escaped.push(c),
        }
    }
    escaped
}

/// A cell of comma-separated values (RFC 4180), quoted if necessary. A name that a spreadsheet would run as a formula
/// gets an apostrophe; a lone dash and numbers do not.
pub fn csv(text: &str) -> String {
    let plain = text.replace(is_obeyed, " ");
    let is_number = plain.parse::<f64>().is_ok();
    let is_formula = plain.len() > 1 && plain.starts_with(['=', '+', '-', '@']) && !is_number;
    let plain = if is_formula { format!("'{plain}") } else { plain };
    if plain.contains([',', '"']) { format!("\"{}\"", plain.replace('"', "\"\"")) } else { plain }
}

/// Text that means nothing to XML and HTML, between tags and in quotes.
pub fn markup(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if is_obeyed(c) => escaped.push(' '),
            // XML 1.0 has no such characters, not even escaped.
            '\u{fffe}' | '\u{ffff}' => {}
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_sequences_are_removed() {
        for (text, expected) in [
            ("SD64G", "SD64G"),
            ("  a\t b\n", "a b"),
            ("\u{1b}[31mred", "\u{fffd}[31mred"),
            ("x\u{9b}2J", "x\u{fffd}2J"),
            ("a\u{202e}b", "a\u{fffd}b"),
            ("", ""),
        ] {
            assert_eq!(plain(text), expected);
        }
        assert_eq!(markdown("a|`b`"), "a\\|\\`b\\`");
        assert_eq!(harmless("a\nb\r\u{1b}c\t"), "a\nb\u{fffd}\u{fffd}c\t");
        // CSV ends its lines so (RFC 4180).
        assert_eq!(harmless("a\r\nb\r\r\n"), "a\r\nb\u{fffd}\r\n");
        assert!(plain(&"x".repeat(100_000)).chars().count() <= CHARACTERS_MAX + 1);
    }

    #[test]
    fn markup_is_escaped() {
        assert_eq!(markup("a\u{fffe}\u{ffff}b"), "ab");
        assert_eq!(markup("<a & \"b\" 'c'>\n"), "&lt;a &amp; &quot;b&quot; &#39;c&#39;&gt; ");
    }

    proptest::proptest! {
        #[test]
        fn harmless_accepts_any_text(text: String) {
            for made in [plain(&text), markdown(&text)] {
                proptest::prop_assert!(!made.chars().any(is_obeyed), "{made:?}");
            }
            let without_ends = harmless(&text).replace("\r\n", "");
            let has_control = without_ends.contains(['\u{1b}', '\r', '\u{9b}']);
            proptest::prop_assert!(!has_control);
        }
    }
}
