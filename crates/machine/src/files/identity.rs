//! How a folder of our own is known: by how its name begins, and by its number on its device.

use rustix::fs::{self, Stat};
use std::os::fd::BorrowedFd;

/// How names begin.
pub(super) const PREFIX: &str = "sbc-bench-";
/// File systems that make up the numbers of files as they go: FAT and exFAT (`linux/magic.h`:
/// `MSDOS_SUPER_MAGIC`, `EXFAT_SUPER_MAGIC`). Neither has links.
const WITHOUT_NUMBERS: [u64; 2] = [0x4d44, 0x2011_bab0];

/// Which folder it is, regardless of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// Device that it is on; may be another after a start of the machine.
    pub device: u64,
    /// Its number there; 0 where numbers of files change (FAT).
    pub inode: u64,
}

/// Which folder it is that is open here.
pub(super) fn identity(folder: BorrowedFd, about: &Stat) -> Identity {
    Identity {
        device: about.st_dev,
        inode: match fs::fstatfs(folder) {
            Ok(on) if WITHOUT_NUMBERS.contains(&(on.f_type as u64)) => 0,
            _ => about.st_ino,
        },
    }
}
