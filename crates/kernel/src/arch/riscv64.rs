//! RISC-V, 64 bits: chains for the clock, heat, and memory routines with words and vectors.
//!
//! Vectors are used only where `riscv_hwprobe` reports them. Older ways to ask (`AT_HWCAP`,
//! `/proc/cpuinfo`) also say "v" on kernels of vendors whose cores have the unratified version 0.7.1,
//! on which the same encodings do something else.

use super::{CHAIN_OPERATIONS, FLOAT_OPERATIONS, MULTIPLY_OPERATIONS, plain};
use crate::routine::Routine;
use std::arch::asm;
use std::sync::LazyLock;

/// Dependent exclusive-ors over five registers. The registers have short encodings: 500 bytes.
#[inline(never)]
pub(crate) fn chain(turns: usize) -> u32 {
    const { assert!(CHAIN_OPERATIONS == 50 * 5) };
    let result: u64;
    // SAFETY: works on the named registers only.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 50",
            "xor a1, a1, a0",
            "xor a2, a2, a1",
            "xor a3, a3, a2",
            "xor a4, a4, a3",
            "xor a0, a0, a4",
            ".endr",
            "addi a5, a5, -1",
            "bnez a5, 2b",
            inout("a0") 1u64 => result,
            inout("a1") 2u64 => _,
            inout("a2") 3u64 => _,
            inout("a3") 4u64 => _,
            inout("a4") 5u64 => _,
            inout("a5") turns => _,
            options(nomem, nostack),
        );
    }
    result as u32
}

/// Dependent 32-bit multiplications: three to five cycles each.
#[inline(never)]
pub(crate) fn multiply_chain(turns: usize) -> u32 {
    const { assert!(MULTIPLY_OPERATIONS == 50 * 2) };
    let result: u64;
    // SAFETY: works on the named registers only.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            ".rept 50",
            "mulw {a}, {a}, {b}",
            "mulw {b}, {b}, {a}",
            ".endr",
            "addi {turns}, {turns}, -1",
            "bnez {turns}, 2b",
            a = inout(reg) 3u64 => result,
            b = inout(reg) 5u64 => _,
            turns = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
    result as u32
}

/// Dependent single-precision multiplications of ones. The exception flags are
/// cleared first, because translators take their slow way until a result was inexact, and these are
/// all exact.
#[inline(never)]
pub(crate) fn float_chain(turns: usize) -> f32 {
    const { assert!(FLOAT_OPERATIONS == 50 * 2) };
    let result: f32;
    // SAFETY: works on the named registers only.
    unsafe {
        asm!(
            "fsflags zero",
            ".p2align 6",
            "2:",
            ".rept 50",
            "fmul.s {a}, {a}, {b}",
            "fmul.s {b}, {b}, {a}",
            ".endr",
            "addi {turns}, {turns}, -1",
            "bnez {turns}, 2b",
            a = inout(freg) 1f32 => result,
            b = inout(freg) 1f32 => _,
            turns = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
    result
}

/// Multiply-adds on eight double-precision registers, each eight times a turn: returns the
/// floating-point operations done. The accumulators begin anew with every call and so stay far from
/// infinity.
#[inline(never)]
pub(crate) fn heat(turns: usize) -> u64 {
    // SAFETY: works on the named registers only.
    unsafe {
        asm!(
            ".p2align 5",
            "2:",
            ".rept 8",
            "fmadd.d {a}, {factor}, {factor}, {a}",
            "fmadd.d {b}, {factor}, {factor}, {b}",
            "fmadd.d {c}, {factor}, {factor}, {c}",
            "fmadd.d {d}, {factor}, {factor}, {d}",
            "fmadd.d {e}, {factor}, {factor}, {e}",
            "fmadd.d {f}, {factor}, {factor}, {f}",
            "fmadd.d {g}, {factor}, {factor}, {g}",
            "fmadd.d {h}, {factor}, {factor}, {h}",
            ".endr",
            "addi {turns}, {turns}, -1",
            "bnez {turns}, 2b",
            factor = in(freg) 0.123_456f64,
            turns = inout(reg) turns => _,
            a = inout(freg) 1f64 => _, b = inout(freg) 1f64 => _,
            c = inout(freg) 1f64 => _, d = inout(freg) 1f64 => _,
            e = inout(freg) 1f64 => _, f = inout(freg) 1f64 => _,
            g = inout(freg) 1f64 => _, h = inout(freg) 1f64 => _,
            options(nomem, nostack),
        );
    }
    // Eight repetitions, eight registers, one multiplication and one addition each.
    turns as u64 * 8 * 8 * 2
}

/// Copies 64 bytes a turn through general-purpose registers.
unsafe fn copy_words(destination: *mut u8, source: *const u8, turns: usize) {
    // SAFETY: the caller promises memory for `turns` turns, aligned to words.
    unsafe {
        asm!(
            ".p2align 5",
            "2:",
            "ld {a}, 0({source})",
            "ld {b}, 8({source})",
            "ld {c}, 16({source})",
            "ld {d}, 24({source})",
            "ld {e}, 32({source})",
            "ld {f}, 40({source})",
            "ld {g}, 48({source})",
            "ld {h}, 56({source})",
            "sd {a}, 0({destination})",
            "sd {b}, 8({destination})",
            "sd {c}, 16({destination})",
            "sd {d}, 24({destination})",
            "sd {e}, 32({destination})",
            "sd {f}, 40({destination})",
            "sd {g}, 48({destination})",
            "sd {h}, 56({destination})",
            "addi {source}, {source}, 64",
            "addi {destination}, {destination}, 64",
            "addi {turns}, {turns}, -1",
            "bnez {turns}, 2b",
            source = inout(reg) source => _,
            destination = inout(reg) destination => _,
            turns = inout(reg) turns => _,
            a = out(reg) _, b = out(reg) _, c = out(reg) _, d = out(reg) _,
            e = out(reg) _, f = out(reg) _, g = out(reg) _, h = out(reg) _,
            options(nostack),
        );
    }
}

/// Fills 64 bytes a turn from a general-purpose register.
unsafe fn fill_words(destination: *mut u8, byte: u8, turns: usize) {
    // SAFETY: the caller promises memory for `turns` turns, aligned to words.
    unsafe {
        asm!(
            ".p2align 5",
            "2:",
            "sd {word}, 0({destination})",
            "sd {word}, 8({destination})",
            "sd {word}, 16({destination})",
            "sd {word}, 24({destination})",
            "sd {word}, 32({destination})",
            "sd {word}, 40({destination})",
            "sd {word}, 48({destination})",
            "sd {word}, 56({destination})",
            "addi {destination}, {destination}, 64",
            "addi {turns}, {turns}, -1",
            "bnez {turns}, 2b",
            word = in(reg) u64::from_ne_bytes([byte; 8]),
            destination = inout(reg) destination => _,
            turns = inout(reg) turns => _,
            options(nostack),
        );
    }
}

/// Reads 64 bytes a turn into general-purpose registers.
unsafe fn read_words(source: *const u8, turns: usize) -> u64 {
    let (sum0, sum1): (u64, u64);
    // SAFETY: the caller promises memory for `turns` turns, aligned to words.
    unsafe {
        asm!(
            ".p2align 5",
            "2:",
            "ld {a}, 0({source})",
            "ld {b}, 8({source})",
            "ld {c}, 16({source})",
            "ld {d}, 24({source})",
            "ld {e}, 32({source})",
            "ld {f}, 40({source})",
            "ld {g}, 48({source})",
            "ld {h}, 56({source})",
            "xor {sum0}, {sum0}, {a}",
            "xor {sum1}, {sum1}, {b}",
            "xor {sum0}, {sum0}, {c}",
            "xor {sum1}, {sum1}, {d}",
            "xor {sum0}, {sum0}, {e}",
            "xor {sum1}, {sum1}, {f}",
            "xor {sum0}, {sum0}, {g}",
            "xor {sum1}, {sum1}, {h}",
            "addi {source}, {source}, 64",
            "addi {turns}, {turns}, -1",
            "bnez {turns}, 2b",
            source = inout(reg) source => _,
            turns = inout(reg) turns => _,
            sum0 = inout(reg) 0u64 => sum0,
            sum1 = inout(reg) 0u64 => sum1,
            a = out(reg) _, b = out(reg) _, c = out(reg) _, d = out(reg) _,
            e = out(reg) _, f = out(reg) _, g = out(reg) _, h = out(reg) _,
            options(nostack, readonly),
        );
    }
    sum0 ^ sum1
}

/// Copies turns of 64 bytes through groups of eight vector registers, whatever their length.
unsafe fn copy_vectors(destination: *mut u8, source: *const u8, turns: usize) {
    // SAFETY: the caller promises memory for `turns` turns and vectors.
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

/// Fills turns of 64 bytes from a group of eight vector registers, whatever their length.
unsafe fn fill_vectors(destination: *mut u8, byte: u8, turns: usize) {
    // SAFETY: the caller promises memory for `turns` turns and vectors.
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

/// Reads turns of 64 bytes into groups of eight vector registers, whatever their length.
unsafe fn read_vectors(source: *const u8, turns: usize) -> u64 {
    let sum: u64;
    // SAFETY: the caller promises memory for `turns` turns and vectors. The last group may be shorter;
    // `tu` keeps what the sum holds beyond it.
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

/// Extensions that `riscv_hwprobe` reports under its key 4 (`IMA_EXT_0`), see
/// `Documentation/arch/riscv/hwprobe.rst`; 0 where the kernel lacks the call (before 6.4).
fn extensions() -> u64 {
    const RISCV_HWPROBE: libc::c_long = 258;
    const KEY_IMA_EXT_0: i64 = 4;
    #[repr(C)]
    struct Pair {
        key: i64,
        value: u64,
    }
    let mut pair = Pair {
        key: KEY_IMA_EXT_0,
        value: 0,
    };
    // SAFETY: one pair to read and write; no CPU set means all CPUs; the kernel writes nothing else.
    let status = unsafe {
        let no_cpus = std::ptr::null_mut::<libc::c_ulong>();
        libc::syscall(RISCV_HWPROBE, &raw mut pair, 1usize, 0usize, no_cpus, 0u32)
    };
    // A kernel that does not know the key sets it to -1.
    if status == 0 && pair.key == KEY_IMA_EXT_0 {
        pair.value
    } else {
        0
    }
}

fn has_vectors() -> bool {
    // Set once, because the call is too slow to be made before every run.
    static VECTORS: LazyLock<bool> =
        LazyLock::new(|| extensions() & (1 << 2) != 0 || told_to_test_vectors());
    *VECTORS
}

/// Emulators that have vectors but not the call (QEMU 7.2 with `QEMU_CPU=rv64,v=true`) can still test
/// the loops: set `KERNEL_TEST_VECTORS`.
fn told_to_test_vectors() -> bool {
    cfg!(test) && std::env::var_os("KERNEL_TEST_VECTORS").is_some()
}

/// The ways to copy, fill and read memory on RISC-V. Words must be aligned: some cores trap on others.
pub const ROUTINES: &[Routine] = &[
    plain::COPY_LIBC,
    Routine::copying("copy-words", "64-bit loads and stores.", 64, 8, copy_words).aligned(64, 8),
    Routine::copying(
        "copy-rvv",
        "Groups of eight vector registers.",
        64,
        0,
        copy_vectors,
    )
    .aligned(64, 1)
    .when(has_vectors),
    plain::FILL_LIBC,
    Routine::filling("fill-words", "64-bit stores.", 64, 8, fill_words).aligned(64, 1),
    Routine::filling(
        "fill-rvv",
        "Groups of eight vector registers.",
        64,
        0,
        fill_vectors,
    )
    .aligned(64, 1)
    .when(has_vectors),
    plain::READ_COMPILED,
    Routine::reading("read-words", "64-bit loads.", 64, 8, read_words).aligned(1, 8),
    Routine::reading(
        "read-rvv",
        "Groups of eight vector registers.",
        64,
        0,
        read_vectors,
    )
    .aligned(1, 8)
    .when(has_vectors),
];

/// Names of the extensions found beyond the general-purpose ones, as `/proc/cpuinfo` calls them.
pub fn isa_features() -> Vec<&'static str> {
    let extensions = extensions();
    // Bits of the same document.
    let known = [
        ("c", 1),
        ("v", 2),
        ("zba", 3),
        ("zbb", 4),
        ("zbs", 5),
        ("zicboz", 6),
    ];
    known
        .into_iter()
        .filter_map(|(name, bit)| (extensions >> bit & 1 == 1).then_some(name))
        .collect()
}
