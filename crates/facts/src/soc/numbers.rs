//! Chips by the numbers that their makers burn into them: revision codes of Raspberry Pi, codes in
//! the OTP of Rockchip, revisions of Amlogic as kernels print them.

use super::table::TABLES;

/// Names of the SoCs of a revision code (Raspberry Pi documentation, "Raspberry Pi revision codes"): bits 15:12 are the
/// chip and bits 11:4 the board, which separates chips with one code. Codes without bit 23 belong to the first boards.
pub(super) fn of_revision(code: u32) -> Option<&'static str> {
    const NEW_STYLE: u32 = 1 << 23;
    const FIRST_BOARDS: std::ops::RangeInclusive<u32> = 0x2..=0x15;
    const BOARDS_2837B0: [u32; 3] = [0x0d, 0x0e, 0x10];
    const BOARDS_2710A1: [u32; 1] = [0x12];
    if code & NEW_STYLE == 0 {
        return FIRST_BOARDS.contains(&(code & 0xff_ffff)).then_some("BCM2835");
    }
    let board = code >> 4 & 0xff;
    match code >> 12 & 0xf {
        0 => Some("BCM2835"),
        1 => Some("BCM2836"),
        2 if BOARDS_2837B0.contains(&board) => Some("BCM2837B0"),
        2 if BOARDS_2710A1.contains(&board) => Some("BCM2710A1"),
        2 => Some("BCM2837"),
        3 => Some("BCM2711"),
        4 => Some("BCM2712"),
        _ => None,
    }
}

/// SoCs that the first bytes of Rockchip's OTP or eFuse mean, as hexadecimal digits: `RK` or `RV`,
/// then four digits, whose order within a byte differs between chips, and in the seventh byte the
/// package of an RK3588 (rockchip-cpuinfo driver of Rockchip's kernel; sbc-bench 0.9.72).
pub(super) fn of_rockchip(bytes: &[u8]) -> Vec<usize> {
    let [b'R', family @ (b'K' | b'V'), high, low, rest @ ..] = bytes else {
        return Vec::new();
    };
    let swap = |byte: u8| byte.rotate_left(4);
    let orders = [(*high, *low), (swap(*high), swap(*low)), (*high, swap(*low))];
    let family = family.to_ascii_lowercase() as char;
    let package = match (high, low, rest.get(2)) {
        (0x35, 0x88, Some(0x33)) => "s",
        (0x35, 0x88, Some(0x53)) => "s2",
        _ => "",
    };
    let spelled = orders.iter().find_map(|(high, low)| {
        let name = format!("r{family}{high:02x}{low:02x}{package}");
        TABLES.spellings.get(&name)
    });
    let mut socs = spelled.cloned().unwrap_or_default();
    // Without that mark it may be any package of the chip.
    if !matches!(rest.get(2), Some(0x21 | 0x33 | 0x53)) {
        let is_package = |soc: &usize| TABLES.socs[*soc].die.is_some_and(|die| socs.contains(&die));
        let packages: Vec<usize> = (0..TABLES.socs.len()).filter(is_package).collect();
        socs.extend(packages);
    }
    socs
}

/// Bytes of hexadecimal digits with optional blanks; `None` for other text.
pub(super) fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits: String = text.split_whitespace().collect();
    if digits.is_empty() || digits.len() % 2 == 1 || !digits.is_ascii() {
        return None;
    }
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// `Revision 28:c (70:2)` of Amlogic's kernels is the chip's first four bytes: `280c7002`.
pub(super) fn amlogic_id(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("Revision ")?;
    let mut numbers = rest
        .split(|c: char| !c.is_ascii_hexdigit())
        .filter(|part| !part.is_empty())
        .map(|part| u8::from_str_radix(part, 16));
    let mut next = || numbers.next()?.ok();
    let (family, revision, package, minor) = (next()?, next()?, next()?, next()?);
    (family >= 0x16).then(|| format!("{family:02x}{revision:02x}{package:02x}{minor:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revision_codes_name_chips() {
        for (code, expected) in [
            (0x0002, Some("BCM2835")),
            (0xa01041, Some("BCM2836")),
            (0xa02082, Some("BCM2837")),
            (0xa020d3, Some("BCM2837B0")),
            (0x902120, Some("BCM2710A1")),
            (0xc03111, Some("BCM2711")),
            (0xd04170, Some("BCM2712")),
            (0, None),
            (u32::MAX, None),
        ] {
            assert_eq!(of_revision(code), expected, "{code:#x}");
        }
    }

    #[test]
    fn rockchip_orders_its_digits_in_several_ways() {
        for (text, expected) in [
            ("52 4b 35 88 12 fe 21", "RK3588"),
            ("52 4b 35 88 12 fe 53", "RK3588S2"),
            ("52 4b 35 88 12 fe 33", "RK3588S"),
            ("52 4b 35 66 20 00 00", "RK3566"),
            ("52 4b 33 82 00", "RK3328"),
            ("52 4b 23 82 00", "RK3228"),
            ("52 56 11 26", "RV1126"),
        ] {
            let socs = of_rockchip(&bytes(text).unwrap());
            let names: Vec<_> = socs.iter().map(|soc| TABLES.socs[*soc].name).collect();
            assert_eq!(names, [expected], "{text}");
        }
        let unmarked = of_rockchip(b"RK\x35\x88\x10\x00");
        assert_eq!(unmarked.len(), 3, "RK3588 and its packages");
        for bytes in [&[][..], b"RK", b"RK\x99\x99", b"xx\x35\x88"] {
            assert!(of_rockchip(bytes).is_empty());
        }
    }

    #[test]
    fn amlogic_revisions_are_bytes() {
        for (text, expected) in [
            ("Amlogic Meson G12A (S905Y2) Revision 28:c (30:2) Detected", Some("280c3002")),
            ("Amlogic Meson Unknown (Unknown) Revision 00:0 (0:0)", None),
            ("Amlogic Meson8b (S805) RevA (1b - 0:B72)", None),
            ("Revision 28:c", None),
        ] {
            assert_eq!(amlogic_id(text).as_deref(), expected, "{text}");
        }
    }
}
