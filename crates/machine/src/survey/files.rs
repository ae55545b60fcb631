//! Readers of files with a single value, and values with their names, shared by all parts of the inspection.

use crate::Root;
use record::{Choice, NamedValue};

/// Value with its name and source.
pub(super) fn named(name: impl Into<String>, value: impl Into<String>, from: impl Into<String>) -> NamedValue {
    NamedValue { name: name.into(), value: value.into(), from: from.into() }
}

/// Text without surrounding white space; `None` if the file is unreadable or empty.
pub(super) fn value(root: &Root, path: &str) -> Option<String> {
    root.read_value(path).ok()
}

/// File as a decimal number.
pub(super) fn number(root: &Root, path: &str) -> Option<u64> {
    root.read_number(path).ok()
}

/// File as a hexadecimal number, with or without `0x`.
pub(super) fn hex(root: &Root, path: &str) -> Option<u64> {
    let text = value(root, path)?;
    u64::from_str_radix(text.trim_start_matches("0x"), 16).ok()
}

/// File that lists all choices with the active one in brackets: `none [mq-deadline] bfq`.
pub(super) fn choice(root: &Root, path: &str) -> Option<Choice> {
    let (chosen, all) = parse_choice(&value(root, path)?)?;
    Some(Choice { path: path.to_owned(), chosen, all })
}

/// Active choice and all choices; `None` without brackets.
fn parse_choice(text: &str) -> Option<(String, Vec<String>)> {
    let bare = |word: &str| word.trim_matches(['[', ']']).to_owned();
    let chosen = text.split_whitespace().find(|word| word.starts_with('[') && word.ends_with(']') && word.len() > 2)?;
    Some((bare(chosen), text.split_whitespace().map(bare).collect()))
}

/// Name of a link's target: the driver of `.../driver`.
pub(super) fn link_name(root: &Root, path: &str) -> Option<String> {
    let target = root.link(path).ok()?;
    target.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned)
}

/// True if the file, directory or link exists.
pub(super) fn exists(root: &Root, path: &str) -> bool {
    root.link(path).is_ok() || root.list(path).is_ok() || root.source(path).is_ok()
}

/// Components of a sysfs path from the link of a class or bus, without `..`.
pub(super) fn path_parts(target: &str) -> Vec<&str> {
    target.split('/').filter(|part| !part.is_empty() && *part != "..").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_told_from_other_text() {
        for (text, expected) in [
            ("none [mq-deadline] bfq", Some(("mq-deadline", 3))),
            ("[none]", Some(("none", 1))),
            ("cfq", None),
            ("[] x", None),
            ("", None),
        ] {
            let found = parse_choice(text);
            let found = found.as_ref().map(|(chosen, all)| (chosen.as_str(), all.len()));
            assert_eq!(found, expected, "{text}");
        }
    }
}
