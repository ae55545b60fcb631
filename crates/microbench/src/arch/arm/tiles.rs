//! 32-bit Arm: multiplication of panels of matrices. NEON has single precision only.

use super::has_neon;
use crate::arch::plain;
use crate::flops::{Element, Kernel};
use std::arch::asm;

/// Adds a column of sums to one of the tile, in registers 8 and 9.
macro_rules! add_column {
    ($low:literal, $high:literal) => {
        concat!(
            "vldmia {product}, {{d8-d9}}\n",
            "vadd.f64 d8, d8, ",
            $low,
            "\n",
            "vadd.f64 d9, d9, ",
            $high,
            "\n",
            "vstmia {product}, {{d8-d9}}\n",
            "add {product}, {product}, {stride}"
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
        add_column!("d0", "d1"), add_column!("d2", "d3"), add_column!("d4", "d5"), add_column!("d6", "d7"),
    ];
    out("d0") _, out("d1") _, out("d2") _, out("d3") _, out("d4") _, out("d5") _, out("d6") _, out("d7") _,
    out("d8") _, out("d9") _, out("d10") _, out("d11") _, out("d12") _, out("d13") _,
);

/// One turn: two registers of rows by the four elements of two halves.
macro_rules! turn {
    ($low:literal, $high:literal, $first:literal, $second:literal, $load:literal) => {
        concat!(
            "vmla.f32 q8, ",
            $low,
            ", ",
            $first,
            "[0]\nvmla.f32 q9, ",
            $high,
            ", ",
            $first,
            "[0]\n",
            "vmla.f32 q10, ",
            $low,
            ", ",
            $first,
            "[1]\nvmla.f32 q11, ",
            $high,
            ", ",
            $first,
            "[1]\n",
            $load,
            "\n",
            "vmla.f32 q12, ",
            $low,
            ", ",
            $second,
            "[0]\nvmla.f32 q13, ",
            $high,
            ", ",
            $second,
            "[0]\n",
            "vmla.f32 q14, ",
            $low,
            ", ",
            $second,
            "[1]\nvmla.f32 q15, ",
            $high,
            ", ",
            $second,
            "[1]"
        )
    };
}

/// Adds a column of sums to one of the tile, in registers 1 and 2.
macro_rules! add_quads {
    ($low:literal, $high:literal) => {
        concat!(
            "vld1.32 {{d2-d5}}, [{product}]\n",
            "vadd.f32 q1, q1, ",
            $low,
            "\n",
            "vadd.f32 q2, q2, ",
            $high,
            "\n",
            "vst1.32 {{d2-d5}}, [{product}]\n",
            "add {product}, {product}, {stride}"
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
        turn!("q1", "q2", "d0", "d1", "vld1.32 {{d8-d11}}, [{left}]!"),
        "vld1.32 {{d0-d1}}, [{right}]!",
        turn!("q4", "q5", "d6", "d7", "vld1.32 {{d2-d5}}, [{left}]!"),
        "sub {turns}, {turns}, #1",
    ] then [
        add_quads!("q8", "q9"), add_quads!("q10", "q11"), add_quads!("q12", "q13"), add_quads!("q14", "q15"),
    ];
    // The compiler has no use for the registers from 16 on: it builds for cores without them.
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
