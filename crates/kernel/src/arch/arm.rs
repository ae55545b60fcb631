//! 32-bit Arm (ARMv7-A): chains for the clock, heat, and memory routines with words, VFP and NEON.
//!
//! NEON is an option of ARMv7, so it is looked for in the kernel's `AT_HWCAP` (see `getauxval(3)`
//! and `arch/arm/include/uapi/asm/hwcap.h`); the assembler is told of it loop by loop.

use super::{CHAIN_OPERATIONS, FLOAT_OPERATIONS, MULTIPLY_OPERATIONS, plain};
use crate::routine::Routine;
use std::arch::asm;

/// Dependent exclusive-ors over five registers: 1008 bytes.
#[inline(never)]
pub(crate) fn chain(turns: usize) -> u32 {
    const { assert!(CHAIN_OPERATIONS == 50 * 5) };
    let result: u32;
    // SAFETY: works on the named registers only.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 50",
            "eor {b}, {b}, {a}",
            "eor {c}, {c}, {b}",
            "eor {d}, {d}, {c}",
            "eor {e}, {e}, {d}",
            "eor {a}, {a}, {e}",
            ".endr",
            "subs {turns}, {turns}, #1",
            "bne 2b",
            a = inout(reg) 1u32 => result,
            b = inout(reg) 2u32 => _,
            c = inout(reg) 3u32 => _,
            d = inout(reg) 4u32 => _,
            e = inout(reg) 5u32 => _,
            turns = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
    result
}

/// Dependent 32-bit multiplications: three to five cycles each.
#[inline(never)]
pub(crate) fn multiply_chain(turns: usize) -> u32 {
    const { assert!(MULTIPLY_OPERATIONS == 50 * 2) };
    let result: u32;
    // SAFETY: works on the named registers only.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 50",
            "mul {a}, {b}, {a}",
            "mul {b}, {a}, {b}",
            ".endr",
            "subs {turns}, {turns}, #1",
            "bne 2b",
            a = inout(reg) 3u32 => result,
            b = inout(reg) 5u32 => _,
            turns = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
    result
}

/// Dependent single-precision multiplications of ones, four at a time with NEON. The exception flags are
/// cleared first, because translators take their slow way until a result was inexact, and these are
/// all exact.
#[inline(never)]
pub(crate) fn float_chain(turns: usize) -> f32 {
    if has_neon() {
        float_chain_neon(turns)
    } else {
        float_chain_vfp(turns)
    }
}

fn float_chain_neon(turns: usize) -> f32 {
    const { assert!(FLOAT_OPERATIONS == 50 * 2) };
    let result: u32;
    // SAFETY: works on the named registers only, and NEON is there.
    unsafe {
        asm!(
            ".fpu neon",
            "vmrs {flags}, fpscr",
            "bic {flags}, {flags}, #0x9f",
            "vmsr fpscr, {flags}",
            "vdup.32 q0, {one}",
            "vdup.32 q1, {one}",
            ".p2align 6",
            "2:",
            ".rept 50",
            "vmul.f32 q0, q0, q1",
            "vmul.f32 q1, q1, q0",
            ".endr",
            "subs {turns}, {turns}, #1",
            "bne 2b",
            "vmov {one}, s0",
            one = inout(reg) 1f32.to_bits() => result,
            turns = inout(reg) turns => _,
            flags = out(reg) _,
            out("d0") _, out("d1") _, out("d2") _, out("d3") _,
            options(nomem, nostack),
        );
    }
    f32::from_bits(result)
}

fn float_chain_vfp(turns: usize) -> f32 {
    let result: f32;
    // SAFETY: works on the named registers only.
    unsafe {
        asm!(
            "vmrs {flags}, fpscr",
            "bic {flags}, {flags}, #0x9f",
            "vmsr fpscr, {flags}",
            ".p2align 6",
            "2:",
            ".rept 50",
            "vmul.f32 {a}, {a}, {b}",
            "vmul.f32 {b}, {b}, {a}",
            ".endr",
            "subs {turns}, {turns}, #1",
            "bne 2b",
            a = inout(sreg) 1f32 => result,
            b = inout(sreg) 1f32 => _,
            turns = inout(reg) turns => _,
            flags = out(reg) _,
            options(nomem, nostack),
        );
    }
    result
}

/// Multiply-adds on the widest unit: returns the floating-point operations done. The accumulators
/// begin anew with every call and so stay far from infinity.
#[inline(never)]
pub(crate) fn heat(turns: usize) -> u64 {
    if has_neon() {
        heat_neon(turns)
    } else {
        heat_vfp(turns)
    }
}

fn heat_neon(turns: usize) -> u64 {
    // SAFETY: works on the named registers only, and NEON is there.
    unsafe {
        asm!(
            ".fpu neon",
            "vdup.32 q0, {factor}",
            "vmov q1, q0",
            "vmov q2, q0",
            "vmov q3, q0",
            "vmov q4, q0",
            "vmov q5, q0",
            ".p2align 5",
            "2:",
            ".rept 8",
            "vmla.f32 q1, q0, q0",
            "vmla.f32 q2, q0, q0",
            "vmla.f32 q3, q0, q0",
            "vmla.f32 q4, q0, q0",
            "vmla.f32 q5, q0, q0",
            ".endr",
            "subs {turns}, {turns}, #1",
            "bne 2b",
            factor = in(reg) 0.123_456f32.to_bits(),
            turns = inout(reg) turns => _,
            out("d0") _, out("d1") _, out("d2") _, out("d3") _, out("d4") _, out("d5") _,
            out("d6") _, out("d7") _, out("d8") _, out("d9") _, out("d10") _, out("d11") _,
            options(nomem, nostack),
        );
    }
    // Eight repetitions, five registers, four lanes, one multiplication and one addition each.
    turns as u64 * 8 * 5 * 4 * 2
}

fn heat_vfp(turns: usize) -> u64 {
    let factor = 0.123_456f64;
    // SAFETY: works on the named registers only.
    unsafe {
        asm!(
            ".p2align 5",
            "2:",
            ".rept 8",
            "vmla.f64 {a}, {factor}, {factor}",
            "vmla.f64 {b}, {factor}, {factor}",
            "vmla.f64 {c}, {factor}, {factor}",
            "vmla.f64 {d}, {factor}, {factor}",
            ".endr",
            "subs {turns}, {turns}, #1",
            "bne 2b",
            factor = in(dreg) factor,
            turns = inout(reg) turns => _,
            a = inout(dreg) 1f64 => _,
            b = inout(dreg) 1f64 => _,
            c = inout(dreg) 1f64 => _,
            d = inout(dreg) 1f64 => _,
            options(nomem, nostack),
        );
    }
    turns as u64 * 8 * 4 * 2
}

/// Copies 64 bytes a turn, eight 32-bit registers at a time.
unsafe fn copy_words(destination: *mut u8, source: *const u8, turns: usize) {
    // SAFETY: the caller promises memory for `turns` turns, aligned to words.
    unsafe {
        asm!(
            ".p2align 5",
            "2:",
            "ldmia r1!, {{r3, r4, r5, r8, r9, r10, r12, lr}}",
            "stmia r0!, {{r3, r4, r5, r8, r9, r10, r12, lr}}",
            "ldmia r1!, {{r3, r4, r5, r8, r9, r10, r12, lr}}",
            "stmia r0!, {{r3, r4, r5, r8, r9, r10, r12, lr}}",
            "subs r2, r2, #1",
            "bne 2b",
            inout("r0") destination => _,
            inout("r1") source => _,
            inout("r2") turns => _,
            out("r3") _, out("r4") _, out("r5") _, out("r8") _,
            out("r9") _, out("r10") _, out("r12") _, out("lr") _,
            options(nostack),
        );
    }
}

/// Copies 64 bytes a turn through eight 64-bit floating-point registers.
unsafe fn copy_vfp(destination: *mut u8, source: *const u8, turns: usize) {
    // SAFETY: the caller promises memory for `turns` turns, aligned to words.
    unsafe {
        asm!(
            ".p2align 5",
            "2:",
            "vldmia {source}!, {{d0-d7}}",
            "vstmia {destination}!, {{d0-d7}}",
            "subs {turns}, {turns}, #1",
            "bne 2b",
            source = inout(reg) source => _,
            destination = inout(reg) destination => _,
            turns = inout(reg) turns => _,
            out("d0") _, out("d1") _, out("d2") _, out("d3") _,
            out("d4") _, out("d5") _, out("d6") _, out("d7") _,
            options(nostack),
        );
    }
}

/// Copies 64 bytes a turn through four 128-bit registers; `$ahead` may ask for a line beforehand.
macro_rules! copy_vectors {
    ($name:ident, $ahead:literal) => {
        /// Copies turns of 64 bytes with NEON.
        unsafe fn $name(destination: *mut u8, source: *const u8, turns: usize) {
            // SAFETY: the caller promises memory for `turns` turns and NEON. A prefetch beyond the end
            // of the source is a hint and never faults.
            unsafe {
                asm!(
                    ".fpu neon",
                    ".p2align 5",
                    "2:",
                    $ahead,
                    "vld1.8 {{d0-d3}}, [{source}]!",
                    "vld1.8 {{d4-d7}}, [{source}]!",
                    "vst1.8 {{d0-d3}}, [{destination}]!",
                    "vst1.8 {{d4-d7}}, [{destination}]!",
                    "subs {turns}, {turns}, #1",
                    "bne 2b",
                    source = inout(reg) source => _,
                    destination = inout(reg) destination => _,
                    turns = inout(reg) turns => _,
                    out("d0") _, out("d1") _, out("d2") _, out("d3") _,
                    out("d4") _, out("d5") _, out("d6") _, out("d7") _,
                    options(nostack),
                );
            }
        }
    };
}

copy_vectors!(copy_neon, "");
copy_vectors!(copy_neon_prefetch, "pld [{source}, #256]");

/// Fills 64 bytes a turn, eight 32-bit registers at a time.
unsafe fn fill_words(destination: *mut u8, byte: u8, turns: usize) {
    let word = u32::from_ne_bytes([byte; 4]);
    // SAFETY: the caller promises memory for `turns` turns, aligned to words.
    unsafe {
        asm!(
            ".p2align 5",
            "2:",
            "stmia r0!, {{r3, r4, r5, r8, r9, r10, r12, lr}}",
            "stmia r0!, {{r3, r4, r5, r8, r9, r10, r12, lr}}",
            "subs r2, r2, #1",
            "bne 2b",
            inout("r0") destination => _,
            inout("r2") turns => _,
            in("r3") word, in("r4") word, in("r5") word, in("r8") word,
            in("r9") word, in("r10") word, in("r12") word, inout("lr") word => _,
            options(nostack),
        );
    }
}

/// Fills 64 bytes a turn from two 128-bit registers.
unsafe fn fill_neon(destination: *mut u8, byte: u8, turns: usize) {
    // SAFETY: the caller promises memory for `turns` turns and NEON.
    unsafe {
        asm!(
            ".fpu neon",
            "vdup.8 q0, {byte}",
            "vmov q1, q0",
            ".p2align 5",
            "2:",
            "vst1.8 {{d0-d3}}, [{destination}]!",
            "vst1.8 {{d0-d3}}, [{destination}]!",
            "subs {turns}, {turns}, #1",
            "bne 2b",
            byte = in(reg) u32::from(byte),
            destination = inout(reg) destination => _,
            turns = inout(reg) turns => _,
            out("d0") _, out("d1") _, out("d2") _, out("d3") _,
            options(nostack),
        );
    }
}

/// Reads 64 bytes a turn, four 32-bit registers at a time.
unsafe fn read_words(source: *const u8, turns: usize) -> u64 {
    let (even, odd): (u32, u32);
    // SAFETY: the caller promises memory for `turns` turns, aligned to words.
    unsafe {
        asm!(
            ".p2align 5",
            "2:",
            ".rept 4",
            "ldmia r1!, {{r3, r4, r5, r8}}",
            "eor r0, r0, r3",
            "eor r12, r12, r4",
            "eor r0, r0, r5",
            "eor r12, r12, r8",
            ".endr",
            "subs r2, r2, #1",
            "bne 2b",
            inout("r1") source => _,
            inout("r2") turns => _,
            inout("r0") 0u32 => even,
            inout("r12") 0u32 => odd,
            out("r3") _, out("r4") _, out("r5") _, out("r8") _,
            options(nostack, readonly),
        );
    }
    u64::from(odd) << 32 | u64::from(even)
}

/// Reads 64 bytes a turn into four 128-bit registers; `$ahead` may ask for a line beforehand.
macro_rules! read_vectors {
    ($name:ident, $ahead:literal) => {
        /// Reads turns of 64 bytes with NEON.
        unsafe fn $name(source: *const u8, turns: usize) -> u64 {
            let (even, odd): (u32, u32);
            // SAFETY: the caller promises memory for `turns` turns and NEON. A prefetch beyond the end
            // of the source is a hint and never faults. Registers up to q7 belong to every unit.
            unsafe {
                asm!(
                    ".fpu neon",
                    "vmov.i32 q4, #0",
                    "vmov.i32 q5, #0",
                    ".p2align 5",
                    "2:",
                    $ahead,
                    "vld1.8 {{d0-d3}}, [{source}]!",
                    "vld1.8 {{d4-d7}}, [{source}]!",
                    "veor q4, q4, q0",
                    "veor q5, q5, q1",
                    "veor q4, q4, q2",
                    "veor q5, q5, q3",
                    "subs {turns}, {turns}, #1",
                    "bne 2b",
                    "veor q4, q4, q5",
                    "veor d8, d8, d9",
                    "vmov {even}, {odd}, d8",
                    source = inout(reg) source => _,
                    turns = inout(reg) turns => _,
                    even = lateout(reg) even,
                    odd = lateout(reg) odd,
                    out("d0") _, out("d1") _, out("d2") _, out("d3") _,
                    out("d4") _, out("d5") _, out("d6") _, out("d7") _,
                    out("d8") _, out("d9") _, out("d10") _, out("d11") _,
                    options(nostack, readonly),
                );
            }
            u64::from(odd) << 32 | u64::from(even)
        }
    };
}

read_vectors!(read_neon, "");
read_vectors!(read_neon_prefetch, "pld [{source}, #256]");

/// What the kernel says of the processor.
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

/// The ways to copy, fill and read memory on 32-bit Arm. Multiple loads and stores need aligned
/// words; the destination is aligned to lines so that no store straddles two.
pub const ROUTINES: &[Routine] = &[
    plain::COPY_LIBC,
    Routine::copying(
        "copy-words",
        "Eight 32-bit registers at a time.",
        64,
        2,
        copy_words,
    )
    .aligned(64, 4),
    Routine::copying(
        "copy-vfp",
        "Eight 64-bit registers at a time.",
        64,
        1,
        copy_vfp,
    )
    .aligned(64, 4),
    Routine::copying(
        "copy-neon",
        "Two 128-bit registers at a time.",
        64,
        2,
        copy_neon,
    )
    .aligned(64, 1)
    .when(has_neon),
    Routine::copying(
        "copy-neon-prefetch",
        "Two 128-bit registers at a time, four lines asked for in advance.",
        64,
        2,
        copy_neon_prefetch,
    )
    .aligned(64, 1)
    .when(has_neon),
    plain::FILL_LIBC,
    Routine::filling(
        "fill-words",
        "Eight 32-bit registers at a time.",
        64,
        2,
        fill_words,
    )
    .aligned(64, 1),
    Routine::filling(
        "fill-neon",
        "Two 128-bit registers at a time.",
        64,
        2,
        fill_neon,
    )
    .aligned(64, 1)
    .when(has_neon),
    plain::READ_COMPILED,
    Routine::reading(
        "read-words",
        "Four 32-bit registers at a time.",
        64,
        4,
        read_words,
    )
    .aligned(1, 4),
    Routine::reading(
        "read-neon",
        "Two 128-bit registers at a time.",
        64,
        2,
        read_neon,
    )
    .when(has_neon),
    Routine::reading(
        "read-neon-prefetch",
        "Two 128-bit registers at a time, four lines asked for in advance.",
        64,
        2,
        read_neon_prefetch,
    )
    .when(has_neon),
];

/// Names of the units found, as `/proc/cpuinfo` calls them (`Features`).
pub fn isa_features() -> Vec<&'static str> {
    let found = [
        ("neon", has_neon()),
        ("vfpv4", hwcap(HWCAP_VFPV4)),
        ("idiva", hwcap(HWCAP_IDIVA)),
        ("lpae", hwcap(HWCAP_LPAE)),
    ];
    found
        .into_iter()
        .filter_map(|(name, present)| present.then_some(name))
        .collect()
}
