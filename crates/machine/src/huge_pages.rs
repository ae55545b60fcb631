//! Determines whether huge pages back a memory range of this process, from `smaps`, because a request for them may not
//! be fulfilled. (Kernel: Documentation/filesystems/proc.rst, Documentation/admin-guide/mm/transhuge.rst.)

use crate::Root;
use record::{Missing, Reading};

const SMAPS: &str = "/proc/self/smaps";

/// KiB of anonymous huge pages in the mapping of this process that contains the address.
///
/// # Errors
/// `smaps` cannot be read, has no such mapping, or lacks the value (kernels without huge pages).
pub fn huge_kib(root: &Root, address: usize) -> Reading<u64> {
    let text = root.read(SMAPS)?;
    parse_smaps(&text, address).ok_or_else(|| Missing::unsupported(SMAPS, "the kernel does not report huge pages"))
}

/// `AnonHugePages` of the mapping that contains the address.
pub(crate) fn parse_smaps(text: &str, address: usize) -> Option<u64> {
    let mut inside = false;
    for line in text.lines() {
        if let Some(range) = parse_range(line) {
            inside = range.contains(&address);
        } else if inside && let Some(value) = line.strip_prefix("AnonHugePages:") {
            return value.trim().trim_end_matches("kB").trim_end().parse().ok();
        }
    }
    None
}

/// Parses the first line of a mapping: `7f12a000-7f14a000 rw-p 00000000 00:00 0`.
fn parse_range(line: &str) -> Option<std::ops::Range<usize>> {
    let (start, end) = line.split_whitespace().next()?.split_once('-')?;
    let hex = |digits: &str| usize::from_str_radix(digits, 16).ok();
    Some(hex(start)?..hex(end)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
5558f000-55590000 r--p 00000000 fe:00 1234                       /usr/bin/x
Size:                  4 kB
AnonHugePages:         0 kB
VmFlags: rd mr mw me
7f000000-7f800000 rw-p 00000000 00:00 0
Size:               8192 kB
AnonHugePages:      6144 kB
THPeligible:           1
7f900000-7f901000 rw-p 00000000 00:00 0
Size:                  4 kB
";

    #[test]
    fn mapping_of_the_address_counts() {
        for (address, expected) in [
            (0x5558_f010, Some(0)),
            (0x7f00_0000, Some(6144)),
            (0x7f7f_ffff, Some(6144)),
            (0x7f80_0000, None),
            (0x7f90_0000, None),
        ] {
            assert_eq!(parse_smaps(TEXT, address), expected, "{address:x}");
        }
        assert_eq!(parse_smaps("no such thing\n", 0), None);
    }

    #[test]
    fn kernel_that_does_not_tell_is_named() {
        let root = Root::from_board("== /proc/self/smaps\n1000-2000 rw-p 0 00:00 0\n").unwrap();
        let why = huge_kib(&root, 0x1000).unwrap_err().to_string();
        assert!(why.contains("huge pages"), "{why}");
    }
}
