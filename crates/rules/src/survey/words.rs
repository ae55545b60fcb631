//! Words for reports: one line for each disk and device.

mod supply;

pub use supply::{memory_lines, supply_lines, swap_lines};

use super::bus::{is_on, pci_name, usb_name, usb_possible};
use super::cards::{self, judge, registers};
use super::units::{gigatransfers, size_name, speed_name};
use facts::plain;
use record::{Disk, DiskBus, FlashPart, PciDevice, Survey, UsbDevice};

/// Devices on PCI that are worth a line: no bridges, no disks that have a line of their own.
pub fn pci_lines(survey: &Survey) -> Vec<String> {
    let worth = |device: &&PciDevice| !matches!(device.class >> 16, 0x05 | 0x06 | 0x08) && device.class >> 8 != 0x0108;
    survey.pci.iter().filter(worth).map(pci_line).collect()
}

fn pci_line(device: &PciDevice) -> String {
    let mut words: Vec<String> = pci_link(device).into_iter().collect();
    if let Some(driver) = &device.driver {
        words.push(format!("driver in use: {}", plain(driver)));
    }
    words.extend(aspm(device));
    let label = device.label.as_ref().filter(|_| device.name.is_some() && device.link.is_none());
    let label = label.map(|label| format!(" ({})", plain(label))).unwrap_or_default();
    let rest = if words.is_empty() { String::new() } else { format!(": {}", words.join(", ")) };
    format!("{}{label}{rest}", pci_name(device))
}

/// `Speed 8GT/s (ok), Width x2 (downgraded)`.
fn pci_link(device: &PciDevice) -> Option<String> {
    let link = device.link?;
    let state = |now: u32, own: u32, port: Option<u32>| match () {
        () if now >= own => "ok",
        // The slot supports no more, so this is not a fault.
        () if port.is_some_and(|port| now >= port) => "slot's limit",
        () => "downgraded",
    };
    Some(format!(
        "Speed {} ({}), Width x{} ({})",
        gigatransfers(link.rate_mt),
        state(link.rate_mt, link.rate_mt_max, link.port_rate_mt_max),
        link.lanes,
        state(link.lanes, link.lanes_max, link.port_lanes_max)
    ))
}

fn aspm(device: &PciDevice) -> Option<String> {
    let aspm = device.aspm.known().filter(|_| device.link.is_some())?;
    let states = [(aspm.l0s, "L0s"), (aspm.l1, "L1"), (aspm.l1_substates, "L1 substates")];
    let on: Vec<&str> = states.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect();
    Some(if on.is_empty() { "ASPM Disabled".into() } else { format!("ASPM {} Enabled", on.join(", ")) })
}

/// One line for each disk and card.
pub fn disk_lines(survey: &Survey) -> Vec<String> {
    survey.disks.iter().map(|disk| disk_line(survey, disk)).collect()
}

fn disk_line(survey: &Survey, disk: &Disk) -> String {
    let size = match disk.size_bytes {
        Some(0) => "empty".to_owned(),
        bytes => size_or_unknown(bytes),
    };
    let mut words = match &disk.card {
        Some(card) => return card_line(disk, card, &size),
        None => details(survey, disk),
    };
    words.extend(health_words(disk));
    let model = match (&disk.maker, &disk.model) {
        (Some(maker), Some(model)) if !model.starts_with(maker.as_str()) => {
            format!("{maker} {model}")
        }
        (_, Some(model)) => model.clone(),
        (maker, None) => maker.clone().unwrap_or_default(),
    };
    let model = if model.is_empty() { String::new() } else { format!(" \"{}\"", plain(&model)) };
    let kind = match (disk.bus, disk.rotational) {
        (DiskBus::Virtual, _) => " virtual disk",
        (DiskBus::Ufs, _) => " UFS",
        (_, Some(true)) => " HDD",
        (_, Some(false)) if !disk.removable => " SSD",
        _ => "",
    };
    let rest = if words.is_empty() { String::new() } else { format!(": {}", words.join(", ")) };
    format!("{size}{model}{kind} as /dev/{}{rest}", plain(&disk.name))
}

fn size_or_unknown(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "size unknown".to_owned(), size_name)
}

fn speed_or_unknown(device: &UsbDevice) -> String {
    device.speed_mbit_per_s.map_or_else(|| "speed unknown".to_owned(), speed_name)
}

fn details(survey: &Survey, disk: &Disk) -> Vec<String> {
    let mut words = Vec::new();
    let pci = survey.pci.iter().find(|device| disk.pci.as_deref() == Some(&device.address));
    if disk.bus == DiskBus::Nvme {
        words.extend(pci.and_then(pci_link));
        words.extend(pci.and_then(aspm));
    }
    if let Some(link) = &disk.ata {
        let most = disk.health.known().and_then(|health| health.sata_max.clone()).or_else(|| link.host_max.clone());
        let most = most.map(|most| format!(" of {}", plain(&most))).unwrap_or_default();
        words.push(format!("SATA {}{most}", plain(&link.speed)));
    }
    if let Some(device) = survey.usb.iter().find(|device| is_on(disk, device)) {
        words.push(usb_words(device));
    }
    if let Some(driver) = &disk.driver
        && disk.bus != DiskBus::Nvme
    {
        words.push(format!("Driver={}", plain(driver)));
    }
    if let Some(scheduler) = &disk.scheduler {
        words.push(format!("scheduler {}", plain(scheduler)));
    }
    words
}

fn usb_words(device: &UsbDevice) -> String {
    let possible = usb_possible(device)
        .filter(|(possible, _)| device.speed_mbit_per_s.is_some_and(|now| *possible > now))
        .map(|(possible, _)| format!(" (capable of {})", speed_name(possible)))
        .unwrap_or_default();
    format!(
        "behind \"{}\" ({:04x}:{:04x}), {}{possible}",
        usb_name(device),
        device.vendor,
        device.product,
        speed_or_unknown(device)
    )
}

fn health_words(disk: &Disk) -> Vec<String> {
    let Some(health) = disk.health.known() else { return Vec::new() };
    let mut words = Vec::new();
    words.extend(health.worn_percent.map(|percent| format!("{percent}% worn out")));
    words.extend(health.temp_celsius.map(|celsius| format!("temperature {celsius}°C")));
    words.extend(health.asleep.then(|| "asleep".to_owned()));
    words.extend((health.passed == Some(false)).then(|| "FAILING".to_owned()));
    words
}

fn card_line(disk: &Disk, card: &record::Card, size: &str) -> String {
    let (maker, verdict) = judge(card);
    let doubt = match verdict {
        cards::Verdict::Fine => "",
        cards::Verdict::Suspicious => "Probable counterfeit ",
        cards::Verdict::Counterfeit => "Definite counterfeit ",
    };
    let name = plain(format!("{doubt}{} {}", maker.unwrap_or_default(), card.name).trim());
    let name = if name.is_empty() { name } else { format!(" \"{name}\"") };
    let mode = card.mode.known().map(|mode| short_mode(&plain(mode))).unwrap_or_default();
    let version = card.mmc_version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    let kind = match (card.kind.as_str(), mode.is_empty()) {
        ("MMC", _) => format!("eMMC{version}"),
        (_, true) => "SD".to_owned(),
        _ => String::new(),
    };
    let what: Vec<&str> = [mode.as_str(), kind.as_str()].into_iter().filter(|word| !word.is_empty()).collect();
    let mut words = Vec::new();
    words.extend(card.made.map(|(year, month)| format!("date {month:02}/{year}")));
    words.push(match registers(card) {
        Some((manfid, oemid)) => format!("manfid/oemid: {manfid:#08x}/{oemid:#06x}"),
        None => "ID registers could not be read".to_owned(),
    });
    if let (Some(hardware), Some(firmware)) = (&card.hardware, &card.firmware) {
        words.push(format!("hw/fw rev: {}/{}", plain(hardware), plain(firmware)));
    }
    if let Some(step) = card.life_steps.map(|(a, b)| a.max(b)) {
        words.push(format!("up to {}% worn out", 10 * step));
    }
    format!("{size}{name} {} card as /dev/{}: {}", what.join(" "), plain(&disk.name), words.join(", "))
}

/// `ultra high speed SDR104 SDXC` is `UHS SDR104 SDXC`, `HS400 Enhanced strobe MMC` needs no MMC.
fn short_mode(mode: &str) -> String {
    let short = mode.replace("ultra high speed", "UHS").replace("high speed", "HS");
    short.strip_suffix(" MMC").unwrap_or(&short).to_owned()
}

/// USB storage and other fast devices that are missing from the list of disks.
pub fn usb_lines(survey: &Survey) -> Vec<String> {
    let is_disk = |device: &UsbDevice| survey.disks.iter().any(|disk| is_on(disk, device));
    survey
        .usb
        .iter()
        .filter(|device| !is_disk(device))
        .map(|device| {
            let drivers: Vec<String> = device.drivers.iter().map(|driver| plain(driver)).collect();
            let drivers = if drivers.is_empty() { String::new() } else { format!(", Driver={}", drivers.join("/")) };
            format!(
                "{} ({:04x}:{:04x}) at {}: {}{drivers}",
                usb_name(device),
                device.vendor,
                device.product,
                plain(&device.path),
                speed_or_unknown(device)
            )
        })
        .collect()
}

/// One line for each flash chip or partition.
pub fn flash_lines(survey: &Survey) -> Vec<String> {
    survey.flash.iter().map(flash_line).collect()
}

fn flash_line(part: &FlashPart) -> String {
    let chip = part.chip.as_deref().map(|chip| format!("{} ", plain(chip))).unwrap_or_default();
    let driver = part.driver.as_deref().map(|driver| format!(", driver in use: {}", plain(driver))).unwrap_or_default();
    format!(
        "{chip}{} {} flash as /dev/{}, \"{}\"{driver}",
        size_or_unknown(part.size_bytes),
        plain(&part.kind),
        plain(&part.name),
        plain(&part.label)
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::machine;
    use super::*;
    use facts::Facts;
    use record::{Card, Mount, SerialKind};

    #[test]
    fn hostile_names_stay_harmless() {
        let mut record = machine();
        let evil = "\u{1b}[2J`rm -rf`\u{202e}\n# title";
        record.surveys[0].disks = vec![Disk {
            name: evil.into(),
            model: Some(evil.into()),
            card: Some(Card { name: evil.into(), serial: Some(SerialKind::Zero), ..Card::default() }),
            bus: DiskBus::Mmc,
            ..Disk::default()
        }];
        record.surveys[0].mounts = vec![Mount { kind: "fuseblk".into(), place: evil.into(), ..Mount::default() }];
        let mut text: Vec<String> =
            crate::check_at_rest(&Facts::of(&record)).iter().map(facts::Finding::sentence).collect();
        text.extend(disk_lines(&record.surveys[0]));
        for line in text {
            assert!(!line.contains(['\u{1b}', '\u{202e}']), "{line:?}");
        }
    }
}
