//! 32-bit Arm memory routines: words, VFP and NEON.

use super::has_neon;
use crate::arch::plain;
use crate::routine::Routine;
use std::arch::asm;

/// Copies 64 bytes a turn, eight 32-bit registers at a time.
unsafe fn copy_words(destination: *mut u8, source: *const u8, turns: usize) {
    // SAFETY: the caller guarantees memory for `turns` turns, aligned to words.
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

copy_turns!(
    /// Copies 64 bytes a turn through eight 64-bit floating-point registers.
    copy_vfp ["vldmia {source}!, {{d0-d7}}", "vstmia {destination}!, {{d0-d7}}"];
    out("d0") _, out("d1") _, out("d2") _, out("d3") _,
    out("d4") _, out("d5") _, out("d6") _, out("d7") _,
);

/// Copies 64 bytes a turn through four 128-bit registers; `$ahead` may prefetch a line.
macro_rules! copy_vectors {
    ($name:ident, $ahead:literal) => {
        copy_turns!(
            /// Copies 64 bytes a turn with NEON.
            $name [
                ".fpu neon",
                $ahead,
                "vld1.8 {{d0-d3}}, [{source}]!", "vld1.8 {{d4-d7}}, [{source}]!",
                "vst1.8 {{d0-d3}}, [{destination}]!", "vst1.8 {{d4-d7}}, [{destination}]!",
            ];
            out("d0") _, out("d1") _, out("d2") _, out("d3") _,
            out("d4") _, out("d5") _, out("d6") _, out("d7") _,
        );
    };
}

copy_vectors!(copy_neon, "");
copy_vectors!(copy_neon_prefetch, "pld [{source}, #256]");

/// Fills 64 bytes a turn, eight 32-bit registers at a time.
unsafe fn fill_words(destination: *mut u8, byte: u8, turns: usize) {
    let word = u32::from_ne_bytes([byte; 4]);
    // SAFETY: the caller guarantees memory for `turns` turns, aligned to words.
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

fill_turns!(
    /// Fills 64 bytes a turn from two 128-bit registers.
    fill_neon byte => byte = u32::from(byte);
    first [".fpu neon", "vdup.8 q0, {byte}", "vmov q1, q0"]
    ["vst1.8 {{d0-d3}}, [{destination}]!", "vst1.8 {{d0-d3}}, [{destination}]!"];
    out("d0") _, out("d1") _, out("d2") _, out("d3") _,
);

/// Reads 64 bytes a turn, four 32-bit registers at a time.
unsafe fn read_words(source: *const u8, turns: usize) -> u64 {
    let (even, odd): (u32, u32);
    // SAFETY: the caller guarantees memory for `turns` turns, aligned to words.
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

/// Reads 64 bytes a turn into four 128-bit registers; `$ahead` may prefetch a line.
macro_rules! read_vectors {
    ($name:ident, $ahead:literal) => {
        read_turns!(
            /// Reads 64 bytes a turn with NEON. Every NEON and VFP unit has the registers up to q7.
            $name (even, odd), (u32, u32) => u64::from(odd) << 32 | u64::from(even);
            first [".fpu neon", "vmov.i32 q4, #0", "vmov.i32 q5, #0"] [
                $ahead,
                "vld1.8 {{d0-d3}}, [{source}]!", "vld1.8 {{d4-d7}}, [{source}]!",
                "veor q4, q4, q0", "veor q5, q5, q1", "veor q4, q4, q2", "veor q5, q5, q3",
            ] then ["veor q4, q4, q5", "veor d8, d8, d9", "vmov {even}, {odd}, d8"];
            even = lateout(reg) even,
            odd = lateout(reg) odd,
            out("d0") _, out("d1") _, out("d2") _, out("d3") _,
            out("d4") _, out("d5") _, out("d6") _, out("d7") _,
            out("d8") _, out("d9") _, out("d10") _, out("d11") _,
        );
    };
}

read_vectors!(read_neon, "");
read_vectors!(read_neon_prefetch, "pld [{source}, #256]");

/// Copy, fill and read routines for 32-bit Arm. Multiple loads and stores need aligned words; the destination is
/// aligned to cache lines so that no store crosses two.
pub const ROUTINES: &[Routine] = &[
    plain::COPY_LIBC,
    plain::COPY_BACKWARDS,
    plain::COPY_TWO_PASSES,
    Routine::copying("copy-words", "Eight 32-bit registers at a time.", 64, 2, copy_words).aligned(64, 4),
    Routine::copying("copy-vfp", "Eight 64-bit registers at a time.", 64, 1, copy_vfp).aligned(64, 4),
    Routine::copying("copy-neon", "Two 128-bit registers at a time.", 64, 2, copy_neon).aligned(64, 1).when(has_neon),
    Routine::copying(
        "copy-neon-prefetch",
        "Two 128-bit registers at a time, prefetching four lines ahead.",
        64,
        2,
        copy_neon_prefetch,
    )
    .aligned(64, 1)
    .when(has_neon),
    plain::FILL_LIBC,
    plain::FILL_BACKWARDS,
    Routine::filling("fill-words", "Eight 32-bit registers at a time.", 64, 2, fill_words).aligned(64, 1),
    Routine::filling("fill-neon", "Two 128-bit registers at a time.", 64, 2, fill_neon).aligned(64, 1).when(has_neon),
    plain::READ_COMPILED,
    Routine::reading("read-words", "Four 32-bit registers at a time.", 64, 4, read_words).aligned(1, 4),
    Routine::reading("read-neon", "Two 128-bit registers at a time.", 64, 2, read_neon).when(has_neon),
    Routine::reading(
        "read-neon-prefetch",
        "Two 128-bit registers at a time, prefetching four lines ahead.",
        64,
        2,
        read_neon_prefetch,
    )
    .when(has_neon),
];
