//! Statements of a report: numbers with units, and sentences. Repeating a number would suggest a difference.

use std::collections::BTreeSet;

/// Shorter sentences can occur in others by chance.
const SENTENCE_CHARS_MIN: usize = 25;

/// Statements made so far.
#[derive(Default)]
pub(super) struct Statements {
    numbers: BTreeSet<String>,
    sentences: Vec<String>,
}

impl Statements {
    /// Adds the statements of a text.
    pub(super) fn add(&mut self, text: &str) {
        self.numbers.extend(numbers(text));
        let lower = text.to_lowercase();
        // A reason after a colon and the second of two clauses count as sentences.
        let sentences = lower.split(". ").flat_map(|sentence| {
            let behind = |mark| sentence.split(mark).skip(1);
            behind(": ").chain(behind(", and ")).chain([sentence])
        });
        self.sentences.extend(sentences.map(|sentence| sentence.trim_end_matches('.').to_owned()));
    }

    /// Whether a text repeats a number or a whole sentence.
    pub(super) fn contains(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        let has_sentence = |known: &String| known.len() >= SENTENCE_CHARS_MIN && lower.contains(known.as_str());
        numbers(text).any(|number| self.numbers.contains(&number)) || self.sentences.iter().any(has_sentence)
    }
}

/// Numbers with the unit behind them: `1200 MHz`, `83.8 °C`, `-0.2 %`.
fn numbers(text: &str) -> impl Iterator<Item = String> {
    const UNITS: [&str; 14] =
        ["%", "MHz", "°C", "MIPS", "MB/s", "kB/s", "kH/s", "ns", "ms", "s", "W", "V", "MiB", "KiB"];
    let bare = |word: &str| word.trim_matches(|c: char| "(),;:.\"".contains(c)).to_owned();
    let words: Vec<String> = text.split_whitespace().map(bare).collect();
    let pairs = words.windows(2).filter(|pair| {
        let is_number = pair[0].parse::<f64>().is_ok();
        is_number && UNITS.contains(&pair[1].as_str())
    });
    pairs.map(|pair| pair.join(" ")).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_said_once() {
        let mut statements = Statements::default();
        statements.add("The clock dropped from 1200 MHz to 818 MHz (average 1101 MHz) at up to 83.8 °C.");
        for (text, expected) in [
            ("down to 818 MHz", true),
            ("at 83.8 °C;", true),
            ("down to 817 MHz", false),
            ("818 samples", false),
            ("It says: The clock dropped from 1200 MHz to 818 MHz (average 1101 MHz) at up to 83.8 °C: so.", true),
            ("", false),
        ] {
            assert_eq!(statements.contains(text), expected, "{text}");
        }
    }
}
