//! RISC-V: multiplication of panels of matrices, by words and by vectors.

use super::has_vectors;
use crate::arch::plain;
use crate::flops::{Element, Kernel};
use std::arch::asm;

/// Multiplies rows in registers 16 to 19 by one element; a load may follow each multiplication.
macro_rules! column {
    ($type:literal, $factor:literal, $($row:literal $sum:literal $(then [$($load:expr),*])?),*) => {
        concat!($("fmadd.", $type, " f", $sum, ", f", $row, ", f", $factor, ", f", $sum, "\n", $($($load,)* "\n",)?)*)
    };
}

/// Adds four sums to a column of the tile.
macro_rules! add_column {
    ($type:literal, $load:literal, $store:literal, $bytes:literal, $($sum:literal),*) => {
        concat!(
            $($load, " f16, 0({product})\n",
            "fadd.", $type, " f16, f16, f", $sum, "\n",
            $store, " f16, 0({product})\n",
            "addi {product}, {product}, ", $bytes, "\n",)*
            "addi {product}, {product}, -4 * ", $bytes, "\n",
            "add {product}, {product}, {stride}"
        )
    };
}

/// Four by four registers. Each is loaded for the next turn right after its last use.
macro_rules! tile_words {
    ($name:ident, $type:literal, $load:literal, $store:literal, $bytes:literal) => {
        tile_turns!(
            /// Four rows by four columns.
            $name
            first [
                ".irp sum, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
                concat!("fcvt.", $type, ".w f\\sum, zero"),
                ".endr",
                ".irp at, 0,1,2,3",
                concat!($load, " f2\\at, \\at * ", $bytes, "({right})"),
                ".endr",
                concat!($load, " f16, 0({left})\n", $load, " f17, ", $bytes, "({left})"),
                concat!($load, " f18, 2 * ", $bytes, "({left})\n", $load, " f19, 3 * ", $bytes, "({left})"),
            ] [
                concat!("addi {left}, {left}, 4 * ", $bytes),
                concat!("addi {right}, {right}, 4 * ", $bytes),
                column!($type, "20", "16" "0", "17" "1", "18" "2", "19" "3" then [$load, " f20, 0({right})"]),
                column!($type, "21", "16" "4", "17" "5", "18" "6", "19" "7" then [$load, " f21, ", $bytes, "({right})"]),
                column!($type, "22", "16" "8", "17" "9", "18" "10", "19" "11" then [$load, " f22, 2 * ", $bytes, "({right})"]),
                column!($type, "23",
                    "16" "12" then [$load, " f16, 0({left})"], "17" "13" then [$load, " f17, ", $bytes, "({left})"],
                    "18" "14" then [$load, " f18, 2 * ", $bytes, "({left})"],
                    "19" "15" then [$load, " f19, 3 * ", $bytes, "({left})"]),
                concat!($load, " f23, 3 * ", $bytes, "({right})"),
            ] then [
                add_column!($type, $load, $store, $bytes, "0", "1", "2", "3"),
                add_column!($type, $load, $store, $bytes, "4", "5", "6", "7"),
                add_column!($type, $load, $store, $bytes, "8", "9", "10", "11"),
                add_column!($type, $load, $store, $bytes, "12", "13", "14", "15"),
            ];
            out("f0") _, out("f1") _, out("f2") _, out("f3") _,
            out("f4") _, out("f5") _, out("f6") _, out("f7") _,
            out("f8") _, out("f9") _, out("f10") _, out("f11") _,
            out("f12") _, out("f13") _, out("f14") _, out("f15") _,
            out("f16") _, out("f17") _, out("f18") _, out("f19") _,
            out("f20") _, out("f21") _, out("f22") _, out("f23") _,
        );
    };
}

tile_words!(double_words, "d", "fld", "fsd", "8");
tile_words!(single_words, "s", "flw", "fsw", "4");

/// One group of four vector registers by four columns, two turns at a time: the next column is loaded while one is
/// multiplied.
macro_rules! tile_vectors {
    ($name:ident, $rows:literal, $type:literal, $load:literal, $bits:literal, $bytes:literal) => {
        tile_turns!(
            #[doc = concat!($rows, " rows by four columns.")]
            $name
            first [
                ".option push",
                ".option arch, +v",
                concat!("li {rows}, ", $rows),
                concat!("vsetvli zero, {rows}, e", $bits, ", m4, ta, ma"),
                "vmv.v.i v0, 0", "vmv.v.i v4, 0", "vmv.v.i v8, 0", "vmv.v.i v12, 0",
                concat!("vle", $bits, ".v v16, ({left})"),
                ".irp at, 0,1,2,3",
                concat!($load, " f1\\at, \\at * ", $bytes, "({right})"),
                ".endr",
            ] [
                concat!("addi {left}, {left}, ", $rows, " * ", $bytes),
                concat!("vle", $bits, ".v v20, ({left})"),
                ".irp at, 0,1,2,3",
                concat!($load, " f2\\at, (4 + \\at) * ", $bytes, "({right})"),
                ".endr",
                "vfmacc.vf v0, f10, v16", "vfmacc.vf v4, f11, v16", "vfmacc.vf v8, f12, v16", "vfmacc.vf v12, f13, v16",
                concat!("addi {left}, {left}, ", $rows, " * ", $bytes),
                concat!("vle", $bits, ".v v16, ({left})"),
                concat!("addi {right}, {right}, 8 * ", $bytes),
                ".irp at, 0,1,2,3",
                concat!($load, " f1\\at, \\at * ", $bytes, "({right})"),
                ".endr",
                "vfmacc.vf v0, f20, v20", "vfmacc.vf v4, f21, v20", "vfmacc.vf v8, f22, v20", "vfmacc.vf v12, f23, v20",
                "addi {turns}, {turns}, -1",
            ] then [
                ".irp sum, 0,4,8,12",
                concat!("vle", $bits, ".v v16, ({product})"),
                "vfadd.vv v16, v16, v\\sum",
                concat!("vse", $bits, ".v v16, ({product})"),
                "add {product}, {product}, {stride}",
                ".endr",
                ".option pop",
            ];
            rows = out(reg) _,
            out("f10") _, out("f11") _, out("f12") _, out("f13") _,
            out("f20") _, out("f21") _, out("f22") _, out("f23") _,
            out("v0") _, out("v1") _, out("v2") _, out("v3") _,
            out("v4") _, out("v5") _, out("v6") _, out("v7") _,
            out("v8") _, out("v9") _, out("v10") _, out("v11") _,
            out("v12") _, out("v13") _, out("v14") _, out("v15") _,
            out("v16") _, out("v17") _, out("v18") _, out("v19") _,
            out("v20") _, out("v21") _, out("v22") _, out("v23") _,
        );
    };
}

tile_vectors!(double_rvv256, "16", "d", "fld", "64", "8");
tile_vectors!(double_rvv128, "8", "d", "fld", "64", "8");
tile_vectors!(single_rvv256, "32", "s", "flw", "32", "4");
tile_vectors!(single_rvv128, "16", "s", "flw", "32", "4");

/// True if vector registers have 256 bits or more. Longer ones are not used in full.
fn has_vectors_256() -> bool {
    has_vectors() && vector_bytes() >= 32
}

/// Length of a vector register; the extension guarantees 16 bytes.
fn vector_bytes() -> usize {
    let bytes: usize;
    // SAFETY: reads a register that every program may read where there are vectors.
    unsafe {
        asm!(
            ".option push", ".option arch, +v", "csrr {}, vlenb", ".option pop",
            out(reg) bytes, options(nomem, nostack, pure),
        );
    }
    bytes
}

const VECTORS: &str = "Multiply-adds of groups of four vector registers.";
const WORDS: &str = "Multiply-adds of one element.";

/// Kernels for RISC-V.
pub const KERNELS: &[Kernel] = &[
    Kernel::new::<128, 32>("fp64-rvv256", VECTORS, Element::Double, double_rvv256).when(has_vectors_256),
    Kernel::new::<64, 32>("fp64-rvv128", VECTORS, Element::Double, double_rvv128).when(has_vectors),
    Kernel::new::<32, 32>("fp64-words", WORDS, Element::Double, double_words),
    plain::DOUBLE,
    Kernel::new::<128, 16>("fp32-rvv256", VECTORS, Element::Single, single_rvv256).when(has_vectors_256),
    Kernel::new::<64, 16>("fp32-rvv128", VECTORS, Element::Single, single_rvv128).when(has_vectors),
    Kernel::new::<16, 16>("fp32-words", WORDS, Element::Single, single_words),
    plain::SINGLE,
];
