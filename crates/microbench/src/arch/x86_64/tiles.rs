//! x86-64: multiplication of panels of matrices. Cores without FMA run compiled code, in which the
//! compiler uses SSE2.
//!
//! A tile has two registers of rows, and as many columns as there are registers left. Each turn loads one column into
//! two registers and broadcasts the elements of one row. The sums are more than two units with a latency of four cycles
//! have in work.

use crate::arch::plain;
use crate::flops::{Element, Kernel};
use std::arch::asm;

/// Sums are registers 0 to 9 and 10 to 19, by column; `$columns` is the list of columns.
macro_rules! tile_fma {
    ($name:ident, $wide:literal, $bytes:literal, $columns:literal, $count:literal, $type:literal, $element:literal,
     $low:literal, $high:literal, $factor:literal) => {
        tile_turns!(
            #[doc = concat!("Two registers of ", $bytes, " bytes by ", $count, " columns.")]
            $name
            first [
                concat!(".irp column, ", $columns),
                "vxorps xmm\\column, xmm\\column, xmm\\column",
                "vxorps xmm1\\column, xmm1\\column, xmm1\\column",
                ".endr",
            ] [
                concat!("vmovups ", $wide, $low, ", [{left}]"),
                concat!("vmovups ", $wide, $high, ", [{left} + ", $bytes, "]"),
                "prefetcht0 [{left} + 1024]",
                concat!(".irp column, ", $columns),
                concat!("vbroadcasts", $type, " ", $wide, $factor, ", [{right} + ", $element, " * \\column]"),
                concat!("vfmadd231p", $type, " ", $wide, "\\column, ", $wide, $low, ", ", $wide, $factor),
                concat!("vfmadd231p", $type, " ", $wide, "1\\column, ", $wide, $high, ", ", $wide, $factor),
                ".endr",
                concat!("add {left}, 2 * ", $bytes),
                concat!("add {right}, ", $count, " * ", $element),
            ] then [
                concat!(".irp column, ", $columns),
                concat!("vaddp", $type, " ", $wide, "\\column, ", $wide, "\\column, [{product}]"),
                concat!("vaddp", $type, " ", $wide, "1\\column, ", $wide, "1\\column, [{product} + ", $bytes, "]"),
                concat!("vmovups [{product}], ", $wide, "\\column"),
                concat!("vmovups [{product} + ", $bytes, "], ", $wide, "1\\column"),
                "add {product}, {stride}",
                ".endr",
                "vzeroupper",
            ];
            // The compiler has no use for the registers from 16 on: they are of AVX-512.
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
            out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
            out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
            out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
        );
    };
}

macro_rules! tiles {
    ($avx512:ident, $avx2:ident, $type:literal, $element:literal) => {
        tile_fma!($avx512, "zmm", "64", "0,1,2,3,4,5,6,7,8,9", "10", $type, $element, "20", "21", "22");
        tile_fma!($avx2, "ymm", "32", "0,1,2,3,4,5", "6", $type, $element, "6", "7", "8");
    };
}

tiles!(double_avx512, double_avx2, "d", "8");
tiles!(single_avx512, single_avx2, "s", "4");

fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
}

fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

const AVX512: &str = "Multiply-adds of 512 bits.";
const AVX2: &str = "Multiply-adds of 256 bits.";

/// Kernels for x86-64.
pub const KERNELS: &[Kernel] = &[
    Kernel::new::<128, 80>("fp64-avx512", AVX512, Element::Double, double_avx512).when(has_avx512),
    Kernel::new::<64, 48>("fp64-avx2", AVX2, Element::Double, double_avx2).when(has_avx2),
    plain::DOUBLE,
    Kernel::new::<128, 40>("fp32-avx512", AVX512, Element::Single, single_avx512).when(has_avx512),
    Kernel::new::<64, 24>("fp32-avx2", AVX2, Element::Single, single_avx2).when(has_avx2),
    plain::SINGLE,
];
