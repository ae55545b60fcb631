//! Buses and what hangs on them: PCI and USB devices, disks, cards, flash, mounted file systems.
//!
//! Part of a [`crate::Survey`]. Names are the device's own words, which anybody can have written
//! into it: printing code makes them harmless first.

use crate::{Fact, Missing, SerialKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One PCI function.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PciDevice {
    /// `0000:01:00.0`.
    pub address: String,
    /// Class, subclass and programming interface.
    pub class: u32,
    /// Vendor.
    pub vendor: u16,
    /// Device.
    pub device: u16,
    /// Name in the database of PCI ids, where one is installed or the row is ours.
    pub name: Option<String>,
    /// What the firmware calls it (`label`), for devices on the board.
    pub label: Option<String>,
    /// Driver in use.
    pub driver: Option<String>,
    /// Its link, if it has one of its own.
    pub link: Option<PciLink>,
    /// Power saving of its link.
    pub aspm: Fact<Aspm>,
}

/// A PCI Express link. Rates are in MT/s (8 GT/s is 8000).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PciLink {
    /// Rate now.
    pub rate_mt: u32,
    /// Lanes now.
    pub lanes: u32,
    /// Fastest rate of the device.
    pub rate_mt_max: u32,
    /// Most lanes of the device.
    pub lanes_max: u32,
    /// Fastest rate of the port it is plugged into.
    pub port_rate_mt_max: Option<u32>,
    /// Most lanes of that port.
    pub port_lanes_max: Option<u32>,
}

/// States of active state power management: true if switched on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Aspm {
    /// L0s.
    pub l0s: bool,
    /// L1.
    pub l1: bool,
    /// L1.1 or L1.2.
    pub l1_substates: bool,
}

/// One USB device.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UsbDevice {
    /// Place in the tree: `2-1.4`.
    pub path: String,
    /// Vendor.
    pub vendor: u16,
    /// Product.
    pub product: u16,
    /// Maker in the device's own words.
    pub maker: Option<String>,
    /// Product in the device's own words.
    pub name: Option<String>,
    /// USB version it claims at this speed, in BCD: 0x0320.
    pub version_bcd: u16,
    /// Speed that was agreed on, in Mbit/s.
    pub speed_mbit_per_s: u32,
    /// Fastest speed of the controllers of this machine, in Mbit/s.
    pub host_mbit_per_s_max: u32,
    /// True if the device says it can do SuperSpeed (its BOS descriptor).
    pub superspeed: Option<bool>,
    /// Drivers of its interfaces.
    pub drivers: Vec<String>,
    /// True if one interface is mass storage.
    pub is_storage: bool,
    /// True if one of its settings is USB Attached SCSI; none if descriptors cannot be read.
    pub uas_capable: Option<bool>,
    /// Most current it may draw, in mA.
    pub current_ma_max: Option<u32>,
}

/// On which bus a disk hangs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiskBus {
    /// PCI Express, NVMe.
    Nvme,
    /// SATA or PATA.
    Ata,
    /// USB.
    Usb,
    /// SD card or eMMC.
    Mmc,
    /// UFS.
    Ufs,
    /// A disk of a hypervisor.
    Virtual,
    /// Any other SCSI host.
    Scsi,
    /// Not known.
    #[default]
    Unknown,
}

/// A disk or card.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Disk {
    /// Name in `/sys/block`.
    pub name: String,
    /// Bus.
    pub bus: DiskBus,
    /// Maker in the device's own words.
    pub maker: Option<String>,
    /// Model in the device's own words.
    pub model: Option<String>,
    /// Revision of its firmware.
    pub firmware: Option<String>,
    /// Size in bytes.
    pub size_bytes: u64,
    /// True if it rotates.
    pub rotational: Option<bool>,
    /// True if it can be taken out.
    pub removable: bool,
    /// True if it cannot be written.
    pub read_only: bool,
    /// Driver of its controller.
    pub driver: Option<String>,
    /// Address of its PCI function.
    pub pci: Option<String>,
    /// Path of its USB device.
    pub usb: Option<String>,
    /// Scheduler in use.
    pub scheduler: Option<String>,
    /// Schedulers to choose from.
    pub schedulers: Vec<String>,
    /// Its SATA link.
    pub ata: Option<AtaLink>,
    /// Power policy of the SATA host (`link_power_management_policy`).
    pub ata_power: Option<String>,
    /// What a card says of itself.
    pub card: Option<Card>,
    /// Its health, as smartctl tells it.
    pub health: Fact<Health>,
}

/// A SATA link, speeds in the kernel's words (`6.0 Gbps`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AtaLink {
    /// Speed now.
    pub speed: String,
    /// Fastest speed of the controller.
    pub host_max: Option<String>,
    /// Speed that the kernel has gone down to after errors.
    pub limit: Option<String>,
}

/// An SD card or eMMC.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Card {
    /// `SD` or `MMC`.
    pub kind: String,
    /// Product name in its register.
    pub name: String,
    /// Maker; none where its registers were not read.
    pub manfid: Option<u32>,
    /// OEM; none where its registers were not read.
    pub oemid: Option<u32>,
    /// Year and month of its making.
    pub made: Option<(u32, u32)>,
    /// Hardware revision.
    pub hardware: Option<String>,
    /// Firmware revision.
    pub firmware: Option<String>,
    /// What its serial number tells.
    pub serial: Option<SerialKind>,
    /// Mode of its bus, in the kernel's words: `ultra high speed SDR104 SDXC`, `HS400 MMC`.
    pub mode: Fact<String>,
    /// Clock of its bus in Hz.
    pub clock_hz: Option<u64>,
    /// Lines of its bus.
    pub width_bits: Option<u32>,
    /// Modes that the board's device tree allows its host: `sd-uhs-sdr104`.
    pub host_modes: Vec<String>,
    /// Speed classes of an SD card, from its status register.
    pub classes: Option<SpeedClasses>,
    /// Version of the eMMC standard.
    pub mmc_version: Option<String>,
    /// Life used of an eMMC in steps of 10 %, of its two kinds of cells; 11 is beyond.
    pub life_steps: Option<(u32, u32)>,
    /// Reserved blocks of an eMMC: 1 normal, 2 warning (80 % used), 3 urgent.
    pub reserve: Option<u32>,
    /// Messages of the kernel about errors on its host since boot.
    pub errors: u32,
    /// Of these, failures to find good timing.
    pub tuning_failures: u32,
}

/// Speed classes of an SD card.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SpeedClasses {
    /// Speed class in MB/s.
    pub class: u32,
    /// UHS grade: 1 or 3, 0 for none.
    pub uhs: u32,
    /// Video speed class in MB/s.
    pub video: u32,
    /// Application performance class: 1 or 2, 0 for none.
    pub application: u32,
}

/// Health of a disk. What it does not tell is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Health {
    /// Its own overall word.
    pub passed: Option<bool>,
    /// Temperature in degrees Celsius.
    pub temp_celsius: Option<i64>,
    /// Life used in percent.
    pub worn_percent: Option<u64>,
    /// Hours of work.
    pub power_on_hours: Option<u64>,
    /// Data that could not be kept whole.
    pub media_errors: Option<u64>,
    /// Entries of the error log.
    pub error_log_entries: Option<u64>,
    /// Sectors that were replaced.
    pub reallocated: Option<u64>,
    /// Sectors that wait for replacement.
    pub pending: Option<u64>,
    /// Sectors that cannot be read.
    pub uncorrectable: Option<u64>,
    /// Errors on the cable.
    pub cable_errors: Option<u64>,
    /// Data that changed on its way through the disk.
    pub end_to_end_errors: Option<u64>,
    /// Fastest SATA speed of the disk, `6.0 Gb/s`.
    pub sata_max: Option<String>,
    /// SATA speed now.
    pub sata_now: Option<String>,
    /// Revolutions per minute; 0 for none.
    pub rotation_per_minute: Option<u64>,
    /// True where the disk sleeps and was left alone.
    pub asleep: bool,
}

/// A partition or chip behind MTD.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FlashPart {
    /// `mtd0`.
    pub name: String,
    /// Label.
    pub label: String,
    /// `nor`, `nand` ...
    pub kind: String,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Chip, as the driver recognised it.
    pub chip: Option<String>,
    /// Driver.
    pub driver: Option<String>,
}

/// A mounted file system on a disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Mount {
    /// Where.
    pub place: String,
    /// Type in the kernel's words: `ext4`, `fuseblk`.
    pub kind: String,
    /// Device.
    pub device: String,
    /// Options that cost speed: `sync`, `discard` ...
    pub options: Vec<String>,
}

impl Disk {
    /// A disk whose health was not asked for.
    pub fn not_asked(name: &str) -> Fact<Health> {
        Missing::unsupported(name, "smartctl was not run").into()
    }
}
