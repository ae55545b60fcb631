//! Errors of the command line as one sentence with a remedy, in place of the texts of the parser.

use super::arrange::{OLD, reorder};
use super::grammar;
use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;

/// Words that people try, with their verbs.
const MEANT: [(&str, &str); 7] = [
    ("bench", "run"),
    ("card", "explain --card"),
    ("history", "results"),
    ("html", "explain --html"),
    ("info", "inspect"),
    ("last", "explain"),
    ("top", "monitor"),
];

/// The error and a pointer to help. `words` is the command line, beginning with the name of the program.
pub(crate) fn sentence(error: &clap::Error, words: impl IntoIterator<Item = OsString>) -> String {
    let program = grammar();
    let words = reorder(words, &program);
    let words = words.iter().skip(1).take_while(|word| *word != "--");
    let (mut verb, mut path) = (&program, "sbc-bench".to_owned());
    for word in words.filter_map(|word| word.to_str()).filter(|word| *word != "help") {
        if let Some(found) = verb.find_subcommand(word) {
            (verb, path) = (found, format!("{path} {word}"));
        }
    }
    format!("{} Try `{path} --help`.", what(error, verb))
}

/// Error as a sentence with its full stop.
fn what(error: &clap::Error, verb: &Command) -> String {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    };
    let words = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand].map(context);
    let argument = name(&words.concat().join(", "));
    match error.kind() {
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand if argument.starts_with('-') => {
            let options = verb.get_arguments().filter(|option| !option.is_hide_set());
            let known: Vec<String> = options.filter_map(|option| Some(format!("--{}", option.get_long()?))).collect();
            format!("Unknown option {argument}{}.", similar(&argument, known.iter().map(String::as_str)))
        }
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand if verb.has_subcommands() => {
            format!("Unknown command {argument:?}{}.", similar_verb(&argument, verb))
        }
        ErrorKind::MissingSubcommand => {
            let verbs: Vec<&str> = verb.get_subcommands().map(Command::get_name).collect();
            format!("{} needs one of {}.", verb.get_name(), verbs.join(", "))
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
            if others.is_empty() || others == [argument.clone()] {
                format!("{argument} was given more than once.")
            } else {
                format!("{argument} cannot be combined with {}.", others.join(", "))
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

/// Name of an argument of the parser: `--wait <TIME>` is `--wait`, `<FILE>...` is `FILE`.
fn name(argument: &str) -> String {
    let name = match argument.split_once([' ', '=']) {
        Some((option, _)) if argument.starts_with('-') => option,
        _ => argument,
    };
    name.trim_end_matches("...").trim_matches(['<', '>', '[', ']']).to_owned()
}

/// The most similar verb as a question.
fn similar_verb(word: &str, verb: &Command) -> String {
    let is_program = verb.get_name() == "sbc-bench";
    if let Some((_, meant)) = MEANT.iter().find(|(known, _)| is_program && *known == word) {
        return format!(" (did you mean {meant}?)");
    }
    let verbs = verb.get_subcommands().filter(|verb| !verb.is_hide_set()).map(Command::get_name);
    let old = OLD.iter().filter(|_| is_program).map(|(old, _)| *old);
    similar(word, verbs.chain(old))
}

/// The most similar known name as a question, if one letter differs, or two in a long word.
fn similar<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let letters = word.trim_start_matches('-').chars().count();
    let nearest = known.map(|name| (strsim::osa_distance(name, word), name)).min();
    let nearest = nearest.filter(|(distance, _)| *distance <= (letters / 3).min(2));
    nearest.map_or(String::new(), |(_, name)| format!(" (did you mean {name}?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_error_is_one_sentence() {
        for (line, expected) in [
            ("thermel", "Unknown command \"thermel\" (did you mean thermal?). Try `sbc-bench --help`."),
            ("last", "Unknown command \"last\" (did you mean explain?). Try `sbc-bench --help`."),
            ("clokc", "Unknown command \"clokc\" (did you mean clock?). Try `sbc-bench --help`."),
            ("inspect kernal", "Unknown command \"kernal\" (did you mean kernel?). Try `sbc-bench inspect --help`."),
            ("--fooo", "Unknown option --fooo. Try `sbc-bench --help`."),
            (
                "measure",
                "measure needs one of clock, core-to-core, memory, scaling, workload, power. Try `sbc-bench measure --help`.",
            ),
            ("poem", "Unknown command \"poem\". Try `sbc-bench --help`."),
            ("help poem", "Unknown command \"poem\". Try `sbc-bench --help`."),
            ("--nonsense", "Unknown option --nonsense. Try `sbc-bench --help`."),
            ("monitor --linse", "Unknown option --linse (did you mean --lines?). Try `sbc-bench monitor --help`."),
            ("run --wiat 5s", "Unknown option --wiat (did you mean --wait?). Try `sbc-bench run --help`."),
            ("redact", "FILE missing. Try `sbc-bench redact --help`."),
            ("ab --a thp=never", "--b missing. Try `sbc-bench ab --help`."),
            ("thermal --duration", "--duration needs a value. Try `sbc-bench thermal --help`."),
            (
                "run --wait soon",
                "--wait: a time must be a number with unit such as 90s, 10min or 1h, not \"soon\". Try `sbc-bench run --help`.",
            ),
            ("clock --readings 0", "--readings: 0 is not in 1..=1000. Try `sbc-bench measure clock --help`."),
            ("clock extra", "Unexpected argument \"extra\". Try `sbc-bench measure clock --help`."),
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
            let words = std::iter::once("sbc-bench").chain(line.split_whitespace()).map(OsString::from);
            let error = super::super::parse(words.clone()).unwrap_err();
            assert_eq!(sentence(&error, words), expected, "{line}");
        }
    }
}
