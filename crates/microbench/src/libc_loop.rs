//! Loop that calls `memcpy` or `memset` of the C library that it is linked with, as bytes to be inserted into a
//! program.
//!
//! A static program contains only the library that it was built with. To measure the distribution's library, `probe`
//! generates a program around these bytes at run time. The loop does only what must be next to the calls: it writes the
//! source once, makes one untimed call, then doubles the number of calls until enough time has passed, prints calls and
//! times as octal digits, and exits. Its instructions refer only to each other and to a block of words
//! [`DATA_DISTANCE`] bytes after their beginning, so that they run at any address.
//!
//! The loop is assembled here but never run here.

#![allow(unsafe_code)]

/// Instruction set of a distribution's programs.
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
    /// Bytes of a word and an address.
    pub const fn word_bytes(self) -> usize {
        match self {
            Self::X86_64 | Self::AArch64 | Self::RiscV64 => 8,
            Self::X86 | Self::Arm => 4,
        }
    }
}

/// Loop for one instruction set.
#[derive(Debug, Clone, Copy)]
pub struct LibcLoop {
    /// Instruction set.
    pub isa: Isa,
    /// Instructions of the loop; the first one is the entry point.
    pub code: fn() -> &'static [u8],
}

/// Distance from the first instruction to the block of words, in bytes.
pub const DATA_DISTANCE: usize = 0x1_0400;
/// Byte value for filling and for the source, as in our own routines.
pub const BYTE: u8 = 0x5a;

/// Layout of the block, in words. The generator of the program fills in all words before `CALLS`.
pub mod word {
    /// Address of `memset`.
    pub const FILL: usize = 0;
    /// Address of the measured function.
    pub const WORK: usize = 1;
    /// Address of the buffer that is filled before the measurement.
    pub const SOURCE: usize = 2;
    /// First argument of the measured function.
    pub const DESTINATION: usize = 3;
    /// Second argument.
    pub const ARGUMENT: usize = 4;
    /// Third argument, and length of the source in bytes.
    pub const LENGTH: usize = 5;
    /// Nanoseconds per second: 1,000,000,000.
    pub const SECOND_NS: usize = 6;
    /// The number of calls is doubled until this time has passed; below 4 s.
    pub const LEAST_NS: usize = 7;
    /// Number of calls in that time. This word and the next four are printed.
    pub const CALLS: usize = 8;
    /// Seconds and nanoseconds of the monotonic clock before the first call.
    pub const BEGIN: usize = 9;
    /// Seconds and nanoseconds after the last call.
    pub const END: usize = 11;
    /// Buffer for the printed text.
    pub const TEXT: usize = 13;
}

/// Number of words printed on the line.
pub const WORDS_PRINTED: usize = 5;

/// Octal digits of a word.
pub const fn digits(word_bytes: usize) -> usize {
    (word_bytes * 8).div_ceil(3)
}

/// Length of the line: each word is followed by a space or the newline.
pub const fn line_bytes(word_bytes: usize) -> usize {
    WORDS_PRINTED * (digits(word_bytes) + 1)
}

/// Loop for 32-bit Arm in builds whose assembler does not support it; a test of the build for Arm compares the bytes.
#[cfg(target_arch = "aarch64")]
pub(crate) const ARM: LibcLoop = LibcLoop { isa: Isa::Arm, code: || ARM_CODE };
/// Assembled bytes of the loop.
#[cfg(any(target_arch = "aarch64", test))]
const ARM_CODE: &[u8] = include_bytes!("arch/arm/libc_loop.bin");

/// Defines the constant of a loop from its name, instruction set, symbols, word size and lines; offsets in the block
/// have the names of [`word`] in lower case.
macro_rules! libc_loop {
    ($name:ident, $isa:ident, $begin:literal .. $end:literal, $bytes:literal, [$($line:literal,)*], $($operand:tt)*) => {
        // In read-only data, because the bytes are never run here, and global, because other codegen units refer to
        // them.
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
                // SAFETY: both symbols are the ends of the same constant bytes.
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

    /// The tables of the program precede the block, and the program begins on a page of 64 KiB.
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
