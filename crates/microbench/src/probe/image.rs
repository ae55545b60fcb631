//! Writes a program around the loop: headers, loader tables, instructions, and the block of words.
//!
//! Its two segments are on different pages of 64 KiB, the largest page size of Linux. The first is read-only, the
//! second contains the block and the loader's data; both buffers are zeroed memory behind it.

use crate::arch::LIBC_LOOPS;
use crate::libc_loop::{BYTE, DATA_DISTANCE, word};
use crate::probe::elf::{
    Abi, CLASS_32, CLASS_64, LITTLE_ENDIAN, Layout, MAGIC, PT_DYNAMIC, PT_GNU_STACK, PT_INTERP, PT_LOAD, PT_PHDR,
};
use crate::probe::pattern::Pattern;
use crate::probe::tables::{Call, Tables, Writer};

/// Offset of the tables, after header and segments.
const TABLES_AT: usize = 0x1a0;
/// Offset of the instructions.
const CODE_AT: usize = 0x400;
/// Offset of the block of words in the file, and the difference to its address in memory.
const DATA_AT: usize = 0x800;
const PAGE: u64 = 0x1_0000;
/// Offset of the dynamic section, after the block and its text.
const DYNAMIC_AT: usize = DATA_AT + 0x200;
const _: () = assert!(DATA_AT + PAGE as usize - CODE_AT == DATA_DISTANCE);

const MIB: u64 = 1 << 20;
/// The buffers begin a third and two thirds after a MiB boundary, in multiples of the longest cache line, so that they
/// share neither cache sets nor offsets in a 4 KiB page.
const THIRD: u64 = MIB / 3 / 128 * 128;
/// A larger buffer would not fit into a 32-bit address space with the rest of the program.
const BUFFER_BYTES_MAX: u32 = 1 << 30;
/// The loop supports times below 4 s.
const LEAST_NS_MAX: u32 = 3_999_999_999;

/// Builds a program like the pattern that repeats the call until `least_ns` have passed and prints number and time of
/// the calls. Each of its two buffers has `buffer_bytes`.
///
/// # Errors
/// This build has no loop for such programs, or a number is out of range. The text is a sentence without its full stop.
pub fn image(pattern: &Pattern, call: Call, buffer_bytes: u32, least_ns: u32) -> Result<Vec<u8>, String> {
    let isa = pattern.abi.isa;
    let known = LIBC_LOOPS.iter().find(|known| known.isa == isa);
    let known = known.ok_or_else(|| format!("this build has no loop for programs of {isa:?}"))?;
    if !(1..=BUFFER_BYTES_MAX).contains(&buffer_bytes) || !(1..=LEAST_NS_MAX).contains(&least_ns) {
        return Err(format!("{buffer_bytes} bytes for {least_ns} ns cannot be measured"));
    }
    let length = u64::from(buffer_bytes);
    let source = MIB + THIRD;
    let destination = MIB + length.next_multiple_of(MIB) + MIB + 2 * THIRD;
    let mut block = [0; word::TEXT];
    block[word::SOURCE] = source;
    block[word::DESTINATION] = destination;
    block[word::ARGUMENT] = match call {
        Call::Copy => source,
        Call::Fill => u64::from(BYTE),
    };
    block[word::LENGTH] = length;
    block[word::SECOND_NS] = 1_000_000_000;
    block[word::LEAST_NS] = u64::from(least_ns);

    let mut file = Writer::new(pattern.abi.is_64());
    file.fill_up(TABLES_AT);
    let tables = Tables::write(&mut file, pattern, call, &block, DATA_AT as u64 + PAGE);
    file.fill_up(CODE_AT);
    file.bytes.extend_from_slice((known.code)());
    file.fill_up(DATA_AT);
    block.iter().for_each(|value| file.word(*value));
    file.fill_up(DYNAMIC_AT);
    tables.entries.iter().for_each(|(tag, value)| {
        file.word(*tag);
        file.word(*value);
    });
    let head = head(pattern, &tables, file.bytes.len() as u64, destination + length);
    file.bytes[..head.len()].copy_from_slice(&head);
    Ok(file.bytes)
}

/// Header and segments of a file of `file_bytes` that uses memory up to `memory_end`.
fn head(pattern: &Pattern, tables: &Tables, file_bytes: u64, memory_end: u64) -> Vec<u8> {
    const SHARED_OBJECT: u16 = 3;
    let Abi { machine, .. } = *pattern.abi;
    let layout = Layout::of(pattern.abi.is_64());
    let (data, dynamic) = (DATA_AT as u64, DYNAMIC_AT as u64);
    let (readable, writable) = (4, 6);
    // Type, flags, offset, address, length in the file and in memory, alignment.
    let headers = layout.header_bytes as u64;
    let segments = [
        (PT_PHDR, readable, headers, headers, 6 * layout.program_header_bytes as u64, None, 8),
        (PT_INTERP, readable, tables.loader, tables.loader, pattern.loader.len() as u64 + 1, None, 1),
        (PT_LOAD, readable | 1, 0, 0, data, None, PAGE),
        (PT_LOAD, writable, data, data + PAGE, file_bytes - data, Some(memory_end - data - PAGE), PAGE),
        (PT_DYNAMIC, writable, dynamic, dynamic + PAGE, file_bytes - dynamic, None, 8),
        // Without this entry loaders make the stack executable.
        (PT_GNU_STACK, writable, 0, 0, 0, None, 16),
    ];
    let mut head = Writer::new(layout.is_64);
    let class = if layout.is_64 { CLASS_64 } else { CLASS_32 };
    head.bytes.extend_from_slice(MAGIC);
    head.bytes.extend_from_slice(&[class, LITTLE_ENDIAN, 1]);
    head.fill_up(16);
    head.half(SHARED_OBJECT);
    head.half(machine);
    head.quarter(1);
    head.word(CODE_AT as u64);
    head.word(headers);
    head.word(0);
    head.quarter(pattern.flags);
    for value in [layout.header_bytes, layout.program_header_bytes, segments.len(), 0, 0, 0] {
        head.half(value as u16);
    }
    for (kind, rights, offset, address, length, in_memory, alignment) in segments {
        head.quarter(kind);
        if layout.is_64 {
            head.quarter(rights);
        }
        for value in [offset, address, address, length, in_memory.unwrap_or(length)] {
            head.word(value);
        }
        if !layout.is_64 {
            head.quarter(rights);
        }
        head.word(alignment);
    }
    head.bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::libc_loop::{Isa, line_bytes};

    #[test]
    fn programs_are_small_and_everything_has_its_place() {
        for known in LIBC_LOOPS {
            let long = "x".repeat(99);
            let pattern = Pattern::new(known.isa, 0, &format!("/{}", &long[1..]), &long);
            for call in [Call::Copy, Call::Fill] {
                let image = image(&pattern, call, 32 << 20, 500_000_000).unwrap();
                assert!((2000..3500).contains(&image.len()), "{:?}: {} bytes", known.isa, image.len());
                let code = (known.code)();
                assert_eq!(&image[CODE_AT..CODE_AT + code.len()], code);
            }
            assert!(CODE_AT + (known.code)().len() <= DATA_AT, "{:?}", known.isa);
            let bytes = known.isa.word_bytes();
            assert!(DATA_AT + word::TEXT * bytes + line_bytes(bytes) <= DYNAMIC_AT, "{:?}", known.isa);
        }
    }

    #[test]
    fn images_that_cannot_be_measured_are_refused() {
        let pattern = Pattern::new(LIBC_LOOPS[0].isa, 0, "/lib/ld.so", "libc.so");
        let check = |pattern: &Pattern, bytes, ns, expected: &str| {
            assert_eq!(image(pattern, Call::Fill, bytes, ns).unwrap_err(), expected);
        };
        check(&pattern, 0, 1, "0 bytes for 1 ns cannot be measured");
        check(&pattern, BUFFER_BYTES_MAX + 1, 1, "1073741825 bytes for 1 ns cannot be measured");
        check(&pattern, 1, 0, "1 bytes for 0 ns cannot be measured");
        check(&pattern, 1, u32::MAX, "1 bytes for 4294967295 ns cannot be measured");
        let all = [Isa::X86_64, Isa::X86, Isa::AArch64, Isa::Arm, Isa::RiscV64];
        let unknown = all.into_iter().find(|isa| LIBC_LOOPS.iter().all(|known| known.isa != *isa)).unwrap();
        let expected = format!("this build has no loop for programs of {unknown:?}");
        check(&Pattern::new(unknown, 0, "/lib/ld.so", "libc.so"), 1, 1, &expected);
    }
}
