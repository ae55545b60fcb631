//! Entry of the table of keywords: words, separator, and accepted values.

use super::Kind;

/// Text between a word and its value.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Separator {
    /// `=` or `:`, with or without blanks.
    Sign,
    /// `=` alone, because a sentence may follow a colon; also `:` if the word is quoted as in JSON.
    Equals,
    /// `:` and a blank.
    Colon,
    /// Blanks only.
    Blank,
    /// A sign, or blanks.
    Any,
    /// Nothing.
    Joined,
    /// A sign, or blanks and a quotation mark.
    SignOrQuote,
    /// `=` and a quotation mark.
    Quote,
}

/// Extent of a value, and the part of it that is kept.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Value {
    /// One word or quoted text; redacted completely.
    Word,
    /// Likewise, but the shape is kept.
    Digits,
    /// Text up to the end of the line or two blanks; redacted completely.
    Line,
    /// Likewise, but the shape is kept.
    LineDigits,
}

/// Words and the values that follow them.
pub(super) struct Keyword {
    /// Lower-case words, longer ones before their prefixes. A word that begins with `-` is an option, which must follow
    /// a blank or a mark.
    pub words: &'static [&'static str],
    /// Programs of which one must precede the word; empty for any or none.
    pub of: &'static [&'static str],
    pub between: Separator,
    pub value: Value,
    /// Distinguishes values from other text.
    pub fits: fn(&str) -> bool,
    pub kind: Kind,
}
