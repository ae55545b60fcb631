//! One directory per instruction set: the assembly for clock, memory and load.
//!
//! Each has the same items, and only these are used outside:
//!
//! - `sized_chain(turns)`: [`CHAIN_OPERATIONS`] dependent additions or exclusive-ors a turn, one cycle each; returns
//!   the length of its loop, too;
//! - `multiply_chain(turns)`: [`MULTIPLY_OPERATIONS`] dependent 32-bit multiplications a turn;
//! - `float_chain(turns)`: [`FLOAT_OPERATIONS`] dependent single-precision multiplications a turn, of vectors of four
//!   where every core or this one has them;
//! - `heat(turns)`: independent work for the widest unit, returns the number of floating-point operations;
//! - [`ROUTINES`]: copy, fill and read routines;
//! - [`KERNELS`]: multiplications of panels of matrices, the widest first;
//! - [`LIBC_LOOPS`]: loops around functions of another C library, for programs of this and of smaller word sizes;
//! - `isa_features()`: names of available CPU features;
//! - `translator()`: name of the program that emulates this CPU, if it identifies itself.
//!
//! To add an instruction set, write a directory with these items and add it below; the tests of this directory and of
//! [`crate::routine`] then cover it. Portable routines are in [`plain`].

#![allow(unsafe_code)]

pub(crate) mod code;
pub mod plain;
#[macro_use]
mod turns;

#[cfg(target_arch = "aarch64")]
#[path = "aarch64/mod.rs"]
mod isa;
#[cfg(target_arch = "arm")]
#[path = "arm/mod.rs"]
mod isa;
#[cfg(target_arch = "riscv64")]
#[path = "riscv64/mod.rs"]
mod isa;
#[cfg(target_arch = "x86_64")]
#[path = "x86_64/mod.rs"]
mod isa;

#[cfg(not(any(target_arch = "aarch64", target_arch = "arm", target_arch = "riscv64", target_arch = "x86_64")))]
compile_error!("this architecture is not supported yet: add crates/microbench/src/arch/<name>/");

pub use isa::{KERNELS, LIBC_LOOPS, ROUTINES, isa_features, translator};
pub(crate) use isa::{float_chain, heat, multiply_chain, sized_chain};

/// Dependent one-cycle operations in one turn of `chain`.
///
/// Large enough that the loop overhead (one or two operations outside the chain) is at most 0.4 % even if it does not
/// run in parallel. Small enough that the loop stays below 1 KB with 4-byte instructions and fits into the smallest
/// instruction caches.
pub const CHAIN_OPERATIONS: u64 = 250;

/// Chain that measures the clock.
pub(crate) fn chain(turns: usize) -> u32 {
    sized_chain(turns).0
}

/// Dependent multiplications in one turn of `multiply_chain`.
pub const MULTIPLY_OPERATIONS: u64 = 100;

/// Dependent floating-point multiplications in one turn of `float_chain`.
pub const FLOAT_OPERATIONS: u64 = 100;

#[cfg(test)]
mod tests {
    use super::*;

    /// The chains in plain arithmetic: combined registers after this many turns.
    fn chain_twin(turns: usize) -> u32 {
        let mut r: [u32; 5] = [1, 2, 3, 4, 5];
        for step in 0..turns * CHAIN_OPERATIONS as usize {
            let at = step % 5;
            r[(at + 1) % 5] ^= r[at];
        }
        r[0]
    }

    fn multiply_twin(turns: usize) -> u32 {
        let mut r: [u32; 2] = [3, 5];
        for step in 0..turns * MULTIPLY_OPERATIONS as usize {
            let at = step % 2;
            r[at] = r[at].wrapping_mul(r[1 - at]);
        }
        r[0]
    }

    #[test]
    fn chains_compute_what_plain_arithmetic_computes() {
        for turns in [1, 2, 3, 7, 50] {
            assert_eq!(chain(turns), chain_twin(turns), "chain, {turns} turns");
            assert_eq!(multiply_chain(turns), multiply_twin(turns), "multiply, {turns} turns");
            assert_eq!(float_chain(turns), 1.0, "float, {turns} turns");
        }
    }

    /// 32-bit micro-caches of small in-order cores have one kilobyte.
    #[test]
    fn loop_of_the_chain_is_shorter_than_a_kilobyte() {
        let (_, bytes) = sized_chain(1);
        let least = 2 * CHAIN_OPERATIONS as usize;
        assert!((least..1024).contains(&bytes), "{bytes} bytes");
    }

    #[test]
    fn heat_counts_what_it_does() {
        let one = heat(1);
        assert!(one > 0 && one.is_multiple_of(2), "as many additions as multiplications");
        assert_eq!(heat(7), 7 * one);
    }

    #[test]
    fn features_have_plain_unique_names() {
        let features = isa_features();
        for feature in &features {
            assert!(feature.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-'));
            assert_eq!(features.iter().filter(|other| *other == feature).count(), 1);
        }
    }
}
