//! x86-64 memory routines: general-purpose words, SSE2, AVX2, AVX-512, non-temporal stores and the string instructions.
//!
//! The vector loops differ only in instruction, register and width, so three short macros generate them. Loads may be
//! unaligned, non-temporal stores may not.

use crate::arch::plain;
use crate::routine::Routine;
use std::arch::asm;

/// Four loads and four stores of a vector register a turn.
macro_rules! copy_vectors {
    ($name:ident, $register:literal, $width:literal, $load:literal, $store:literal, $end:literal) => {
        copy_turns!(
            #[doc = concat!("Copies turns of four times ", $width, " bytes.")]
            $name [
                concat!($load, " ", $register, "0, [{source}]"),
                concat!($load, " ", $register, "1, [{source} + ", $width, "]"),
                concat!($load, " ", $register, "2, [{source} + 2*", $width, "]"),
                concat!($load, " ", $register, "3, [{source} + 3*", $width, "]"),
                concat!($store, " [{destination}], ", $register, "0"),
                concat!($store, " [{destination} + ", $width, "], ", $register, "1"),
                concat!($store, " [{destination} + 2*", $width, "], ", $register, "2"),
                concat!($store, " [{destination} + 3*", $width, "], ", $register, "3"),
                concat!("add {source}, 4*", $width),
                concat!("add {destination}, 4*", $width),
            ] then [$end];
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
        );
    };
}

/// Four stores of a vector register a turn; `$spread` fills the register from a 64-bit word.
macro_rules! fill_vectors {
    ($name:ident, $register:literal, $width:literal, $spread:literal, $store:literal, $end:literal) => {
        fill_turns!(
            #[doc = concat!("Fills turns of four times ", $width, " bytes.")]
            $name byte => word = u64::from_ne_bytes([byte; 8]);
            first ["movq xmm0, {word}", $spread] [
                concat!($store, " [{destination}], ", $register, "0"),
                concat!($store, " [{destination} + ", $width, "], ", $register, "0"),
                concat!($store, " [{destination} + 2*", $width, "], ", $register, "0"),
                concat!($store, " [{destination} + 3*", $width, "], ", $register, "0"),
                concat!("add {destination}, 4*", $width),
            ] then [$end];
            out("xmm0") _,
        );
    };
}

/// Four exclusive-ors with memory a turn, folded into one 64-bit word at the end.
macro_rules! read_vectors {
    ($name:ident, $width:literal, [$a:literal, $b:literal, $c:literal, $d:literal], $clear:literal, $fold:literal) => {
        read_turns!(
            #[doc = concat!("Reads turns of four times ", $width, " bytes.")]
            $name sum, u64 => sum;
            first [$clear] [
                concat!($a, " [{source}]"),
                concat!($b, " [{source} + ", $width, "]"),
                concat!($c, " [{source} + 2*", $width, "]"),
                concat!($d, " [{source} + 3*", $width, "]"),
                concat!("add {source}, 4*", $width),
            ] then [$fold, "pshufd xmm1, xmm0, 0xee", "pxor xmm0, xmm1", "movq {sum}, xmm0"];
            sum = lateout(reg) sum,
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
        );
    };
}

copy_vectors!(copy_sse2, "xmm", "16", "movups", "movups", "");
copy_vectors!(copy_sse2_nt, "xmm", "16", "movups", "movntps", "sfence");
copy_vectors!(copy_avx2, "ymm", "32", "vmovups", "vmovups", "vzeroupper");
copy_vectors!(copy_avx2_nt, "ymm", "32", "vmovups", "vmovntps", "vzeroupper\nsfence");
copy_vectors!(copy_avx512, "zmm", "64", "vmovups", "vmovups", "vzeroupper");
copy_vectors!(copy_avx512_nt, "zmm", "64", "vmovups", "vmovntps", "vzeroupper\nsfence");

fill_vectors!(fill_sse2, "xmm", "16", "punpcklqdq xmm0, xmm0", "movups", "");
fill_vectors!(fill_sse2_nt, "xmm", "16", "punpcklqdq xmm0, xmm0", "movntps", "sfence");
fill_vectors!(fill_avx2, "ymm", "32", "vpbroadcastq ymm0, xmm0", "vmovups", "vzeroupper");
fill_vectors!(fill_avx2_nt, "ymm", "32", "vpbroadcastq ymm0, xmm0", "vmovntps", "vzeroupper\nsfence");
fill_vectors!(fill_avx512, "zmm", "64", "vpbroadcastq zmm0, xmm0", "vmovups", "vzeroupper");
fill_vectors!(fill_avx512_nt, "zmm", "64", "vpbroadcastq zmm0, xmm0", "vmovntps", "vzeroupper\nsfence");

read_vectors!(
    read_sse2,
    "16",
    ["pxor xmm0,", "pxor xmm1,", "pxor xmm2,", "pxor xmm3,"],
    "pxor xmm0, xmm0\npxor xmm1, xmm1\npxor xmm2, xmm2\npxor xmm3, xmm3",
    "pxor xmm0, xmm1\npxor xmm2, xmm3\npxor xmm0, xmm2"
);
read_vectors!(
    read_avx2,
    "32",
    ["vpxor ymm0, ymm0,", "vpxor ymm1, ymm1,", "vpxor ymm2, ymm2,", "vpxor ymm3, ymm3,"],
    "vpxor ymm0, ymm0, ymm0\nvpxor ymm1, ymm1, ymm1\n\
     vpxor ymm2, ymm2, ymm2\nvpxor ymm3, ymm3, ymm3",
    "vpxor ymm0, ymm0, ymm1\nvpxor ymm2, ymm2, ymm3\nvpxor ymm0, ymm0, ymm2\n\
     vextracti128 xmm1, ymm0, 1\nvzeroupper\npxor xmm0, xmm1"
);
read_vectors!(
    read_avx512,
    "64",
    ["vpxorq zmm0, zmm0,", "vpxorq zmm1, zmm1,", "vpxorq zmm2, zmm2,", "vpxorq zmm3, zmm3,"],
    "vpxorq zmm0, zmm0, zmm0\nvpxorq zmm1, zmm1, zmm1\n\
     vpxorq zmm2, zmm2, zmm2\nvpxorq zmm3, zmm3, zmm3",
    "vpxorq zmm0, zmm0, zmm1\nvpxorq zmm2, zmm2, zmm3\nvpxorq zmm0, zmm0, zmm2\n\
     vextracti64x4 ymm1, zmm0, 1\nvpxor ymm0, ymm0, ymm1\n\
     vextracti128 xmm1, ymm0, 1\nvzeroupper\npxor xmm0, xmm1"
);

copy_turns!(
    /// Copies 64 bytes a turn through general-purpose registers.
    copy_words [
        "mov {a}, [{source}]", "mov {b}, [{source} + 8]",
        "mov {c}, [{source} + 16]", "mov {d}, [{source} + 24]",
        "mov [{destination}], {a}", "mov [{destination} + 8], {b}",
        "mov [{destination} + 16], {c}", "mov [{destination} + 24], {d}",
        "mov {a}, [{source} + 32]", "mov {b}, [{source} + 40]",
        "mov {c}, [{source} + 48]", "mov {d}, [{source} + 56]",
        "mov [{destination} + 32], {a}", "mov [{destination} + 40], {b}",
        "mov [{destination} + 48], {c}", "mov [{destination} + 56], {d}",
        "add {source}, 64",
        "add {destination}, 64",
    ];
    a = out(reg) _, b = out(reg) _, c = out(reg) _, d = out(reg) _,
);

fill_turns!(
    /// Fills 64 bytes a turn from a general-purpose register.
    fill_words byte => word = u64::from_ne_bytes([byte; 8]); [
        "mov [{destination}], {word}", "mov [{destination} + 8], {word}",
        "mov [{destination} + 16], {word}", "mov [{destination} + 24], {word}",
        "mov [{destination} + 32], {word}", "mov [{destination} + 40], {word}",
        "mov [{destination} + 48], {word}", "mov [{destination} + 56], {word}",
        "add {destination}, 64",
    ];
);

read_turns!(
    /// Reads 64 bytes a turn into general-purpose registers.
    read_words (a, b, c, d), (u64, u64, u64, u64) => a ^ b ^ c ^ d; [
        "xor {a}, [{source}]", "xor {b}, [{source} + 8]", "xor {c}, [{source} + 16]", "xor {d}, [{source} + 24]",
        "xor {a}, [{source} + 32]", "xor {b}, [{source} + 40]", "xor {c}, [{source} + 48]", "xor {d}, [{source} + 56]",
        "add {source}, 64",
    ];
    a = inout(reg) 0u64 => a,
    b = inout(reg) 0u64 => b,
    c = inout(reg) 0u64 => c,
    d = inout(reg) 0u64 => d,
);

/// Copies by the string instruction; a turn is a 64-byte line.
unsafe fn copy_rep_movsb(destination: *mut u8, source: *const u8, turns: usize) {
    // SAFETY: the caller guarantees memory for `turns` turns; the ABI keeps the direction flag clear.
    unsafe {
        asm!(
            "rep movsb",
            inout("rcx") turns * 64 => _,
            inout("rdi") destination => _,
            inout("rsi") source => _,
            options(nostack, preserves_flags),
        );
    }
}

/// Fills by the string instruction; a turn is a 64-byte line.
unsafe fn fill_rep_stosb(destination: *mut u8, byte: u8, turns: usize) {
    // SAFETY: the caller guarantees memory for `turns` turns; the ABI keeps the direction flag clear.
    unsafe {
        asm!(
            "rep stosb",
            inout("rcx") turns * 64 => _,
            inout("rdi") destination => _,
            in("al") byte,
            options(nostack, preserves_flags),
        );
    }
}

fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
}

fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
}

/// Copy, fill and read routines for x86-64.
///
/// Non-temporal stores start on a cache line, so that every write-combining buffer is flushed full.
pub const ROUTINES: &[Routine] = &[
    plain::COPY_LIBC,
    plain::COPY_BACKWARDS,
    plain::COPY_TWO_PASSES,
    Routine::copying("copy-words", "64-bit loads and stores.", 64, 8, copy_words),
    Routine::copying("copy-sse2", "128-bit loads and stores.", 64, 4, copy_sse2),
    Routine::copying("copy-sse2-nontemporal", "128-bit loads, non-temporal stores.", 64, 4, copy_sse2_nt)
        .aligned(64, 1),
    Routine::copying("copy-avx2", "256-bit loads and stores.", 128, 4, copy_avx2).when(has_avx2),
    Routine::copying("copy-avx2-nontemporal", "256-bit loads, non-temporal stores.", 128, 4, copy_avx2_nt)
        .aligned(64, 1)
        .when(has_avx2),
    Routine::copying("copy-avx512", "512-bit loads and stores.", 256, 4, copy_avx512).when(has_avx512),
    Routine::copying("copy-avx512-nontemporal", "512-bit loads, non-temporal stores.", 256, 4, copy_avx512_nt)
        .aligned(64, 1)
        .when(has_avx512),
    Routine::copying("copy-rep-movsb", "String instruction (rep movsb, rep stosb).", 64, 0, copy_rep_movsb),
    plain::FILL_LIBC,
    plain::FILL_BACKWARDS,
    Routine::filling("fill-words", "64-bit stores.", 64, 8, fill_words),
    Routine::filling("fill-sse2", "128-bit stores.", 64, 4, fill_sse2),
    Routine::filling("fill-sse2-nontemporal", "128-bit non-temporal stores.", 64, 4, fill_sse2_nt).aligned(64, 1),
    Routine::filling("fill-avx2", "256-bit stores.", 128, 4, fill_avx2).when(has_avx2),
    Routine::filling("fill-avx2-nontemporal", "256-bit non-temporal stores.", 128, 4, fill_avx2_nt)
        .aligned(64, 1)
        .when(has_avx2),
    Routine::filling("fill-avx512", "512-bit stores.", 256, 4, fill_avx512).when(has_avx512),
    Routine::filling("fill-avx512-nontemporal", "512-bit non-temporal stores.", 256, 4, fill_avx512_nt)
        .aligned(64, 1)
        .when(has_avx512),
    Routine::filling("fill-rep-stosb", "String instruction (rep movsb, rep stosb).", 64, 0, fill_rep_stosb),
    plain::READ_COMPILED,
    Routine::reading("read-words", "64-bit loads.", 64, 8, read_words),
    Routine::reading("read-sse2", "128-bit loads.", 64, 4, read_sse2).aligned(1, 16),
    Routine::reading("read-avx2", "256-bit loads.", 128, 4, read_avx2).when(has_avx2),
    Routine::reading("read-avx512", "512-bit loads.", 256, 4, read_avx512).when(has_avx512),
];
