//! Lines in the columns of a terminal. Other outputs keep their lines, because scripts look for whole sentences.

use facts::lines::{fitted, narrowed, width, wrapped_at};

/// Indent of continued lines below an entry of a list or a row of a table.
const INDENT: usize = 3;

/// Breaks the lines of a text that are wider than the terminal.
pub(crate) fn text(text: &str, columns: usize) -> String {
    narrowed(text, columns).lines().map(|text| line(text, columns) + "\n").collect()
}

/// Breaks a line that is wider than the terminal. A command that does not fit gets its own line, so that it can be copied.
pub fn line(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let command = text.split_once("Use `").and_then(|(before, rest)| Some((before, rest.split_once('`')?)));
    if let Some((before, (command, rest))) = command {
        return format!("{}\n   {command}", wrapped_at(&format!("{before}Use this command{rest}"), 0, columns));
    }
    let lead = text.len() - text.trim_start().len();
    let is_sentence = lead == 0 && !text.contains("  ");
    let indent = if is_sentence { 0 } else { lead + INDENT };
    fitted(text, indent, columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_command_has_its_own_line() {
        let sentence = |file: &str| {
            format!("Interrupted; 4 measured steps in {file}. Use `sbc-bench --resume {file}` to continue it.")
        };
        assert_eq!(line(&sentence("a"), 80), sentence("a"));
        let long = "/home/someone/.local/state/sbc-bench/runs/2026-11-28.json";
        let shown = line(&sentence(long), 80);
        assert!(
            shown.ends_with(&format!("Use this command to\ncontinue it.\n   sbc-bench --resume {long}")),
            "{shown}"
        );
    }

    #[test]
    fn lines_are_broken_between_words() {
        for (text, columns, expected) in [
            ("Board   香橙派 五 Plus", 22, "Board   香橙派 五 Plus"),
            ("Board   香橙派 五 Plus", 21, "Board   香橙派 五\n   Plus"),
            ("  * Governor ondemand ramps up late", 20, "  * Governor\n     ondemand ramps\n     up late"),
            ("   0   -   Zen 5 stepping 1", 26, "   0   -   Zen 5 stepping\n      1"),
            ("A sentence in words.", 12, "A sentence\nin words."),
            ("/a/path/without/blanks", 12, "/a/path/\nwithout/\nblanks"),
        ] {
            assert_eq!(line(text, columns), expected);
        }
        assert_eq!(text("a\n\n  b c d\n", 40), "a\n\n  b c d\n");
    }
}
