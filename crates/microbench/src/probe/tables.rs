//! Tables for the loader: symbols, their versions, relocations, names.

use crate::libc_loop::word;
use crate::probe::elf::{DT_NEEDED, DT_NULL, DT_STRTAB};
use crate::probe::pattern::Pattern;

/// Symbols by index in the table; the first is reserved.
const MEMSET: u64 = 1;
const MEMCPY: u64 = 2;
const SYMBOLS: u32 = 3;
/// C library with versioned symbols.
const GLIBC: &str = "libc.so.6";
/// Index of the only requested version; 1 means any.
const VERSION: u16 = 2;

/// Measured function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// `memcpy` from one buffer to another.
    Copy,
    /// `memset` of one buffer.
    Fill,
}

/// Location of the tables, in the form that loaders expect.
pub(crate) struct Tables {
    /// Offset of the loader's path.
    pub(crate) loader: u64,
    /// Entries of the dynamic section.
    pub(crate) entries: Vec<(u64, u64)>,
}

impl Tables {
    /// Writes all tables for a block of words at this address.
    pub(crate) fn write(file: &mut Writer, pattern: &Pattern, call: Call, block: &[u64], at: u64) -> Self {
        let mut names = Names::default();
        let (memset, memcpy) = (names.place("memset"), names.place("memcpy"));
        let libc = names.place(&pattern.libc);
        let loader = names.place(&pattern.loader);
        let version = pattern.abi.memcpy_version.filter(|_| pattern.libc == GLIBC);
        let version = version.map(|version| (names.place(version), hash(version)));

        let symbols = file.place();
        [0, memset, memcpy].into_iter().for_each(|name| file.symbol(name));
        let relocations = file.place();
        file.relocations(pattern, call, block, at);
        let relocation_bytes = file.place() - relocations;
        // Empty hash table: the program defines no symbols, but loaders require the table.
        let hashes = file.place();
        [1, SYMBOLS, 0, 0, 0, 0].into_iter().for_each(|value| file.quarter(value));
        let needs = file.place();
        if let Some((name, hash)) = version {
            file.version(libc, name, hash);
        }
        let versions = file.place();
        [0, 1, VERSION].into_iter().for_each(|value| file.half(value));
        let strings = file.place();
        file.bytes.extend_from_slice(&names.0);

        let is_64 = file.is_64;
        let by_class = |of_64: u64, of_32: u64| if is_64 { of_64 } else { of_32 };
        let mut entries = vec![
            (DT_NEEDED, u64::from(libc)),
            (4, hashes),
            (DT_STRTAB, strings),
            (6, symbols),
            (10, names.0.len() as u64),
            (11, by_class(24, 16)),
            // DT_RELA or DT_REL, total length, and length of one entry.
            (by_class(7, 17), relocations),
            (by_class(8, 18), relocation_bytes),
            (by_class(9, 19), by_class(24, 8)),
        ];
        if version.is_some() {
            entries.extend([(0x6fff_fff0, versions), (0x6fff_fffe, needs), (0x6fff_ffff, 1)]);
        }
        entries.push((DT_NULL, 0));
        Self { loader: strings + u64::from(loader), entries }
    }
}

/// Names, NUL-terminated, after an empty one.
struct Names(Vec<u8>);

impl Default for Names {
    fn default() -> Self {
        Self(vec![0])
    }
}

impl Names {
    fn place(&mut self, name: &str) -> u32 {
        let place = self.0.len() as u32;
        self.0.extend_from_slice(name.as_bytes());
        self.0.push(0);
        place
    }
}

/// Writer of little-endian bytes, with words of a class.
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
    is_64: bool,
}

impl Writer {
    pub(crate) fn new(is_64: bool) -> Self {
        Self { bytes: Vec::new(), is_64 }
    }

    pub(crate) fn half(&mut self, value: u16) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn quarter(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn word(&mut self, value: u64) {
        if self.is_64 { self.bytes.extend_from_slice(&value.to_le_bytes()) } else { self.quarter(value as u32) }
    }

    /// Pads with zeros up to this offset.
    pub(crate) fn fill_up(&mut self, to: usize) {
        assert!(self.bytes.len() <= to, "{} bytes of a program where {to} have room", self.bytes.len());
        self.bytes.resize(to, 0);
    }

    /// Next aligned offset for a table.
    fn place(&mut self) -> u64 {
        self.fill_up(self.bytes.len().next_multiple_of(8));
        self.bytes.len() as u64
    }

    /// Symbol that is defined in a library.
    fn symbol(&mut self, name: u32) {
        const GLOBAL_FUNCTION: u8 = 1 << 4 | 2;
        let kind = if name == 0 { 0 } else { GLOBAL_FUNCTION };
        self.quarter(name);
        if self.is_64 {
            self.bytes.extend_from_slice(&[kind, 0, 0, 0]);
            self.bytes.extend_from_slice(&[0; 16]);
        } else {
            self.bytes.extend_from_slice(&[0; 8]);
            self.bytes.extend_from_slice(&[kind, 0, 0, 0]);
        }
    }

    /// Words of the block that the loader fills in or relocates. The addend of an address is in the block itself.
    fn relocations(&mut self, pattern: &Pattern, call: Call, block: &[u64], at: u64) {
        let (work, is_moved) = match call {
            Call::Copy => (MEMCPY, true),
            Call::Fill => (MEMSET, false),
        };
        let word_bytes = if self.is_64 { 8 } else { 4 };
        let mut relocation = |index: usize, symbol: u64, kind: u32| {
            self.word(at + (index * word_bytes) as u64);
            match word_bytes {
                8 => {
                    self.word(symbol << 32 | u64::from(kind));
                    self.word(if symbol == 0 { block[index] } else { 0 });
                }
                _ => self.word(symbol << 8 | u64::from(kind)),
            }
        };
        relocation(word::FILL, MEMSET, pattern.abi.symbol);
        relocation(word::WORK, work, pattern.abi.symbol);
        relocation(word::SOURCE, 0, pattern.abi.relative);
        relocation(word::DESTINATION, 0, pattern.abi.relative);
        if is_moved {
            relocation(word::ARGUMENT, 0, pattern.abi.relative);
        }
    }

    /// Version that a library must have.
    fn version(&mut self, library: u32, name: u32, hash: u32) {
        const NEED_BYTES: u32 = 16;
        [1, 1].into_iter().for_each(|value| self.half(value));
        [library, NEED_BYTES, 0, hash].into_iter().for_each(|value| self.quarter(value));
        [0, VERSION].into_iter().for_each(|value| self.half(value));
        [name, 0].into_iter().for_each(|value| self.quarter(value));
    }
}

/// Hash of symbol names in ELF files ("System V Application Binary Interface", chapter 5).
fn hash(name: &str) -> u32 {
    name.bytes().fold(0, |hash: u32, byte| {
        let hash = (hash << 4).wrapping_add(u32::from(byte));
        let high = hash & 0xf000_0000;
        (hash ^ high >> 24) & !high
    })
}
