//! Reads the machine and the requirements of an ELF file.
//!
//! Reads the few fields that tell a static binary from one that needs other files. The layout is
//! that of elf(5); only little endian, which all our targets are.

use anyhow::{Context, Result, bail, ensure};

/// Requirements of an ELF file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Elf {
    /// `e_machine`: 62 is x86-64, 183 AArch64, 40 Arm, 243 RISC-V.
    pub(super) machine: u16,
    /// The dynamic linker it asks for (`PT_INTERP`), if it does.
    pub(super) interpreter: Option<String>,
    /// Number of libraries it asks for (`DT_NEEDED`).
    pub(super) libraries: usize,
}

impl Elf {
    /// True if it runs without any other file.
    pub(super) fn is_static(&self) -> bool {
        self.interpreter.is_none() && self.libraries == 0
    }
}

const PT_DYNAMIC: u64 = 2;
const PT_INTERP: u64 = 3;
const DT_NEEDED: u64 = 1;

/// Offsets of fields that differ between the 32-bit and the 64-bit layout.
struct Layout {
    /// Size of an address or offset in bytes.
    word: usize,
    /// `e_phoff`, followed in the header by `e_phentsize` and `e_phnum` below.
    header_table: usize,
    entry_size: usize,
    entry_count: usize,
    /// `p_offset` and `p_filesz` in a program header.
    segment_offset: usize,
    segment_size: usize,
}

const ELF32: Layout =
    Layout { word: 4, header_table: 28, entry_size: 42, entry_count: 44, segment_offset: 4, segment_size: 16 };

const ELF64: Layout =
    Layout { word: 8, header_table: 32, entry_size: 54, entry_count: 56, segment_offset: 8, segment_size: 32 };

/// Reads an ELF file.
pub(super) fn parse(bytes: &[u8]) -> Result<Elf> {
    ensure!(bytes.starts_with(b"\x7fELF"), "not an ELF file");
    let layout = match bytes.get(4..6) {
        Some([1, 1]) => ELF32,
        Some([2, 1]) => ELF64,
        _ => bail!("neither 32 nor 64 bit little endian"),
    };
    let mut elf = Elf { machine: u16::try_from(number(bytes, 18, 2)?)?, interpreter: None, libraries: 0 };
    let table = position(bytes, layout.header_table, layout.word)?;
    let entry_size = position(bytes, layout.entry_size, 2)?;
    for index in 0..position(bytes, layout.entry_count, 2)? {
        let entry = table.saturating_add(index * entry_size);
        let kind = number(bytes, entry, 4)?;
        if kind != PT_DYNAMIC && kind != PT_INTERP {
            continue;
        }
        let segment = segment(bytes, entry, &layout)?;
        if kind == PT_INTERP {
            let path = segment.strip_suffix(b"\0").unwrap_or(segment);
            elf.interpreter = Some(String::from_utf8_lossy(path).into_owned());
        } else {
            elf.libraries = segment
                .chunks_exact(2 * layout.word)
                .filter(|entry| little_endian(&entry[..layout.word]) == DT_NEEDED)
                .count();
        }
    }
    Ok(elf)
}

/// The part of the file that a program header is about.
fn segment<'a>(bytes: &'a [u8], entry: usize, layout: &Layout) -> Result<&'a [u8]> {
    let start = position(bytes, entry.saturating_add(layout.segment_offset), layout.word)?;
    let size = position(bytes, entry.saturating_add(layout.segment_size), layout.word)?;
    bytes.get(start..start.saturating_add(size)).context("a segment lies outside of the file")
}

fn position(bytes: &[u8], at: usize, size: usize) -> Result<usize> {
    Ok(usize::try_from(number(bytes, at, size)?)?)
}

fn number(bytes: &[u8], at: usize, size: usize) -> Result<u64> {
    let field = bytes.get(at..at.saturating_add(size));
    field.map(little_endian).context("the file is cut short")
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A 64 bit file with these segments, put together by the tables of elf(5).
    fn elf64(segments: &[(u32, &[u8])]) -> Vec<u8> {
        let mut file = b"\x7fELF\x02\x01\x01".to_vec();
        file.resize(16, 0);
        file.extend(2u16.to_le_bytes()); // e_type
        file.extend(183u16.to_le_bytes()); // e_machine
        file.extend(1u32.to_le_bytes()); // e_version
        file.extend(0u64.to_le_bytes()); // e_entry
        file.extend(64u64.to_le_bytes()); // e_phoff
        file.extend(0u64.to_le_bytes()); // e_shoff
        file.extend(0u32.to_le_bytes()); // e_flags
        let count = u16::try_from(segments.len()).unwrap();
        for half in [64, 56, count, 0, 0, 0] {
            file.extend(half.to_le_bytes()); // sizes and counts
        }
        let mut offset = 64 + 56 * segments.len() as u64;
        for (kind, content) in segments {
            file.extend(kind.to_le_bytes());
            file.extend(0u32.to_le_bytes()); // p_flags
            let size = content.len() as u64;
            for word in [offset, 0, 0, size, size, 1] {
                file.extend(word.to_le_bytes());
            }
            offset += size;
        }
        segments.iter().for_each(|(_, content)| file.extend(*content));
        file
    }

    fn dynamic(tags: &[u64]) -> Vec<u8> {
        tags.iter().flat_map(|tag| [tag.to_le_bytes(), [0; 8]].concat()).collect()
    }

    #[test]
    fn static_and_dynamic_files_are_told_apart() {
        let load: (u32, &[u8]) = (1, b"code");
        let plain = parse(&elf64(&[load])).unwrap();
        assert_eq!(plain.machine, 183);
        assert!(plain.is_static());
        // A static position-independent file has a dynamic segment, for its own relocations.
        assert!(parse(&elf64(&[load, (2, &dynamic(&[7, 8, 0]))])).unwrap().is_static());

        let linked = parse(&elf64(&[(3, b"/lib/ld.so\0"), load, (2, &dynamic(&[1, 5, 1, 0]))]));
        let linked = linked.unwrap();
        assert_eq!(linked.interpreter.as_deref(), Some("/lib/ld.so"));
        assert_eq!(linked.libraries, 2);
        assert!(!linked.is_static());
        assert!(!parse(&elf64(&[(2, &dynamic(&[1, 0]))])).unwrap().is_static());
    }

    #[test]
    fn file_cut_short_is_refused() {
        let whole = elf64(&[(3, b"/lib/ld.so\0"), (2, &dynamic(&[1, 0]))]);
        assert!(parse(&whole).is_ok());
        for length in 0..whole.len() {
            assert!(parse(&whole[..length]).is_err(), "{length} bytes");
        }
        assert!(parse(b"#!/bin/sh\n").is_err());
    }

    #[test]
    fn test_binary_is_elf() {
        let itself = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let machine = match std::env::consts::ARCH {
            "x86_64" => 62,
            "aarch64" => 183,
            "arm" => 40,
            "riscv64" => 243,
            "x86" => 3,
            other => panic!("add the number of {other} from elf.h"),
        };
        assert_eq!(parse(&itself).unwrap().machine, machine);
    }
}
