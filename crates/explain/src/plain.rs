//! Text of others made harmless: names of cards, disks, modules and messages can hold anything, also
//! sequences that move the cursor, recolour the screen or turn the direction of reading around.

use std::borrow::Cow;

/// Longest name that is printed; real ones have up to 64 characters.
const CHARACTERS_MAX: usize = 300;

/// The text on one line, without anything that a terminal would obey, cut if it is endless.
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

/// The text as it stands, with what a terminal would obey crossed out; line ends and tabs stay.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let obeyed = |c: char| is_obeyed(c) && !matches!(c, '\n' | '\t');
    if !text.contains(obeyed) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(obeyed, "\u{fffd}"))
}

/// Control characters, and those of Unicode that change the direction of text or take no room.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A name in Markdown: as [`plain`], and without the characters that make tables, code and links of it.
pub(crate) fn markdown(text: &str) -> String {
    let quiet = |c: char| match c {
        '`' | '|' | '*' | '[' | ']' | '<' | '>' | '\\' => format!("\\{c}"),
        c => c.to_string(),
    };
    plain(text).chars().map(quiet).collect()
}

/// Text that means nothing to XML and HTML, between tags and in quotes.
pub(crate) fn markup(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_that_a_terminal_obeys() {
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
        assert!(plain(&"x".repeat(100_000)).chars().count() <= CHARACTERS_MAX + 1);
    }

    #[test]
    fn markup_means_nothing() {
        assert_eq!(
            markup("<a & \"b\" 'c'>\n"),
            "&lt;a &amp; &quot;b&quot; &#39;c&#39;&gt; "
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_becomes_harmless(text: String) {
            for made in [plain(&text), markdown(&text)] {
                proptest::prop_assert!(!made.chars().any(is_obeyed), "{made:?}");
            }
            let has_control = harmless(&text).contains(['\u{1b}', '\r', '\u{9b}']);
            proptest::prop_assert!(!has_control);
        }
    }
}
