//! x86-64: arithmetic on the widest unit, for maximum heat.
//!
//! Eight independent accumulators keep two units with a latency of four cycles busy. The factor is close to minus one,
//! so that values alternate and do not reach the fast cases zero, infinity or denormal.

use std::arch::asm;

/// Multiply-adds on eight vector registers, each eight times a turn. The two constants are broadcast from the lowest
/// lane of registers 8 and 9; the accumulators begin with the second.
macro_rules! heat_vectors {
    ($name:ident, $wide:literal, $lanes:literal, [$($register:literal),*]) => {
        #[doc = concat!("Returns the additions and multiplications done, on ", $lanes, " lanes.")]
        unsafe fn $name(turns: usize) -> u64 {
            register_turns!(5, 8, "{turns}",
                first [
                    concat!("vbroadcastss ", $wide, "8, xmm8\nvbroadcastss ", $wide, "9, xmm9"),
                    $(concat!("vmovaps ", $wide, $register, ", ", $wide, "9")),*
                ]
                [$(concat!("vfmadd213ps ", $wide, $register, ", ", $wide, "8, ", $wide, "9")),*]
                then ["vzeroupper"];
                turns = inout(reg) turns => _,
                inout("xmm8") FACTOR => _,
                inout("xmm9") SUMMAND => _,
                out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
            );
            // Eight repetitions, eight registers, one multiplication and one addition each.
            turns as u64 * 8 * 8 * 2 * $lanes
        }
    };
}

const FACTOR: f32 = -0.999_99;
const SUMMAND: f32 = 1.234_567;

heat_vectors!(heat_avx2, "ymm", 8, ["0", "1", "2", "3", "4", "5", "6", "7"]);
heat_vectors!(heat_avx512, "zmm", 16, ["0", "1", "2", "3", "4", "5", "6", "7"]);

/// Multiplications and additions on four registers of four lanes.
fn heat_sse2(turns: usize) -> u64 {
    register_turns!(5, 8, "{turns}",
        first [
            "shufps xmm8, xmm8, 0", "shufps xmm9, xmm9, 0",
            "movaps xmm0, xmm9", "movaps xmm1, xmm9", "movaps xmm2, xmm9", "movaps xmm3, xmm9",
        ] [
            "mulps xmm0, xmm8", "mulps xmm1, xmm8", "mulps xmm2, xmm8", "mulps xmm3, xmm8",
            "addps xmm0, xmm9", "addps xmm1, xmm9", "addps xmm2, xmm9", "addps xmm3, xmm9",
        ];
        turns = inout(reg) turns => _,
        inout("xmm8") FACTOR => _,
        inout("xmm9") SUMMAND => _,
        out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
    );
    turns as u64 * 8 * 4 * 2 * 4
}

/// Runs this many turns on the widest unit; returns the number of floating-point operations.
#[inline(never)]
pub(crate) fn heat(turns: usize) -> u64 {
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: AVX-512 is available.
        unsafe { heat_avx512(turns) }
    } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: AVX2 and FMA are available.
        unsafe { heat_avx2(turns) }
    } else {
        heat_sse2(turns)
    }
}
