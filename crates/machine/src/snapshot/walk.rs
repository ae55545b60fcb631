//! Walks over the files of a machine for a snapshot: selects files, and redacts them.

use super::notation::{error_name, escape};
use super::paths::{FilePolicy, is_wanted};
use crate::Root;
use crate::timeline::monotonic_ns;
use record::MissingReason;
use redact::{BLANK, Kind, Redactor};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Maximum number of entries: a server with 512 CPUs has some 30,000 files below `/sys/devices/system/cpu`.
const ENTRIES_MAX: usize = 40_000;
/// Maximum text size that fits into a bug report when compressed.
const BYTES_MAX: usize = 8 << 20;
/// Maximum file size. `/proc/cpuinfo` of 256 CPUs has 400 KiB.
const FILE_BYTES_MAX: usize = 1 << 20;
/// Maximum depth of directories below a path of the table.
pub(super) const DEPTH_MAX: usize = 6;

/// Text so far, and the remaining limits.
pub(super) struct TreeWalk<'a> {
    pub(super) root: &'a Root,
    pub(super) out: String,
    pub(super) seen: BTreeSet<String>,
    pub(super) redactor: Redactor,
    pub(super) deadline_ns: u64,
}

impl TreeWalk<'_> {
    pub(super) fn place(&mut self, path: &str, take: FilePolicy) {
        match take {
            FilePolicy::File => self.file(path),
            FilePolicy::Header => self.header(path),
            FilePolicy::Tree => self.tree(path, DEPTH_MAX),
            FilePolicy::Class => self.class(path),
            FilePolicy::Files(files) => {
                for name in self.root.list(path).unwrap_or_default() {
                    for file in files.split(' ') {
                        self.file(&format!("{path}/{name}/{file}"));
                    }
                }
            }
        }
    }

    /// True if a limit is reached.
    fn full(&self) -> bool {
        self.seen.len() >= ENTRIES_MAX || self.out.len() >= BYTES_MAX || monotonic_ns() > self.deadline_ns
    }

    /// False if this path was already written.
    fn is_new(&mut self, path: &str) -> bool {
        !self.full() && self.seen.insert(path.to_owned())
    }

    /// Adds links of a class and their targets. On old kernels some are directories themselves.
    fn class(&mut self, path: &str) {
        for name in self.root.list(path).unwrap_or_default() {
            let entry = format!("{path}/{name}");
            match self.root.link(&entry) {
                Ok(target) => {
                    self.link(&entry, &target);
                    self.tree(&resolve(&entry, &target), 2);
                }
                Err(_) => self.tree(&entry, 2),
            }
        }
    }

    pub(super) fn tree(&mut self, path: &str, depth: usize) {
        let Ok(names) = self.root.list(path) else { return };
        for name in names {
            if !is_wanted(&name) || self.full() {
                continue;
            }
            let child = format!("{path}/{name}");
            if let Ok(target) = self.root.link(&child) {
                self.link(&child, &target);
            } else if self.root.list(&child).is_ok() {
                // Idle states have ten files for each CPU and state, which the program does not read.
                let idle = name.starts_with("state") && path.ends_with("/cpuidle");
                if depth > 0 && !idle {
                    self.tree(&child, depth - 1);
                }
            } else {
                self.file(&child);
            }
        }
    }

    /// Redacts a path. A shape that extends over a separator would remove it and make the header unreadable; such a path
    /// is redacted name by name.
    fn redacted_path(&mut self, path: &str) -> String {
        let whole = self.redactor.line(path);
        if whole.matches('/').count() == path.matches('/').count() {
            return whole;
        }
        let names: Vec<String> = path.split('/').map(|name| self.redactor.line(name)).collect();
        names.join("/")
    }

    pub(super) fn link(&mut self, path: &str, target: &str) {
        if self.is_new(path) {
            let (path, target) = (self.redacted_path(path), self.redacted_path(target));
            let _ = writeln!(self.out, "== {path} -> {target}");
        }
    }

    /// Adds the redacted file, or its read error. Absent files are omitted.
    pub(super) fn file(&mut self, path: &str) {
        match self.root.read_bytes(path) {
            Ok(bytes) if bytes.len() <= FILE_BYTES_MAX => {
                let bytes = self.redacted(path, bytes);
                self.content(path, &bytes);
            }
            Ok(_) => {}
            Err(missing) => {
                let name = match missing.why {
                    MissingReason::Denied => Some("EACCES"),
                    MissingReason::Io(errno) => error_name(errno),
                    _ => None,
                };
                if let Some(name) = name
                    && self.is_new(path)
                {
                    let path = self.redacted_path(path);
                    let _ = writeln!(self.out, "== {path} ! {name}");
                }
            }
        }
    }

    fn header(&mut self, path: &str) {
        match self.root.read_head(path, 64) {
            Ok(bytes) => self.content(path, &bytes),
            // Reading the whole file fails as well, and records the error.
            Err(_) => self.file(path),
        }
    }

    pub(super) fn content(&mut self, path: &str, bytes: &[u8]) {
        if self.is_new(path) {
            let path = self.redacted_path(path);
            let _ = writeln!(self.out, "== {path}");
            escape(bytes, &mut self.out);
        }
    }

    /// Page size of the running kernel, stored in the file that boards are searched for it.
    pub(super) fn page_size(&mut self) {
        const PATH: &str = "/proc/self/smaps";
        match identify::page_size_bytes(self.root) {
            Ok(bytes) => {
                let line = format!("KernelPageSize: {:>8} kB\n", bytes / 1024);
                self.content(PATH, line.as_bytes());
            }
            Err(_) => self.file(PATH),
        }
    }

    /// Redacts private data. Binary content is kept: the few binary files are properties of the device tree.
    fn redacted(&mut self, path: &str, bytes: Vec<u8>) -> Vec<u8> {
        match path.rsplit('/').next().unwrap_or_default() {
            "DMI" => return crate::survey::dmi_without_serials(&bytes),
            "eeprom" => return crate::survey::spd_without_serials(&bytes),
            "serial" => return card_serial(&String::from_utf8_lossy(&bytes)).into_bytes(),
            _ => {}
        }
        let redactor = &mut self.redactor;
        let Ok(text) = std::str::from_utf8(&bytes) else { return bytes };
        let text = match path {
            "/proc/sys/kernel/hostname" => format!("{}\n", redactor.blank(Kind::HostName)),
            "/proc/cmdline" => format!("{}\n", redactor.cmdline(text)),
            "/proc/self/mountinfo" => redactor.mountinfo(text),
            "/proc/swaps" => redactor.swaps(text),
            "/proc/1/cgroup" => redactor.control_groups(text),
            "/boot/firmware/config.txt" | "/boot/config.txt" => redactor.config_txt(text),
            // Only their existence is relevant.
            "/.dockerenv" | "/run/.containerenv" => String::new(),
            "/proc/cpuinfo" => identify::with_amlogic_id(text, redactor.text(text)),
            _ => redactor.text(text),
        };
        text.into_bytes()
    }
}

/// Replaces the serial number of a card by one of the same kind: zero, low, or usual. Other serial numbers are redacted
/// completely.
fn card_serial(text: &str) -> String {
    let text = text.trim();
    let number = text.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
    match number {
        Some(0) => "0x00000000\n".to_owned(),
        Some(1..=0xffff) => "0x0000ffff\n".to_owned(),
        Some(_) => "0xffffffff\n".to_owned(),
        None => format!("{BLANK}\n"),
    }
}

/// Absolute path of a link's target.
pub(super) fn resolve(link: &str, target: &str) -> String {
    let is_absolute = target.starts_with('/');
    identify::normal(&if is_absolute { target.to_owned() } else { format!("{link}/../{target}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serial_numbers_of_cards_keep_their_kind() {
        for (text, expected) in [
            ("0x00000000\n", "0x00000000\n"),
            ("0x000012ab\n", "0x0000ffff\n"),
            ("0x5ab912ab\n", "0xffffffff\n"),
            ("S4EWNX0R123\n", "redacted\n"),
        ] {
            assert_eq!(card_serial(text), expected);
        }
    }
}
