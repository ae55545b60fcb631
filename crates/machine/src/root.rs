//! Root of all files that are read: the running system, a directory, or a `.board` file.
//!
//! A board file contains `/proc` and `/sys` as one text file, with links and read errors, so that bug reports can
//! become fixtures. Writes to a board or a directory change the copy, which makes restoration testable.

mod read;
mod source;
mod tree;
pub(crate) mod unread_files;
mod write_policy;

pub(crate) use read::FILE_BYTES_MAX;
pub use source::Source;
pub use tree::Root;
pub use write_policy::WritePolicy;

use identify::missing_errno;
use record::Missing;

/// Reason why a file is missing, by the kernel's error.
fn missing_from(path: &str, error: &std::io::Error) -> Missing {
    missing_errno(path, error.raw_os_error().unwrap_or(libc::EIO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::MissingReason;

    const BOARD: &str = "\
# A made board.
== /sys/class/thermal/thermal_zone0 -> ../../devices/virtual/thermal/thermal_zone0
== /sys/devices/virtual/thermal/thermal_zone0/temp
45000
== /sys/devices/virtual/thermal/thermal_zone0/type
cpu-thermal
== /sys/devices/virtual/thermal/thermal_zone0/trip_point_0_temp ! EINVAL
== /sys/devices/system/cpu/cpu10/online
1
== /sys/devices/system/cpu/cpu2/online
1
== /sys/firmware/devicetree/base/compatible
vendor,board\\0vendor,soc\\0
\\
== /loop -> loop
";

    fn board() -> Root {
        Root::from_board(BOARD).unwrap()
    }

    #[test]
    fn links_are_followed() {
        let root = board();
        assert_eq!(root.read_value("/sys/class/thermal/thermal_zone0/temp").unwrap(), "45000");
        assert_eq!(
            root.link("/sys/class/thermal/thermal_zone0").unwrap(),
            "../../devices/virtual/thermal/thermal_zone0"
        );
        assert_eq!(root.list("/sys/class/thermal/thermal_zone0").unwrap(), ["temp", "trip_point_0_temp", "type"]);
        assert_eq!(root.read("/loop/x").unwrap_err().why, MissingReason::Io(libc::ELOOP));
    }

    #[test]
    fn errors_and_absence_are_replayed() {
        let root = board();
        let trip = root.read("/sys/class/thermal/thermal_zone0/trip_point_0_temp");
        assert_eq!(trip.unwrap_err().why, MissingReason::Io(libc::EINVAL));
        assert_eq!(root.read("/proc/none").unwrap_err().why, MissingReason::Absent);
        assert_eq!(root.list("/proc").unwrap_err().why, MissingReason::Absent);
        // A directory without read permission is not absent.
        let denied = Root::from_board("== /sys/devices/system/cpu/cpufreq ! EACCES\n").unwrap();
        assert_eq!(denied.list("/sys/devices/system/cpu/cpufreq").unwrap_err().why, MissingReason::Denied);
    }

    #[test]
    fn file_has_a_time_and_a_board_has_none() {
        assert!(Root::system().written_utc_ms("/proc/self/stat").is_some_and(|ms| ms > 0));
        assert_eq!(Root::system().written_utc_ms("/none"), None);
        assert_eq!(board().written_utc_ms("/loop"), None);
    }

    #[test]
    fn names_are_listed_as_people_count() {
        assert_eq!(board().list("/sys/devices/system/cpu").unwrap(), ["cpu2", "cpu10"]);
    }

    #[test]
    fn file_can_be_replaced() {
        let root = board().with_file("/proc/cpuinfo", b"processor : 0\n");
        assert_eq!(root.read("/proc/cpuinfo").unwrap(), "processor : 0\n");
        assert_eq!(board().read("/proc/cpuinfo").unwrap_err().why, MissingReason::Absent);
    }

    #[test]
    fn bytes_are_escaped() {
        let compatible = board().read("/sys/firmware/devicetree/base/compatible").unwrap();
        assert_eq!(compatible, "vendor,board\0vendor,soc\0");
    }

    #[test]
    fn writing_changes_the_copy() {
        let root = board();
        let source = root.source("/sys/devices/virtual/thermal/thermal_zone0/temp").unwrap();
        root.write("/sys/class/thermal/thermal_zone0/temp", "50000").unwrap();
        let mut buffer = [0; 16];
        let count = source.read_into(&mut buffer).unwrap();
        assert_eq!(&buffer[..count], b"50000\n");
        assert_eq!(root.write("/proc/none", "1").unwrap_err().why, MissingReason::Absent);
    }

    #[test]
    fn errors_of_boards_are_those_of_this_kernel() {
        let kernel = [
            ("EACCES", libc::EACCES),
            ("EAGAIN", libc::EAGAIN),
            ("EBUSY", libc::EBUSY),
            ("EINVAL", libc::EINVAL),
            ("EIO", libc::EIO),
            ("ENODATA", libc::ENODATA),
            ("ENODEV", libc::ENODEV),
            ("ENOENT", libc::ENOENT),
            ("ENXIO", libc::ENXIO),
            ("EOPNOTSUPP", libc::EOPNOTSUPP),
            ("EPERM", libc::EPERM),
            ("ESRCH", libc::ESRCH),
            ("ETIMEDOUT", libc::ETIMEDOUT),
        ];
        assert_eq!(identify::ERRORS, kernel);
    }

    #[test]
    fn board_with_nonsense_is_refused_with_its_line() {
        for (text, line) in [("nonsense", 1), ("== /a ! EWHAT", 1), ("== /a\nx\\y", 2), ("== a", 1)] {
            assert_eq!(Root::from_board(text).unwrap_err().0, line, "{text}");
        }
    }
}
