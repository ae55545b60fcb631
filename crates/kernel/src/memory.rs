//! Memory bandwidth: a routine run over two buffers again and again, each repetition timed, and the
//! result verified afterwards.
//!
//! Bytes per second are not computed here: callers divide the bytes that they handed in (copied, filled
//! or read, counted once) by the nanoseconds they get.

use crate::arch::plain;
use crate::random::Random;
use crate::routine::{Operation, Routine};
use crate::timer::now_ns;
use std::hint::black_box;

/// How often to repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BandwidthPlan {
    /// Repetitions, each timed on its own.
    pub repetitions: u32,
    /// Passes over the buffers in a repetition: more than one for buffers so small that a single
    /// pass is too short for the timer.
    pub passes: u32,
    /// No repetition begins after so many nanoseconds, except that there are always three.
    pub ns_max: u64,
}

impl Default for BandwidthPlan {
    /// Ten repetitions, within half a second.
    fn default() -> Self {
        Self {
            repetitions: 10,
            passes: 1,
            ns_max: 500_000_000,
        }
    }
}

/// Fewer repetitions would leave no choice between an outlier and the rest.
const REPETITIONS_MIN: usize = 3;

/// Times a routine. Returns the nanoseconds of every repetition, in the order taken.
///
/// One untimed repetition comes first. Filling and copying need a `destination`, reading and
/// copying a `source`; the other may be empty.
///
/// # Panics
///
/// As [`Routine::run`]: if the routine is not available, or the lengths differ when copying.
pub fn bandwidth(
    routine: &Routine,
    destination: &mut [u8],
    source: &[u8],
    plan: &BandwidthPlan,
) -> Vec<u64> {
    let repetitions = (plan.repetitions as usize).max(REPETITIONS_MIN);
    let mut elapsed_ns = Vec::with_capacity(repetitions);
    black_box(routine.run(destination, source));
    let first_ns = now_ns();
    for done in 0..repetitions {
        let start_ns = now_ns();
        if done >= REPETITIONS_MIN && start_ns - first_ns >= plan.ns_max {
            break;
        }
        for _ in 0..plan.passes.max(1) {
            black_box(routine.run(black_box(&mut *destination), black_box(source)));
        }
        elapsed_ns.push(now_ns() - start_ns);
    }
    elapsed_ns
}

/// Writes noise that only depends on the seed, for [`bandwidth`] to copy or read and [`verify`] to
/// check.
pub fn scatter(source: &mut [u8], seed: u64) {
    let mut random = Random::new(seed);
    for chunk in source.chunks_mut(8) {
        chunk.copy_from_slice(&random.next().to_le_bytes()[..chunk.len()]);
    }
}

/// True if, after a run, the source still holds what [`scatter`] wrote with this seed and the
/// routine's result is right: a bit that flipped anywhere gives false.
///
/// For filling the source is not looked at, for reading the destination is not. Reading is done once
/// more for this, to compare its checksum.
pub fn verify(routine: &Routine, destination: &mut [u8], source: &[u8], seed: u64) -> bool {
    match routine.operation {
        Operation::Copy => is_scattered(source, seed) && *destination == *source,
        Operation::Fill => destination
            .iter()
            .all(|byte| Some(*byte) == routine.fill_byte()),
        Operation::Read => {
            is_scattered(source, seed) && routine.run(&mut [], source) == plain::read(source)
        }
    }
}

fn is_scattered(source: &[u8], seed: u64) -> bool {
    let mut random = Random::new(seed);
    source
        .chunks(8)
        .all(|chunk| *chunk == random.next().to_le_bytes()[..chunk.len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::ROUTINES;

    const LENGTH: usize = 10_007;
    const SEED: u64 = 42;

    /// Runs a routine as a caller does, flips a bit where `flip` says, and verifies.
    fn run_and_flip(routine: &Routine, flip: impl Fn(&mut [u8], &mut [u8])) -> bool {
        let mut source = vec![0; LENGTH];
        let mut destination = vec![0xff; LENGTH];
        scatter(&mut source, SEED);
        let plan = BandwidthPlan {
            repetitions: 4,
            passes: 2,
            ns_max: u64::MAX,
        };
        let elapsed_ns = bandwidth(routine, &mut destination, &source, &plan);
        assert_eq!(elapsed_ns.len(), 4);
        flip(&mut destination, &mut source);
        verify(routine, &mut destination, &source, SEED)
    }

    #[test]
    fn results_are_right_and_a_flipped_bit_is_found() {
        for routine in ROUTINES.iter().filter(|routine| (routine.available)()) {
            assert!(run_and_flip(routine, |_, _| ()), "{}", routine.id);
            for at in [0, 1, LENGTH / 2, LENGTH - 1] {
                let found = match routine.operation {
                    Operation::Read => !run_and_flip(routine, |_, source| source[at] ^= 1),
                    _ => !run_and_flip(routine, |destination, _| destination[at] ^= 0x80),
                };
                assert!(found, "{} at {at}", routine.id);
            }
        }
    }

    #[test]
    fn a_flip_in_the_source_is_found_although_both_buffers_agree() {
        let copy = ROUTINES
            .iter()
            .find(|routine| routine.operation == Operation::Copy)
            .unwrap();
        assert!(!run_and_flip(copy, |destination, source| {
            source[77] ^= 4;
            destination[77] ^= 4;
        }));
    }

    #[test]
    fn there_are_three_repetitions_however_short_the_time() {
        let plan = BandwidthPlan {
            repetitions: 50,
            passes: 1,
            ns_max: 0,
        };
        let fill = ROUTINES
            .iter()
            .find(|routine| routine.operation == Operation::Fill)
            .unwrap();
        assert_eq!(bandwidth(fill, &mut vec![0; 100_000], &[], &plan).len(), 3);
    }
}
