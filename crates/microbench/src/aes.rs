//! AES encryption in plain integer code: the speed of a CPU without its AES instructions.
//!
//! The code is only a workload to be timed, with the lookup tables of the standard. It is not suitable for secrets: the
//! time of lookups depends on the data, and keys are not wiped.

/// Maximum number of rounds, for 256-bit keys.
const ROUNDS_MAX: usize = 14;

/// Block of four columns of four bytes, column by column.
pub type Block = [u8; 16];

/// Key expanded for all rounds.
#[derive(Debug, Clone)]
pub struct PlainAes {
    keys: [[u32; 4]; ROUNDS_MAX + 1],
    rounds: usize,
}

impl PlainAes {
    /// Expands a key of 16, 24 or 32 bytes; `None` for other lengths.
    pub fn new(key: &[u8]) -> Option<Self> {
        let words = match key.len() {
            16 | 24 | 32 => key.len() / 4,
            _ => return None,
        };
        let rounds = words + 6;
        let mut expanded = [0u32; 4 * (ROUNDS_MAX + 1)];
        for (word, bytes) in expanded.iter_mut().zip(key.as_chunks::<4>().0) {
            *word = u32::from_be_bytes(*bytes);
        }
        let mut constant = 1u8;
        for at in words..4 * (rounds + 1) {
            let mut word = expanded[at - 1];
            if at % words == 0 {
                word = substitute(word.rotate_left(8)) ^ u32::from(constant) << 24;
                constant = double(constant);
            } else if words > 6 && at % words == 4 {
                word = substitute(word);
            }
            expanded[at] = expanded[at - words] ^ word;
        }
        let mut keys = [[0; 4]; ROUNDS_MAX + 1];
        keys.as_flattened_mut().copy_from_slice(&expanded);
        Some(Self { keys, rounds })
    }

    /// Encrypts one block.
    #[inline]
    pub fn encrypt(&self, block: &mut Block) {
        let columns = block.as_chunks::<4>().0;
        let mut state: [u32; 4] = std::array::from_fn(|i| u32::from_be_bytes(columns[i]) ^ self.keys[0][i]);
        for key in &self.keys[1..self.rounds] {
            state = std::array::from_fn(|i| {
                ROUND[0][byte(state[i], 3)]
                    ^ ROUND[1][byte(state[(i + 1) % 4], 2)]
                    ^ ROUND[2][byte(state[(i + 2) % 4], 1)]
                    ^ ROUND[3][byte(state[(i + 3) % 4], 0)]
                    ^ key[i]
            });
        }
        for (i, column) in block.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let word = [3, 2, 1, 0].map(|place| SUBSTITUTE[byte(state[(i + 3 - place) % 4], place)]);
            *column = (u32::from_be_bytes(word) ^ self.keys[self.rounds][i]).to_be_bytes();
        }
    }
}

/// Byte of a word, counted from the least significant.
#[inline]
fn byte(word: u32, place: usize) -> usize {
    (word >> (8 * place) & 0xff) as usize
}

/// Doubles a number in the field of AES.
const fn double(a: u8) -> u8 {
    (a << 1) ^ if a & 0x80 == 0 { 0 } else { 0x1b }
}

/// S-box: the inverse in the field, then an affine map. The inverse pairs are powers of 3 and of its inverse, which run
/// through all numbers except 0.
const SUBSTITUTE: [u8; 256] = {
    let mut table = [0; 256];
    let (mut power, mut inverse) = (1u8, 1u8);
    loop {
        power ^= double(power);
        // Division by 3.
        inverse ^= inverse << 1;
        inverse ^= inverse << 2;
        inverse ^= inverse << 4;
        if inverse & 0x80 != 0 {
            inverse ^= 9;
        }
        table[power as usize] = inverse
            ^ inverse.rotate_left(1)
            ^ inverse.rotate_left(2)
            ^ inverse.rotate_left(3)
            ^ inverse.rotate_left(4)
            ^ 0x63;
        if power == 1 {
            break;
        }
    }
    table[0] = 0x63;
    table
};

/// SubBytes and MixColumns as one lookup for each of the four bytes.
static ROUND: [[u32; 256]; 4] = {
    let mut tables = [[0; 256]; 4];
    let mut i = 0;
    while i < 256 {
        let s = SUBSTITUTE[i];
        let word = u32::from_be_bytes([double(s), s, s, double(s) ^ s]);
        tables[0][i] = word;
        tables[1][i] = word.rotate_right(8);
        tables[2][i] = word.rotate_right(16);
        tables[3][i] = word.rotate_right(24);
        i += 1;
    }
    tables
};

/// Substitutes every byte of a word.
fn substitute(word: u32) -> u32 {
    u32::from_be_bytes(word.to_be_bytes().map(|byte| SUBSTITUTE[byte as usize]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples of FIPS 197, appendix C; the keys are the bytes from 0 on.
    #[test]
    fn published_examples_come_out() {
        let plain: Block = std::array::from_fn(|i| i as u8 * 0x11);
        for (key_bytes, expected) in [
            (16, 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128),
            (24, 0xdda9_7ca4_864c_dfe0_6eaf_70a0_ec0d_7191),
            (32, 0x8ea2_b7ca_5167_45bf_eafc_4990_4b49_6089),
        ] {
            let key: Vec<u8> = (0..key_bytes).collect();
            let mut block = plain;
            PlainAes::new(&key).unwrap().encrypt(&mut block);
            assert_eq!(u128::from_be_bytes(block), expected, "{key_bytes}");
        }
    }

    #[test]
    fn invalid_key_lengths() {
        for length in [0, 1, 15, 17, 31, 33, 64] {
            assert!(PlainAes::new(&vec![0; length]).is_none(), "{length}");
        }
    }
}
