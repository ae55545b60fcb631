//! x86-64: chains for the clock, heat, and the table of memory routines.
//!
//! The wider units are looked for at run time (CPUID), so one binary serves every processor.

mod heat;
mod memory;

pub(crate) use heat::heat;
pub use memory::ROUTINES;

use super::{CHAIN_OPERATIONS, FLOAT_OPERATIONS, MULTIPLY_OPERATIONS};
use std::arch::asm;

/// Dependent exclusive-ors over five registers.
///
/// Register with register only: recent cores add small constants while renaming, several in a
/// cycle, and never execute a `mov`. The five registers have short encodings, so that the loop is
/// 500 bytes long.
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
            "xor ecx, eax",
            "xor edx, ecx",
            "xor esi, edx",
            "xor edi, esi",
            "xor eax, edi",
            ".endr",
            "dec r8",
            "jnz 2b",
            inout("eax") 1u32 => result,
            inout("ecx") 2u32 => _,
            inout("edx") 3u32 => _,
            inout("esi") 4u32 => _,
            inout("edi") 5u32 => _,
            inout("r8") turns => _,
            options(nomem, nostack),
        );
    }
    result
}

/// Dependent 32-bit multiplications: three cycles each on most cores.
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
            "imul eax, ecx",
            "imul ecx, eax",
            ".endr",
            "dec r8",
            "jnz 2b",
            inout("eax") 3u32 => result,
            inout("ecx") 5u32 => _,
            inout("r8") turns => _,
            options(nomem, nostack),
        );
    }
    result
}

/// Dependent single-precision multiplications of ones, four at a time. The exception flags are
/// cleared first, because translators take their slow way until a result was inexact, and these are
/// all exact.
#[inline(never)]
pub(crate) fn float_chain(turns: usize) -> f32 {
    const { assert!(FLOAT_OPERATIONS == 50 * 2) };
    let result: f32;
    let mut control = 0u32;
    // SAFETY: works on the named registers and a variable only. Exception flags are not kept over
    // assembly; the rest of the control word is written back as it was read.
    unsafe {
        asm!(
            "stmxcsr [{control}]",
            "and dword ptr [{control}], 0xffffffc0",
            "ldmxcsr [{control}]",
            "shufps xmm0, xmm0, 0",
            "shufps xmm1, xmm1, 0",
            ".p2align 6",
            "2:",
            ".rept 50",
            "mulps xmm0, xmm1",
            "mulps xmm1, xmm0",
            ".endr",
            "dec {turns}",
            "jnz 2b",
            inout("xmm0") 1f32 => result,
            inout("xmm1") 1f32 => _,
            turns = inout(reg) turns => _,
            control = in(reg) &raw mut control,
            options(nostack),
        );
    }
    result
}

/// Names of the units found, as `/proc/cpuinfo` calls them.
pub fn isa_features() -> Vec<&'static str> {
    let found = [
        ("sse2", true),
        ("sse4.2", is_x86_feature_detected!("sse4.2")),
        ("avx", is_x86_feature_detected!("avx")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("fma", is_x86_feature_detected!("fma")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
        ("aes", is_x86_feature_detected!("aes")),
        ("vaes", is_x86_feature_detected!("vaes")),
        ("pclmulqdq", is_x86_feature_detected!("pclmulqdq")),
        ("sha", is_x86_feature_detected!("sha")),
        ("bmi2", is_x86_feature_detected!("bmi2")),
        ("ermsb", is_x86_feature_detected!("ermsb")),
    ];
    found
        .into_iter()
        .filter_map(|(name, present)| present.then_some(name))
        .collect()
}
