//! What the terminal can show: colours, and characters beyond ASCII.

use std::io::{IsTerminal, stdout};

/// What the terminal can do.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Look {
    pub(crate) colours: bool,
    /// It knows ASCII alone.
    pub(crate) ascii: bool,
}

impl Look {
    /// By the variables of this process.
    pub(crate) fn of_this_terminal() -> Self {
        Self::of_environment(|name| std::env::var(name).ok())
    }

    /// By the environment: <https://no-color.org>, the locale, and what is known of old terminals.
    fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let term = set("TERM").unwrap_or_default();
        let mono = ["vt", "xterm-mono", "dumb"].iter().any(|mono| term.starts_with(mono));
        let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
        let utf8 = locale.is_some_and(|locale| {
            let locale = locale.to_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        Self {
            colours: set("NO_COLOR").is_none() && !mono,
            // The fonts of the kernel's console lack most parts of a cell.
            ascii: !utf8 || mono || term == "linux",
        }
    }
}

/// True if a line can be written over: not on a terminal that only prints, as the consoles of editors are.
pub(crate) fn has_cursor() -> bool {
    !is_printer(std::env::var("TERM").ok().as_deref())
}

fn is_printer(term: Option<&str>) -> bool {
    term == Some("dumb")
}

/// Columns of the terminal that standard output leads to; none where it leads elsewhere.
pub(crate) fn columns() -> Option<usize> {
    let out = stdout();
    let size = rustix::termios::tcgetwinsize(&out).ok().filter(|_| out.is_terminal())?;
    // A serial console does not know its width.
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
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
    fn terminal_capabilities() {
        let look = |term: &str, lang: &str, no_color: &str| {
            Look::of_environment(|name| match name {
                "TERM" => Some(term.to_owned()),
                "LANG" => Some(lang.to_owned()),
                "NO_COLOR" => Some(no_color.to_owned()),
                _ => None,
            })
        };
        for (term, lang, no_color, colours, ascii) in [
            ("xterm-256color", "de_DE.UTF-8", "", true, false),
            ("xterm-256color", "C.utf8", "1", false, false),
            ("xterm-256color", "C", "", true, true),
            ("linux", "C.UTF-8", "", true, true),
            ("vt100", "C.UTF-8", "", false, true),
            ("vt220", "", "", false, true),
        ] {
            let expected = Look { colours, ascii };
            assert_eq!(look(term, lang, no_color), expected, "{term} {lang} {no_color}");
        }
    }
}
