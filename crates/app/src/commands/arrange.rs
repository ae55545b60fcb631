//! Reorders the words of the command line for the parser: the value of a classic flag may stand before it, behind it, or behind
//! the flags bundled with it.

use clap::Command;
use std::ffi::OsString;
use std::path::Path;

/// Classic flags with a value.
const WITH_VALUE: [char; 4] = ['m', 'g', 't', 'T'];

/// Verbs of earlier versions, with their current words.
pub(super) const OLD: &[(&str, &[&str])] = &[
    ("clock", &["measure", "clock"]),
    ("core-to-core", &["measure", "core-to-core"]),
    ("doctor", &["inspect", "doctor"]),
    ("identify", &["inspect", "identify"]),
    ("kernel", &["inspect", "kernel"]),
    ("mark", &["monitor", "mark"]),
    ("memory", &["measure", "memory"]),
    ("power", &["measure", "power"]),
    ("report", &["explain"]),
    ("restore", &["recover", "--settings"]),
    ("scaling", &["measure", "scaling"]),
    ("site", &["results"]),
    ("storage", &["inspect", "storage"]),
    ("trend", &["results", "--over-time"]),
    ("workload", &["measure", "workload"]),
];

/// Moves a flag with a value to the end of its bundle (`-mc 2`), a number elsewhere (`2 -m`, `-m -c 2`) behind its flag, and
/// `--root` behind its command. Replaces old verbs, and inserts the verb before a file or a workload.
pub(crate) fn reorder(words: impl IntoIterator<Item = OsString>, grammar: &Command) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.into_iter().collect();
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let mut options: Vec<OsString> = words.drain(..end).collect();
    options = options.into_iter().map(unbundle).collect();
    move_number_to_flag(&mut options);
    if let Some(at) = options.iter().position(|word| word == "--root") {
        let root: Vec<OsString> = options.drain(at..(at + 2).min(options.len())).collect();
        options.extend(root);
    }
    name_verbs(&mut options, grammar);
    options.extend(words);
    options
}

/// Completes abbreviated verbs: `clock` is `measure clock`, `measure aes` is `measure workload aes`, and a file is
/// explained.
fn name_verbs(words: &mut Vec<OsString>, grammar: &Command) {
    let at = 1 + usize::from(words.get(1).is_some_and(|word| word == "help"));
    let Some(first) = words.get(at).and_then(|word| word.to_str()).map(str::to_owned) else { return };
    if let Some((_, new)) = OLD.iter().find(|(old, _)| *old == first) {
        words.splice(at..=at, new.iter().map(OsString::from));
    } else if first == "measure" {
        let is_known = |word: &str| {
            let measure = grammar.find_subcommand("measure");
            word.starts_with('-') || word == "help" || measure.is_some_and(|verb| verb.find_subcommand(word).is_some())
        };
        if words.get(at + 1).and_then(|word| word.to_str()).is_some_and(|word| !is_known(word)) {
            words.insert(at + 1, "workload".into());
        }
    } else if at == 1 && grammar.find_subcommand(&first).is_none() && is_file(&first) {
        words.insert(at, "explain".into());
    }
}

/// True if the word is a file, standard input, or spelled like a file: no verb contains a dot or a slash.
fn is_file(word: &str) -> bool {
    word == "-" || !word.starts_with('-') && (word.contains(['.', '/']) || Path::new(word).is_file())
}

/// `-mc` as `-cm`, and `-mc2` as `-cm2`.
fn unbundle(word: OsString) -> OsString {
    let Some(bundle) = word.to_str().and_then(|word| word.strip_prefix('-')) else { return word };
    let letters = bundle.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let value = &bundle[letters.len()..];
    let Some(at) = letters.find(WITH_VALUE).filter(|at| at + 1 < letters.len()) else { return word };
    if !letters.chars().all(|letter| letter.is_ascii_alphabetic()) {
        return word;
    }
    format!("-{}{}{}{value}", &letters[..at], &letters[at + 1..], &letters[at..=at]).into()
}

/// Moves a number without an option behind the flag that lacks its value.
fn move_number_to_flag(words: &mut Vec<OsString>) {
    let text = |word: Option<&OsString>| word.and_then(|word| word.to_str()).map(str::to_owned);
    let is_number =
        |word: Option<&OsString>| text(word).is_some_and(|word| word.trim_end_matches('s').parse::<f64>().is_ok());
    let waits = |word: &OsString| {
        word.to_str().is_some_and(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with(WITH_VALUE))
    };
    let Some(flag) = words.iter().position(waits) else { return };
    if is_number(words.get(flag + 1)) {
        return;
    }
    // A number behind a long option is its value.
    let alone = (1..words.len()).find(|at| {
        let before = text(words.get(at - 1)).unwrap_or_default();
        is_number(words.get(*at)) && !before.starts_with("--")
    });
    if let Some(alone) = alone {
        let number = words.remove(alone);
        let flag = if alone < flag { flag - 1 } else { flag };
        words.insert(flag + 1, number);
    }
}
