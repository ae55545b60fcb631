//! Properties of a distribution's programs, read from one of them.
//!
//! The format is that of `elf(5)`. Every offset of the file is checked; an invalid file is an error with a reason.

use crate::libc_loop::Isa;
use crate::probe::elf::{
    ABIS, Abi, CLASS_32, CLASS_64, DT_NEEDED, DT_NULL, DT_STRTAB, LITTLE_ENDIAN, Layout, MAGIC, PT_DYNAMIC, PT_INTERP,
    PT_LOAD,
};

/// Maximum plausible length of a path or name.
const NAME_BYTES_MAX: usize = 100;
/// Maximum number of entries; programs have about ten segments and thirty entries.
const ENTRIES_MAX: usize = 1000;

/// Properties that a program needs to run on the distribution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    pub(crate) abi: &'static Abi,
    /// `e_flags`: variant of the instruction set's calling convention.
    pub(crate) flags: u32,
    /// Path of the loader.
    pub loader: String,
    /// Name of the C library in the dynamic section.
    pub libc: String,
}

impl Pattern {
    /// Properties of programs for an instruction set, with `e_flags`, loader and name of the C library.
    pub fn new(isa: Isa, flags: u32, loader: &str, libc: &str) -> Self {
        let abi = ABIS.iter().find(|abi| abi.isa == isa).expect("there is a row for each");
        Self { abi, flags, loader: loader.to_owned(), libc: libc.to_owned() }
    }

    /// Instruction set of the programs.
    pub fn isa(&self) -> Isa {
        self.abi.isa
    }
}

/// Parses a program.
///
/// # Errors
/// The file is not a program linked dynamically to a C library, or it is for another machine. The text is a predicate
/// without its full stop, whose subject is the file.
pub fn parse_program(bytes: &[u8]) -> Result<Pattern, String> {
    let elf = Elf::new(bytes)?;
    let machine = elf.half(18).ok_or("is cut off")?;
    let fits = |abi: &&Abi| abi.machine == machine && abi.is_64() == elf.layout.is_64;
    let abi = ABIS.iter().find(fits).ok_or_else(|| format!("is for machine {machine} of ELF"))?;
    let segments = elf.segments().ok_or("is cut off")?;
    let of_kind = |kind: u32| segments.iter().find(move |segment| segment.kind == kind);
    let loader = of_kind(PT_INTERP).ok_or("needs no loader: it is linked statically")?;
    let loader = elf.text(loader.offset).filter(|path| path.starts_with('/')).ok_or("names no loader")?;
    let dynamic = of_kind(PT_DYNAMIC).ok_or("has no dynamic section")?;
    let names = elf.needed(dynamic, &segments).ok_or("has a dynamic section that leads nowhere")?;
    let libc = names.into_iter().find(|name| name.starts_with("libc.")).ok_or("needs no C library by its name")?;
    let flags = elf.quarter(if abi.is_64() { 48 } else { 36 }).ok_or("is cut off")?;
    Ok(Pattern { abi, flags, loader: loader.to_owned(), libc: libc.to_owned() })
}

struct Elf<'a> {
    bytes: &'a [u8],
    layout: Layout,
}

#[derive(Debug)]
struct Segment {
    kind: u32,
    offset: u64,
    address: u64,
    length: u64,
}

impl<'a> Elf<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self, &'static str> {
        match bytes {
            [a, b, c, d, CLASS_32, LITTLE_ENDIAN, ..] if [*a, *b, *c, *d] == *MAGIC => {
                Ok(Self { bytes, layout: Layout::of(false) })
            }
            [a, b, c, d, CLASS_64, LITTLE_ENDIAN, ..] if [*a, *b, *c, *d] == *MAGIC => {
                Ok(Self { bytes, layout: Layout::of(true) })
            }
            [a, b, c, d, ..] if [*a, *b, *c, *d] == *MAGIC => Err("has its bytes in another order"),
            _ => Err("is not an ELF file"),
        }
    }

    fn array<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let at = usize::try_from(at).ok()?;
        self.bytes.get(at..at.checked_add(N)?)?.try_into().ok()
    }

    fn half(&self, at: u64) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }

    fn quarter(&self, at: u64) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }

    /// A word of the file's class.
    fn word(&self, at: u64) -> Option<u64> {
        if self.layout.is_64 { self.array(at).map(u64::from_le_bytes) } else { self.quarter(at).map(u64::from) }
    }

    /// NUL-terminated text.
    fn text(&self, at: u64) -> Option<&'a str> {
        let rest = self.bytes.get(usize::try_from(at).ok()?..)?;
        let length = rest.iter().take(NAME_BYTES_MAX).position(|byte| *byte == 0)?;
        let text = std::str::from_utf8(&rest[..length]).ok()?;
        text.bytes().all(|byte| byte.is_ascii_graphic()).then_some(text)
    }

    fn segments(&self) -> Option<Vec<Segment>> {
        let (places, count) = if self.layout.is_64 { (32, 56) } else { (28, 44) };
        let (first, count) = (self.word(places)?, self.half(count)?);
        let segment = |index: u64| {
            let at = first.checked_add(index * self.layout.program_header_bytes as u64)?;
            let word = |index: u64| self.word(at.checked_add(index * self.layout.word_bytes as u64)?);
            // In the 64-bit class the flags follow the type and complete the first word.
            let (kind, offset, address, length) = (self.quarter(at)?, word(1)?, word(2)?, word(4)?);
            Some(Segment { kind, offset, address, length })
        };
        (0..u64::from(count).min(ENTRIES_MAX as u64)).map(segment).collect()
    }

    /// Names of the required libraries.
    fn needed(&self, dynamic: &Segment, segments: &[Segment]) -> Option<Vec<&'a str>> {
        let entry_bytes = 2 * self.layout.word_bytes as u64;
        let entry = |index: u64| {
            let at = dynamic.offset.checked_add(index * entry_bytes)?;
            Some((self.word(at)?, self.word(at.checked_add(entry_bytes / 2)?)?))
        };
        let entries = (0..(dynamic.length / entry_bytes).min(ENTRIES_MAX as u64)).map_while(entry);
        let entries: Vec<(u64, u64)> = entries.take_while(|(tag, _)| *tag != DT_NULL).collect();
        let (_, names) = *entries.iter().find(|(tag, _)| *tag == DT_STRTAB)?;
        let is_there = |segment: &&Segment| {
            segment.kind == PT_LOAD && names.checked_sub(segment.address).is_some_and(|within| within < segment.length)
        };
        let loaded = segments.iter().find(is_there)?;
        let names = (names - loaded.address).checked_add(loaded.offset)?;
        let needed = entries.iter().filter(|(tag, _)| *tag == DT_NEEDED);
        Some(needed.filter_map(|(_, at)| self.text(names.checked_add(*at)?)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::LIBC_LOOPS;
    use crate::probe::image::image;
    use crate::probe::tables::Call;
    use proptest::prelude::*;

    fn patterns() -> impl Iterator<Item = Pattern> {
        LIBC_LOOPS.iter().map(|known| Pattern::new(known.isa, 5, "/lib/ld.so.1", "libc.so.6"))
    }

    fn image_of(pattern: &Pattern) -> Vec<u8> {
        image(pattern, Call::Copy, 1 << 20, 1000).unwrap()
    }

    #[test]
    fn written_pattern_is_read_again() {
        for pattern in patterns() {
            assert_eq!(parse_program(&image_of(&pattern)).as_ref(), Ok(&pattern));
        }
    }

    #[test]
    fn wrong_programs_are_named() {
        let pattern = patterns().next().unwrap();
        let whole = image_of(&pattern);
        let check = |change: &dyn Fn(&mut Vec<u8>), expected: &str| {
            let mut bytes = whole.clone();
            change(&mut bytes);
            assert_eq!(parse_program(&bytes).unwrap_err(), expected);
        };
        let segments = Layout::of(pattern.abi.is_64()).header_bytes;
        let segment = Layout::of(pattern.abi.is_64()).program_header_bytes;
        check(&|bytes| bytes.clear(), "is not an ELF file");
        check(&|bytes| bytes[0] = b'#', "is not an ELF file");
        check(&|bytes| bytes[5] = 2, "has its bytes in another order");
        check(&|bytes| bytes[18] = 0xee, "is for machine 238 of ELF");
        check(&|bytes| bytes.truncate(segments + 10), "is cut off");
        check(&|bytes| bytes[segments + segment] = 77, "needs no loader: it is linked statically");
        check(&|bytes| bytes[segments + 4 * segment] = 77, "has no dynamic section");
        let name = whole.windows(9).position(|bytes| bytes == b"libc.so.6").unwrap();
        check(&|bytes| bytes[name] = b'x', "needs no C library by its name");
        check(&|bytes| bytes[name + 3] = 1, "needs no C library by its name");
        let loader = whole.windows(5).position(|bytes| bytes == b"/lib/").unwrap();
        check(&|bytes| bytes[loader] = b'x', "names no loader");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse_program(&bytes);
        }

        #[test]
        fn damaged_programs_are_read(
            index in 0..LIBC_LOOPS.len(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
            length in any::<prop::sample::Index>(),
        ) {
            let mut bytes = image_of(&patterns().nth(index).unwrap());
            for (at, value) in changes {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            let _ = parse_program(&bytes);
            bytes.truncate(length.index(bytes.len()));
            let _ = parse_program(&bytes);
        }
    }
}
