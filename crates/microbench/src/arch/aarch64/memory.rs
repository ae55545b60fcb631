//! AArch64 memory routines: words, NEON, non-temporal pairs and `dc zva`.

use super::{has_zero_block, zero_block_register};
use crate::arch::plain;
use crate::routine::Routine;
use std::arch::asm;

copy_turns!(
    /// Copies 64 bytes a turn through pairs of general-purpose registers.
    copy_words [
        "ldp {a}, {b}, [{source}]", "ldp {c}, {d}, [{source}, #16]",
        "ldp {e}, {f}, [{source}, #32]", "ldp {g}, {h}, [{source}, #48]",
        "stp {a}, {b}, [{destination}]", "stp {c}, {d}, [{destination}, #16]",
        "stp {e}, {f}, [{destination}, #32]", "stp {g}, {h}, [{destination}, #48]",
        "add {source}, {source}, #64",
        "add {destination}, {destination}, #64",
    ];
    a = out(reg) _, b = out(reg) _, c = out(reg) _, d = out(reg) _,
    e = out(reg) _, f = out(reg) _, g = out(reg) _, h = out(reg) _,
);

/// Two pairs of 128-bit registers a turn.
macro_rules! copy_vectors {
    ($name:ident, $load:literal, $store:literal, $end:literal) => {
        copy_turns!(
            /// Copies 64 bytes a turn through pairs of vector registers.
            $name [
                concat!($load, " q0, q1, [{source}]"),
                concat!($load, " q2, q3, [{source}, #32]"),
                concat!($store, " q0, q1, [{destination}]"),
                concat!($store, " q2, q3, [{destination}, #32]"),
                "add {source}, {source}, #64",
                "add {destination}, {destination}, #64",
            ] then [$end];
            out("v0") _, out("v1") _, out("v2") _, out("v3") _,
        );
    };
}

copy_vectors!(copy_neon, "ldp", "stp", "");
// Non-temporal pairs are weakly ordered; the barrier completes them.
copy_vectors!(copy_neon_nt, "ldnp", "stnp", "dmb ish");

copy_turns!(
    /// Copies 64 bytes a turn with structure loads, as many NEON memcpy implementations do.
    copy_ld1 [
        "ld1 {{v0.16b, v1.16b, v2.16b, v3.16b}}, [{source}], #64",
        "st1 {{v0.16b, v1.16b, v2.16b, v3.16b}}, [{destination}], #64",
    ];
    out("v0") _, out("v1") _, out("v2") _, out("v3") _,
);

fill_turns!(
    /// Fills 64 bytes a turn from a general-purpose register.
    fill_words byte => word = u64::from_ne_bytes([byte; 8]); [
        "stp {word}, {word}, [{destination}]", "stp {word}, {word}, [{destination}, #16]",
        "stp {word}, {word}, [{destination}, #32]", "stp {word}, {word}, [{destination}, #48]",
        "add {destination}, {destination}, #64",
    ];
);

/// Two pairs of 128-bit stores a turn.
macro_rules! fill_vectors {
    ($name:ident, $store:literal, $end:literal) => {
        fill_turns!(
            /// Fills 64 bytes a turn from a vector register.
            $name byte => byte = u32::from(byte);
            first ["dup v0.16b, {byte:w}"] [
                concat!($store, " q0, q0, [{destination}]"),
                concat!($store, " q0, q0, [{destination}, #32]"),
                "add {destination}, {destination}, #64",
            ] then [$end];
            out("v0") _,
        );
    };
}

fill_vectors!(fill_neon, "stp", "");
fill_vectors!(fill_neon_nt, "stnp", "dmb ish");

/// Bytes per turn of `dc zva`: the largest block of the architecture, so that a turn is a whole number of blocks on
/// every core. All known cores have blocks of 64 bytes.
const ZERO_TURN: usize = 2048;

/// Zeroes one block at a time.
unsafe fn fill_zero_block(destination: *mut u8, _zero: u8, turns: usize) {
    let block = 4u64 << (zero_block_register() & 0xf);
    // SAFETY: the caller guarantees memory for `turns` turns, aligned to turns and thus to blocks, and that `dc zva` is
    // permitted.
    unsafe {
        asm!(
            ".p2align 5",
            "2:",
            "dc zva, {destination}",
            "add {destination}, {destination}, {block}",
            "subs {left}, {left}, {block}",
            "b.ne 2b",
            destination = inout(reg) destination => _,
            left = inout(reg) turns * ZERO_TURN => _,
            block = in(reg) block,
            options(nostack),
        );
    }
}

read_turns!(
    /// Reads 64 bytes a turn into general-purpose registers.
    read_words (sum0, sum1), (u64, u64) => sum0 ^ sum1; [
        "ldp {a}, {b}, [{source}]", "ldp {c}, {d}, [{source}, #16]",
        "ldp {e}, {f}, [{source}, #32]", "ldp {g}, {h}, [{source}, #48]",
        "eor {sum0}, {sum0}, {a}", "eor {sum1}, {sum1}, {b}",
        "eor {c}, {c}, {d}", "eor {e}, {e}, {f}", "eor {g}, {g}, {h}",
        "eor {sum0}, {sum0}, {c}", "eor {sum1}, {sum1}, {e}", "eor {sum0}, {sum0}, {g}",
        "add {source}, {source}, #64",
    ];
    sum0 = inout(reg) 0u64 => sum0,
    sum1 = inout(reg) 0u64 => sum1,
    a = out(reg) _, b = out(reg) _, c = out(reg) _, d = out(reg) _,
    e = out(reg) _, f = out(reg) _, g = out(reg) _, h = out(reg) _,
);

/// Two pairs of 128-bit loads a turn, summed in four registers.
macro_rules! read_vectors {
    ($name:ident, $load:literal) => {
        read_turns!(
            /// Reads 64 bytes a turn into pairs of vector registers.
            $name (low, high), (u64, u64) => low ^ high;
            first ["movi v4.2d, #0", "movi v5.2d, #0", "movi v6.2d, #0", "movi v7.2d, #0"] [
                concat!($load, " q0, q1, [{source}]"),
                concat!($load, " q2, q3, [{source}, #32]"),
                "eor v4.16b, v4.16b, v0.16b", "eor v5.16b, v5.16b, v1.16b",
                "eor v6.16b, v6.16b, v2.16b", "eor v7.16b, v7.16b, v3.16b",
                "add {source}, {source}, #64",
            ] then [
                "eor v4.16b, v4.16b, v5.16b", "eor v6.16b, v6.16b, v7.16b", "eor v4.16b, v4.16b, v6.16b",
                "umov {low}, v4.d[0]", "umov {high}, v4.d[1]",
            ];
            low = lateout(reg) low,
            high = lateout(reg) high,
            out("v0") _, out("v1") _, out("v2") _, out("v3") _,
            out("v4") _, out("v5") _, out("v6") _, out("v7") _,
        );
    };
}

read_vectors!(read_neon, "ldp");
read_vectors!(read_neon_nt, "ldnp");

/// Copy, fill and read routines for AArch64. All but `dc zva` accept any start address; the destination is aligned to
/// cache lines so that no store crosses two.
pub const ROUTINES: &[Routine] = &[
    plain::COPY_LIBC,
    plain::COPY_BACKWARDS,
    plain::COPY_TWO_PASSES,
    Routine::copying("copy-words", "Pairs of 64-bit registers.", 64, 4, copy_words).aligned(64, 1),
    Routine::copying("copy-neon", "Pairs of 128-bit registers.", 64, 2, copy_neon).aligned(64, 1),
    Routine::copying("copy-neon-ld1", "Structure loads of four 128-bit registers.", 64, 1, copy_ld1).aligned(64, 1),
    Routine::copying("copy-neon-nontemporal", "Pairs of 128-bit registers, non-temporal hint.", 64, 2, copy_neon_nt)
        .aligned(64, 1),
    plain::FILL_LIBC,
    plain::FILL_BACKWARDS,
    Routine::filling("fill-words", "Pairs of 64-bit registers.", 64, 4, fill_words).aligned(64, 1),
    Routine::filling("fill-neon", "Pairs of 128-bit registers.", 64, 2, fill_neon).aligned(64, 1),
    Routine::filling("fill-neon-nontemporal", "Pairs of 128-bit registers, non-temporal hint.", 64, 2, fill_neon_nt)
        .aligned(64, 1),
    Routine::filling("fill-dc-zva", "Zeroes whole cache blocks (DC ZVA).", ZERO_TURN, 0, fill_zero_block)
        .with_zeros()
        .aligned(ZERO_TURN, 1)
        .when(has_zero_block),
    plain::READ_COMPILED,
    Routine::reading("read-words", "Pairs of 64-bit registers.", 64, 4, read_words),
    Routine::reading("read-neon", "Pairs of 128-bit registers.", 64, 2, read_neon),
    Routine::reading("read-neon-nontemporal", "Pairs of 128-bit registers, non-temporal hint.", 64, 2, read_neon_nt),
];
