//! MTD flash, and file systems mounted from disks.
//!
//! Sources: Linux Documentation/ABI/testing/sysfs-class-mtd, sysfs-bus-spi-devices-spi-nor; proc(5).

use super::files;
use crate::Root;
use record::{FlashPart, Mount};
use redact::Redactor;

const MTD: &str = "/sys/class/mtd";
/// Maximum number of mounts; containers create many.
const MOUNTS_MAX: usize = 2000;
/// Options that reduce speed.
const SLOW_OPTIONS: &[&str] = &["sync", "dirsync", "discard", "data=journal", "nobarrier", "strictatime"];

/// Partitions and chips, without their read-only counterparts (`mtd0ro`).
pub(super) fn parts(root: &Root) -> Vec<FlashPart> {
    let names = root.list(MTD).unwrap_or_default();
    let is_part = |name: &&String| name.strip_prefix("mtd").is_some_and(|number| number.parse::<u32>().is_ok());
    names.iter().filter(is_part).map(|name| part(root, name)).collect()
}

fn part(root: &Root, name: &str) -> FlashPart {
    let text = |file: &str| files::value(root, &format!("{MTD}/{name}/{file}"));
    let maker = text("device/spi-nor/manufacturer");
    let chip = text("device/spi-nor/partname");
    let chip = match (maker, chip) {
        (Some(maker), Some(chip)) => Some(format!("{maker} {chip}")),
        (maker, chip) => chip.or(maker),
    };
    FlashPart {
        name: name.to_owned(),
        label: text("name").unwrap_or_default(),
        kind: text("type").unwrap_or_default(),
        size_bytes: files::number(root, &format!("{MTD}/{name}/size")),
        chip,
        driver: files::link_name(root, &format!("{MTD}/{name}/device/driver")),
    }
}

/// File systems on devices, from `/proc/self/mountinfo`: the first mount of each device, with known options only.
pub(super) fn mounts(root: &Root) -> Vec<Mount> {
    let text = root.read("/proc/self/mountinfo").or_else(|_| root.read("/proc/1/mountinfo")).unwrap_or_default();
    let text = Redactor::default().mountinfo(&text);
    let mut mounts: Vec<Mount> = Vec::new();
    for mount in text.lines().take(MOUNTS_MAX).filter_map(parse_mount) {
        if mount.device.starts_with("/dev/") && mounts.iter().all(|known| known.device != mount.device) {
            mounts.push(mount);
        }
    }
    mounts
}

/// Parses `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue`.
fn parse_mount(line: &str) -> Option<Mount> {
    let (before, after) = line.split_once(" - ")?;
    let mut before = before.split(' ').skip(4);
    let mut after = after.split(' ');
    let (place, own) = (before.next()?, before.next()?);
    let (kind, device, shared) = (after.next()?, after.next()?, after.next().unwrap_or_default());
    let options = own.split(',').chain(shared.split(','));
    Some(Mount {
        place: place.to_owned(),
        kind: kind.to_owned(),
        device: device.to_owned(),
        options: options.filter(|option| SLOW_OPTIONS.contains(option)).map(str::to_owned).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_of_disks() {
        let board = "\
== /proc/self/mountinfo
21 1 179:2 / / rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw,discard
22 1 8:1 / /media/usb rw - fuseblk /dev/sda1 rw,user_id=0
23 1 0:5 / /proc rw - proc proc rw
24 1 179:2 /x /y rw - ext4 /dev/mmcblk0p2 rw
broken
";
        let found = mounts(&Root::from_board(board).unwrap());
        let found: Vec<_> = found.iter().map(|m| (m.place.as_str(), m.kind.as_str(), m.options.len())).collect();
        assert_eq!(found, [("/", "ext4", 1), ("/media/redacted", "fuseblk", 0)]);
    }

    #[test]
    fn flash_with_its_chip() {
        let board = "\
== /sys/class/mtd/mtd0/name
loader
== /sys/class/mtd/mtd0/type
nor
== /sys/class/mtd/mtd0/size
16777216
== /sys/class/mtd/mtd0/device/spi-nor/partname
w25q128
== /sys/class/mtd/mtd0/device/spi-nor/manufacturer
winbond
== /sys/class/mtd/mtd0ro/name
loader
";
        let found = parts(&Root::from_board(board).unwrap());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].chip.as_deref(), Some("winbond w25q128"));
    }

    proptest::proptest! {
        #[test]
        fn parse_mount_never_panics(line in "([a-z0-9/,]|[ -]|\\PC){0,60}") {
            parse_mount(&line);
        }
    }
}
