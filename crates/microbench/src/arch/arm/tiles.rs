//! 32-bit Arm: multiplication of panels of matrices. NEON has single precision only.

use super::has_neon;
use crate::arch::plain;
use crate::flops::{Element, Kernel};
use std::arch::asm;

/// Adds two sums to a column of the tile, in registers 8 and 9.
macro_rules! add_pair {
    ($low:literal, $high:literal) => {
        add_column!(
            "vldmia {product}, {{d8-d9}}", "vadd.f64", ["d8" $low, "d9" $high], "", "vstmia {product}, {{d8-d9}}"
        )
    };
}

tile_turns!(
    /// Two rows by four columns, in the sixteen registers that every core has.
    double_vfp
    first [
        ".irp sum, 0,1,2,3,4,5,6,7",
        "vmov.f64 d\\sum, #1.0",
        "vsub.f64 d\\sum, d\\sum, d\\sum",
        ".endr",
    ] [
        "vldmia {left}!, {{d8-d9}}",
        "vldmia {right}!, {{d10-d13}}",
        "vmla.f64 d0, d8, d10", "vmla.f64 d1, d9, d10", "vmla.f64 d2, d8, d11", "vmla.f64 d3, d9, d11",
        "vmla.f64 d4, d8, d12", "vmla.f64 d5, d9, d12", "vmla.f64 d6, d8, d13", "vmla.f64 d7, d9, d13",
    ] then [
        add_pair!("d0", "d1"), add_pair!("d2", "d3"), add_pair!("d4", "d5"), add_pair!("d6", "d7"),
    ];
    out("d0") _, out("d1") _, out("d2") _, out("d3") _, out("d4") _, out("d5") _, out("d6") _, out("d7") _,
    out("d8") _, out("d9") _, out("d10") _, out("d11") _, out("d12") _, out("d13") _,
);

/// Multiplies two registers of rows by elements: sums of both, and the element; a load may follow.
macro_rules! multiply {
    ($low:literal, $high:literal, $($low_sum:literal $high_sum:literal $element:literal $(then $load:literal)?),*) => {
        concat!($(
            "vmla.f32 ", $low_sum, ", ", $low, ", ", $element, "\n",
            "vmla.f32 ", $high_sum, ", ", $high, ", ", $element, "\n", $($load, "\n",)?
        )*)
    };
}

/// Adds two sums to a column of the tile, in registers 1 and 2.
macro_rules! add_quads {
    ($low:literal, $high:literal) => {
        add_column!(
            "vld1.32 {{d2-d5}}, [{product}]", "vadd.f32", ["q1" $low, "q2" $high], "", "vst1.32 {{d2-d5}}, [{product}]"
        )
    };
}

tile_turns!(
    /// Two registers by four columns. Two turns at a time: while one column is multiplied, the next is loaded.
    single_neon
    first [
        ".fpu neon",
        ".irp sum, 8,9,10,11,12,13,14,15",
        "vmov.i32 q\\sum, #0",
        ".endr",
        "vld1.32 {{d0-d1}}, [{right}]!",
        "vld1.32 {{d2-d5}}, [{left}]!",
    ] [
        "vld1.32 {{d6-d7}}, [{right}]!",
        multiply!("q1", "q2", "q8" "q9" "d0[0]", "q10" "q11" "d0[1]" then "vld1.32 {{d8-d11}}, [{left}]!",
            "q12" "q13" "d1[0]", "q14" "q15" "d1[1]"),
        "vld1.32 {{d0-d1}}, [{right}]!",
        multiply!("q4", "q5", "q8" "q9" "d6[0]", "q10" "q11" "d6[1]" then "vld1.32 {{d2-d5}}, [{left}]!",
            "q12" "q13" "d7[0]", "q14" "q15" "d7[1]"),
        "sub {turns}, {turns}, #1",
    ] then [
        add_quads!("q8", "q9"), add_quads!("q10", "q11"), add_quads!("q12", "q13"), add_quads!("q14", "q15"),
    ];
    // Registers from 16 on are not declared: the build target lacks them, so the compiler does not use them.
    out("d0") _, out("d1") _, out("d2") _, out("d3") _, out("d4") _, out("d5") _,
    out("d6") _, out("d7") _, out("d8") _, out("d9") _, out("d10") _, out("d11") _,
);

const VFP: &str = "Multiply-adds of one element.";
const NEON: &str = "Multiply-adds of 128 bits.";

/// Kernels for 32-bit Arm.
pub const KERNELS: &[Kernel] = &[
    Kernel::new::<16, 32>("fp64-vfp", VFP, Element::Double, double_vfp),
    plain::DOUBLE,
    Kernel::new::<32, 16>("fp32-neon", NEON, Element::Single, single_neon).when(has_neon),
    plain::SINGLE,
];
