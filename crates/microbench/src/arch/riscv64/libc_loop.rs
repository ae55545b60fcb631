//! Loop around the machine's own `memcpy` and `memset`.
//!
//! System calls: `include/uapi/asm-generic/unistd.h` in the kernel's source.

use crate::libc_loop::{DATA_DISTANCE, LibcLoop, libc_loop};

/// Loops that this machine may need.
pub const LIBC_LOOPS: &[LibcLoop] = &[RISCV64];

/// Distance that `auipc` adds to its own address, in pages of 4 KiB.
const PAGES: usize = DATA_DISTANCE >> 12;

libc_loop!(
    RISCV64,
    RiscV64,
    "sbc_bench_libc_loop_riscv64".."sbc_bench_libc_loop_riscv64_end",
    8,
    [
        ".option push",
        // A linker could relax addresses to offsets from `gp`, which another program does not set.
        ".option norelax",
        // All cores that run Linux have multiplication, but the assembler does not assume it.
        ".option arch, +m",
        "auipc s0, {pages}",
        "addi s0, s0, {within}",
        "ld a0, {source}(s0)",
        "li a1, {byte}",
        "ld a2, {length}(s0)",
        "ld a3, {fill}(s0)",
        "jalr a3",
        // Warm-up call outside the timed region.
        "jal ra, 6f",
        "addi a1, s0, {begin}",
        "jal ra, 7f",
        "li s1, 0",
        "li s2, 1",
        "2:",
        "add s1, s1, s2",
        "mv s3, s2",
        "3:",
        "jal ra, 6f",
        "addi s3, s3, -1",
        "bnez s3, 3b",
        "add s2, s2, s2",
        "addi a1, s0, {end}",
        "jal ra, 7f",
        "ld a0, {begin}(s0)",
        "ld a1, {end}(s0)",
        "sub a0, a1, a0",
        "ld a1, {second_ns}(s0)",
        "mul a0, a0, a1",
        "ld a1, {end_ns}(s0)",
        "add a0, a0, a1",
        "ld a1, {begin_ns}(s0)",
        "sub a0, a0, a1",
        "ld a1, {least_ns}(s0)",
        "bltu a0, a1, 2b",
        "sd s1, {calls}(s0)",
        "addi a1, s0, {calls}",
        "addi a2, s0, {text}",
        "li a3, {words}",
        "4:",
        "ld a4, 0(a1)",
        "addi a1, a1, 8",
        "li a5, {first_shift}",
        "5:",
        "srl a6, a4, a5",
        "andi a6, a6, 7",
        "addi a6, a6, 48",
        "sb a6, 0(a2)",
        "addi a2, a2, 1",
        "addi a5, a5, -3",
        "bgez a5, 5b",
        "li a6, 32",
        "sb a6, 0(a2)",
        "addi a2, a2, 1",
        "addi a3, a3, -1",
        "bnez a3, 4b",
        "li a6, 10",
        "sb a6, -1(a2)",
        // write(1, text, line_bytes), exit_group(0)
        "li a0, 1",
        "addi a1, s0, {text}",
        "li a2, {line_bytes}",
        "li a7, 64",
        "ecall",
        "li a0, 0",
        "li a7, 94",
        "ecall",
        // Calls the function under test and returns.
        "6:",
        "ld a0, {destination}(s0)",
        "ld a1, {argument}(s0)",
        "ld a2, {length}(s0)",
        "ld a3, {work}(s0)",
        "jr a3",
        // clock_gettime(CLOCK_MONOTONIC, a1)
        "7:",
        "li a0, 1",
        "li a7, 113",
        "ecall",
        "ret",
        ".option pop",
    ],
    pages = const PAGES,
    within = const DATA_DISTANCE - (PAGES << 12),
);
