//! SD cards and eMMC: decoded registers, bus mode, host errors.
//!
//! Sources: SD Physical Layer Simplified Specification 9.00, 5.2 (CID) and 4.10.2 (SD status); JEDEC JESD84-B51, 7.2
//! (CID); Linux Documentation/driver-api/mmc/mmc-dev-attrs.rst. Only the kind of the serial number is stored. Texts of
//! a card are untrusted: they are stored but never evaluated.

use super::files;
use crate::Root;
use record::{Card, Disk, DiskBus, Fact, Missing, SerialKind, SpeedClasses};

/// Adds the registers to every card.
pub(super) fn describe(root: &Root, disks: &mut [Disk], messages: &[String]) {
    for disk in disks.iter_mut().filter(|disk| disk.bus == DiskBus::Mmc) {
        let card = card(root, &disk.name, messages);
        disk.model = disk.model.take().or_else(|| Some(card.name.clone()).filter(|name| !name.is_empty()));
        disk.card = Some(card);
    }
}

fn card(root: &Root, disk: &str, messages: &[String]) -> Card {
    let folder = format!("/sys/block/{disk}/device");
    let text = |file: &str| files::value(root, &format!("{folder}/{file}"));
    let kind = text("type").unwrap_or_default();
    let decoded = text("cid").and_then(|cid| parse_cid(&cid, kind != "MMC"));
    let mut card = decoded.unwrap_or_default();
    // The kernel knows more versions of the registers than this parser.
    if let Some(name) = text("name") {
        card.name = name;
    }
    let number = |file: &str| files::hex(root, &format!("{folder}/{file}")).map(|n| n as u32);
    card.manfid = number("manfid").or(card.manfid);
    card.oemid = number("oemid").or(card.oemid);
    card.made = text("date").and_then(|date| parse_date(&date)).or(card.made);
    card.hardware = text("hwrev").or(card.hardware);
    card.firmware = text("fwrev").or(card.firmware);
    card.serial = number("serial").map(serial_kind).or(card.serial);
    card.classes = text("ssr").and_then(|ssr| parse_ssr(&ssr));
    card.mmc_version = text("rev").and_then(|rev| mmc_version(&rev)).filter(|_| kind == "MMC");
    card.life_steps = text("life_time").and_then(|life| parse_life(&life));
    card.reserve = number("pre_eol_info").filter(|reserve| (1..=3).contains(reserve));
    card.kind = kind;
    let device = files::link_name(root, &folder).unwrap_or_default();
    // `mmc0:aaaa`; without the link, the host with the disk's number is the best guess.
    if let Some(host) = host_name(&device).or_else(|| disk.strip_prefix("mmcblk").map(|n| format!("mmc{n}"))) {
        describe_host(root, &host, messages, &mut card);
    }
    card
}

fn host_name(device: &str) -> Option<String> {
    let (host, _) = device.split_once(':')?;
    let number = host.strip_prefix("mmc")?;
    number.parse::<u32>().is_ok().then(|| host.to_owned())
}

/// Bus mode, clock and width, and errors of the host since boot.
fn describe_host(root: &Root, host: &str, messages: &[String], card: &mut Card) {
    let ios = root.read(&format!("/sys/kernel/debug/{host}/ios")).unwrap_or_default();
    let said = messages.iter().rev().find_map(|message| mode_said(message, host));
    let bracket = |key: &str| {
        let value = ios.lines().find_map(|line| line.strip_prefix(key))?;
        Some(value.split_once('(')?.1.split_once(')')?.0.to_owned())
    };
    let mode = said.or_else(|| bracket("timing spec:").filter(|mode| mode != "legacy"));
    card.mode = match mode {
        Some(mode) => Fact::Known(mode),
        None => Missing::unsupported(
            format!("/sys/kernel/debug/{host}/ios"),
            "bus mode not found in debugfs or boot messages",
        )
        .into(),
    };
    card.clock_hz = ios.lines().find_map(|line| {
        let value = line.strip_prefix("clock:")?.trim();
        value.split_whitespace().next()?.parse().ok().filter(|hz| *hz > 0)
    });
    card.width_bits = bracket("bus width:").and_then(|text| text.split(' ').next()?.parse().ok());
    let node = format!("/sys/class/mmc_host/{host}/device/of_node");
    let properties = root.list(&node).unwrap_or_default();
    let is_mode = |name: &String| {
        ["sd-uhs-", "cap-sd-", "mmc-hs", "mmc-ddr", "cap-mmc-"].iter().any(|start| name.starts_with(start))
            || name == "no-1-8-v"
    };
    card.host_modes = properties.into_iter().filter(is_mode).collect();
    let prefix = format!("{host}:");
    for message in messages.iter().filter(|message| message.starts_with(&prefix)) {
        // An empty slot, or a chip other than a card, causes an error at boot.
        let no_card = message.contains("whilst initialising");
        card.tuning_failures += u32::from(message.contains("tuning execution failed"));
        card.errors += u32::from(message.contains("error") && !no_card);
    }
}

/// `mmc0: new ultra high speed SDR104 SDXC card at address aaaa`.
fn mode_said(message: &str, host: &str) -> Option<String> {
    let rest = message.strip_prefix(host)?.strip_prefix(": new ")?;
    let (mode, _) = rest.split_once(" card at ")?;
    Some(mode.to_owned())
}

/// Decodes a CID of 32 hexadecimal digits.
fn parse_cid(text: &str, is_sd: bool) -> Option<Card> {
    let text = text.trim();
    if text.len() != 32 || !text.is_ascii() {
        return None;
    }
    let bytes: Vec<u8> =
        (0..16).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16)).collect::<Result<_, _>>().ok()?;
    let name_end = if is_sd { 8 } else { 9 };
    let name = String::from_utf8_lossy(&bytes[3..name_end]);
    let revision = bytes[name_end];
    let serial = &bytes[name_end + 1..name_end + 5];
    let serial = u32::from_be_bytes([serial[0], serial[1], serial[2], serial[3]]);
    let made = if is_sd {
        // Bits 19:8 are years from 2000 and months.
        let year = 2000 + (u32::from(bytes[13] & 0x0f) << 4 | u32::from(bytes[14] >> 4));
        (year, u32::from(bytes[14] & 0x0f))
    } else {
        // Years count from 1997; current chips have wrapped around to 2013 (JESD84-B51, 7.2.7).
        let year = 1997 + u32::from(bytes[14] & 0x0f);
        let year = if year < 2010 { year + 16 } else { year };
        (year, u32::from(bytes[14] >> 4))
    };
    Some(Card {
        manfid: Some(bytes[0].into()),
        oemid: Some(u32::from(bytes[1]) << 8 | u32::from(bytes[2])),
        name: name.trim_matches(['\0', ' ']).to_owned(),
        hardware: Some(format!("{:#x}", revision >> 4)),
        firmware: Some(format!("{:#x}", revision & 0x0f)),
        serial: Some(serial_kind(serial)),
        made: Some(made).filter(|(_, month)| (1..=12).contains(month)),
        ..Card::default()
    })
}

/// Kind of a serial number.
fn serial_kind(serial: u32) -> SerialKind {
    match serial {
        0 => SerialKind::Zero,
        1..=0xffff => SerialKind::Low,
        _ => SerialKind::Usual,
    }
}

/// `08/2023` as year and month.
fn parse_date(text: &str) -> Option<(u32, u32)> {
    let (month, year) = text.split_once('/')?;
    let (month, year) = (month.parse().ok()?, year.parse().ok()?);
    ((1..=12).contains(&month) && (1990..=2300).contains(&year)).then_some((year, month))
}

/// Decodes the SD status register, 64 bytes in hexadecimal.
fn parse_ssr(text: &str) -> Option<SpeedClasses> {
    let byte = |at: usize| u32::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok();
    if text.len() < 128 || byte(0).is_none() {
        return None;
    }
    Some(SpeedClasses {
        class: match byte(8)? {
            0 => 0,
            code @ 1..=3 => 2 * code,
            4 => 10,
            _ => 0,
        },
        uhs: byte(14)? >> 4,
        video: byte(15)?,
        application: byte(21)? & 0x0f,
    })
    .filter(|classes| classes.uhs <= 3 && classes.video <= 90 && classes.application <= 2)
}

/// `0x01 0x02`: steps of 10 % for both kinds of cells; 0 means unknown.
fn parse_life(text: &str) -> Option<(u32, u32)> {
    let mut words = text.split_whitespace();
    let mut next = || u32::from_str_radix(words.next()?.trim_start_matches("0x"), 16).ok();
    let life = (next()?, next()?);
    ((1..=11).contains(&life.0) || (1..=11).contains(&life.1)).then_some(life)
}

/// Version of the standard by the revision of the extended register (JESD84-B51, EXT_CSD_REV).
fn mmc_version(revision: &str) -> Option<String> {
    let version = match u32::from_str_radix(revision.trim_start_matches("0x"), 16).ok()? {
        8 => "5.1",
        7 => "5.0",
        6 => "4.5",
        5 => "4.41",
        3 => "4.3",
        2 => "4.2",
        _ => return None,
    };
    Some(version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_decoded() {
        // SanDisk, "SU08G", revision 8.0, made 10/2014.
        let card = parse_cid("03534453553038478012345678 00ea71".replace(' ', "").as_str(), true).unwrap();
        assert_eq!((card.manfid, card.oemid, card.name.as_str()), (Some(3), Some(0x5344), "SU08G"));
        assert_eq!(card.made, Some((2014, 10)));
        assert_eq!(card.hardware.as_deref(), Some("0x8"));
        assert_eq!(card.serial, Some(SerialKind::Usual));
        // Samsung eMMC "BJTD4R", made 09/2023.
        let card = parse_cid("150100424a54443452030000123 49a00".replace(' ', "").as_str(), false).unwrap();
        assert_eq!((card.name.as_str(), card.made), ("BJTD4R", Some((2023, 9))));
        assert_eq!(card.serial, Some(SerialKind::Low));
        assert_eq!(parse_cid("é".repeat(16).as_str(), true), None);
    }

    #[test]
    fn bus_mode_from_boot_or_debugfs() {
        let board = "\
== /sys/block/mmcblk1/device -> ../../mmc1:aaaa
== /sys/block/mmc1:aaaa/x
== /sys/kernel/debug/mmc0/ios
clock:\t\t200000000 Hz
bus width:\t3 (8 bits)
timing spec:\t10 (mmc HS400 enhanced strobe)
";
        let root = Root::from_board(board).unwrap();
        let messages: Vec<String> = [
            "mmc1: error -110 whilst initialising SD card",
            "mmc1: new high speed SDHC card at address aaaa",
            "mmc1: tuning execution failed: -5",
            "mmc1: error -84 transferring data",
            "mmc10: error -84",
        ]
        .map(str::to_owned)
        .to_vec();
        let mut card = Card::default();
        describe_host(&root, "mmc1", &messages, &mut card);
        assert_eq!(card.mode.known().map(String::as_str), Some("high speed SDHC"));
        assert_eq!((card.errors, card.tuning_failures), (1, 1));
        let mut card = Card::default();
        describe_host(&root, "mmc0", &[], &mut card);
        assert_eq!(card.mode.known().map(String::as_str), Some("mmc HS400 enhanced strobe"));
        assert_eq!((card.clock_hz, card.width_bits), (Some(200_000_000), Some(8)));
    }

    #[test]
    fn speed_classes() {
        let mut ssr = vec!["00"; 64];
        ssr[8] = "04";
        ssr[14] = "39";
        ssr[15] = "1e";
        ssr[21] = "02";
        let expected = SpeedClasses { class: 10, uhs: 3, video: 30, application: 2 };
        assert_eq!(parse_ssr(&ssr.concat()), Some(expected));
        assert_eq!(parse_ssr("00"), None);
        assert_eq!(parse_life("0x01 0x0b"), Some((1, 11)));
        assert_eq!(parse_life("0x00 0x00"), None);
    }

    proptest::proptest! {
        #[test]
        fn register_parsers_never_panic(text in "[0-9a-fx/ ]{0,140}|\\PC{0,40}", is_sd: bool) {
            parse_cid(&text, is_sd);
            parse_ssr(&text);
            parse_life(&text);
            parse_date(&text);
            mode_said(&text, "mmc0");
        }

        #[test]
        fn card_decoder_never_panics(bytes: [u8; 16], is_sd: bool) {
            let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            proptest::prop_assert!(parse_cid(&text, is_sd).is_some());
        }
    }
}
