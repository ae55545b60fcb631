//! Tests every routine of this machine against its plain reference, and the rules of the table.

use super::*;
use crate::arch::ROUTINES;
use proptest::prelude::*;

/// Longest slice tried: several turns of the longest loop, and more than any `dc zva` block.
const LENGTH_MAX: usize = 5000;
/// Bytes around every slice that must stay unchanged.
const MARGIN: usize = 300;

/// Pseudorandom bytes, so that a wrong offset is detected.
fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    (0..length)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 56) as u8
        })
        .collect()
}

/// Checksum in its simplest form.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().enumerate().fold(0, |sum, (at, byte)| sum ^ (u64::from(*byte) << (at % 8 * 8)))
}

/// Runs one routine on slices that start `destination_at` and `source_at` bytes after an aligned address and compares
/// everything, including the bytes around them.
fn check(routine: &Routine, length: usize, destination_at: usize, source_at: usize, seed: u64) {
    if !(routine.available)() {
        return;
    }
    let source = noise(length + 2 * MARGIN, seed);
    let mut destination = noise(length + 2 * MARGIN, !seed);
    let before = destination.clone();
    let from = MARGIN - source_at..MARGIN - source_at + length;
    let to = MARGIN - destination_at..MARGIN - destination_at + length;
    let sum = routine.run(&mut destination[to.clone()], &source[from.clone()]);

    let mut expected = before;
    let mut expected_sum = 0;
    match routine.operation {
        Operation::Copy => expected[to].copy_from_slice(&source[from]),
        Operation::Fill => expected[to].fill(routine.fill_byte().unwrap()),
        Operation::Read => expected_sum = checksum(&source[from]),
    }
    assert_eq!(sum, expected_sum, "checksum of {}", routine.id);
    assert!(destination == expected, "{} of {length} bytes", routine.id);
}

proptest! {
    #[test]
    fn routines_match_plain_versions(
        length in 0..LENGTH_MAX,
        destination_at in 0usize..130,
        source_at in 0usize..130,
        seed: u64,
    ) {
        for routine in ROUTINES {
            check(routine, length, destination_at, source_at, seed);
        }
    }
}

#[test]
fn routines_handle_the_lengths_around_their_turn() {
    for routine in ROUTINES {
        let turn = routine.bytes_per_turn;
        for length in [0, 1, 7, 8, turn - 1, turn, turn + 1, 2 * turn - 1, 2 * turn, 3 * turn + 9] {
            check(routine, length, 0, 0, 1);
            check(routine, length, 1, 3, 2);
        }
    }
}

#[test]
#[should_panic(expected = "equal length")]
fn copying_between_different_lengths_is_refused() {
    let copy = ROUTINES.iter().find(|routine| routine.operation == Operation::Copy).unwrap();
    copy.run(&mut [0; 64], &[0; 65]);
}

#[test]
fn table_keeps_its_rules() {
    for routine in ROUTINES {
        let id = routine.id;
        let prefix = match routine.operation {
            Operation::Copy => "copy-",
            Operation::Fill => "fill-",
            Operation::Read => "read-",
        };
        assert!(id.starts_with(prefix), "{id} says what it does first");
        assert!(id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
        assert!(routine.about.ends_with('.'), "{id}: `about` is a sentence");
        assert!(routine.bytes_per_turn.is_multiple_of(8), "{id}: checksums are of whole words");
        assert_eq!(routine.fill_byte().is_some(), routine.operation == Operation::Fill, "{id}");
        let body_fits = match routine.body {
            Body::CopySlice(_) | Body::Copy(_) => Operation::Copy,
            Body::FillSlice(_) | Body::Fill(..) => Operation::Fill,
            Body::ReadSlice(_) | Body::Read(_) => Operation::Read,
        };
        assert_eq!(body_fits, routine.operation, "{id}");
        assert_eq!(ROUTINES.iter().filter(|other| other.id == id).count(), 1, "{id} is unique");
    }
}

#[test]
fn every_operation_has_a_routine_that_runs_everywhere() {
    for operation in [Operation::Copy, Operation::Fill, Operation::Read] {
        let found = ROUTINES.iter().any(|r| r.operation == operation && (r.available)());
        assert!(found, "{operation:?}");
    }
}
