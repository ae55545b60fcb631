//! Names recognised by their place: directories, accounts, disks, pools; and serial numbers after their keyword.

use super::known::DEVICES;
use super::{BLANK, Kind, Redactor};

/// Builders of kernels and programs for all users; their names identify the kernel.
const BUILDERS: [&str; 12] = [
    "@armbian",
    "@lists.debian.org",
    "@lists.ubuntu.com",
    "buildd@",
    "buildozer@",
    "geeko@",
    "nixbld@",
    "mockbuild@",
    "builder@",
    "reproducible@",
    "github",
    "gitlab",
];
/// Redacted account.
const BLANK_ACCOUNT: &str = "redacted@redacted";
/// Directories that contain names of people, and the kinds of the names.
const OF_PEOPLE: [(&str, &[Kind]); 8] = [
    ("/run/media/", &[Kind::UserName, Kind::Label]),
    ("/media/", &[Kind::UserName, Kind::Label]),
    ("/mnt/", &[Kind::Label]),
    ("/srv/", &[Kind::Label]),
    ("/lib/lxc/", &[Kind::Label]),
    ("/home\u{2f}", &[Kind::UserName]),
    ("/Users\u{2f}", &[Kind::UserName]),
    ("\\Users\\", &[Kind::UserName]),
];
/// Prefixes; a line with a directory of people contains one of them.
pub(super) const FOLDERS: &[&str] = &["/run", "/media", "/mnt", "/srv", "/lib", "/home", "/Users", "\\Users"];
/// Text before the name of a disk.
const BEFORE_LABELS: [&str; 8] =
    ["by-id/", "by-label/", "by-partlabel/", "by-path/", "/dev/mapper/", "PARTLABEL=", "LABEL=", "by-diskseq/"];
/// Usual names of mount directories.
const USUAL_MOUNTS: [&str; 24] = [
    "boot", "root", "rootfs", "data", "disk", "disks", "usb", "usbdisk", "usbstick", "ssd", "hdd", "nvme", "emmc",
    "sd", "sdcard", "nas", "nfs", "tmp", "storage", "backup", "cdrom", "test", "bench", "share",
];
/// Directories of `/dev`; others are volume groups named by their owner.
#[rustfmt::skip]
const OF_DEV: [&str; 34] = [
    "block", "bsg", "bus", "char", "cpu", "disk", "dma_heap", "dri", "dvb", "fd", "hugepages", "infiniband", "input",
    "ipath", "mapper", "md", "media", "misc", "mqueue", "mtd", "net", "nvme-fabrics", "ppp", "pts", "raw", "serial",
    "shm", "snd", "usb", "v4l", "vfio", "watchdog", "vg", "zvol",
];
/// Words that end the name of a serial number.
const SERIAL_ENDS: [&str; 7] = [" number", " no.", " no", "_number", "number", "no", ""];

pub(super) fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+')
}

fn is_usual_mount(name: &str) -> bool {
    let lower = name.to_lowercase();
    let word = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_device = DEVICES.iter().any(|known| name.strip_prefix(known).is_some_and(|rest| rest.len() <= 6));
    word.is_empty() || USUAL_MOUNTS.contains(&word) || is_device
}

impl Redactor {
    /// Redacts `https://user:password@host`.
    pub(super) fn credentials(&mut self, line: &str) -> String {
        let mut out = String::new();
        let mut rest = line;
        while let Some(at) = rest.find("://") {
            let (head, tail) = rest.split_at(at + 3);
            out.push_str(head);
            rest = tail;
            let end = tail.find(|c: char| c == '/' || c.is_whitespace()).unwrap_or(tail.len());
            if let Some(at) = tail[..end].rfind('@') {
                if let Some((_, password)) = tail[..at].split_once(':') {
                    self.tell(Kind::Key, password);
                }
                self.count(Kind::Key);
                out.push_str(BLANK);
                rest = &tail[at..];
            }
        }
        out + rest
    }

    /// Redacts serial numbers (`Serial : 10000000abcdef01`, `SerialNumber: 2022`, `serialno=abc`): digits and letters
    /// become zeros.
    pub(super) fn serials(&mut self, line: &str) -> String {
        let lower = line.to_ascii_lowercase();
        let mut out = String::new();
        let mut done = 0;
        for (at, word) in lower.match_indices("serial") {
            let behind = &lower[at + word.len()..];
            let Some(end) = SERIAL_ENDS.into_iter().find(|end| {
                let rest = behind.strip_prefix(end).map(|rest| rest.trim_start_matches([' ', '\t', '"']));
                rest.is_some_and(|rest| rest.starts_with([':', '=']))
            }) else {
                continue;
            };
            // `fe650000.serial: ttyS2` is a device.
            if end.is_empty() && line[..at].ends_with('.') && behind.starts_with(':') {
                continue;
            }
            let from = at + word.len() + end.len();
            let value = line[from..].find(|c: char| !matches!(c, ' ' | '\t' | ':' | '=' | '"'));
            let Some(start) = value.map(|value| from + value).filter(|start| *start >= done) else { continue };
            let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '\'' | '`');
            let end = line[start..].find(ends).map_or(line.len(), |length| start + length);
            // `Serial: 8250/16550 driver` is a driver.
            if line[start..end].starts_with("8250") {
                continue;
            }
            out.push_str(&line[done..start]);
            let value = &line[start..end];
            let blank: String = value.chars().map(|c| if c.is_alphanumeric() { '0' } else { c }).collect();
            if blank != value {
                self.tell(Kind::Serial, value);
                self.count(Kind::Serial);
            }
            out.push_str(&blank);
            done = end;
        }
        out + &line[done..]
    }

    /// Redacts home directories and `/media/NAME/LABEL`.
    pub(super) fn places_of_people(&mut self, line: &str) -> String {
        let ends = |c: char| c.is_whitespace() || "/\\\"'),:]`".contains(c);
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(at) = rest.find(['/', '\\']) {
            let (head, tail) = rest.split_at(at);
            out.push_str(head);
            let Some((folder, kinds)) = OF_PEOPLE.iter().find(|(folder, _)| tail.starts_with(folder)) else {
                out.push_str(&tail[..1]);
                rest = &tail[1..];
                continue;
            };
            out.push_str(folder);
            rest = &tail[folder.len()..];
            for (place, kind) in kinds.iter().enumerate() {
                if place > 0 {
                    let Some(below) = rest.strip_prefix('/') else { break };
                    out.push('/');
                    rest = below;
                }
                let (name, behind) = rest.split_at(rest.find(ends).unwrap_or(rest.len()));
                if name.is_empty() {
                    break;
                }
                let is_usual = matches!(*folder, "/mnt/" | "/srv/") && is_usual_mount(name);
                if !is_usual && name != BLANK {
                    self.tell(*kind, name);
                    self.count(*kind);
                }
                out.push_str(if is_usual { name } else { BLANK });
                rest = behind;
            }
        }
        out + rest
    }

    /// Redacts `user@host`, except nodes of the device tree (`mmc@fe320000`) and builders.
    pub(super) fn accounts(&mut self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(at) = rest.find('@') {
            let (left, right) = (&rest[..at], &rest[at + 1..]);
            let start = left
                .rfind(|c| !is_name(c))
                .map_or(0, |place| place + left[place..].chars().next().map_or(1, char::len_utf8));
            let end = right.find(|c| !is_name(c)).unwrap_or(right.len());
            let (user, host) = (&left[start..], &right[..end]);
            let word = &rest[start..at + 1 + end];
            let is_node = host.chars().all(|c| c.is_ascii_hexdigit() || matches!(c, '.' | '-' | '_'));
            let is_everybodys = || word == BLANK_ACCOUNT || BUILDERS.iter().any(|known| word.contains(known));
            out.push_str(&left[..start]);
            if user.is_empty() || is_node || is_everybodys() {
                out.push_str(word);
            } else {
                self.tell(Kind::HostName, host);
                self.tell(Kind::UserName, user);
                self.count(Kind::HostName);
                self.count(Kind::UserName);
                out.push_str(BLANK_ACCOUNT);
            }
            rest = &right[end..];
        }
        out + rest
    }

    /// Redacts disk names given by makers or owners: `by-id/...`, `LABEL=...`.
    pub(super) fn disks(&mut self, line: &str) -> String {
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '"' | '\'' | '`' | ')');
        let mut line = line.to_owned();
        for before in BEFORE_LABELS {
            let mut out = String::new();
            let mut done = 0;
            while let Some(at) = line[done..].find(before) {
                let start = done + at + before.len();
                let end = line[start..].find(ends).map_or(line.len(), |length| start + length);
                let value = &line[start..end];
                out.push_str(&line[done..start]);
                done = end;
                if value.is_empty() || value == BLANK {
                    out.push_str(value);
                    continue;
                }
                // The port of a device is not a name.
                if before != "by-path/" {
                    self.tell(Kind::Label, value);
                }
                self.count(Kind::Label);
                out.push_str(BLANK);
            }
            if done > 0 {
                out.push_str(&line[done..]);
                line = out;
            }
        }
        self.volumes(&line)
    }

    /// Redacts `/dev/GROUP/VOLUME` of LVM and `/dev/zvol/POOL/...`.
    fn volumes(&mut self, line: &str) -> String {
        let mut out = String::new();
        let mut rest = line;
        while let Some(at) = rest.find("/dev/") {
            let (head, tail) = rest.split_at(at + "/dev/".len());
            out.push_str(head);
            rest = tail;
            if let Some(pool) = rest.strip_prefix("zvol/") {
                out.push_str("zvol/");
                rest = pool;
            }
            let is_zvol = rest.len() < tail.len();
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            let (group, behind) = rest.split_at(end);
            let is_of_system = OF_DEV.contains(&group) || group == BLANK || group.starts_with("nvme");
            if group.is_empty() || is_of_system && !is_zvol {
                continue;
            }
            let volume = behind.strip_prefix('/').unwrap_or_default();
            let volume_end = volume.find(|c| !is_name(c) && c != '/').unwrap_or(volume.len());
            if volume_end == 0 {
                continue;
            }
            self.tell(Kind::Label, group);
            self.count(Kind::Label);
            out.push_str(&format!("{BLANK}/{BLANK}"));
            rest = &volume[volume_end..];
        }
        out + rest
    }

    /// Redacts ZFS pools, which stand in place of a device: `pool/home on /home type zfs`, in `/proc/mounts` and in
    /// `/proc/self/mountinfo`.
    pub(super) fn pools(&mut self, line: &str) -> String {
        let words: Vec<&str> = line.split_whitespace().take(12).collect();
        let Some(at) = words.iter().position(|word| *word == "zfs") else { return line.to_owned() };
        let back = |count: usize| at.checked_sub(count).map(|place| words[place]);
        let source = match (back(1), back(3)) {
            (Some("type"), Some("on")) => back(4),
            (Some("-"), _) => words.get(at + 1).copied(),
            (Some(place), _) if place.starts_with('/') => back(2),
            _ => None,
        };
        let is_pool = |source: &&str| source.starts_with(|c: char| c.is_ascii_alphabetic()) && *source != BLANK;
        let Some(source) = source.filter(is_pool) else { return line.to_owned() };
        for name in source.split('/') {
            self.tell(Kind::Label, name);
        }
        self.count(Kind::Label);
        line.replacen(source, BLANK, 1)
    }
}
