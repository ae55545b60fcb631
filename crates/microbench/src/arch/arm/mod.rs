//! 32-bit Arm (ARMv7-A): chains for the clock, stress load, and CPU features; memory routines are in `memory.rs`.
//!
//! NEON is optional in ARMv7, so it is detected by the kernel's `AT_HWCAP` (see `getauxval(3)` and
//! `arch/arm/include/uapi/asm/hwcap.h`) and enabled in the assembler loop by loop.

/// End of a loop.
macro_rules! again {
    ($turns:literal) => {
        concat!("subs ", $turns, ", ", $turns, ", #1\nbne 2b")
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

/// Dependent exclusive-ors over five registers: 1008 bytes.
///
/// Returns the combined registers and the length of the loop in bytes.
#[inline(never)]
pub(crate) fn sized_chain(turns: usize) -> (u32, usize) {
    const { assert!(CHAIN_OPERATIONS == 50 * 5) };
    let result: u32;
    let (start, end): (usize, usize);
    register_turns!(6, 50, "{turns}",
        first ["adr {start}, 2f"] [
            "eor {b}, {b}, {a}", "eor {c}, {c}, {b}", "eor {d}, {d}, {c}", "eor {e}, {e}, {d}", "eor {a}, {a}, {e}",
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

/// Dependent 32-bit multiplications: three to five cycles each.
#[inline(never)]
pub(crate) fn multiply_chain(turns: usize) -> u32 {
    const { assert!(MULTIPLY_OPERATIONS == 50 * 2) };
    let result: u32;
    register_turns!(6, 50, "{turns}", ["mul {a}, {b}, {a}", "mul {b}, {a}, {b}"];
        a = inout(reg) 3u32 => result,
        b = inout(reg) 5u32 => _,
        turns = inout(reg) turns => _,
    );
    result
}

/// Dependent single-precision multiplications of ones, four at a time with NEON. The exception flags are cleared first:
/// translators use their slow path until a result was inexact, and all of these are exact.
#[inline(never)]
pub(crate) fn float_chain(turns: usize) -> f32 {
    if has_neon() { float_chain_neon(turns) } else { float_chain_vfp(turns) }
}

fn float_chain_neon(turns: usize) -> f32 {
    const { assert!(FLOAT_OPERATIONS == 50 * 2) };
    let result: u32;
    register_turns!(6, 50, "{turns}",
        first [
            ".fpu neon",
            "vmrs {flags}, fpscr", "bic {flags}, {flags}, #0x9f", "vmsr fpscr, {flags}",
            "vdup.32 q0, {one}", "vdup.32 q1, {one}",
        ] ["vmul.f32 q0, q0, q1", "vmul.f32 q1, q1, q0"] then ["vmov {one}, s0"];
        one = inout(reg) 1f32.to_bits() => result,
        turns = inout(reg) turns => _,
        flags = out(reg) _,
        out("d0") _, out("d1") _, out("d2") _, out("d3") _,
    );
    f32::from_bits(result)
}

fn float_chain_vfp(turns: usize) -> f32 {
    let result: f32;
    register_turns!(6, 50, "{turns}",
        first ["vmrs {flags}, fpscr", "bic {flags}, {flags}, #0x9f", "vmsr fpscr, {flags}"]
        ["vmul.f32 {a}, {a}, {b}", "vmul.f32 {b}, {b}, {a}"];
        a = inout(sreg) 1f32 => result,
        b = inout(sreg) 1f32 => _,
        turns = inout(reg) turns => _,
        flags = out(reg) _,
    );
    result
}

/// Multiply-adds on the widest unit; returns the number of floating-point operations. Every call resets the
/// accumulators, so they stay far from infinity.
#[inline(never)]
pub(crate) fn heat(turns: usize) -> u64 {
    if has_neon() { heat_neon(turns) } else { heat_vfp(turns) }
}

fn heat_neon(turns: usize) -> u64 {
    register_turns!(5, 8, "{turns}",
        first [
            ".fpu neon",
            "vdup.32 q0, {factor}", "vmov q1, q0", "vmov q2, q0", "vmov q3, q0", "vmov q4, q0", "vmov q5, q0",
        ] [
            "vmla.f32 q1, q0, q0", "vmla.f32 q2, q0, q0", "vmla.f32 q3, q0, q0", "vmla.f32 q4, q0, q0",
            "vmla.f32 q5, q0, q0",
        ];
        factor = in(reg) 0.123_456f32.to_bits(),
        turns = inout(reg) turns => _,
        out("d0") _, out("d1") _, out("d2") _, out("d3") _, out("d4") _, out("d5") _,
        out("d6") _, out("d7") _, out("d8") _, out("d9") _, out("d10") _, out("d11") _,
    );
    // Eight repetitions, five registers, four lanes, one multiplication and one addition each.
    turns as u64 * 8 * 5 * 4 * 2
}

fn heat_vfp(turns: usize) -> u64 {
    let factor = 0.123_456f64;
    register_turns!(5, 8, "{turns}", [
            "vmla.f64 {a}, {factor}, {factor}", "vmla.f64 {b}, {factor}, {factor}",
            "vmla.f64 {c}, {factor}, {factor}", "vmla.f64 {d}, {factor}, {factor}",
        ];
        factor = in(dreg) factor,
        turns = inout(reg) turns => _,
        a = inout(dreg) 1f64 => _,
        b = inout(dreg) 1f64 => _,
        c = inout(dreg) 1f64 => _,
        d = inout(dreg) 1f64 => _,
    );
    turns as u64 * 8 * 4 * 2
}

/// Tests a capability bit of the processor.
fn hwcap(bit: u32) -> bool {
    // SAFETY: has no preconditions; an unknown entry gives 0.
    let capabilities = unsafe { libc::getauxval(libc::AT_HWCAP) };
    capabilities & (1 << bit) != 0
}

const HWCAP_NEON: u32 = 12;
const HWCAP_VFPV4: u32 = 16;
const HWCAP_IDIVA: u32 = 17;
const HWCAP_LPAE: u32 = 20;

fn has_neon() -> bool {
    hwcap(HWCAP_NEON)
}

/// Names of available CPU features, as in `/proc/cpuinfo` (`Features`).
pub fn isa_features() -> Vec<&'static str> {
    let found = [
        ("neon", has_neon()),
        ("vfpv4", hwcap(HWCAP_VFPV4)),
        ("idiva", hwcap(HWCAP_IDIVA)),
        ("lpae", hwcap(HWCAP_LPAE)),
    ];
    found.into_iter().filter_map(|(name, present)| present.then_some(name)).collect()
}

/// This architecture has no instruction that identifies a translator.
pub fn translator() -> Option<&'static str> {
    None
}
