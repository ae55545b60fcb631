//! The loop that calls `memcpy` or `memset` of the C library that it is bound to, as bytes to be put into a program.
//!
//! A static program has only the library that it was built with. What the distribution's does is measured by a
//! program of its own, made at run time around these bytes. The loop does no more than must be next to the calls: it
//! writes the source once, calls once without looking at the clock, then in doubling numbers until enough time has
//! passed, prints calls and times as octal digits, and ends. Its instructions refer to nothing but themselves and a
//! block of words [`DATA_DISTANCE`] bytes behind their beginning, so that they run wherever they are put.
//!
//! It is assembled here and never run here.

#![allow(unsafe_code)]

/// An instruction set, as programs of a distribution have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isa {
    /// 64-bit x86.
    X86_64,
    /// 32-bit x86, from the 386 on.
    X86,
    /// 64-bit Arm.
    AArch64,
    /// 32-bit Arm from ARMv5 on, with or without hardware floating point.
    Arm,
    /// 64-bit RISC-V.
    RiscV64,
}

impl Isa {
    /// Bytes of a word and of an address.
    pub const fn word_bytes(self) -> usize {
        match self {
            Self::X86_64 | Self::AArch64 | Self::RiscV64 => 8,
            Self::X86 | Self::Arm => 4,
        }
    }
}

/// The loop of one instruction set.
#[derive(Debug, Clone, Copy)]
pub struct LibcLoop {
    /// Which one.
    pub isa: Isa,
    /// Its instructions; the first one is where it begins.
    pub code: fn() -> &'static [u8],
}

/// From the first instruction to the block of words.
pub const DATA_DISTANCE: usize = 0x1_0400;
/// The byte that is filled with, and that the source consists of: that of our own routines.
pub const BYTE: u8 = 0x5a;

/// What stands where in the block, in words. The maker of the program fills in all before `CALLS`.
pub mod word {
    /// Address of `memset`.
    pub const FILL: usize = 0;
    /// Address of the function that is measured.
    pub const WORK: usize = 1;
    /// Address of the buffer that is filled before anything is measured.
    pub const SOURCE: usize = 2;
    /// First argument of what is measured.
    pub const DESTINATION: usize = 3;
    /// Second argument.
    pub const ARGUMENT: usize = 4;
    /// Third argument, and length of the source.
    pub const LENGTH: usize = 5;
    /// 1,000,000,000.
    pub const SECOND_NS: usize = 6;
    /// The calls are doubled until so much time has passed; below 4 s.
    pub const LEAST_NS: usize = 7;
    /// Calls in that time. This word and the next four are printed.
    pub const CALLS: usize = 8;
    /// Seconds and nanoseconds of the monotonic clock before the first of them.
    pub const BEGIN: usize = 9;
    /// The same after the last.
    pub const END: usize = 11;
    /// Where the text is made.
    pub const TEXT: usize = 13;
}

/// Words that are printed, in one line.
pub const WORDS_PRINTED: usize = 5;

/// Octal digits of a word, all of them.
pub const fn digits(word_bytes: usize) -> usize {
    (word_bytes * 8).div_ceil(3)
}

/// Length of the line: each word and a space or the end of the line.
pub const fn line_bytes(word_bytes: usize) -> usize {
    WORDS_PRINTED * (digits(word_bytes) + 1)
}

/// That of 32-bit Arm for builds whose assembler does not know it: a test of the build for Arm compares.
#[cfg(target_arch = "aarch64")]
pub(crate) const ARM: LibcLoop = LibcLoop { isa: Isa::Arm, code: || ARM_CODE };
/// Its bytes.
#[cfg(any(target_arch = "aarch64", test))]
const ARM_CODE: &[u8] = include_bytes!("arch/arm/libc_loop.bin");

/// Makes the constant of a loop: its name, instruction set, the symbols around it, bytes of a word, and its lines, in
/// which offsets in the block have the names of [`word`] in small letters.
macro_rules! libc_loop {
    ($name:ident, $isa:ident, $begin:literal .. $end:literal, $bytes:literal, [$($line:literal,)*], $($operand:tt)*) => {
        // Among the constants, as nobody runs it here, and to be found by other units of the compiler.
        std::arch::global_asm!(
            ".pushsection .rodata.libc_loop,\"a\"",
            ".p2align 3",
            concat!(".globl ", $begin),
            concat!(".hidden ", $begin),
            concat!(".globl ", $end),
            concat!(".hidden ", $end),
            concat!($begin, ":"),
            $($line,)*
            concat!($end, ":"),
            ".popsection",
            fill = const $crate::libc_loop::word::FILL * $bytes,
            work = const $crate::libc_loop::word::WORK * $bytes,
            source = const $crate::libc_loop::word::SOURCE * $bytes,
            destination = const $crate::libc_loop::word::DESTINATION * $bytes,
            argument = const $crate::libc_loop::word::ARGUMENT * $bytes,
            length = const $crate::libc_loop::word::LENGTH * $bytes,
            second_ns = const $crate::libc_loop::word::SECOND_NS * $bytes,
            least_ns = const $crate::libc_loop::word::LEAST_NS * $bytes,
            calls = const $crate::libc_loop::word::CALLS * $bytes,
            begin = const $crate::libc_loop::word::BEGIN * $bytes,
            begin_ns = const ($crate::libc_loop::word::BEGIN + 1) * $bytes,
            end = const $crate::libc_loop::word::END * $bytes,
            end_ns = const ($crate::libc_loop::word::END + 1) * $bytes,
            text = const $crate::libc_loop::word::TEXT * $bytes,
            byte = const $crate::libc_loop::BYTE,
            words = const $crate::libc_loop::WORDS_PRINTED,
            first_shift = const 3 * ($crate::libc_loop::digits($bytes) - 1),
            line_bytes = const $crate::libc_loop::line_bytes($bytes),
            $($operand)*
        );

        /// The loop.
        const $name: $crate::libc_loop::LibcLoop =
            $crate::libc_loop::LibcLoop { isa: $crate::libc_loop::Isa::$isa, code: || {
                unsafe extern "C" {
                    #[link_name = $begin]
                    static BEGIN: u8;
                    #[link_name = $end]
                    static END: u8;
                }
                // SAFETY: both stand at the two ends of the same bytes, which are constants of this program.
                unsafe {
                    let length = (&raw const END).offset_from_unsigned(&raw const BEGIN);
                    std::slice::from_raw_parts(&raw const BEGIN, length)
                }
            } };
    };
}
pub(crate) use libc_loop;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::LIBC_LOOPS;

    /// In front of the block lie the tables of the program, which begins on a page of 64 KiB.
    const CODE_BYTES_MAX: usize = 1024;

    #[test]
    fn loops_are_short_and_whole() {
        for entry in LIBC_LOOPS {
            let length = (entry.code)().len();
            assert!((150..CODE_BYTES_MAX).contains(&length), "{:?}: {length} bytes", entry.isa);
        }
        assert_eq!((digits(8), digits(4)), (22, 11));
        assert_eq!(BYTE, crate::routine::FILL_BYTE);
    }

    #[test]
    fn the_kept_loop_of_arm_is_the_assembled_one() {
        for entry in LIBC_LOOPS.iter().filter(|entry| entry.isa == Isa::Arm) {
            assert!((entry.code)() == ARM_CODE, "arch/arm/libc_loop.bin has to be: {:02x?}", (entry.code)());
        }
    }
}
