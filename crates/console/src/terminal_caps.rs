//! Abilities of the terminal: colours, and characters beyond ASCII.

use facts::lines::COLUMNS;
use rustix::termios::{Winsize, tcgetwinsize};
use std::io::stdout;
use std::os::fd::AsFd;

/// Minimum number of columns of a layout.
pub(crate) const COLUMNS_MIN: usize = 40;
/// Columns and rows of a terminal that does not report its size, such as a serial console.
const USUAL: (u16, u16) = (80, 24);

/// Abilities of the terminal.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TerminalCaps {
    /// Terminal and `NO_COLOR` allow colours.
    pub colours: bool,
    /// Plots of ASCII characters only.
    pub ascii: bool,
    /// Characters of texts.
    pub charset: Charset,
}

/// Characters that the locale has.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Charset {
    /// All of Unicode.
    #[default]
    Utf8,
    /// The locale has another encoding.
    Ascii,
    /// No locale is set: a terminal may have another encoding.
    Unknown,
}

impl Charset {
    /// True if texts are written in ASCII.
    pub(crate) fn are_ascii(self, on_terminal: bool) -> bool {
        match self {
            Self::Utf8 => false,
            Self::Ascii => true,
            Self::Unknown => on_terminal,
        }
    }
}

impl TerminalCaps {
    /// Reads the environment of this process.
    pub fn of_this_terminal() -> Self {
        Self::of_environment(|name| std::env::var(name).ok())
    }

    /// Follows <https://no-color.org>, the locale, and properties of old terminals.
    fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let term = set("TERM").unwrap_or_default();
        let mono = ["vt", "xterm-mono", "dumb"].iter().any(|mono| term.starts_with(mono));
        let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
        let charset = match locale.map(|locale| locale.to_lowercase()) {
            Some(locale) if locale.contains("utf-8") || locale.contains("utf8") => Charset::Utf8,
            Some(_) => Charset::Ascii,
            None => Charset::Unknown,
        };
        Self {
            colours: set("NO_COLOR").is_none() && !mono && !term.is_empty(),
            // The fonts of the kernel's console lack most parts of a cell.
            ascii: charset != Charset::Utf8 || mono || term == "linux",
            charset,
        }
    }
}

/// True if a line can be overwritten, which consoles of editors cannot do.
pub fn has_cursor() -> bool {
    !is_printer(std::env::var("TERM").ok().as_deref())
}

fn is_printer(term: Option<&str>) -> bool {
    term == Some("dumb")
}

/// Columns of the terminal on standard output; none for other outputs and unknown sizes.
pub fn columns() -> Option<usize> {
    let size = tcgetwinsize(stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// Columns in which lines are broken; none where lines stay whole.
pub fn line_columns() -> Option<usize> {
    columns().map(|columns| columns.max(COLUMNS_MIN))
}

/// Columns of a text for people: those of the terminal, from 40 to 80.
pub fn text_columns() -> usize {
    line_columns().unwrap_or(COLUMNS).min(COLUMNS)
}

/// Columns and rows to draw into.
pub fn size(terminal: impl AsFd) -> (u16, u16) {
    drawable(tcgetwinsize(terminal).ok())
}

/// Replaces zeros, which serial consoles report.
fn drawable(reported: Option<Winsize>) -> (u16, u16) {
    let known = |reported: u16, usual| if reported > 0 { reported } else { usual };
    reported.map_or(USUAL, |size| (known(size.ws_col, USUAL.0), known(size.ws_row, USUAL.1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dumb_terminals_only_print() {
        for (term, expected) in [(Some("dumb"), true), (Some("xterm"), false), (Some("vt100"), false), (None, false)] {
            assert_eq!(is_printer(term), expected, "{term:?}");
        }
    }

    #[test]
    fn terminals_without_a_size_have_the_usual_one() {
        let check = |size: Option<(u16, u16)>, expected| {
            let winsize = |(ws_col, ws_row)| Winsize { ws_row, ws_col, ws_xpixel: 0, ws_ypixel: 0 };
            assert_eq!(drawable(size.map(winsize)), expected);
        };
        check(Some((132, 50)), (132, 50));
        check(Some((0, 0)), USUAL);
        check(Some((100, 0)), (100, 24));
        check(None, USUAL);
    }

    #[test]
    fn terminal_capabilities() {
        let look = |term: &str, lang: &str, no_color: &str| {
            TerminalCaps::of_environment(|name| match name {
                "TERM" => Some(term.to_owned()),
                "LANG" => Some(lang.to_owned()),
                "NO_COLOR" => Some(no_color.to_owned()),
                _ => None,
            })
        };
        for (term, lang, no_color, colours, ascii, charset) in [
            ("xterm-256color", "de_DE.UTF-8", "", true, false, Charset::Utf8),
            ("xterm-256color", "C.utf8", "1", false, false, Charset::Utf8),
            ("xterm-256color", "C", "", true, true, Charset::Ascii),
            ("linux", "C.UTF-8", "", true, true, Charset::Utf8),
            ("vt100", "C.UTF-8", "", false, true, Charset::Utf8),
            ("vt220", "", "", false, true, Charset::Unknown),
            ("", "C.UTF-8", "", false, false, Charset::Utf8),
        ] {
            let expected = TerminalCaps { colours, ascii, charset };
            assert_eq!(look(term, lang, no_color), expected, "{term} {lang} {no_color}");
        }
    }
}
