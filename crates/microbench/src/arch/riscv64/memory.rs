//! RISC-V memory routines: words and vectors.

use super::has_vectors;
use crate::arch::plain;
use crate::routine::Routine;
use std::arch::asm;

copy_turns!(
    /// Copies 64 bytes a turn through general-purpose registers.
    copy_words [
        "ld {a}, 0({source})", "ld {b}, 8({source})", "ld {c}, 16({source})", "ld {d}, 24({source})",
        "ld {e}, 32({source})", "ld {f}, 40({source})", "ld {g}, 48({source})", "ld {h}, 56({source})",
        "sd {a}, 0({destination})", "sd {b}, 8({destination})", "sd {c}, 16({destination})", "sd {d}, 24({destination})",
        "sd {e}, 32({destination})", "sd {f}, 40({destination})", "sd {g}, 48({destination})", "sd {h}, 56({destination})",
        "addi {source}, {source}, 64",
        "addi {destination}, {destination}, 64",
    ];
    a = out(reg) _, b = out(reg) _, c = out(reg) _, d = out(reg) _,
    e = out(reg) _, f = out(reg) _, g = out(reg) _, h = out(reg) _,
);

fill_turns!(
    /// Fills 64 bytes a turn from a general-purpose register.
    fill_words byte => word = u64::from_ne_bytes([byte; 8]); [
        "sd {word}, 0({destination})", "sd {word}, 8({destination})",
        "sd {word}, 16({destination})", "sd {word}, 24({destination})",
        "sd {word}, 32({destination})", "sd {word}, 40({destination})",
        "sd {word}, 48({destination})", "sd {word}, 56({destination})",
        "addi {destination}, {destination}, 64",
    ];
);

read_turns!(
    /// Reads 64 bytes a turn into general-purpose registers.
    read_words (sum0, sum1), (u64, u64) => sum0 ^ sum1; [
        "ld {a}, 0({source})", "ld {b}, 8({source})", "ld {c}, 16({source})", "ld {d}, 24({source})",
        "ld {e}, 32({source})", "ld {f}, 40({source})", "ld {g}, 48({source})", "ld {h}, 56({source})",
        "xor {sum0}, {sum0}, {a}", "xor {sum1}, {sum1}, {b}", "xor {sum0}, {sum0}, {c}", "xor {sum1}, {sum1}, {d}",
        "xor {sum0}, {sum0}, {e}", "xor {sum1}, {sum1}, {f}", "xor {sum0}, {sum0}, {g}", "xor {sum1}, {sum1}, {h}",
        "addi {source}, {source}, 64",
    ];
    sum0 = inout(reg) 0u64 => sum0,
    sum1 = inout(reg) 0u64 => sum1,
    a = out(reg) _, b = out(reg) _, c = out(reg) _, d = out(reg) _,
    e = out(reg) _, f = out(reg) _, g = out(reg) _, h = out(reg) _,
);

/// Copies 64 bytes a turn through groups of eight vector registers of any length.
unsafe fn copy_vectors(destination: *mut u8, source: *const u8, turns: usize) {
    // SAFETY: the caller guarantees memory for `turns` turns and vector instructions.
    unsafe {
        asm!(
            ".option push",
            ".option arch, +v",
            "2:",
            "vsetvli {length}, {left}, e8, m8, ta, ma",
            "vle8.v v0, ({source})",
            "vse8.v v0, ({destination})",
            "add {source}, {source}, {length}",
            "add {destination}, {destination}, {length}",
            "sub {left}, {left}, {length}",
            "bnez {left}, 2b",
            ".option pop",
            source = inout(reg) source => _,
            destination = inout(reg) destination => _,
            left = inout(reg) turns * 64 => _,
            length = out(reg) _,
            out("v0") _, out("v1") _, out("v2") _, out("v3") _,
            out("v4") _, out("v5") _, out("v6") _, out("v7") _,
            options(nostack),
        );
    }
}

/// Fills 64 bytes a turn from a group of eight vector registers of any length.
unsafe fn fill_vectors(destination: *mut u8, byte: u8, turns: usize) {
    // SAFETY: the caller guarantees memory for `turns` turns and vector instructions.
    unsafe {
        asm!(
            ".option push",
            ".option arch, +v",
            "vsetvli {length}, zero, e8, m8, ta, ma",
            "vmv.v.x v0, {byte}",
            "2:",
            "vsetvli {length}, {left}, e8, m8, ta, ma",
            "vse8.v v0, ({destination})",
            "add {destination}, {destination}, {length}",
            "sub {left}, {left}, {length}",
            "bnez {left}, 2b",
            ".option pop",
            byte = in(reg) u64::from(byte),
            destination = inout(reg) destination => _,
            left = inout(reg) turns * 64 => _,
            length = out(reg) _,
            out("v0") _, out("v1") _, out("v2") _, out("v3") _,
            out("v4") _, out("v5") _, out("v6") _, out("v7") _,
            options(nostack),
        );
    }
}

/// Reads 64 bytes a turn into groups of eight vector registers of any length.
unsafe fn read_vectors(source: *const u8, turns: usize) -> u64 {
    let sum: u64;
    // SAFETY: the caller guarantees memory for `turns` turns and vector instructions. The last group may be shorter;
    // `tu` keeps the elements of the sum beyond it.
    unsafe {
        asm!(
            ".option push",
            ".option arch, +v",
            "vsetvli {length}, zero, e64, m8, ta, ma",
            "vmv.v.i v8, 0",
            "2:",
            "vsetvli {length}, {left}, e64, m8, tu, ma",
            "vle64.v v0, ({source})",
            "vxor.vv v8, v8, v0",
            "sub {left}, {left}, {length}",
            "slli {length}, {length}, 3",
            "add {source}, {source}, {length}",
            "bnez {left}, 2b",
            "vsetvli {length}, zero, e64, m8, ta, ma",
            "vmv.s.x v0, zero",
            "vredxor.vs v0, v8, v0",
            "vmv.x.s {sum}, v0",
            ".option pop",
            source = inout(reg) source => _,
            left = inout(reg) turns * 8 => _,
            length = out(reg) _,
            sum = lateout(reg) sum,
            out("v0") _, out("v1") _, out("v2") _, out("v3") _,
            out("v4") _, out("v5") _, out("v6") _, out("v7") _,
            out("v8") _, out("v9") _, out("v10") _, out("v11") _,
            out("v12") _, out("v13") _, out("v14") _, out("v15") _,
            options(nostack, readonly),
        );
    }
    sum
}

/// Copy, fill and read routines for RISC-V. Words must be aligned, because some cores trap on unaligned accesses.
pub const ROUTINES: &[Routine] = &[
    plain::COPY_LIBC,
    plain::COPY_BACKWARDS,
    plain::COPY_TWO_PASSES,
    Routine::copying("copy-words", "64-bit loads and stores.", 64, 8, copy_words).aligned(64, 8),
    Routine::copying("copy-rvv", "Groups of eight vector registers.", 64, 0, copy_vectors)
        .aligned(64, 1)
        .when(has_vectors),
    plain::FILL_LIBC,
    plain::FILL_BACKWARDS,
    Routine::filling("fill-words", "64-bit stores.", 64, 8, fill_words).aligned(64, 1),
    Routine::filling("fill-rvv", "Groups of eight vector registers.", 64, 0, fill_vectors)
        .aligned(64, 1)
        .when(has_vectors),
    plain::READ_COMPILED,
    Routine::reading("read-words", "64-bit loads.", 64, 8, read_words).aligned(1, 8),
    Routine::reading("read-rvv", "Groups of eight vector registers.", 64, 0, read_vectors)
        .aligned(1, 8)
        .when(has_vectors),
];
