//! Why a file of a root is missing, by the error of the kernel.

use record::{Missing, Why};

pub(super) fn missing_from(path: &str, error: &std::io::Error) -> Missing {
    missing_errno(path, error.raw_os_error().unwrap_or(libc::EIO))
}

pub(super) fn missing_errno(path: &str, errno: i32) -> Missing {
    let why = match errno {
        libc::ENOENT | libc::ENOTDIR | libc::ENODEV | libc::ENXIO => Why::Absent,
        libc::EACCES | libc::EPERM => Why::Denied,
        other => Why::Io(other),
    };
    Missing { path: path.to_owned(), why }
}
