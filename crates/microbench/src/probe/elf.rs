//! Shared definitions for reading and writing ELF files: constants named as in `elf(5)`, and differences between
//! instruction sets.

use crate::libc_loop::Isa;

pub(crate) const MAGIC: &[u8; 4] = b"\x7fELF";
pub(crate) const CLASS_32: u8 = 1;
pub(crate) const CLASS_64: u8 = 2;
pub(crate) const LITTLE_ENDIAN: u8 = 1;
pub(crate) const PT_LOAD: u32 = 1;
pub(crate) const PT_DYNAMIC: u32 = 2;
pub(crate) const PT_INTERP: u32 = 3;
pub(crate) const PT_PHDR: u32 = 6;
pub(crate) const PT_GNU_STACK: u32 = 0x6474_e551;
pub(crate) const DT_NULL: u64 = 0;
pub(crate) const DT_NEEDED: u64 = 1;
pub(crate) const DT_STRTAB: u64 = 5;

/// Properties of programs of one instruction set. Relocation types are those of its psABI.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Abi {
    pub(crate) isa: Isa,
    /// `e_machine`.
    pub(crate) machine: u16,
    /// Relocation that stores the address of a symbol.
    pub(crate) symbol: u32,
    /// Relocation that adds the load address of the program.
    pub(crate) relative: u32,
    /// Version of glibc's `memcpy` that programs are linked with, if an older version is still `memmove`.
    pub(crate) memcpy_version: Option<&'static str>,
}

/// All instruction sets with a loop.
pub(crate) const ABIS: &[Abi] = &[
    Abi { memcpy_version: Some("GLIBC_2.14"), ..abi(Isa::X86_64, 62, 6, 8) },
    abi(Isa::X86, 3, 6, 8),
    abi(Isa::AArch64, 183, 1025, 1027),
    abi(Isa::Arm, 40, 21, 23),
    abi(Isa::RiscV64, 243, 2, 3),
];

const fn abi(isa: Isa, machine: u16, symbol: u32, relative: u32) -> Abi {
    Abi { isa, machine, symbol, relative, memcpy_version: None }
}

impl Abi {
    /// True if its files are of the 64-bit class.
    pub(crate) const fn is_64(&self) -> bool {
        self.isa.word_bytes() == 8
    }
}

/// Sizes and offsets in files of a class.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) is_64: bool,
    pub(crate) word_bytes: usize,
    pub(crate) header_bytes: usize,
    pub(crate) program_header_bytes: usize,
}

impl Layout {
    pub(crate) const fn of(is_64: bool) -> Self {
        if is_64 {
            Self { is_64, word_bytes: 8, header_bytes: 64, program_header_bytes: 56 }
        } else {
            Self { is_64, word_bytes: 4, header_bytes: 52, program_header_bytes: 32 }
        }
    }
}
