//! RISC-V, 64 bits: chains for the clock, stress load, and CPU features; memory routines are in `memory.rs`.
//!
//! Vectors are used only if `riscv_hwprobe` reports them. Older interfaces (`AT_HWCAP`, `/proc/cpuinfo`) also report
//! "v" on vendor kernels for cores with the unratified version 0.7.1, which decodes the same instructions differently.

/// End of a loop.
macro_rules! again {
    ($turns:literal) => {
        concat!("addi ", $turns, ", ", $turns, ", -1\nbnez ", $turns, ", 2b")
    };
}

mod libc_loop;
mod memory;
mod tiles;

pub use libc_loop::LIBC_LOOPS;
pub use memory::ROUTINES;
pub use tiles::KERNELS;

use super::{CHAIN_OPERATIONS, FLOAT_OPERATIONS, MULTIPLY_OPERATIONS};
use std::arch::asm;
use std::sync::LazyLock;

/// Dependent exclusive-ors over five registers. The registers have short encodings: 500 bytes.
///
/// Returns the combined registers and the length of the loop in bytes.
#[inline(never)]
pub(crate) fn sized_chain(turns: usize) -> (u32, usize) {
    const { assert!(CHAIN_OPERATIONS == 50 * 5) };
    let result: u64;
    let (start, end): (usize, usize);
    register_turns!(6, 50, "a5",
        first ["lla {start}, 2f"]
        ["xor a1, a1, a0", "xor a2, a2, a1", "xor a3, a3, a2", "xor a4, a4, a3", "xor a0, a0, a4"]
        then ["3:", "lla {end}, 3b"];
        inout("a0") 1u64 => result,
        inout("a1") 2u64 => _,
        inout("a2") 3u64 => _,
        inout("a3") 4u64 => _,
        inout("a4") 5u64 => _,
        inout("a5") turns => _,
        start = out(reg) start,
        end = lateout(reg) end,
    );
    (result as u32, end - start)
}

/// Dependent 32-bit multiplications: three to five cycles each.
#[inline(never)]
pub(crate) fn multiply_chain(turns: usize) -> u32 {
    const { assert!(MULTIPLY_OPERATIONS == 50 * 2) };
    let result: u64;
    register_turns!(6, 50, "{turns}", ["mulw {a}, {a}, {b}", "mulw {b}, {b}, {a}"];
        a = inout(reg) 3u64 => result,
        b = inout(reg) 5u64 => _,
        turns = inout(reg) turns => _,
    );
    result as u32
}

/// Dependent single-precision multiplications of ones. The exception flags are cleared first: translators use their
/// slow path until a result was inexact, and all of these are exact.
#[inline(never)]
pub(crate) fn float_chain(turns: usize) -> f32 {
    const { assert!(FLOAT_OPERATIONS == 50 * 2) };
    let result: f32;
    register_turns!(6, 50, "{turns}", first ["fsflags zero"] ["fmul.s {a}, {a}, {b}", "fmul.s {b}, {b}, {a}"];
        a = inout(freg) 1f32 => result,
        b = inout(freg) 1f32 => _,
        turns = inout(reg) turns => _,
    );
    result
}

/// Multiply-adds on eight double-precision registers, each eight times a turn; returns the number of floating-point
/// operations. Every call resets the accumulators, so they stay far from infinity.
#[inline(never)]
pub(crate) fn heat(turns: usize) -> u64 {
    register_turns!(5, 8, "{turns}", [
            "fmadd.d {a}, {factor}, {factor}, {a}", "fmadd.d {b}, {factor}, {factor}, {b}",
            "fmadd.d {c}, {factor}, {factor}, {c}", "fmadd.d {d}, {factor}, {factor}, {d}",
            "fmadd.d {e}, {factor}, {factor}, {e}", "fmadd.d {f}, {factor}, {factor}, {f}",
            "fmadd.d {g}, {factor}, {factor}, {g}", "fmadd.d {h}, {factor}, {factor}, {h}",
        ];
        factor = in(freg) 0.123_456f64,
        turns = inout(reg) turns => _,
        a = inout(freg) 1f64 => _, b = inout(freg) 1f64 => _,
        c = inout(freg) 1f64 => _, d = inout(freg) 1f64 => _,
        e = inout(freg) 1f64 => _, f = inout(freg) 1f64 => _,
        g = inout(freg) 1f64 => _, h = inout(freg) 1f64 => _,
    );
    // Eight repetitions, eight registers, one multiplication and one addition each.
    turns as u64 * 8 * 8 * 2
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
    let mut pair = Pair { key: KEY_IMA_EXT_0, value: 0 };
    // SAFETY: one pair to read and write; an empty CPU set means all CPUs; the kernel writes nothing else.
    let status = unsafe {
        let no_cpus = std::ptr::null_mut::<libc::c_ulong>();
        libc::syscall(RISCV_HWPROBE, &raw mut pair, 1usize, 0usize, no_cpus, 0u32)
    };
    // A kernel without this key sets it to -1.
    if status == 0 && pair.key == KEY_IMA_EXT_0 { pair.value } else { 0 }
}

fn has_vectors() -> bool {
    // Cached, because the call is too slow to precede every run.
    static VECTORS: LazyLock<bool> = LazyLock::new(|| extensions() & (1 << 2) != 0 || vector_test_forced());
    *VECTORS
}

/// Forces the test of vector loops in emulators that have vectors but lack the call (QEMU 7.2 with
/// `QEMU_CPU=rv64,v=true`), by `KERNEL_TEST_VECTORS`.
fn vector_test_forced() -> bool {
    cfg!(test) && std::env::var_os("KERNEL_TEST_VECTORS").is_some()
}

/// Names of available extensions beyond the general-purpose ones, as in `/proc/cpuinfo`.
pub fn isa_features() -> Vec<&'static str> {
    let extensions = extensions();
    // Bits from the same document.
    let known = [("c", 1), ("v", 2), ("zba", 3), ("zbb", 4), ("zbs", 5), ("zicboz", 6)];
    known.into_iter().filter_map(|(name, bit)| (extensions >> bit & 1 == 1).then_some(name)).collect()
}

/// This architecture has no instruction that identifies a translator.
pub fn translator() -> Option<&'static str> {
    None
}
