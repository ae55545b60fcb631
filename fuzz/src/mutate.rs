//! Makes new inputs of old ones: bits and bytes, lines, words and numbers, and halves of two.

/// A generator of numbers (splitmix64).
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 if there is none.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() % end as u64) as usize }
    }
}

/// Numbers at which parsers and arithmetic break.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "-0",
    "0.0",
    "1e308",
    "-1e308",
    "1e-320",
    "1e999",
    "NaN",
    "inf",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "0x7fffffffffffffff",
    "1000000000000000",
    "99999999999999999999999999",
    "null",
    "true",
    "[]",
    "{}",
    "\"\"",
    "-",
    "+",
    ".",
    "1/0",
    "100%",
];
/// Pieces of text that no sane machine prints.
const PIECES: &[&str] = &[
    "\0",
    "\u{1b}[2J",
    "\u{202e}",
    "\u{fffd}",
    "°",
    "\r\n",
    "\n\n",
    "\t",
    "  ",
    ",,",
    "::",
    "==",
    "\\",
    "\"",
    "'",
    "<",
    ">",
    "&amp;",
    "]]>",
    "<![CDATA[",
    "<!--",
    "{\"",
    "\"}",
    "[[[[[[[[",
    "%s%n",
    "../..",
    "=1+1",
    "\u{7f}",
    "é",
    "𝄞",
];

/// Characters of two, three and four bytes. Each replaces as many bytes as it has: the offsets around it stay, and a fixed
/// offset of a parser falls inside it.
const WIDE: [&str; 3] = ["é", "…", "𝄞"];
/// Larger inputs are not tried with wide characters in every column.
const WIDE_BYTES_MAX: usize = 2 << 10;
/// Columns of a line in which a wide character is tried.
const WIDE_COLUMNS: usize = 40;

/// Yields a variant per column, with a wide character in that column of every line. Yields nothing for large inputs.
pub fn with_wide_columns(input: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let columns = if input.len() <= WIDE_BYTES_MAX { WIDE_COLUMNS } else { 0 };
    (0..columns).map(|column| {
        // Letters and other characters take different branches.
        let character = WIDE[usize::from(column % 3 == 2)];
        let lines = input.split_inclusive(|byte| *byte == b'\n').map(|line| {
            let mut line = line.to_vec();
            wide(&mut line, column, character);
            line
        });
        lines.flatten().collect()
    })
}

/// Overwrites bytes with a character. Does nothing at the end of the input or of a line.
fn wide(input: &mut [u8], at: usize, character: &str) {
    if let Some(bytes) = input.get_mut(at..at + character.len()).filter(|bytes| !bytes.contains(&b'\n')) {
        bytes.copy_from_slice(character.as_bytes());
    }
}

/// Words and numbers of the seeds, to be put elsewhere.
pub fn words(seeds: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut words: Vec<Vec<u8>> = Vec::new();
    for seed in seeds {
        let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./".contains(byte);
        for word in seed.split(|byte| !is_inside(byte)) {
            if (2..=40).contains(&word.len()) && words.len() < 20_000 {
                words.push(word.to_vec());
            }
        }
    }
    words.sort_unstable();
    words.dedup();
    words
}

/// Maximum size of most inputs, in bytes: longer ones take long.
pub const BYTES_MAX: usize = 64 << 10;
/// One of this many inputs with a repeated word reaches the limit of the caller.
const LONG: usize = 64;

/// A new input, of up to `bytes_max` bytes.
pub fn mutate(random: &mut Random, inputs: &[Vec<u8>], words: &[Vec<u8>], bytes_max: usize) -> Vec<u8> {
    let mut input = inputs[random.below(inputs.len())].clone();
    let mut length_max = bytes_max.min(BYTES_MAX);
    let changes = 1 << random.below(5);
    for _ in 0..changes {
        let at = random.below(input.len() + 1);
        let magnitude = random.below(8);
        let length = 1 + random.below(1 << magnitude);
        let end = (at + length).min(input.len());
        match random.below(16) {
            0 => flip(random, &mut input),
            1 => drop(input.splice(at..at, (0..length.min(16)).map(|_| random.next() as u8).collect::<Vec<u8>>())),
            2 => drop(input.drain(at..end)),
            3 => {
                let copy = input[at..end].to_vec();
                let to = random.below(input.len() + 1);
                input.splice(to..to, copy);
            }
            4 => {
                let piece = PIECES[random.below(PIECES.len())].as_bytes();
                input.splice(at..at, piece.iter().copied());
            }
            5 | 6 | 7 => number(random, &mut input, at),
            8 | 9 if !words.is_empty() => {
                let word = words[random.below(words.len())].clone();
                let end = word_end(&input, at);
                input.splice(at..end, word);
            }
            10 => line(random, &mut input, at),
            11 => {
                let other = &inputs[random.below(inputs.len())];
                let from = random.below(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            12 => input.truncate(at),
            14 => wide(&mut input, at, WIDE[random.below(WIDE.len())]),
            13 if !words.is_empty() => {
                let mut word = words[random.below(words.len())].clone();
                word.extend([b"/", b" ", b"\n", b"="][random.below(4)]);
                length_max = if random.below(LONG) == 0 { bytes_max } else { length_max };
                repeat(&mut input, at, &word, length_max);
            }
            _ => {
                if let Some(byte) = input.get_mut(at) {
                    *byte = random.next() as u8;
                }
            }
        }
    }
    input.truncate(length_max);
    input
}

/// Puts a word at this place, as often as the length allows.
pub fn repeat(input: &mut Vec<u8>, at: usize, word: &[u8], length: usize) {
    let count = length.saturating_sub(input.len()) / word.len().max(1);
    input.splice(at..at, word.repeat(count));
}

fn flip(random: &mut Random, input: &mut [u8]) {
    let at = random.below(input.len());
    if let Some(byte) = input.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
}

fn word_end(input: &[u8], at: usize) -> usize {
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.+".contains(byte);
    at + input[at..].iter().take_while(|byte| is_inside(byte)).count()
}

/// Puts another number in the place of the next one.
fn number(random: &mut Random, input: &mut Vec<u8>, at: usize) {
    let Some(start) = input[at..].iter().position(u8::is_ascii_digit) else { return };
    let end = word_end(input, at + start);
    let other = NUMBERS[random.below(NUMBERS.len())].as_bytes();
    input.splice(at + start..end, other.iter().copied());
}

/// Leaves out, doubles or moves the line at this place.
fn line(random: &mut Random, input: &mut Vec<u8>, at: usize) {
    let start = input[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let end = input[at..].iter().position(|byte| *byte == b'\n').map_or(input.len(), |newline| at + newline + 1);
    let line = input[start..end].to_vec();
    match random.below(3) {
        0 => drop(input.drain(start..end)),
        1 => drop(input.splice(end..end, line)),
        _ => {
            input.drain(start..end);
            let to = random.below(input.len() + 1);
            input.splice(to..to, line);
        }
    }
}
