//! Sizes of memory and swap, zswap, and the device behind every swap.
//!
//! Sources: `/proc/meminfo` and `/proc/swaps` (proc(5)), `/sys/block` (Linux Documentation/ABI/ stable/sysfs-block),
//! Documentation/admin-guide/mm/zswap.rst.

use crate::Tree;
use record::{MemoryState, Missing, Reading, SwapKind, SwapState};

/// Maximum depth of device mapper targets that are followed.
const SLAVES_MAX: usize = 4;

/// Figures of `/proc/meminfo`.
///
/// # Errors
/// It cannot be read, or a figure is missing.
pub fn memory(root: &dyn Tree) -> Reading<MemoryState> {
    parse_meminfo(&root.read("/proc/meminfo")?)
}

/// Parses `/proc/meminfo`. `MemAvailable` exists since Linux 3.14; for older kernels it is the sum of free memory and
/// page cache, as in free(1).
///
/// # Errors
/// `MemTotal` or `MemFree` is missing or not a number.
pub(crate) fn parse_meminfo(text: &str) -> Reading<MemoryState> {
    let garbled = |name: &str| Missing::garbled(format!("/proc/meminfo {name}"), text);
    // `None` if the line is missing; an error if it has no number.
    let find = |name: &str| {
        let values = text.lines().filter_map(|line| line.split_once(':'));
        let value = values.filter(|(key, _)| key.trim() == name).map(|(_, value)| value).next();
        let number = |value: &str| value.split_whitespace().next()?.parse::<u64>().ok();
        value.map(|value| number(value).ok_or_else(|| garbled(name))).transpose()
    };
    let needed = |name: &str| find(name)?.ok_or_else(|| garbled(name));
    let free_kib = needed("MemFree")?;
    let available_kib = match find("MemAvailable")? {
        Some(kib) => kib,
        None => free_kib.saturating_add(needed("Buffers")?).saturating_add(needed("Cached")?),
    };
    Ok(MemoryState {
        total_kib: needed("MemTotal")?,
        free_kib,
        available_kib,
        // Kernels without swap lack these lines.
        swap_total_kib: find("SwapTotal")?.unwrap_or_default(),
        swap_free_kib: find("SwapFree")?.unwrap_or_default(),
    })
}

/// Every swap device with its kind.
///
/// # Errors
/// `/proc/swaps` cannot be read; kernels without swap lack this file.
pub fn swaps(root: &dyn Tree) -> Reading<Vec<SwapState>> {
    let mut swaps = parse_swaps(&root.read("/proc/swaps")?);
    for (swap, is_file) in &mut swaps {
        swap.kind = match device_of(root, &swap.path, *is_file) {
            Some(device) => kind_of_device(root, &device),
            None => SwapKind::Unknown,
        };
    }
    Ok(swaps.into_iter().map(|(swap, _)| swap).collect())
}

/// Parses `/proc/swaps`: each swap with unknown kind, and whether it is a file.
fn parse_swaps(text: &str) -> Vec<(SwapState, bool)> {
    text.lines()
        .skip(1)
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let path = unescape_octal(words.next()?);
            let is_file = words.next()? == "file";
            let swap = SwapState {
                path,
                kind: SwapKind::Unknown,
                size_kib: words.next()?.parse().ok()?,
                used_kib: words.next()?.parse().ok()?,
                priority: words.next()?.parse().ok()?,
            };
            Some((swap, is_file))
        })
        .collect()
}

/// Path of a file such as `/proc/swaps`, in which the kernel escapes blanks and other separators as `\040`.
pub fn unescape_octal(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| first == b'\\');
        let byte = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match byte {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[3..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Name of the block device of a swap partition, or of the file system of a swap file.
fn device_of(root: &dyn Tree, path: &str, is_file: bool) -> Option<String> {
    let mut device = path.to_owned();
    if is_file {
        let mounts = root.read("/proc/self/mountinfo").ok()?;
        let (numbers, source) = mount_of(&mounts, path)?;
        // btrfs and overlayfs have virtual device numbers; their mount source is the device.
        if let Ok(link) = root.link(&format!("/sys/dev/block/{numbers}")) {
            return last_part(&link);
        }
        device = source;
    }
    // /dev/mapper/x and /dev/disk/by-uuid/x are links to the device node.
    let node = root.link(&device).unwrap_or(device);
    last_part(&node)
}

fn last_part(path: &str) -> Option<String> {
    let name = path.rsplit('/').next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

/// `(major:minor, source)` of the mount that contains this file: the longest mount point that is a prefix of the path,
/// and the last of equal ones, because it covers the others. Format: proc_pid_mountinfo(5).
fn mount_of(mountinfo: &str, path: &str) -> Option<(String, String)> {
    let mut best: Option<(usize, (String, String))> = None;
    for line in mountinfo.lines() {
        let Some((before, after)) = line.split_once(" - ") else { continue };
        let before: Vec<&str> = before.split(' ').collect();
        let (Some(numbers), Some(point)) = (before.get(2), before.get(4)) else { continue };
        let Some(source) = after.split(' ').nth(1) else {
            continue;
        };
        let point = unescape_octal(point);
        let inside = path.strip_prefix(point.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'));
        if inside && best.as_ref().is_none_or(|(length, _)| point.len() >= *length) {
            best = Some((point.len(), ((*numbers).to_owned(), unescape_octal(source))));
        }
    }
    best.map(|(_, mount)| mount)
}

/// Kind of this device, by its name and the kernel's attributes of its disk.
fn kind_of_device(root: &dyn Tree, device: &str) -> SwapKind {
    let mut disk = whole_disk(root, device);
    for _ in 0..SLAVES_MAX {
        let slaves = root.list(&format!("/sys/block/{disk}/slaves"));
        match slaves.unwrap_or_default().first() {
            Some(slave) => disk = whole_disk(root, slave),
            None => break,
        }
    }
    if disk.starts_with("zram") {
        return SwapKind::Zram;
    }
    if disk.starts_with("mmcblk") {
        return SwapKind::SdCard;
    }
    // Virtual disks report rotation regardless of the host's storage.
    if disk.starts_with("vd") || disk.starts_with("xvd") || disk.starts_with("nvme") {
        return SwapKind::Disk;
    }
    match root.read_number::<u32>(&format!("/sys/block/{disk}/queue/rotational")) {
        Ok(0) => SwapKind::Disk,
        Ok(_) => SwapKind::RotatingDisk,
        Err(_) => SwapKind::Unknown,
    }
}

/// Disk of a partition: `sda2` is on `sda`, `mmcblk0p1` on `mmcblk0`.
fn whole_disk(root: &dyn Tree, device: &str) -> String {
    if root.list(&format!("/sys/block/{device}")).is_ok() {
        return device.to_owned();
    }
    let disk = device.trim_end_matches(|c: char| c.is_ascii_digit());
    // Disks whose name ends in a digit have a `p` before the partition number.
    match disk.strip_suffix('p') {
        Some(before) if before.ends_with(|c: char| c.is_ascii_digit()) => before.to_owned(),
        _ if disk.is_empty() || disk == "zram" => device.to_owned(),
        _ => disk.to_owned(),
    }
}

/// `off`, or compressor, allocator and maximum share of memory of zswap. Newer kernels have fewer of these files.
///
/// # Errors
/// The kernel has no zswap.
pub(crate) fn zswap(root: &dyn Tree) -> Reading<String> {
    let file = |name: &str| root.read_value(&format!("/sys/module/zswap/parameters/{name}"));
    if !matches!(file("enabled")?.as_str(), "Y" | "1") {
        return Ok("off".into());
    }
    let parts: Vec<String> = ["compressor", "zpool"].iter().filter_map(|name| file(name).ok()).collect();
    let mut text = if parts.is_empty() { "on".to_owned() } else { parts.join("/") };
    if let Ok(percent) = file("max_pool_percent") {
        text.push_str(&format!(", max pool {percent} %"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BoardFile;

    #[test]
    fn meminfo() {
        let text = "MemTotal:  1000 kB\r\nMemFree:  100 kB\nMemAvailable: 700 kB\n\
                    SwapTotal: 50 kB\nSwapFree: 40 kB\n";
        let memory = parse_meminfo(text).unwrap();
        assert_eq!((memory.total_kib, memory.available_kib), (1000, 700));
        assert_eq!((memory.swap_total_kib, memory.swap_free_kib), (50, 40));
        // Before 3.14, and without swap.
        let text = "MemTotal: 1000 kB\nMemFree: 100 kB\nBuffers: 20 kB\nCached: 300 kB\n";
        let memory = parse_meminfo(text).unwrap();
        assert_eq!((memory.available_kib, memory.swap_total_kib), (420, 0));
        let text = "MemTotal: 1\nMemFree: 18446744073709551615\nBuffers: 0\nCached: 1\n";
        assert_eq!(parse_meminfo(text).unwrap().available_kib, u64::MAX);
        let garbled = "MemTotal: 1\nMemFree: 1\nMemAvailable: 1\nSwapTotal: kB\n";
        for cut in ["", "MemTotal: 1000", "MemTotal: kB\nMemFree: 1 kB", "MemTotal: 1\nMemFree: 1\n", garbled] {
            assert!(parse_meminfo(cut).is_err(), "{cut}");
        }
    }

    const BOARD: &str = "\
== /proc/swaps
Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority
/dev/zram0                              partition\t1000\t10\t100
/dev/mmcblk0p2                          partition\t1000\t0\t-2
/dev/sda2                               partition\t1000\t0\t-2
/dev/dm-0                               partition\t1000\t0\t-2
/dev/mapper/vg-swap                     partition\t1000\t0\t-2
/var/swap                               file\t1000\t0\t-2
/data/my\\\\040swap                        file\t1000\t0\t-2
/btrfs/swap                             file\t1000\t0\t-2
/dev/vda1                               partition\t1000\t0\t-2
/dev/what                               partition\t1000\t0\t-2
cut
== /proc/self/mountinfo
22 1 179:2 / / rw,noatime - ext4 /dev/root rw
23 22 8:1 / /data rw - ext4 /dev/sda1 rw
24 22 0:40 /@ /btrfs rw - btrfs /dev/nvme0n1p3 rw
25 22 8:1 / /dat rw - ext4 /dev/wrong rw
== /sys/dev/block/179:2 -> ../../devices/platform/mmc/block/mmcblk0/mmcblk0p2
== /sys/dev/block/8:1 -> ../../devices/pci/block/sda/sda1
== /dev/mapper/vg-swap -> ../dm-0
== /sys/block/dm-0/slaves/nvme0n1p2/size
1
== /sys/block/sda/queue/rotational
1
";

    #[test]
    fn swap_device_kinds() {
        let swaps = swaps(&BoardFile::parse(BOARD).unwrap()).unwrap();
        let kinds: Vec<_> = swaps.iter().map(|s| (s.path.as_str(), s.kind)).collect();
        let expected = [
            ("/dev/zram0", SwapKind::Zram),
            ("/dev/mmcblk0p2", SwapKind::SdCard),
            ("/dev/sda2", SwapKind::RotatingDisk),
            ("/dev/dm-0", SwapKind::Disk),
            ("/dev/mapper/vg-swap", SwapKind::Disk),
            ("/var/swap", SwapKind::SdCard),
            ("/data/my swap", SwapKind::RotatingDisk),
            ("/btrfs/swap", SwapKind::Disk),
            ("/dev/vda1", SwapKind::Disk),
            ("/dev/what", SwapKind::Unknown),
        ];
        assert_eq!(kinds, expected);
        assert_eq!((swaps[0].used_kib, swaps[1].priority), (10, -2));
    }

    #[test]
    fn zswap_parameters() {
        let path = "== /sys/module/zswap/parameters";
        for (board, expected) in [
            (format!("{path}/enabled\nN\n"), "off"),
            (format!("{path}/enabled\nY\n"), "on"),
            (
                format!(
                    "{path}/enabled\nY\n{path}/compressor\nzstd\n{path}/zpool\nz3fold\n{path}/max_pool_percent\n20\n"
                ),
                "zstd/z3fold, max pool 20 %",
            ),
        ] {
            assert_eq!(zswap(&BoardFile::parse(&board).unwrap()).unwrap(), expected);
        }
    }

    proptest::proptest! {
        #[test]
        fn parsers_never_panic(text in "([A-Za-z:/ \\\\\n0-9\t-]|\\PC){0,60}") {
            let _ = parse_meminfo(&text);
            parse_swaps(&text);
            mount_of(&text, "/var/swap");
            unescape_octal(&text);
        }
    }
}
