//! AArch64: chains for the clock, stress load, and CPU features; memory routines are in `memory.rs`.
//!
//! Every 64-bit Arm core that runs Linux has NEON, so only the permission for `dc zva` and its block size are queried
//! (`DCZID_EL0`).

/// End of a loop.
macro_rules! again {
    ($turns:literal) => {
        concat!("subs ", $turns, ", ", $turns, ", #1\nb.ne 2b")
    };
}

mod libc_loop;
mod memory;
mod tiles;

pub use libc_loop::LIBC_LOOPS;
pub use memory::ROUTINES;
pub use tiles::KERNELS;

use super::{CHAIN_OPERATIONS, FLOAT_OPERATIONS, MULTIPLY_OPERATIONS};
use std::arch::asm;

/// Dependent exclusive-ors over five registers.
///
/// Register with register only: additions of constants and `mov` are eliminated by some cores. The loop is 1008 bytes
/// long.
///
/// Returns the combined registers and the length of the loop in bytes.
#[inline(never)]
pub(crate) fn sized_chain(turns: usize) -> (u32, usize) {
    const { assert!(CHAIN_OPERATIONS == 50 * 5) };
    let result: u32;
    let (start, end): (usize, usize);
    register_turns!(6, 50, "{turns}",
        first ["adr {start}, 2f"] [
            "eor {b:w}, {b:w}, {a:w}", "eor {c:w}, {c:w}, {b:w}", "eor {d:w}, {d:w}, {c:w}", "eor {e:w}, {e:w}, {d:w}",
            "eor {a:w}, {a:w}, {e:w}",
        ] then ["3:", "adr {end}, 3b"];
        a = inout(reg) 1u32 => result,
        b = inout(reg) 2u32 => _,
        c = inout(reg) 3u32 => _,
        d = inout(reg) 4u32 => _,
        e = inout(reg) 5u32 => _,
        turns = inout(reg) turns => _,
        start = out(reg) start,
        end = lateout(reg) end,
    );
    (result, end - start)
}

/// Dependent 32-bit multiplications: two to four cycles each.
#[inline(never)]
pub(crate) fn multiply_chain(turns: usize) -> u32 {
    const { assert!(MULTIPLY_OPERATIONS == 50 * 2) };
    let result: u32;
    register_turns!(6, 50, "{turns}", ["mul {a:w}, {a:w}, {b:w}", "mul {b:w}, {b:w}, {a:w}"];
        a = inout(reg) 3u32 => result,
        b = inout(reg) 5u32 => _,
        turns = inout(reg) turns => _,
    );
    result
}

/// Dependent single-precision multiplications of ones, four at a time. The exception flags are cleared first:
/// translators use their slow path until a result was inexact, and all of these are exact.
#[inline(never)]
pub(crate) fn float_chain(turns: usize) -> f32 {
    const { assert!(FLOAT_OPERATIONS == 50 * 2) };
    let result: f32;
    register_turns!(6, 50, "{turns}",
        first ["msr fpsr, xzr", "dup {a:v}.4s, {a:v}.s[0]", "dup {b:v}.4s, {b:v}.s[0]"]
        ["fmul {a:v}.4s, {a:v}.4s, {b:v}.4s", "fmul {b:v}.4s, {b:v}.4s, {a:v}.4s"];
        a = inout(vreg) 1f32 => result,
        b = inout(vreg) 1f32 => _,
        turns = inout(reg) turns => _,
    );
    result
}

/// Multiply-adds on eight vector registers, each eight times a turn; returns the number of floating-point operations.
/// Every call resets the accumulators, so they stay far from infinity.
#[inline(never)]
pub(crate) fn heat(turns: usize) -> u64 {
    register_turns!(5, 8, "{turns}",
        first [
            "dup v16.4s, v16.s[0]", "dup v17.4s, v17.s[0]",
            "mov v0.16b, v17.16b", "mov v1.16b, v17.16b", "mov v2.16b, v17.16b", "mov v3.16b, v17.16b",
            "mov v4.16b, v17.16b", "mov v5.16b, v17.16b", "mov v6.16b, v17.16b", "mov v7.16b, v17.16b",
        ] [
            "fmla v0.4s, v16.4s, v17.4s", "fmla v1.4s, v16.4s, v17.4s", "fmla v2.4s, v16.4s, v17.4s",
            "fmla v3.4s, v16.4s, v17.4s", "fmla v4.4s, v16.4s, v17.4s", "fmla v5.4s, v16.4s, v17.4s",
            "fmla v6.4s, v16.4s, v17.4s", "fmla v7.4s, v16.4s, v17.4s",
        ];
        turns = inout(reg) turns => _,
        inout("v16") 0.012_345f32 => _,
        inout("v17") 1.234_567f32 => _,
        out("v0") _, out("v1") _, out("v2") _, out("v3") _,
        out("v4") _, out("v5") _, out("v6") _, out("v7") _,
    );
    // Eight repetitions, eight registers, four lanes, one multiplication and one addition each.
    turns as u64 * 8 * 8 * 4 * 2
}

/// `DCZID_EL0` (Arm Architecture Reference Manual): bit 4 prohibits `dc zva`, bits 3 to 0 are the binary logarithm of
/// its block size in words of 4 bytes.
fn zero_block_register() -> u64 {
    let register: u64;
    // SAFETY: reads a register that every exception level may read.
    unsafe { asm!("mrs {}, dczid_el0", out(reg) register, options(nomem, nostack, pure)) };
    register
}

fn has_zero_block() -> bool {
    zero_block_register() & 0x10 == 0
}

/// Names of available CPU features, as in `/proc/cpuinfo` (`Features`).
pub fn isa_features() -> Vec<&'static str> {
    use std::arch::is_aarch64_feature_detected as has;
    let found = [
        ("asimd", true),
        ("dczva", has_zero_block()),
        ("aes", has!("aes")),
        ("pmull", has!("pmull")),
        ("sha2", has!("sha2")),
        ("crc32", has!("crc")),
        ("atomics", has!("lse")),
        ("asimdhp", has!("fp16")),
        ("asimddp", has!("dotprod")),
        ("sve", has!("sve")),
        ("sve2", has!("sve2")),
        ("i8mm", has!("i8mm")),
        ("bf16", has!("bf16")),
    ];
    found.into_iter().filter_map(|(name, present)| present.then_some(name)).collect()
}

/// This architecture has no instruction that identifies a translator.
pub fn translator() -> Option<&'static str> {
    None
}
