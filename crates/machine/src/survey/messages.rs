//! All kernel messages since boot: errors of cards, bus modes, traces of a vendor kernel. `kernel_log` reads messages
//! during a run.

use crate::Root;
use crate::faults::{self, Call};
use crate::kernel_log::{KmsgRecord, parse_kmsg};
use record::{Missing, Reading};
use std::io::Read;

const PATH: &str = "/dev/kmsg";
/// Maximum number of messages; the ring buffer holds some 16,000 of usual length (`CONFIG_LOG_BUF_SHIFT`).
const MESSAGES_MAX: usize = 50_000;
/// Maximum length of a record (`CONSOLE_EXT_LOG_MAX`).
const RECORD_BYTES_MAX: usize = 8192;

/// All messages in the kernel's ring buffer, oldest first.
///
/// # Errors
/// `/dev/kmsg` does not exist, or needs root.
pub(super) fn of_boot(root: &Root) -> Reading<Vec<String>> {
    let records = if root.is_system() {
        of_device(root)?
    } else {
        let text = root.read(PATH)?;
        text.lines().filter_map(parse_kmsg).collect()
    };
    let of_kernel = records.into_iter().filter(|record| record.facility == 0);
    Ok(of_kernel.map(|record| record.text).collect())
}

fn of_device(root: &Root) -> Reading<Vec<KmsgRecord>> {
    let crate::Source::File(mut file) = root.source(PATH)? else { return Err(Missing::absent(PATH)) };
    let io =
        |errno: rustix::io::Errno| Missing { path: PATH.into(), why: record::MissingReason::Io(errno.raw_os_error()) };
    let flags = rustix::fs::fcntl_getfl(&file).map_err(io)?;
    // Otherwise a read after the last message would wait for the next one.
    rustix::fs::fcntl_setfl(&file, flags | rustix::fs::OFlags::NONBLOCK).map_err(io)?;
    let mut records = Vec::new();
    let mut buffer = [0; RECORD_BYTES_MAX];
    for _ in 0..MESSAGES_MAX {
        match faults::pass(Call::Read, PATH, || file.read(&mut buffer)) {
            Ok(0) => break,
            Ok(count) => records.extend(parse_kmsg(&String::from_utf8_lossy(&buffer[..count]))),
            // Overwritten before it was read: the next read continues after the gap.
            Err(error) if error.raw_os_error() == Some(libc::EPIPE) => {}
            Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => break,
            Err(error) => {
                let errno = error.raw_os_error().unwrap_or(libc::EIO);
                let why = match errno {
                    libc::EPERM | libc::EACCES => record::MissingReason::Denied,
                    other => record::MissingReason::Io(other),
                };
                return Err(Missing { path: PATH.into(), why });
            }
        }
    }
    Ok(records)
}
