//! Filter of words that a line cannot contain, by its pairs of bytes.

/// Pairs of adjacent bytes of a line, in lower case.
pub(super) struct Pairs([u64; 16]);

impl Pairs {
    pub(super) fn of(line: &str) -> Self {
        let mut pairs = [0; 16];
        for pair in line.as_bytes().windows(2) {
            let at = Self::place(pair[0], pair[1]);
            pairs[at / 64] |= 1 << (at % 64);
        }
        Self(pairs)
    }

    /// One of 1024 places; different pairs may share one.
    fn place(first: u8, second: u8) -> usize {
        (usize::from(first.to_ascii_lowercase()) * 31 + usize::from(second.to_ascii_lowercase())) % 1024
    }

    /// False if the line does not contain the word, in upper or lower case.
    pub(super) fn may_hold(&self, word: &str) -> bool {
        let [first, second, ..] = word.as_bytes() else { return true };
        let at = Self::place(*first, *second);
        self.0[at / 64] & (1 << (at % 64)) != 0
    }
}
