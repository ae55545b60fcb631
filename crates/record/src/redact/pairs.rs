//! Whether a line can hold one of the hundreds of words that are looked for in it, by the pairs of bytes in it.

/// Pairs of bytes that follow each other in a line, in small letters.
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

    /// False if the word cannot be in the line, in letters of any size.
    pub(super) fn may_hold(&self, word: &str) -> bool {
        let [first, second, ..] = word.as_bytes() else { return true };
        let at = Self::place(*first, *second);
        self.0[at / 64] & (1 << (at % 64)) != 0
    }
}
