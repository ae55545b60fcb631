//! Loop around the machine's own `memcpy` and `memset`, limited to instructions of ARMv5.
//!
//! System calls: `arch/arm/tools/syscall.tbl` in the kernel's source. Uses the clock call with 32-bit seconds, which
//! every kernel of these boards has; many lack the newer one.

use crate::libc_loop::{DATA_DISTANCE, LibcLoop, libc_loop};

/// Loops that this machine may need.
pub const LIBC_LOOPS: &[LibcLoop] = &[ARM];

/// Largest part of the distance that one instruction can add.
const HIGH: usize = DATA_DISTANCE & !0xffff;

libc_loop!(
    ARM,
    Arm,
    "sbc_bench_libc_loop_arm".."sbc_bench_libc_loop_arm_end",
    4,
    [
        ".arm",
        // PC reads as the address of the instruction plus 8.
        "add r4, pc, #{high}",
        "add r4, r4, #{low} - 8",
        "ldr r0, [r4, #{source}]",
        "mov r1, #{byte}",
        "ldr r2, [r4, #{length}]",
        "ldr r3, [r4, #{fill}]",
        "blx r3",
        // Warm-up call outside the timed region.
        "bl 6f",
        "add r1, r4, #{begin}",
        "bl 7f",
        "mov r5, #0",
        "mov r6, #1",
        "2:",
        "add r5, r5, r6",
        "mov r8, r6",
        "3:",
        "bl 6f",
        "subs r8, r8, #1",
        "bne 3b",
        "add r6, r6, r6",
        "add r1, r4, #{end}",
        "bl 7f",
        // From 4 s on nanoseconds do not fit into a word; the loop stops earlier.
        "ldr r0, [r4, #{begin}]",
        "ldr r1, [r4, #{end}]",
        "sub r1, r1, r0",
        "cmp r1, #4",
        "bhs 9f",
        "ldr r2, [r4, #{second_ns}]",
        "mul r3, r1, r2",
        "ldr r0, [r4, #{end_ns}]",
        "add r3, r3, r0",
        "ldr r0, [r4, #{begin_ns}]",
        "sub r3, r3, r0",
        "ldr r0, [r4, #{least_ns}]",
        "cmp r3, r0",
        "blo 2b",
        "9:",
        "str r5, [r4, #{calls}]",
        "add r0, r4, #{text}",
        "add r1, r4, #{calls}",
        "mov r2, #{words}",
        "4:",
        "ldr r3, [r1], #4",
        "mov r5, #{first_shift}",
        "5:",
        "mov r6, r3, lsr r5",
        "and r6, r6, #7",
        "add r6, r6, #48",
        "strb r6, [r0], #1",
        "subs r5, r5, #3",
        "bpl 5b",
        "mov r6, #32",
        "strb r6, [r0], #1",
        "subs r2, r2, #1",
        "bne 4b",
        "mov r6, #10",
        "strb r6, [r0, #-1]",
        // write(1, text, line_bytes), exit_group(0)
        "mov r0, #1",
        "add r1, r4, #{text}",
        "mov r2, #{line_bytes}",
        "mov r7, #4",
        "svc #0",
        "mov r0, #0",
        "mov r7, #248",
        "svc #0",
        // Calls the function under test and returns.
        "6:",
        "ldr r0, [r4, #{destination}]",
        "ldr r1, [r4, #{argument}]",
        "ldr r2, [r4, #{length}]",
        "ldr pc, [r4, #{work}]",
        // clock_gettime(CLOCK_MONOTONIC, r1): its number, 263, does not fit into an immediate.
        "7:",
        "mov r0, #1",
        "mov r7, #256",
        "add r7, r7, #7",
        "svc #0",
        "bx lr",
    ],
    high = const HIGH,
    low = const DATA_DISTANCE - HIGH,
);
