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
    /// The reserve of a database, made as far as there is room.
    pub(super) fn of(database: &Path) -> Self {
        let mut name = database.as_os_str().to_owned();
        name.push(SUFFIX);
        let reserve = Self(PathBuf::from(name));
        reserve.make();
        reserve
    }

    /// Creates the file unless it is complete. On a disk without room for all of it, the file has half of the size, or a
    /// quarter, and so on: another writer may have used the room of a file that was given up, and the next deletion needs
    /// room too.
    pub(super) fn make(&self) {
        if fs::metadata(&self.0).is_ok_and(|found| found.len() == BYTES as u64) {
            return;
        }
        let mut pieces = BYTES / PIECE_BYTES;
        while pieces > 0 && self.write(pieces).is_none() {
            self.give_up();
            pieces /= 2;
        }
    }

    /// Random bytes, because a file system that compresses keeps no room for zeros.
    fn write(&self, pieces: usize) -> Option<()> {
        let mut file = private::file(&self.0).ok()?;
        let mut piece = [0_u8; PIECE_BYTES];
        for _ in 0..pieces {
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
