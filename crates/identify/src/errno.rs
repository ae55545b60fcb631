//! Linux errors by name and number. A snapshot stores names, so that it can be read on any system. Numbers: Linux
//! include/uapi/asm-generic/errno-base.h and errno.h, which every supported architecture uses.

use record::{Missing, MissingReason};

pub(crate) const ENOENT: i32 = 2;
pub(crate) const EISDIR: i32 = 21;
pub(crate) const EINVAL: i32 = 22;
pub(crate) const ELOOP: i32 = 40;
const EPERM: i32 = 1;
const ENXIO: i32 = 6;
const EACCES: i32 = 13;
const ENODEV: i32 = 19;
const ENOTDIR: i32 = 20;

/// Errors that a board file can contain, by name.
pub const ERRORS: &[(&str, i32)] = &[
    ("EACCES", EACCES),
    ("EAGAIN", 11),
    ("EBUSY", 16),
    ("EINVAL", EINVAL),
    ("EIO", 5),
    ("ENODATA", 61),
    ("ENODEV", ENODEV),
    ("ENOENT", ENOENT),
    ("ENXIO", ENXIO),
    ("EOPNOTSUPP", 95),
    ("EPERM", EPERM),
    ("ESRCH", 3),
    ("ETIMEDOUT", 110),
];

/// Reason why a file is missing, by errno.
pub fn missing_errno(path: &str, errno: i32) -> Missing {
    let why = match errno {
        ENOENT | ENOTDIR | ENODEV | ENXIO => MissingReason::Absent,
        EACCES | EPERM => MissingReason::Denied,
        other => MissingReason::Io(other),
    };
    Missing { path: path.to_owned(), why }
}
