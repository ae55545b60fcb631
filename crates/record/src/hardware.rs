//! Buses and devices: PCI and USB devices, disks, cards, flash, mounted file systems.
//!
//! Part of a [`crate::Survey`]. Names come from the devices and are untrusted: code that prints them sanitises them
//! first.

use crate::{Fact, Missing, SerialKind};
use serde::{Deserialize, Deserializer, Serialize};

/// Deserializes a number that is never 0; older versions wrote 0 for an unknown number.
fn positive<'de, D: Deserializer<'de>, N: Deserialize<'de> + Default + PartialEq>(
    deserializer: D,
) -> Result<Option<N>, D::Error> {
    Ok(Option::deserialize(deserializer)?.filter(|number| *number != N::default()))
}

/// PCI function.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PciDevice {
    /// `0000:01:00.0`.
    pub address: String,
    /// Class, subclass and programming interface.
    pub class: u32,
    /// Vendor id.
    pub vendor: u16,
    /// Device id.
    pub device: u16,
    /// Name in the PCI id database, if installed or in our table.
    pub name: Option<String>,
    /// Firmware's label (`label`) of devices on the board.
    pub label: Option<String>,
    /// Bound driver.
    pub driver: Option<String>,
    /// PCI Express link, if it has one of its own.
    pub link: Option<PciLink>,
    /// ASPM state of its link.
    pub aspm: Fact<Aspm>,
}

/// PCI Express link. Rates are in MT/s (8 GT/s is 8000).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PciLink {
    /// Current rate.
    pub rate_mt: u32,
    /// Current number of lanes.
    pub lanes: u32,
    /// Maximum rate of the device.
    pub rate_mt_max: u32,
    /// Maximum number of lanes of the device.
    pub lanes_max: u32,
    /// Maximum rate of the port.
    pub port_rate_mt_max: Option<u32>,
    /// Maximum number of lanes of the port.
    pub port_lanes_max: Option<u32>,
}

/// Active state power management: true if enabled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Aspm {
    /// L0s.
    pub l0s: bool,
    /// L1.
    pub l1: bool,
    /// L1.1 or L1.2.
    pub l1_substates: bool,
}

/// USB device.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct UsbDevice {
    /// Path in the tree: `2-1.4`.
    pub path: String,
    /// Vendor id.
    pub vendor: u16,
    /// Product id.
    pub product: u16,
    /// Manufacturer string of the device.
    pub maker: Option<String>,
    /// Product string of the device.
    pub name: Option<String>,
    /// USB version reported at this speed, in BCD: 0x0320.
    #[serde(deserialize_with = "positive")]
    pub version_bcd: Option<u16>,
    /// Negotiated speed in Mbit/s.
    #[serde(deserialize_with = "positive")]
    pub speed_mbit_per_s: Option<u32>,
    /// Maximum speed of this machine's controllers in Mbit/s.
    #[serde(deserialize_with = "positive")]
    pub host_mbit_per_s_max: Option<u32>,
    /// True if the device supports SuperSpeed (BOS descriptor).
    pub superspeed: Option<bool>,
    /// Drivers of its interfaces.
    pub drivers: Vec<String>,
    /// True if one interface is mass storage.
    pub is_storage: bool,
    /// True if one configuration is USB Attached SCSI; `None` if descriptors cannot be read.
    pub uas_capable: Option<bool>,
    /// Maximum current in mA.
    pub current_ma_max: Option<u32>,
}

/// Bus of a disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Virtual disk of a hypervisor.
    Virtual,
    /// Any other SCSI host.
    Scsi,
    /// Unknown.
    #[default]
    Unknown,
}

/// Disk or card.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Disk {
    /// Name in `/sys/block`.
    pub name: String,
    /// Bus.
    pub bus: DiskBus,
    /// Vendor string of the device.
    pub maker: Option<String>,
    /// Model string of the device.
    pub model: Option<String>,
    /// Firmware revision.
    pub firmware: Option<String>,
    /// Size in bytes; 0 without a medium.
    pub size_bytes: Option<u64>,
    /// True if it rotates.
    pub rotational: Option<bool>,
    /// True if removable.
    pub removable: bool,
    /// True if read-only.
    pub read_only: bool,
    /// Driver of its controller.
    pub driver: Option<String>,
    /// Address of its PCI function.
    pub pci: Option<String>,
    /// Path of its USB device.
    pub usb: Option<String>,
    /// Active scheduler.
    pub scheduler: Option<String>,
    /// Available schedulers.
    pub schedulers: Vec<String>,
    /// SATA link.
    pub ata: Option<AtaLink>,
    /// Link power management policy of the SATA host (`link_power_management_policy`).
    pub ata_power: Option<String>,
    /// Registers of a card.
    pub card: Option<Card>,
    /// Health reported by smartctl.
    pub health: Fact<Health>,
}

/// SATA link; speeds in the kernel's format (`6.0 Gbps`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct AtaLink {
    /// Current speed.
    pub speed: String,
    /// Maximum speed of the controller.
    pub host_max: Option<String>,
    /// Speed limit that the kernel set after errors.
    pub limit: Option<String>,
}

/// SD card or eMMC.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Card {
    /// `SD` or `MMC`.
    pub kind: String,
    /// Product name in its CID register.
    pub name: String,
    /// Manufacturer id; `None` if the registers were not read.
    pub manfid: Option<u32>,
    /// OEM id; `None` if the registers were not read.
    pub oemid: Option<u32>,
    /// Year and month of manufacture.
    pub made: Option<(u32, u32)>,
    /// Hardware revision.
    pub hardware: Option<String>,
    /// Firmware revision.
    pub firmware: Option<String>,
    /// Kind of its serial number.
    pub serial: Option<SerialKind>,
    /// Bus mode in the kernel's words: `ultra high speed SDR104 SDXC`, `HS400 MMC`.
    pub mode: Fact<String>,
    /// Bus clock in Hz.
    pub clock_hz: Option<u64>,
    /// Bus width in bits.
    pub width_bits: Option<u32>,
    /// Modes of the host that the device tree permits: `sd-uhs-sdr104`.
    pub host_modes: Vec<String>,
    /// Speed classes of an SD card, from its status register.
    pub classes: Option<SpeedClasses>,
    /// Version of the eMMC standard.
    pub mmc_version: Option<String>,
    /// Used lifetime of an eMMC in steps of 10 %, for both types of memory; 11 means exceeded.
    pub life_steps: Option<(u32, u32)>,
    /// Reserved blocks of an eMMC: 1 normal, 2 warning (80 % used), 3 urgent.
    pub reserve: Option<u32>,
    /// Kernel messages about errors of its host since boot.
    pub errors: u32,
    /// Tuning failures among these.
    pub tuning_failures: u32,
}

/// Speed classes of an SD card.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// Health of a disk; `None` for values that it does not report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Health {
    /// Overall self-assessment.
    pub passed: Option<bool>,
    /// Temperature in degrees Celsius.
    pub temp_celsius: Option<i64>,
    /// Used lifetime in percent.
    pub worn_percent: Option<u64>,
    /// Power-on hours.
    pub power_on_hours: Option<u64>,
    /// Unrecovered data integrity errors.
    pub media_errors: Option<u64>,
    /// Entries of the error log.
    pub error_log_entries: Option<u64>,
    /// Reallocated sectors.
    pub reallocated: Option<u64>,
    /// Pending sectors.
    pub pending: Option<u64>,
    /// Uncorrectable sectors.
    pub uncorrectable: Option<u64>,
    /// Interface CRC errors.
    pub cable_errors: Option<u64>,
    /// End-to-end errors inside the disk.
    pub end_to_end_errors: Option<u64>,
    /// Maximum SATA speed of the disk, `6.0 Gb/s`.
    pub sata_max: Option<String>,
    /// Current SATA speed.
    pub sata_now: Option<String>,
    /// Revolutions per minute; 0 for a disk without rotation.
    pub rotation_per_minute: Option<u64>,
    /// True if the disk was in standby and was not woken.
    pub asleep: bool,
}

/// MTD partition or chip.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FlashPart {
    /// `mtd0`.
    pub name: String,
    /// Label.
    pub label: String,
    /// `nor`, `nand` ...
    pub kind: String,
    /// Size in bytes.
    #[serde(deserialize_with = "positive")]
    pub size_bytes: Option<u64>,
    /// Chip recognised by the driver.
    pub chip: Option<String>,
    /// Driver.
    pub driver: Option<String>,
}

/// Mounted file system on a disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Mount {
    /// Mount point.
    pub place: String,
    /// File system type: `ext4`, `fuseblk`.
    pub kind: String,
    /// Device.
    pub device: String,
    /// Options that reduce speed: `sync`, `discard` ...
    pub options: Vec<String>,
}

impl Disk {
    /// Health of a disk that was not queried.
    pub fn not_asked(name: &str) -> Fact<Health> {
        Missing::unsupported(name, "smartctl was not run").into()
    }
}
