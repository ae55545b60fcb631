//! Kernel features, and the place of results.

use super::Availability::{No, Partly, Unknown, Yes};
use super::sensors::as_root;
use super::subjects::OTHER_MACHINE;
use super::{Capability, Facts, Finding};
use machine::{KernelLog, Root};
use record::MissingReason;

/// `EOPNOTSUPP` of `asm-generic/errno.h`.
const NOT_SUPPORTED: i32 = 95;
const PRESSURE: &str = "/proc/pressure/cpu";

/// Documentation/accounting/psi.rst of the kernel.
pub(super) fn pressure(facts: &Facts) -> Finding {
    let why = match facts.root.read(PRESSURE) {
        Ok(_) => return Yes.because("PSI shows for how long tasks were stalled"),
        Err(missing) => missing,
    };
    match why.why {
        MissingReason::Absent if !facts.root.is_system() => Unknown.because(OTHER_MACHINE),
        MissingReason::Absent => {
            let because = "no PSI: the kernel was built without CONFIG_PSI, or it is off by default";
            No.with_remedy(because, "add psi=1 to the kernel command line")
        }
        MissingReason::Io(NOT_SUPPORTED) => No.with_remedy("PSI is off", "add psi=1 to the kernel command line"),
        _ => Unknown.because(why.to_string()),
    }
}

pub(super) fn kernel_log(facts: &Facts) -> Finding {
    match KernelLog::open(facts.root) {
        Ok(log) if log.boot_messages_present() => Yes.because("read from the first message of this boot on"),
        Ok(_) => Partly.with_remedy(
            "readable, but the messages of the boot have left the ring buffer",
            "restart, or add log_buf_len=4M to the kernel command line",
        ),
        Err(missing) if missing.why == MissingReason::Absent && !facts.root.is_system() => {
            Unknown.because(format!("{OTHER_MACHINE}, and the log is not among them"))
        }
        Err(missing) => {
            let so = "messages of throttling, under-voltage and errors are not seen";
            let way_out = match (&missing.why, machine::is_root() && facts.root.is_system()) {
                (MissingReason::Denied, false) => "run as root, or: sudo sysctl kernel.dmesg_restrict=0",
                (MissingReason::Denied | MissingReason::Absent, true) => "run outside of the container",
                _ => "",
            };
            No.with_remedy(format!("{missing}: {so}"), way_out)
        }
    }
}

pub(super) fn results(facts: &Facts) -> Finding {
    let folder = facts.results.display();
    match machine::in_memory(facts.root, facts.results) {
        Some(what) => Partly.with_remedy(
            format!("{folder} is in memory ({what}): a freeze or loss of power takes the results"),
            "name a file on a drive: --log FILE",
        ),
        None if facts.root.read("/proc/self/mountinfo").is_err() => {
            Unknown.because(format!("what {folder} is on cannot be read"))
        }
        None => Yes.because(format!("{folder} is on a drive")),
    }
}

/// Directories in which workloads create files by default.
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// Storage that is in memory: temporary files, and swap in zram.
pub(super) fn ram_disks(facts: &Facts) -> Finding {
    if facts.root.read("/proc/self/mountinfo").is_err() {
        return Unknown.because("mounts cannot be read");
    }
    let kept =
        |folder: &&str| Some(format!("{folder} is in memory ({})", machine::in_memory(facts.root, folder.as_ref())?));
    let mut found: Vec<String> = TEMPORARY.iter().filter_map(kept).collect();
    let is_temporary = !found.is_empty();
    let swaps = facts.root.read("/proc/swaps").unwrap_or_default();
    let zram = swaps.lines().filter_map(|line| line.split_whitespace().next()?.strip_prefix("/dev/"));
    found
        .extend(zram.filter(|device| device.starts_with("zram")).map(|device| format!("swap is in memory ({device})")));
    match (found.is_empty(), is_temporary) {
        (true, _) => Yes.because("none: temporary files are on a drive, no swap is in zram"),
        (false, false) => Yes.because(found.join("; ")),
        (false, true) => Partly.with_remedy(
            format!("{}: files there measure memory and take it from workloads", found.join("; ")),
            "set TMPDIR to a directory on a drive",
        ),
    }
}

/// Unreadable sources; `None` if all are readable.
pub(super) fn unread(root: &Root) -> Option<Capability> {
    let unread = root.take_unread();
    let first = unread.first()?;
    let denied = unread.iter().any(|missing| missing.why == MissingReason::Denied);
    let way_out = as_root(denied && root.is_system());
    let because = format!("{} files are there and cannot be read: {first}", unread.len());
    Some(Capability { subject: "files", measurable: Partly, because, way_out: way_out.into() })
}
