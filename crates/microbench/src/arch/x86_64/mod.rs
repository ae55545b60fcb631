//! x86-64: chains for the clock, and CPU features.
//!
//! Wider units are detected at run time (CPUID), so that one binary runs on every processor.

/// End of a loop.
macro_rules! again {
    ($turns:literal) => {
        concat!("dec ", $turns, "\njnz 2b")
    };
}

mod heat;
mod libc_loop;
mod memory;
mod tiles;

pub(crate) use heat::heat;
pub use libc_loop::LIBC_LOOPS;
pub use memory::ROUTINES;
pub use tiles::KERNELS;

use super::{CHAIN_OPERATIONS, FLOAT_OPERATIONS, MULTIPLY_OPERATIONS};
use std::arch::asm;
use std::arch::x86_64::__cpuid;

/// Dependent exclusive-ors over five registers.
///
/// Register with register only: recent cores add small constants while renaming, several in a cycle, and never execute
/// a `mov`. The five registers have short encodings, so that the loop is 500 bytes long.
///
/// Returns the combined registers and the length of the loop in bytes.
#[inline(never)]
pub(crate) fn sized_chain(turns: usize) -> (u32, usize) {
    const { assert!(CHAIN_OPERATIONS == 50 * 5) };
    let result: u32;
    let (start, end): (usize, usize);
    register_turns!(6, 50, "r8",
        first ["lea {start}, [rip + 2f]"]
        ["xor ecx, eax", "xor edx, ecx", "xor esi, edx", "xor edi, esi", "xor eax, edi"]
        then ["3:", "lea {end}, [rip + 3b]"];
        inout("eax") 1u32 => result,
        inout("ecx") 2u32 => _,
        inout("edx") 3u32 => _,
        inout("esi") 4u32 => _,
        inout("edi") 5u32 => _,
        inout("r8") turns => _,
        start = out(reg) start,
        end = lateout(reg) end,
    );
    (result, end - start)
}

/// Dependent 32-bit multiplications: three cycles each on most cores.
#[inline(never)]
pub(crate) fn multiply_chain(turns: usize) -> u32 {
    const { assert!(MULTIPLY_OPERATIONS == 50 * 2) };
    let result: u32;
    register_turns!(6, 50, "r8", ["imul eax, ecx", "imul ecx, eax"];
        inout("eax") 3u32 => result,
        inout("ecx") 5u32 => _,
        inout("r8") turns => _,
    );
    result
}

/// Dependent single-precision multiplications of ones, four at a time. The exception flags are cleared first:
/// translators use their slow path until a result was inexact, and all of these are exact.
#[inline(never)]
pub(crate) fn float_chain(turns: usize) -> f32 {
    const { assert!(FLOAT_OPERATIONS == 50 * 2) };
    let result: f32;
    let mut control = 0u32;
    // SAFETY: works on the named registers and a variable only. Exception flags are not preserved over assembly; the
    // rest of the control word is restored.
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

/// Names of available CPU features, as in `/proc/cpuinfo`.
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
    found.into_iter().filter_map(|(name, present)| present.then_some(name)).collect()
}

/// Signature of QEMU's translator in the hypervisor leaf (0x4000_0000; `kvm_cpuid` of Linux, `target/i386/cpu.c` of
/// QEMU). KVM and others have other signatures.
pub fn translator() -> Option<&'static str> {
    const HYPERVISOR: u32 = 1 << 31;
    // SAFETY: every 64-bit x86 has CPUID. Newer compilers do not need the block.
    #[allow(unused_unsafe)]
    let cpuid = |leaf| unsafe { __cpuid(leaf) };
    let is_guest = cpuid(1).ecx & HYPERVISOR != 0;
    let leaf = is_guest.then(|| cpuid(0x4000_0000))?;
    let name = [leaf.ebx, leaf.ecx, leaf.edx].map(u32::to_le_bytes);
    (name.concat() == b"TCGTCGTCGTCG").then_some("QEMU TCG")
}
