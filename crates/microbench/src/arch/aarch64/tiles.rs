//! AArch64: multiplication of panels of matrices.
//!
//! A tile has four registers of rows and six columns: 24 sums, enough for four units with a latency of four cycles. Each
//! register is loaded for the next turn right after its last use, so that in-order cores do not wait for it.

use crate::arch::plain;
use crate::flops::{Element, Kernel};
use std::arch::asm;

/// Multiplies the registers of rows, 24 to 27, by one element; a load may follow each multiplication.
macro_rules! column {
    ($form:literal, $factor:literal, $($row:literal $sum:literal $(then $load:literal)?),*) => {
        concat!($("fmla v", $sum, $form, ", v", $row, $form, ", v", $factor, "\n", $($load, "\n",)?)*)
    };
}

/// Adds four sums to a column of the tile.
macro_rules! add_sums {
    ($form:literal, $($to:literal $sum:literal),*) => {
        add_column!(
            "ldp q24, q25, [{product}]\nldp q26, q27, [{product}, #32]", "fadd", [$($to $sum),*], $form,
            "stp q24, q25, [{product}]\nstp q26, q27, [{product}, #32]"
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
                column!($form, $f0, "24" "0", "25" "1", "26" "2", "27" "3"),
                column!($form, $f1, "24" "4" then "prfm pldl1keep, [{left}, #512]", "25" "5", "26" "6", "27" "7" then $load1),
                column!($form, $f2, "24" "8", "25" "9", "26" "10", "27" "11"),
                column!($form, $f3, "24" "12", "25" "13", "26" "14", "27" "15" then $load3),
                column!($form, $f4, "24" "16", "25" "17", "26" "18", "27" "19"),
                column!($form, $f5,
                    "24" "20" then "ldr q24, [{left}]", "25" "21" then "ldr q25, [{left}, #16]",
                    "26" "22" then "ldr q26, [{left}, #32]", "27" "23" then "ldr q27, [{left}, #48]"),
                $load5,
                concat!("add {right}, {right}, #", $bytes),
                "add {left}, {left}, #64",
            ] then [
                add_sums!($form, "v24" "v0", "v25" "v1", "v26" "v2", "v27" "v3"),
                add_sums!($form, "v24" "v4", "v25" "v5", "v26" "v6", "v27" "v7"),
                add_sums!($form, "v24" "v8", "v25" "v9", "v26" "v10", "v27" "v11"),
                add_sums!($form, "v24" "v12", "v25" "v13", "v26" "v14", "v27" "v15"),
                add_sums!($form, "v24" "v16", "v25" "v17", "v26" "v18", "v27" "v19"),
                add_sums!($form, "v24" "v20", "v25" "v21", "v26" "v22", "v27" "v23"),
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
    ".2d",
    "48",
    ["28.d[0]", "28.d[1]", "29.d[0]", "29.d[1]", "30.d[0]", "30.d[1]"],
    "ldr q28, [{right}]",
    "ldr q29, [{right}, #16]",
    "ldr q30, [{right}, #32]"
);
tile!(
    single_neon,
    ".4s",
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
