//! AArch64: multiplication of panels of matrices.
//!
//! A tile has four registers of rows and six columns: 24 sums, more than four units with a latency of four cycles have
//! in work. Each register is loaded for the next turn right after its last use, so that cores that execute in order do
//! not wait for it.

use crate::arch::plain;
use crate::flops::{Element, Kernel};
use std::arch::asm;

/// Multiplies the registers of rows, 24 to 27, by one element; `$load`s follow each multiplication.
macro_rules! column {
    ($form:literal, $factor:literal, $a:literal, $b:literal, $c:literal, $d:literal) => {
        column!($form, $factor, $a, $b, $c, $d, "", "", "", "")
    };
    ($form:literal, $factor:literal, $a:literal, $b:literal, $c:literal, $d:literal,
     $after_a:literal, $after_b:literal, $after_c:literal, $after_d:literal) => {
        concat!(
            "fmla v", $a, ".", $form, ", v24.", $form, ", v", $factor, "\n", $after_a, "\n", "fmla v", $b, ".", $form,
            ", v25.", $form, ", v", $factor, "\n", $after_b, "\n", "fmla v", $c, ".", $form, ", v26.", $form, ", v",
            $factor, "\n", $after_c, "\n", "fmla v", $d, ".", $form, ", v27.", $form, ", v", $factor, "\n", $after_d
        )
    };
}

/// Adds four sums to a column of the tile.
macro_rules! add_column {
    ($form:literal, $a:literal, $b:literal, $c:literal, $d:literal) => {
        concat!(
            "ldp q24, q25, [{product}]\n",
            "ldp q26, q27, [{product}, #32]\n",
            "fadd v24.",
            $form,
            ", v24.",
            $form,
            ", v",
            $a,
            ".",
            $form,
            "\n",
            "fadd v25.",
            $form,
            ", v25.",
            $form,
            ", v",
            $b,
            ".",
            $form,
            "\n",
            "fadd v26.",
            $form,
            ", v26.",
            $form,
            ", v",
            $c,
            ".",
            $form,
            "\n",
            "fadd v27.",
            $form,
            ", v27.",
            $form,
            ", v",
            $d,
            ".",
            $form,
            "\n",
            "stp q24, q25, [{product}]\n",
            "stp q26, q27, [{product}, #32]\n",
            "add {product}, {product}, {stride}"
        )
    };
}

/// Tile by form of registers, bytes of a row, places of its six elements, and where the registers that hold them are
/// loaded: after the second, fourth and sixth column.
macro_rules! tile {
    ($name:ident, $form:literal, $bytes:literal,
     [$f0:literal, $f1:literal, $f2:literal, $f3:literal, $f4:literal, $f5:literal],
     $load1:literal, $load3:literal, $load5:literal) => {
        tile_turns!(
            /// Four registers by six columns.
            $name
            first [
                ".irp sum, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23",
                "movi v\\sum\\().2d, #0",
                ".endr",
                "ldp q24, q25, [{left}]",
                "ldp q26, q27, [{left}, #32]",
                $load1, $load3, $load5,
                concat!("add {right}, {right}, #", $bytes),
                "add {left}, {left}, #64",
            ] [
                column!($form, $f0, "0", "1", "2", "3"),
                column!($form, $f1, "4", "5", "6", "7", "prfm pldl1keep, [{left}, #512]", "", "", $load1),
                column!($form, $f2, "8", "9", "10", "11"),
                column!($form, $f3, "12", "13", "14", "15", "", "", "", $load3),
                column!($form, $f4, "16", "17", "18", "19"),
                column!($form, $f5, "20", "21", "22", "23",
                    "ldr q24, [{left}]", "ldr q25, [{left}, #16]", "ldr q26, [{left}, #32]", "ldr q27, [{left}, #48]"),
                $load5,
                concat!("add {right}, {right}, #", $bytes),
                "add {left}, {left}, #64",
            ] then [
                add_column!($form, "0", "1", "2", "3"),
                add_column!($form, "4", "5", "6", "7"),
                add_column!($form, "8", "9", "10", "11"),
                add_column!($form, "12", "13", "14", "15"),
                add_column!($form, "16", "17", "18", "19"),
                add_column!($form, "20", "21", "22", "23"),
            ];
            out("v0") _, out("v1") _, out("v2") _, out("v3") _,
            out("v4") _, out("v5") _, out("v6") _, out("v7") _,
            out("v8") _, out("v9") _, out("v10") _, out("v11") _,
            out("v12") _, out("v13") _, out("v14") _, out("v15") _,
            out("v16") _, out("v17") _, out("v18") _, out("v19") _,
            out("v20") _, out("v21") _, out("v22") _, out("v23") _,
            out("v24") _, out("v25") _, out("v26") _, out("v27") _, out("v28") _, out("v29") _, out("v30") _,
        );
    };
}

tile!(
    double_neon,
    "2d",
    "48",
    ["28.d[0]", "28.d[1]", "29.d[0]", "29.d[1]", "30.d[0]", "30.d[1]"],
    "ldr q28, [{right}]",
    "ldr q29, [{right}, #16]",
    "ldr q30, [{right}, #32]"
);
tile!(
    single_neon,
    "4s",
    "24",
    ["28.s[0]", "28.s[1]", "28.s[2]", "28.s[3]", "29.s[0]", "29.s[1]"],
    "",
    "ldr q28, [{right}]",
    "ldr d29, [{right}, #16]"
);

const NEON: &str = "Multiply-adds of 128 bits.";

/// Kernels for AArch64.
pub const KERNELS: &[Kernel] = &[
    Kernel::new::<64, 48>("fp64-neon", NEON, Element::Double, double_neon),
    plain::DOUBLE,
    Kernel::new::<64, 24>("fp32-neon", NEON, Element::Single, single_neon),
    plain::SINGLE,
];
