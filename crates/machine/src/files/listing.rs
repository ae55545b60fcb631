//! Names in an open directory.

use rustix::fs;
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

/// Names in a listing.
pub(super) fn listed(entries: fs::Dir) -> Result<Vec<OsString>, Errno> {
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name != "." && name != ".." {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

pub(super) fn is_empty(folder: &OwnedFd) -> Result<bool, Errno> {
    Ok(listed(fs::Dir::read_from(folder)?)?.is_empty())
}
