//! An entry of the table of words: the words, what may stand between them and a value, and which values are meant.

use super::Kind;

/// What stands between a word and its value.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Separator {
    /// `=` or `:`, with or without blanks.
    Sign,
    /// `=` alone: behind a colon stands a sentence, unless the word is quoted as in JSON.
    Equals,
    /// `:` and a blank.
    Colon,
    /// Blanks alone.
    Blank,
    /// A sign, or blanks alone.
    Any,
    /// Nothing at all.
    Joined,
    /// A sign, or blanks and a quotation mark.
    SignOrQuote,
    /// `=` and a quotation mark.
    Quote,
}

/// How far a value goes, and what is left of it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Value {
    /// One word, or what stands between quotation marks; nothing of it.
    Word,
    /// The same, of which the shape stays.
    Digits,
    /// Up to the end of the line or two blanks; nothing of it.
    Line,
    /// The same, of which the shape stays.
    LineDigits,
}

/// Words, and what follows them.
pub(super) struct Keyword {
    /// In small letters, longer ones before those that they begin with. One that begins with `-` is an option, before which a blank
    /// or a mark stands.
    pub words: &'static [&'static str],
    /// Programs, of which one stands before the word; none means that any or no program may.
    pub of: &'static [&'static str],
    pub between: Separator,
    pub value: Value,
    /// Tells a value from what else may stand there.
    pub fits: fn(&str) -> bool,
    pub kind: Kind,
}
