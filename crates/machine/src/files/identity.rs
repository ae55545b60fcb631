//! Identity of our own directories: name prefix, and inode on a device.

use rustix::fs::{self, Stat};
use std::os::fd::BorrowedFd;

/// Prefix of names.
pub(super) const PREFIX: &str = "sbc-bench-";
/// File systems with volatile inode numbers: FAT and exFAT (`linux/magic.h`: `MSDOS_SUPER_MAGIC`, `EXFAT_SUPER_MAGIC`).
/// Neither supports links.
const WITHOUT_NUMBERS: [u64; 2] = [0x4d44, 0x2011_bab0];

/// Identity of a directory, independent of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// Device id; may change at a reboot.
    pub device: u64,
    /// Inode; 0 if inode numbers are volatile (FAT).
    pub inode: u64,
}

/// Identity of an open directory.
pub(super) fn identity(folder: BorrowedFd, about: &Stat) -> Identity {
    Identity {
        device: about.st_dev,
        inode: match fs::fstatfs(folder) {
            Ok(on) if WITHOUT_NUMBERS.contains(&(on.f_type as u64)) => 0,
            _ => about.st_ino,
        },
    }
}
