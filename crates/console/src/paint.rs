//! Texts for people as the terminal can show them: the verdict in colour, the bar of this board in bold, ASCII where the locale
//! has nothing else. Applied after lines are broken, so that no width counts an escape.

use facts::lines::width;
use record::report_words;

const RESET: &str = "\x1b[0m";
const BOLD: &str = "\x1b[1m";
const RED: &str = "\x1b[1;31m";
const YELLOW: &str = "\x1b[1;33m";
const GREEN: &str = "\x1b[1;32m";

/// First words of lines, and their style.
const FIRST_WORDS: [(&str, &str); 7] = [
    (report_words::VALID, GREEN),
    (report_words::MAIN_VALID, GREEN),
    (report_words::DEGRADED, YELLOW),
    (report_words::UNPROVEN, YELLOW),
    (report_words::INVALID, RED),
    ("This result is degraded", YELLOW),
    ("This result is INVALID", RED),
];

/// Adds escapes for the verdict and the bar of this board.
pub(crate) fn coloured(text: &str) -> String {
    text.split_inclusive('\n').map(coloured_line).collect()
}

fn coloured_line(line: &str) -> String {
    let text = line.trim_end_matches('\n');
    let end = &line[text.len()..];
    if text.trim_start().starts_with(report_words::THIS_BOARD) && text.ends_with('=') {
        return format!("{BOLD}{text}{RESET}{end}");
    }
    let styled =
        FIRST_WORDS.iter().find_map(|(words, style)| Some((text.strip_prefix(words.trim_end())?, words, style)));
    match styled {
        Some((rest, words, style)) => format!("{style}{}{RESET}{rest}{end}", words.trim_end()),
        None => line.to_owned(),
    }
}

/// The text in ASCII, in the same columns except for degrees and signs of several letters.
pub(crate) fn ascii(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            letter if letter.is_ascii() => ascii.push(letter),
            // `70.0 °C` becomes `70.0 C`.
            '°' if ascii.ends_with(' ') => {}
            '°' | '\u{a0}' => ascii.push(' '),
            '≈' => ascii.push('~'),
            'µ' | 'μ' => ascii.push('u'),
            '·' | '…' | '•' => ascii.push('.'),
            '±' => ascii.push_str("+-"),
            'Ω' => ascii.push_str("Ohm"),
            '–' | '—' => ascii.push('-'),
            '←' => ascii.push('<'),
            '→' => ascii.push('>'),
            '│' => ascii.push('|'),
            '×' => ascii.push('x'),
            '▁'..='█' => ascii.push('#'),
            other => ascii.push_str(&"?".repeat(width(other.encode_utf8(&mut [0; 4])))),
        }
    }
    ascii
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdict_and_bar_have_escapes() {
        for (text, expected) in [
            ("Results are valid.\nResults\n", "\x1b[1;32mResults are valid.\x1b[0m\nResults\n"),
            ("Results are genuine, but\nheat took 3 %.", "\x1b[1;33mResults are genuine, but\x1b[0m\nheat took 3 %."),
            ("   this board  4000 ===\n", "\x1b[1m   this board  4000 ===\x1b[0m\n"),
            ("Of this board: x = y\n   other  4000 ###\n", "Of this board: x = y\n   other  4000 ###\n"),
        ] {
            assert_eq!(coloured(text), expected);
        }
    }

    #[test]
    fn ascii_has_a_sign_for_everything() {
        for (text, expected) in [
            ("≈4500 at 70.0 °C, max°C", "~4500 at 70.0 C, max C"),
            ("5 µs ± 1 …", "5 us +- 1 ."),
            ("香橙派 é\n", "?????? ?\n"),
        ] {
            assert_eq!(ascii(text), expected);
        }
    }
}
