//! Words of the command line that nobody can make sense of, told as one sentence with the way out. The
//! parser of arguments tells them in a paragraph, and knows no similar command once commands of the user's
//! own may stand behind `--`.

use super::Cli;
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Names that differ in more letters are other names.
const SLIPS_MAX: usize = 2;

/// What is wrong, and where to look; `words` are those of the command line.
pub(crate) fn sentence(error: &clap::Error, words: &[String]) -> String {
    let program = Cli::command();
    let verb = words.iter().find(|word| program.find_subcommand(word).is_some());
    let help = match verb {
        Some(verb) => format!("sbc-bench {verb} --help"),
        None => "sbc-bench --help".to_owned(),
    };
    let unknown = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(word))) => Some(word),
        _ => None,
    };
    let unknown = unknown.filter(|word| verb.is_none() && !word.starts_with('-'));
    let what = match unknown {
        Some(word) => {
            let names = program.get_subcommands().filter(|verb| !verb.is_hide_set());
            let similar = names
                .map(clap::Command::get_name)
                .min_by_key(|name| slips(name, word))
                .filter(|name| slips(name, word) <= SLIPS_MAX);
            let similar = similar.map_or(String::new(), |name| format!("; is it {name}"));
            format!("there is no command {word:?}{similar}")
        }
        None => without_usage(&error.to_string()),
    };
    format!("{what}; {help} names what there is.")
}

/// The paragraph of the parser in one line, without its usage and its way out.
fn without_usage(text: &str) -> String {
    let lines = text.lines().map(str::trim);
    let told = lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"));
    let mut sentence = String::new();
    // That a word may also stand behind `--` helps nobody who mistyped a flag.
    let told = told.filter(|line| !line.is_empty() && !line.starts_with("tip: to pass"));
    for line in told {
        let (between, line) = match line.strip_prefix("tip: ") {
            Some(tip) => ("; ", tip),
            None => (" ", line.trim_start_matches("error: ")),
        };
        if !sentence.is_empty() {
            sentence.push_str(between);
        }
        sentence.push_str(line);
    }
    sentence
}

/// Letters that are to be put in, left out or changed to make one word of the other (Levenshtein).
fn slips(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, a) in a.chars().enumerate() {
        let mut before = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in b.iter().enumerate() {
            let changed = before + usize::from(a != *b);
            before = row[j + 1];
            row[j + 1] = changed.min(before + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::arranged;
    use clap::Parser;
    use std::ffi::OsString;

    #[test]
    fn what_is_wrong_is_one_sentence_with_the_way_out() {
        for (line, expected) in [
            ("thermel", "there is no command \"thermel\"; is it thermal; sbc-bench --help names what there is."),
            ("poem", "there is no command \"poem\"; sbc-bench --help names what there is."),
            ("--nonsense", "unexpected argument '--nonsense' found; sbc-bench --help names what there is."),
            (
                "-m --linse",
                "unexpected argument '--linse' found; a similar argument exists: '--lines'; sbc-bench --help names \
                 what there is.",
            ),
            (
                "explain",
                "the following required arguments were not provided: <FILE>...; sbc-bench explain --help names \
                 what there is.",
            ),
            (
                "thermal --minutes",
                "a value is required for '--minutes <N>' but none was supplied; sbc-bench thermal --help names \
                 what there is.",
            ),
        ] {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let all = std::iter::once("sbc-bench".to_owned()).chain(words.clone());
            let error = Cli::try_parse_from(arranged(all.map(OsString::from))).unwrap_err();
            assert_eq!(sentence(&error, &words), expected, "{line}");
        }
    }

    #[test]
    fn slips_are_counted() {
        for (a, b, expected) in [("clock", "clock", 0), ("clock", "clokc", 2), ("", "ab", 2), ("trend", "tend", 1)] {
            assert_eq!(slips(a, b), expected, "{a} {b}");
        }
    }
}
