//! Memory modules in the firmware's tables (SMBIOS 3.7, 7.18: Memory Device, type 17).

use record::MemoryModule;

const MEMORY_DEVICE: u8 = 17;
const END: u8 = 127;

/// Structure: type, formatted part, and strings.
struct Structure<'a> {
    kind: u8,
    formatted: &'a [u8],
    strings: &'a [u8],
}

impl<'a> Structure<'a> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.formatted.get(at).copied()
    }

    fn word(&self, at: usize) -> Option<u16> {
        Some(u16::from_le_bytes([self.byte(at)?, self.byte(at + 1)?]))
    }

    fn long(&self, at: usize) -> Option<u32> {
        let bytes = self.formatted.get(at..at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    /// String whose number is at this offset; strings are counted from 1.
    fn string(&self, at: usize) -> Option<String> {
        let number = usize::from(self.byte(at)?);
        let bytes: &'a [u8] = self.strings.split(|byte| *byte == 0).nth(number.checked_sub(1)?)?;
        let text = String::from_utf8_lossy(bytes).trim().to_owned();
        let filler = ["", "Unknown", "Not Specified", "None", "NO DIMM", "Undefined"];
        (!filler.contains(&text.as_str())).then_some(text)
    }
}

/// Splits the table into structures: a formatted part with its length, then strings that end with two zeros.
fn structures(mut table: &[u8]) -> Vec<(usize, Structure<'_>)> {
    let whole = table.len();
    let mut found = Vec::new();
    while let [kind, length, ..] = table {
        let length = usize::from(*length);
        if length < 4 || length > table.len() {
            break;
        }
        let (formatted, rest) = table.split_at(length);
        let Some(end) = rest.windows(2).position(|pair| pair == [0, 0]) else { break };
        let at = whole - table.len();
        let structure = Structure { kind: *kind, formatted, strings: &rest[..=end] };
        found.push((at, structure));
        if *kind == END {
            break;
        }
        table = &rest[end + 2..];
    }
    found
}

/// All plugged or soldered modules.
pub(super) fn parse(table: &[u8]) -> Vec<MemoryModule> {
    structures(table)
        .iter()
        .filter(|(_, structure)| structure.kind == MEMORY_DEVICE)
        .filter_map(|(_, structure)| module(structure))
        .collect()
}

fn module(structure: &Structure) -> Option<MemoryModule> {
    let size_mib = match structure.word(0x0c)? {
        0 => return None,
        0xffff => None,
        0x7fff => structure.long(0x1c).map(|mib| u64::from(mib & 0x7fff_ffff)),
        size if size & 0x8000 != 0 => Some(u64::from(size & 0x7fff) / 1024),
        size => Some(u64::from(size)),
    };
    // Rates beyond 65,534 MT/s are in a longer field.
    let rate = |short: usize, long: usize| match structure.word(short)? {
        0 => None,
        0xffff => structure.long(long).filter(|rate| *rate > 0),
        rate => Some(u32::from(rate)),
    };
    Some(MemoryModule {
        from: "DMI".into(),
        slot: structure.string(0x10).unwrap_or_default(),
        kind: kind(structure.byte(0x12)?).to_owned(),
        size_mib,
        rate_mt_max: rate(0x15, 0x54),
        rate_mt: rate(0x20, 0x58),
        maker: structure.string(0x17),
        part: structure.string(0x1a),
    })
}

/// Memory types (SMBIOS 3.7, table 78).
fn kind(code: u8) -> &'static str {
    match code {
        0x07 => "RAM",
        0x0f => "SDRAM",
        0x12 => "DDR",
        0x13 => "DDR2",
        0x18 => "DDR3",
        0x1a => "DDR4",
        0x1b => "LPDDR",
        0x1c => "LPDDR2",
        0x1d => "LPDDR3",
        0x1e => "LPDDR4",
        0x20 => "HBM",
        0x21 => "HBM2",
        0x22 => "DDR5",
        0x23 => "LPDDR5",
        0x24 => "HBM3",
        _ => "unknown type",
    }
}

/// Memory device structures of a table with serial numbers and asset tags redacted, for snapshots.
pub(crate) fn without_serials(table: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (_, structure) in structures(table) {
        if structure.kind != MEMORY_DEVICE {
            continue;
        }
        out.extend_from_slice(structure.formatted);
        let private = [structure.byte(0x18), structure.byte(0x19)];
        let strings = structure.strings.split(|byte| *byte == 0).enumerate();
        for (index, text) in strings.filter(|(_, text)| !text.is_empty()) {
            let number = u8::try_from(index + 1).ok();
            let hidden = number.is_some() && private.contains(&number);
            out.extend(text.iter().map(|byte| if hidden { b'x' } else { *byte }));
            out.push(0);
        }
        if structure.strings.iter().all(|byte| *byte == 0) {
            out.push(0);
        }
        out.push(0);
    }
    out.extend_from_slice(&[END, 4, 0xff, 0xff, 0, 0]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Module of 8 GiB DDR4-3200 that runs at 2667, in the layout of SMBIOS 3.2.
    fn table() -> Vec<u8> {
        let mut device = vec![0; 0x28];
        (device[0], device[1]) = (17, 0x28);
        device[0x0c..0x0e].copy_from_slice(&8192_u16.to_le_bytes());
        device[0x10] = 1;
        device[0x12] = 0x1a;
        device[0x15..0x17].copy_from_slice(&3200_u16.to_le_bytes());
        (device[0x17], device[0x18], device[0x1a]) = (2, 3, 4);
        device[0x20..0x22].copy_from_slice(&2667_u16.to_le_bytes());
        let mut table = vec![1, 4, 0, 0, b'u', b'u', b'i', b'd', 0, 0];
        table.extend(device);
        table.extend(b"DIMM 0\0Kingston\0SECRET42\0KHX3200C16\0\0");
        table.extend([17, 4, 0, 0, 0, 0]);
        table.extend([127, 4, 0, 0, 0, 0]);
        table
    }

    #[test]
    fn modules_are_read_and_serials_never_kept() {
        let found = parse(&table());
        assert_eq!(found.len(), 1);
        let module = &found[0];
        assert_eq!((module.kind.as_str(), module.size_mib), ("DDR4", Some(8192)));
        assert_eq!((module.rate_mt_max, module.rate_mt), (Some(3200), Some(2667)));
        assert_eq!(module.part.as_deref(), Some("KHX3200C16"));
        let blanked = without_serials(&table());
        assert_eq!(parse(&blanked), found);
        assert!(!String::from_utf8_lossy(&blanked).contains("SECRET"));
        assert!(!String::from_utf8_lossy(&blanked).contains("uuid"));
    }

    proptest::proptest! {
        #[test]
        fn parse_never_panics(bytes: Vec<u8>) {
            let found = parse(&bytes);
            proptest::prop_assert_eq!(parse(&without_serials(&bytes)), found);
        }

        #[test]
        fn mutated_table_never_panics(at in 0_usize..90, byte: u8) {
            let mut bytes = table();
            let length = bytes.len();
            bytes[at % length] = byte;
            let found = parse(&bytes);
            proptest::prop_assert_eq!(parse(&without_serials(&bytes)).len(), found.len());
        }
    }
}
