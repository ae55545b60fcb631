//! Memory modules from SPD: 256 bytes for DDR3, 512 for DDR4, 1024 for DDR5.
//!
//! Sources: JEDEC Standard 21-C, 4.1.2.11 (DDR3), 4.1.2.L (DDR4); JESD400-5 (DDR5).

use record::MemoryModule;

/// Bytes of the serial number of each generation.
fn serial_at(kind: u8) -> Option<std::ops::Range<usize>> {
    match kind {
        0x0b => Some(122..126),
        0x0c | 0x0e | 0x10 | 0x11 => Some(325..329),
        0x12..=0x15 => Some(517..521),
        _ => None,
    }
}

/// Parses SPD; `None` for an unknown kind.
pub(super) fn parse(bytes: &[u8]) -> Option<MemoryModule> {
    let byte = |at: usize| bytes.get(at).copied();
    let generation = byte(2)?;
    let (kind, part, picoseconds) = match generation {
        0x0b => ("DDR3", 128..146, ddr3_period(bytes)?),
        0x0c => ("DDR4", 329..349, ddr4_period(bytes)?),
        0x0e => ("DDR4E", 329..349, ddr4_period(bytes)?),
        0x10 => ("LPDDR4", 329..349, ddr4_period(bytes)?),
        0x11 => ("LPDDR4X", 329..349, ddr4_period(bytes)?),
        0x12 => ("DDR5", 521..551, ddr5_period(bytes)?),
        0x13 => ("LPDDR5", 521..551, ddr4_period(bytes)?),
        0x15 => ("LPDDR5X", 521..551, ddr4_period(bytes)?),
        _ => return None,
    };
    let part = bytes.get(part).map(|text| String::from_utf8_lossy(text).trim_matches(['\0', ' ']).to_owned());
    Some(MemoryModule {
        from: "SPD".into(),
        kind: kind.to_owned(),
        size_mib: match generation {
            0x0b => size_mib(byte(4)?, byte(8)?, byte(7)?),
            0x0c => size_mib(byte(4)?, byte(13)?, byte(12)?),
            _ => None,
        },
        rate_mt_max: Some(rate_mt(picoseconds)),
        part: part.filter(|part| !part.is_empty()),
        ..MemoryModule::default()
    })
}

/// Two transfers per period, rounded to a JEDEC rate: 625 ps is 3200 MT/s.
fn rate_mt(picoseconds: u32) -> u32 {
    let exact = 2_000_000 / picoseconds;
    // JEDEC rates are multiples of 133 1/3, truncated; periods in SPD are rounded.
    let steps = (exact * 3 + 200) / 400;
    steps * 400 / 3
}

/// Byte 12 in units of byte 10 / byte 11 nanoseconds.
fn ddr3_period(bytes: &[u8]) -> Option<u32> {
    let [dividend, divisor, period] = *bytes.get(10..13)? else { return None };
    let period = u32::from(period) * u32::from(dividend) * 1000;
    period.checked_div(divisor.into()).filter(|ps| (100..=10_000).contains(ps))
}

/// Byte 18 in units of 125 ps, with a fine correction in byte 125.
fn ddr4_period(bytes: &[u8]) -> Option<u32> {
    let fine = i32::from(bytes.get(125)?.cast_signed());
    let period = 125 * i32::from(*bytes.get(18)?) + fine;
    u32::try_from(period).ok().filter(|ps| (100..=10_000).contains(ps))
}

/// Bytes 20 and 21 in ps.
fn ddr5_period(bytes: &[u8]) -> Option<u32> {
    let period = u16::from_le_bytes([*bytes.get(20)?, *bytes.get(21)?]);
    Some(u32::from(period)).filter(|ps| (100..=10_000).contains(ps))
}

/// Size of DDR3 and DDR4: bits of a chip, times parallel chips, times ranks.
fn size_mib(density: u8, bus: u8, organisation: u8) -> Option<u64> {
    let chip_mbit = 256_u64.checked_shl((density & 0x0f).into())?;
    let bus_bits = 8_u64 << (bus & 7);
    let chip_bits = 4_u64 << (organisation & 7);
    let ranks = u64::from(organisation >> 3 & 7) + 1;
    Some(chip_mbit / 8 * bus_bits / chip_bits * ranks)
}

/// SPD with the serial number cleared, for snapshots.
pub(crate) fn without_serials(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let place = bytes.get(2).and_then(|kind| serial_at(*kind));
    match place.and_then(|place| out.get_mut(place)) {
        Some(serial) => serial.fill(0),
        // The serial number of an unknown kind may be anywhere.
        None => out.truncate(3),
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_of_each_generation() {
        let mut ddr4 = vec![0; 512];
        (ddr4[2], ddr4[4], ddr4[12], ddr4[13], ddr4[18]) = (0x0c, 0x05, 0x01, 0x03, 5);
        ddr4[325..329].copy_from_slice(b"\x12\x34\x56\x78");
        ddr4[329..339].copy_from_slice(b"CT8G4SFS83");
        let module = parse(&ddr4).unwrap();
        assert_eq!((module.size_mib, module.rate_mt_max), (Some(8192), Some(3200)));
        assert_eq!(module.part.as_deref(), Some("CT8G4SFS83"));
        assert_eq!(parse(&without_serials(&ddr4)).unwrap(), module);
        assert_eq!(without_serials(&ddr4)[325..329], [0; 4]);
        let mut ddr3 = vec![0; 256];
        (ddr3[2], ddr3[4], ddr3[7], ddr3[8]) = (0x0b, 0x04, 0x09, 0x03);
        (ddr3[10], ddr3[11], ddr3[12]) = (1, 8, 10);
        let module = parse(&ddr3).unwrap();
        assert_eq!((module.size_mib, module.rate_mt_max), (Some(8192), Some(1600)));
        let mut ddr5 = vec![0; 1024];
        (ddr5[2], ddr5[20], ddr5[21]) = (0x12, 0xa0, 0x01);
        assert_eq!(parse(&ddr5).unwrap().rate_mt_max, Some(4800));
        assert!(parse(&[0xff; 256]).is_none());
        assert_eq!(without_serials(&[0xff; 256]).len(), 3);
    }

    #[test]
    fn rates_have_their_names() {
        for (ps, mt) in [
            (1250, 1600),
            (1071, 1866),
            (938, 2133),
            (833, 2400),
            (750, 2666),
            (682, 2933),
            (625, 3200),
            (416, 4800),
            (357, 5600),
        ] {
            assert_eq!(rate_mt(ps), mt);
        }
    }

    proptest::proptest! {
        #[test]
        fn parse_never_panics(bytes in proptest::collection::vec(0_u8.., 0..600)) {
            parse(&bytes);
            without_serials(&bytes);
        }
    }
}
