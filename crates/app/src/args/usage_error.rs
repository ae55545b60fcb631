//! Wrong words on the command line, told as one sentence with the way out. The parser of arguments tells them in
//! paragraphs of its own style; its texts do not reach the user.

use super::grammar;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Names that differ in more letters are other names.
const EDIT_DISTANCE_MAX: usize = 2;

/// What is wrong, and where to look; `words` are those of the command line.
pub(crate) fn sentence(error: &clap::Error, words: &[String]) -> String {
    let program = grammar();
    let verb = words.iter().take_while(|word| *word != "--").find_map(|word| program.find_subcommand(word));
    let help = match verb {
        Some(verb) => format!("sbc-bench {} --help", verb.get_name()),
        None => "sbc-bench --help".to_owned(),
    };
    format!("{} Try `{help}`.", what(error, verb, &program))
}

/// What is wrong, as a sentence with its full stop.
fn what(error: &clap::Error, verb: Option<&clap::Command>, program: &clap::Command) -> String {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    };
    let words = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand].map(context);
    let argument = name(&words.concat().join(", "));
    match error.kind() {
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand if argument.starts_with('-') => {
            let options = verb.unwrap_or(program).get_arguments().filter(|option| !option.is_hide_set());
            let known: Vec<String> = options.filter_map(|option| Some(format!("--{}", option.get_long()?))).collect();
            format!("Unknown option {argument}{}.", similar(&argument, known.iter().map(String::as_str)))
        }
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand if verb.is_none() => {
            let verbs = program.get_subcommands().filter(|verb| !verb.is_hide_set());
            let similar = similar(&argument, verbs.map(clap::Command::get_name));
            format!("Unknown command {argument:?}{similar}.")
        }
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand => format!("Unexpected argument {argument:?}."),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let value = context(ContextKind::InvalidValue).concat();
            let possible = context(ContextKind::ValidValue);
            let why = match std::error::Error::source(error) {
                Some(why) => why.to_string(),
                None if value.is_empty() => return format!("{argument} needs a value."),
                None if possible.is_empty() => format!("{value:?} is not valid"),
                None => format!("{value:?} is not one of {}", possible.join(", ")),
            };
            format!("{argument}: {}.", why.trim_end_matches('.'))
        }
        ErrorKind::MissingRequiredArgument => {
            let missing: Vec<String> = context(ContextKind::InvalidArg).iter().map(|argument| name(argument)).collect();
            match context(ContextKind::PriorArg).first() {
                Some(prior) => format!("{} needs {}.", name(prior), missing.join(", ")),
                None => format!("{} missing.", missing.join(", ")),
            }
        }
        ErrorKind::ArgumentConflict => {
            let others: Vec<String> = context(ContextKind::PriorArg).iter().map(|argument| name(argument)).collect();
            match others.is_empty() || others == [argument.clone()] {
                true => format!("{argument} was given more than once."),
                false => format!("{argument} cannot be combined with {}.", others.join(", ")),
            }
        }
        ErrorKind::TooManyValues | ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            format!("{argument} was given a wrong number of values.")
        }
        ErrorKind::InvalidUtf8 => "Arguments must be UTF-8.".to_owned(),
        _ => {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
            format!("{}.", line.trim_end_matches('.'))
        }
    }
}

/// An argument without what the parser writes around it: `--wait <TIME>` is `--wait`, `<FILE>...` is `FILE`.
fn name(argument: &str) -> String {
    let name = match argument.split_once([' ', '=']) {
        Some((option, _)) if argument.starts_with('-') => option,
        _ => argument,
    };
    name.trim_end_matches("...").trim_matches(['<', '>', '[', ']']).to_owned()
}

/// The most similar of the known names as a question, if it is similar enough.
fn similar<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let nearest = known.map(|name| (edit_distance(name, word), name)).min();
    let nearest = nearest.filter(|(distance, _)| *distance <= EDIT_DISTANCE_MAX);
    nearest.map_or(String::new(), |(_, name)| format!(" (did you mean {name}?)"))
}

/// Letters that are inserted, removed or replaced to make one word of the other (Levenshtein).
fn edit_distance(a: &str, b: &str) -> usize {
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
    use std::ffi::OsString;

    #[test]
    fn usage_error_is_one_sentence() {
        for (line, expected) in [
            ("thermel", "Unknown command \"thermel\" (did you mean thermal?). Try `sbc-bench --help`."),
            ("poem", "Unknown command \"poem\". Try `sbc-bench --help`."),
            ("help poem", "Unknown command \"poem\". Try `sbc-bench --help`."),
            ("--nonsense", "Unknown option --nonsense. Try `sbc-bench --help`."),
            ("monitor --linse", "Unknown option --linse (did you mean --lines?). Try `sbc-bench monitor --help`."),
            ("run --wiat 5s", "Unknown option --wiat (did you mean --wait?). Try `sbc-bench run --help`."),
            ("explain", "FILE missing. Try `sbc-bench explain --help`."),
            ("ab --a thp=never", "--b missing. Try `sbc-bench ab --help`."),
            ("thermal --duration", "--duration needs a value. Try `sbc-bench thermal --help`."),
            (
                "run --wait soon",
                "--wait: a time must be a number with unit such as 90s, 10min or 1h, not \"soon\". Try `sbc-bench run --help`.",
            ),
            ("clock --readings 0", "--readings: 0 is not in 1..=1000. Try `sbc-bench clock --help`."),
            ("clock extra", "Unexpected argument \"extra\". Try `sbc-bench clock --help`."),
            (
                "monitor --record a --replay b",
                "--record cannot be combined with --replay. Try `sbc-bench monitor --help`.",
            ),
            ("monitor --speed 2", "--replay missing. Try `sbc-bench monitor --help`."),
            (
                "completions fsh",
                "SHELL: \"fsh\" is not one of bash, elvish, fish, powershell, zsh. Try `sbc-bench completions --help`.",
            ),
        ] {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let all = std::iter::once("sbc-bench".to_owned()).chain(words.clone());
            let error = super::super::parse(all.map(OsString::from)).unwrap_err();
            assert_eq!(sentence(&error, &words), expected, "{line}");
        }
    }

    #[test]
    fn edit_distances() {
        for (a, b, expected) in [("clock", "clock", 0), ("clock", "clokc", 2), ("", "ab", 2), ("trend", "tend", 1)] {
            assert_eq!(edit_distance(a, b), expected, "{a} {b}");
        }
    }
}
