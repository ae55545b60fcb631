//! Room on the disk for deletions: a file that the hub gives up when the disk is full. A deletion first needs room for
//! its write-ahead log.

use crate::private;
use rustix::rand::{GetRandomFlags, getrandom};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Size in bytes, enough for the largest transaction of [`crate::removal`].
const BYTES: usize = 8 << 20;
const PIECE_BYTES: usize = 16 << 10;
/// Addition to the name of the database.
const SUFFIX: &str = "-reserve";

pub(super) struct Reserve(PathBuf);

impl Reserve {
    /// The reserve of a database, made if there is room.
    pub(super) fn of(database: &Path) -> Self {
        let mut name = database.as_os_str().to_owned();
        name.push(SUFFIX);
        let reserve = Self(PathBuf::from(name));
        reserve.make();
        reserve
    }

    /// Creates the file unless it is complete. Removes it if the disk has no room for all of it.
    pub(super) fn make(&self) {
        if fs::metadata(&self.0).is_ok_and(|found| found.len() == BYTES as u64) {
            return;
        }
        if self.write().is_none() {
            self.give_up();
        }
    }

    /// Random bytes, because a file system that compresses keeps no room for zeros.
    fn write(&self) -> Option<()> {
        let mut file = private::file(&self.0).ok()?;
        let mut piece = [0_u8; PIECE_BYTES];
        for _ in 0..BYTES / PIECE_BYTES {
            getrandom(&mut piece, GetRandomFlags::empty()).ok()?;
            file.write_all(&piece).ok()?;
        }
        file.sync_all().ok()
    }

    /// Removes the file. False if there was none.
    pub(super) fn give_up(&self) -> bool {
        fs::remove_file(&self.0).is_ok()
    }
}
