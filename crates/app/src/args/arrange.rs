//! Brings the words of the command line into the order that their grammar wants: people write the
//! value of a classic flag before it, behind it, or behind the flags that are bundled with it.

use std::ffi::OsString;

/// Classic flags that take a value, the one of which it is asked for last in a bundle.
const WITH_VALUE: [char; 4] = ['m', 'g', 't', 'T'];

/// The words in the order that their grammar wants: a flag with a value at the end of its bundle
/// (`-mc 2`), a number that stands elsewhere (`2 -m`, `-m -c 2`) behind it, and `--root` behind the
/// command that it serves.
pub(crate) fn reorder(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.into_iter().collect();
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let mut options: Vec<OsString> = words.drain(..end).collect();
    options = options.into_iter().map(unbundle).collect();
    move_number_to_flag(&mut options);
    if let Some(at) = options.iter().position(|word| word == "--root") {
        let root: Vec<OsString> = options.drain(at..(at + 2).min(options.len())).collect();
        options.extend(root);
    }
    options.extend(words);
    options
}

/// `-mc` as `-cm`, and `-mc2` as `-cm2`.
fn unbundle(word: OsString) -> OsString {
    let Some(bundle) = word.to_str().and_then(|word| word.strip_prefix('-')) else {
        return word;
    };
    let letters = bundle.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let value = &bundle[letters.len()..];
    let Some(at) = letters.find(WITH_VALUE).filter(|at| at + 1 < letters.len()) else {
        return word;
    };
    if !letters.chars().all(|letter| letter.is_ascii_alphabetic()) {
        return word;
    }
    format!("-{}{}{}{value}", &letters[..at], &letters[at + 1..], &letters[at..=at]).into()
}

/// Brings a number that stands alone behind the flag that waits for it.
fn move_number_to_flag(words: &mut Vec<OsString>) {
    let text = |word: Option<&OsString>| word.and_then(|word| word.to_str()).map(str::to_owned);
    let is_number =
        |word: Option<&OsString>| text(word).is_some_and(|word| word.trim_end_matches('s').parse::<f64>().is_ok());
    let waits = |word: &OsString| {
        word.to_str().is_some_and(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with(WITH_VALUE))
    };
    let Some(flag) = words.iter().position(waits) else {
        return;
    };
    if is_number(words.get(flag + 1)) {
        return;
    }
    // A number behind a long option is the value of that.
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
