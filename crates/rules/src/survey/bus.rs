//! Checks of buses: links slower than both ends could, power saving that costs, USB without UAS.

use super::{first, place, table};
use crate::tables::Rule;
use facts::{Facts, Finding, Quantity, Severity, plain};
use record::{DiskBus, PciDevice, RuleId, UsbDevice};

pub(crate) const PCIE: Rule = Rule::of_storage(RuleId::own("pcie-link"), pcie);
pub(crate) const ASPM: Rule = Rule::of_storage(RuleId::own("aspm"), aspm);
pub(crate) const SATA: Rule = Rule::of_storage(RuleId::own("sata-link"), sata);
pub(crate) const SATA_POWER: Rule = Rule::of_storage(RuleId::own("sata-power"), sata_power);
pub(crate) const USB: Rule = Rule::of_storage(RuleId::own("usb-speed"), usb_speed);
pub(crate) const UAS: Rule = Rule::of_storage(RuleId::own("usb-uas"), uas);

/// USB 2, in Mbit/s.
const HIGH_SPEED: u32 = 480;

/// Classes whose speed people feel: storage, network, wireless network, accelerators.
fn matters(class: u32) -> bool {
    matches!(class >> 16, 0x01 | 0x02 | 0x0d | 0x12) || class >> 8 == 0x0c03
}

/// Name of a PCI function.
pub(crate) fn pci_name(device: &PciDevice) -> String {
    match (&device.name, &device.label) {
        (Some(name), _) => plain(name),
        (None, Some(label)) => plain(label),
        (None, None) => format!("{:04x}:{:04x}", device.vendor, device.device),
    }
}

fn pcie(facts: &Facts<'_>) -> Vec<Finding> {
    let devices = first(facts).map_or(&[][..], |survey| &survey.pci);
    devices.iter().filter_map(pcie_of).collect()
}

fn pcie_of(device: &PciDevice) -> Option<Finding> {
    let link = device.link?;
    // Bridges show the link of the devices below them; idle graphics use the lowest rate.
    if matches!(device.class >> 16, 0x03 | 0x06) {
        return None;
    }
    let rate = link.port_rate_mt_max.unwrap_or(u32::MAX).min(link.rate_mt_max);
    let lanes = link.port_lanes_max.unwrap_or(u32::MAX).min(link.lanes_max);
    let below = link.rate_mt < rate || link.lanes < lanes;
    let narrow_port = link.port_rate_mt_max.is_some() && (rate < link.rate_mt_max || lanes < link.lanes_max);
    let (severity, sure, template) = if below {
        (
            Severity::Degraded,
            // Without the port's own figures the slot may be the reason.
            if link.port_rate_mt_max.is_some() { 92 } else { 60 },
            "{name} at {address} runs at {now} x{lanes}, both ends support {possible} x{possible_lanes}: bad contact, long cable or a setting.",
        )
    } else if narrow_port && matters(device.class) {
        (Severity::Info, 97, "{name} at {address} supports {device} x{device_lanes}, its slot only {now} x{lanes}.")
    } else {
        return None;
    };
    Some(
        Finding::new(PCIE.id, severity, template)
            .confidence(sure)
            .with("name", Quantity::Text(pci_name(device)))
            .with("address", Quantity::Text(device.address.clone()))
            .with("now", Quantity::MegatransfersPerS(link.rate_mt))
            .with("lanes", Quantity::Count(link.lanes.into()))
            .with("possible", Quantity::MegatransfersPerS(rate))
            .with("possible_lanes", Quantity::Count(lanes.into()))
            .with("device", Quantity::MegatransfersPerS(link.rate_mt_max))
            .with("device_lanes", Quantity::Count(link.lanes_max.into()))
            .at(place("pci")),
    )
}

fn aspm(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(survey) = first(facts) else { return Vec::new() };
    let has_links = survey.pci.iter().any(|device| device.link.is_some());
    let policy = survey.choices.iter().find(|choice| choice.path.contains("pcie_aspm"));
    let saving = policy.filter(|policy| matches!(policy.chosen.as_str(), "powersave" | "powersupersave"));
    let on: Vec<String> = survey
        .pci
        .iter()
        .filter(|device| matters(device.class))
        .filter(|device| device.aspm.known().is_some_and(|aspm| aspm.l1 || aspm.l0s))
        .map(pci_name)
        .collect();
    let found = match saving.filter(|_| has_links) {
        Some(policy) => Some(
            Finding::new(
                ASPM.id,
                Severity::Degraded,
                "ASPM policy is {policy}: PCIe links enter low-power states between accesses, which adds NVMe and \
                 network latency.",
            )
            .confidence(90)
            .with("policy", Quantity::Text(policy.chosen.clone())),
        ),
        None if !on.is_empty() => Some(
            Finding::new(ASPM.id, Severity::Info, "ASPM is enabled on {devices}: less power, more latency.")
                .confidence(90)
                .with("devices", Quantity::Text(on.join(", "))),
        ),
        None => None,
    };
    found.map(|finding| finding.at(place("choices"))).into_iter().collect()
}

fn sata(facts: &Facts<'_>) -> Vec<Finding> {
    let disks = first(facts).map_or(&[][..], |survey| &survey.disks);
    disks
        .iter()
        .filter_map(|disk| {
            let link = disk.ata.as_ref()?;
            let rate = |text: &str| text.split(' ').next()?.parse::<f64>().ok();
            let now = rate(&link.speed)?;
            let host = link.host_max.as_deref().and_then(rate);
            let own = disk.health.known().and_then(|health| rate(health.sata_max.as_deref()?));
            let gone_down = link.limit.as_deref().and_then(rate).zip(host).is_some_and(|(limit, host)| limit < host);
            let possible = match (host, own) {
                (Some(host), Some(own)) => host.min(own),
                (Some(host), None) => host,
                _ => return None,
            };
            if now >= possible {
                return None;
            }
            let (severity, sure, template) = match (gone_down, own) {
                (true, _) => (
                    Severity::Degraded,
                    95,
                    "The kernel lowered the SATA link speed of {name} from {possible} to {now} after errors; check \
                     the cable.",
                ),
                (false, Some(_)) => {
                    (Severity::Degraded, 90, "The SATA link of {name} runs at {now}, both ends support {possible}.")
                }
                // An old disk may not be able to do more.
                (false, None) => {
                    (Severity::Info, 60, "The SATA link of {name} runs at {now}, its controller supports {possible}.")
                }
            };
            Some(
                Finding::new(SATA.id, severity, template)
                    .confidence(sure)
                    .with("name", Quantity::Text(disk.name.clone()))
                    .with("now", Quantity::measured(now, "Gbps", 1))
                    .with("possible", Quantity::measured(possible, "Gbps", 1))
                    .at(place("disks")),
            )
        })
        .collect()
}

fn sata_power(facts: &Facts<'_>) -> Vec<Finding> {
    let disks = first(facts).map_or(&[][..], |survey| &survey.disks);
    disks
        .iter()
        .filter_map(|disk| {
            let policy = disk.ata_power.as_deref()?;
            matches!(policy, "min_power" | "min_power_with_partial").then(|| {
                Finding::new(
                    SATA_POWER.id,
                    Severity::Degraded,
                    "SATA link power management of {name} is {policy}: it adds wake-up latency.",
                )
                .with("name", Quantity::Text(disk.name.clone()))
                .with("policy", Quantity::Text(policy.into()))
                .at(place("disks"))
            })
        })
        .collect()
}

/// Name of a USB device, or of its bridge.
pub(crate) fn usb_name(device: &UsbDevice) -> String {
    if let Some(bridge) = table::bridge(device.vendor, device.product) {
        return bridge.name.to_owned();
    }
    let own = [device.maker.as_deref(), device.name.as_deref()];
    let own: Vec<&str> = own.into_iter().flatten().collect();
    if own.is_empty() { format!("{:04x}:{:04x}", device.vendor, device.product) } else { plain(&own.join(" ")) }
}

/// The speed a device could have, in Mbit/s, and how sure that is.
pub(crate) fn usb_possible(device: &UsbDevice) -> Option<(u32, u8)> {
    let bridge = table::bridge(device.vendor, device.product).map(|bridge| bridge.mbit_per_s);
    match (bridge, device.superspeed) {
        (Some(mbit), _) => Some((mbit, 97)),
        (None, Some(true)) => Some((5000, 97)),
        (None, Some(false)) => None,
        // USB 3 devices on USB 2 ports say 2.10; so do a few USB 2 devices that save power.
        (None, None) => (device.version_bcd == Some(0x210) && device.is_storage).then_some((5000, 75)),
    }
}

fn usb_speed(facts: &Facts<'_>) -> Vec<Finding> {
    let devices = first(facts).map_or(&[][..], |survey| &survey.usb);
    devices
        .iter()
        .filter(|device| device.is_storage)
        .filter_map(|device| {
            let (now, host_max) = (device.speed_mbit_per_s?, device.host_mbit_per_s_max?);
            let (possible, sure) = usb_possible(device)?;
            let reachable = possible.min(host_max);
            let (severity, template) = match () {
                () if now >= possible => return None,
                () if now <= HIGH_SPEED && host_max <= HIGH_SPEED => {
                    (Severity::Info, "{name} at {path} supports {possible}; this machine has only USB 2 ({now}).")
                }
                () if now <= HIGH_SPEED => (
                    Severity::Degraded,
                    "{name} at {path} runs at USB 2 speed ({now}) but supports {possible}; use another port or cable.",
                ),
                () if now < reachable => (
                    Severity::Info,
                    "{name} at {path} runs at {now} but supports {possible}; use another port or cable.",
                ),
                () => return None,
            };
            Some(
                Finding::new(USB.id, severity, template)
                    .confidence(sure)
                    .with("name", Quantity::Text(usb_name(device)))
                    .with("path", Quantity::Text(device.path.clone()))
                    .with("now", Quantity::MbitPerS(now))
                    .with("possible", Quantity::MbitPerS(possible))
                    .at(place("usb")),
            )
        })
        .collect()
}

fn uas(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(survey) = first(facts) else { return Vec::new() };
    let cmdline = facts.machine.kernel_cmdline.known().map_or("", String::as_str);
    survey
        .usb
        .iter()
        .filter(|device| device.uas_capable == Some(true))
        .filter(|device| device.drivers.iter().any(|driver| driver == "usb-storage"))
        .map(|device| {
            let quirk = format!("{:04x}:{:04x}:", device.vendor, device.product);
            let (sure, template) = if cmdline.to_lowercase().replace("0x", "").contains(&quirk) {
                (
                    97,
                    "{name} at {path} supports UAS, but a quirk on the kernel command line disables it: slow \
                              for small random accesses.",
                )
            } else {
                (
                    90,
                    "{name} at {path} supports UAS, but the kernel uses usb-storage: slow for small random \
                               accesses.",
                )
            };
            Finding::new(UAS.id, Severity::Degraded, template)
                .confidence(sure)
                .with("name", Quantity::Text(usb_name(device)))
                .with("path", Quantity::Text(device.path.clone()))
                .at(place("usb"))
        })
        .collect()
}

/// True if this disk hangs on that USB device.
pub(crate) fn is_on(disk: &record::Disk, device: &UsbDevice) -> bool {
    disk.bus == DiskBus::Usb && disk.usb.as_deref() == Some(&device.path)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, nvme};
    use record::{AtaLink, Choice, Disk, DiskBus, PciLink, UsbDevice};

    #[test]
    fn links_are_judged_by_both_ends() {
        let link = |rate, lanes, port: Option<(u32, u32)>| PciLink {
            rate_mt: rate,
            lanes,
            rate_mt_max: 16_000,
            lanes_max: 4,
            port_rate_mt_max: port.map(|(rate, _)| rate),
            port_lanes_max: port.map(|(_, lanes)| lanes),
        };
        check(|_, s| s.pci = vec![nvme(link(16_000, 4, Some((16_000, 4))))], &[]);
        check(|_, s| s.pci = vec![nvme(link(8000, 4, Some((16_000, 4))))], &["pcie-link !"]);
        check(|_, s| s.pci = vec![nvme(link(8000, 2, Some((8000, 2))))], &["pcie-link"]);
        check(|_, s| s.pci = vec![nvme(link(8000, 4, None))], &["pcie-link !"]);
        let policy = |chosen: &str| Choice {
            path: "/sys/module/pcie_aspm/parameters/policy".into(),
            chosen: chosen.into(),
            all: Vec::new(),
        };
        let best = link(16_000, 4, Some((16_000, 4)));
        check(
            |_, s| {
                s.pci = vec![nvme(best)];
                s.choices = vec![policy("powersave")];
            },
            &["aspm !"],
        );
        check(|_, s| s.choices = vec![policy("powersave")], &[]);
        let ata = |limit: &str| AtaLink {
            speed: "3.0 Gbps".into(),
            host_max: Some("6.0 Gbps".into()),
            limit: Some(limit.into()),
        };
        let disk =
            |limit: &str| Disk { name: "sda".into(), bus: DiskBus::Ata, ata: Some(ata(limit)), ..Disk::default() };
        check(|_, s| s.disks = vec![disk("6.0 Gbps")], &["sata-link"]);
        check(|_, s| s.disks = vec![disk("3.0 Gbps")], &["sata-link !"]);
    }

    #[test]
    fn usb_storage_has_its_speed() {
        let usb = |speed, superspeed, driver: &str| UsbDevice {
            path: "1-1".into(),
            vendor: 0x1234,
            speed_mbit_per_s: Some(speed),
            host_mbit_per_s_max: Some(5000),
            superspeed,
            is_storage: true,
            uas_capable: Some(true),
            drivers: vec![driver.into()],
            ..UsbDevice::default()
        };
        check(|_, s| s.usb = vec![usb(5000, Some(true), "uas")], &[]);
        check(|_, s| s.usb = vec![usb(480, Some(true), "uas")], &["usb-speed !"]);
        check(|_, s| s.usb = vec![usb(480, Some(false), "uas")], &[]);
        check(|_, s| s.usb = vec![usb(5000, Some(true), "usb-storage")], &["usb-uas !"]);
        check(
            |_, s| {
                let known = UsbDevice { vendor: 0x152d, product: 0x578, superspeed: None, ..usb(480, None, "uas") };
                s.usb = vec![known];
            },
            &["usb-speed !"],
        );
    }
}
