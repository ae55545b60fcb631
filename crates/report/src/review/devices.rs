//! Devices, file systems that cost CPU time, and swap.

use super::{list, section as with_heading};
use facts::plain::markdown;
use record::{Record, Survey, SwapKind};
use rules::survey::words::{disk_lines, flash_lines, pci_lines, swap_lines, usb_lines};

pub(super) fn section(first: &Survey) -> String {
    let buses = [pci_lines(first), usb_lines(first)].concat();
    let storage = [disk_lines(first), flash_lines(first)].concat();
    let heading = match (buses.is_empty(), storage.is_empty()) {
        (false, false) => "PCIe and storage devices",
        (false, true) => "PCIe devices",
        _ => "Storage devices",
    };
    let lines = buses.iter().chain(&storage).map(|line| markdown(line));
    with_heading(heading, &list(lines))
}

pub(super) fn filesystems(first: &Survey) -> String {
    let challenging =
        first.mounts.iter().filter(|mount| mount.kind.starts_with("fuse") || mount.kind.starts_with("ntfs")).map(
            |mount| {
                let how = match mount.kind.as_str() {
                    "ntfs3" => "in-kernel NTFS (ntfs3)",
                    "ntfs" => "old in-kernel NTFS driver",
                    _ => "FUSE: all data pass through a user-space process",
                };
                format!("{} at {}: {how}", markdown(&mount.device), markdown(&mount.place))
            },
        );
    with_heading("Challenging filesystems", &list(challenging))
}

pub(super) fn swap(record: &Record, first: &Survey) -> String {
    let mut lines: Vec<String> = swap_lines(first).iter().map(|line| markdown(line)).collect();
    let zram = first.swaps.iter().any(|swap| swap.state.kind == SwapKind::Zram);
    let zswap = record.machine.zswap.known().filter(|zswap| zswap.as_str() != "off");
    if let Some(zswap) = zswap.filter(|_| zram) {
        lines.push(format!("Zswap ({}) on top of zram; this slows down swapping", markdown(zswap)));
    } else if let Some(zswap) = zswap.filter(|_| !first.swaps.is_empty()) {
        lines.push(format!("Zswap active using {}", markdown(zswap)));
    }
    with_heading("Swap configuration", &list(lines))
}
