//! Memory bandwidth: a routine run repeatedly over two buffers, with each repetition timed and the result verified
//! afterwards.
//!
//! Bytes per second are not computed here: callers divide the bytes of their buffers (copied, filled or read, counted
//! once) by the nanoseconds returned.

use crate::plain;
use crate::random::Random;
use crate::routine::{Operation, Routine};
use crate::timer::now_ns;
use std::hint::black_box;

/// Runs a routine once. Returns the elapsed nanoseconds and the checksum of a read.
///
/// Filling and copying need a `destination`, reading and copying a `source`; the other may be empty. Discard the first
/// run after another routine, because the caches hold other lines.
///
/// # Panics
///
/// As [`Routine::run`]: if the routine is not available, or the lengths differ when copying.
pub fn once(routine: &Routine, destination: &mut [u8], source: &[u8]) -> (u64, u64) {
    let start_ns = now_ns();
    let sum = black_box(routine.run(black_box(destination), black_box(source)));
    (now_ns() - start_ns, sum)
}

/// Fills the source with pseudorandom bytes of this seed, for [`once`] to copy or read and [`first_flip`] to check.
pub fn scatter(source: &mut [u8], seed: u64) {
    let mut random = Random::new(seed);
    for chunk in source.chunks_mut(8) {
        chunk.copy_from_slice(&random.next().to_le_bytes()[..chunk.len()]);
    }
}

/// Checksum of a read, by plain code.
pub fn checksum(source: &[u8]) -> u64 {
    plain::read(source)
}

/// A byte with a wrong value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BitFlip {
    /// Offset in the buffer.
    pub at: usize,
    /// Expected value.
    pub expected: u8,
    /// Actual value.
    pub found: u8,
}

/// First wrong byte of the destination after copying or filling; `None` if all are right. Reads are verified by their
/// checksum instead.
pub fn first_flip(routine: &Routine, destination: &[u8], source: &[u8]) -> Option<BitFlip> {
    match routine.operation {
        // Comparing whole slices is many times faster than searching for the offset.
        Operation::Copy if destination == source => None,
        Operation::Copy => flip(destination, source.iter().copied()),
        Operation::Fill => flip(destination, std::iter::repeat(routine.fill_byte()?)),
        Operation::Read => None,
    }
}

/// First byte of the source that differs from the output of [`scatter`] with this seed.
pub fn first_pattern_error(source: &[u8], seed: u64) -> Option<BitFlip> {
    let mut random = Random::new(seed);
    let wrong = source.chunks(8).position(|chunk| *chunk != random.next().to_le_bytes()[..chunk.len()])?;
    let mut random = Random::new(seed);
    let expected = (0..=wrong).map(|_| random.next()).last()?.to_le_bytes();
    let chunk = &source[wrong * 8..source.len().min(wrong * 8 + 8)];
    let flip = flip(chunk, expected.into_iter())?;
    Some(BitFlip { at: wrong * 8 + flip.at, ..flip })
}

fn flip(found: &[u8], expected: impl Iterator<Item = u8>) -> Option<BitFlip> {
    let pairs = found.iter().copied().zip(expected).enumerate();
    let mut wrong = pairs.filter(|(_, (found, expected))| found != expected);
    wrong.next().map(|(at, (found, expected))| BitFlip { at, expected, found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::ROUTINES;

    const LENGTH: usize = 10_007;
    const SEED: u64 = 42;

    /// Runs a routine, applies `change`, and searches for the wrong byte.
    fn run_and_flip(routine: &Routine, change: impl Fn(&mut [u8], &mut [u8])) -> Option<BitFlip> {
        let mut source = vec![0; LENGTH];
        let mut destination = vec![0xff; LENGTH];
        scatter(&mut source, SEED);
        let (_, sum) = once(routine, &mut destination, &source);
        if routine.operation == Operation::Read {
            assert_eq!(sum, checksum(&source), "{}", routine.id);
        }
        change(&mut destination, &mut source);
        first_flip(routine, &destination, &source).or_else(|| first_pattern_error(&source, SEED))
    }

    #[test]
    fn results_are_right_and_a_flipped_bit_is_found() {
        for routine in ROUTINES.iter().filter(|routine| (routine.available)()) {
            assert_eq!(run_and_flip(routine, |_, _| ()), None, "{}", routine.id);
            for at in [0, 1, LENGTH / 2, LENGTH - 1] {
                let found = match routine.operation {
                    Operation::Read => run_and_flip(routine, |_, source| source[at] ^= 1),
                    _ => run_and_flip(routine, |destination, _| destination[at] ^= 0x80),
                };
                let bit = found.map(|flip| (flip.at, flip.expected ^ flip.found));
                let expected = match routine.operation {
                    Operation::Read => (at, 1),
                    _ => (at, 0x80),
                };
                assert_eq!(bit, Some(expected), "{} at {at}", routine.id);
            }
        }
    }

    #[test]
    fn flip_in_the_source_is_found_although_both_buffers_agree() {
        let copy = ROUTINES.iter().find(|routine| routine.operation == Operation::Copy).unwrap();
        let found = run_and_flip(copy, |destination, source| {
            source[77] ^= 4;
            destination[77] ^= 4;
        });
        assert_eq!(found.map(|flip| flip.at), Some(77));
    }
}
