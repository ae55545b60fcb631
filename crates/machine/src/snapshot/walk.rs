//! The walk over the files of a machine that a snapshot is made by: which are taken, and what is blanked in them.

use super::notation::{error_name, escape};
use super::places::{FilePolicy, is_wanted};
use crate::Root;
use crate::timeline::monotonic_ns;
use record::Why;
use record::redact::{BLANK, Kind, Redactor};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A server with 512 CPUs has some 30,000 files below `/sys/devices/system/cpu`.
const ENTRIES_MAX: usize = 40_000;
/// Text that still fits a bug report when compressed.
const BYTES_MAX: usize = 8 << 20;
/// No file that is of use here is larger. `/proc/cpuinfo` of 256 CPUs has 400 KiB.
const FILE_BYTES_MAX: usize = 1 << 20;
/// Directories below a place of the table are entered at most so deep.
pub(super) const DEPTH_MAX: usize = 6;

/// What was written so far, and what is left to be.
pub(super) struct Walk<'a> {
    pub(super) root: &'a Root,
    pub(super) out: String,
    pub(super) seen: BTreeSet<String>,
    pub(super) redactor: Redactor,
    pub(super) deadline_ns: u64,
}

impl Walk<'_> {
    pub(super) fn place(&mut self, path: &str, take: FilePolicy) {
        match take {
            FilePolicy::File => self.file(path),
            FilePolicy::Header => self.header(path),
            FilePolicy::Tree => self.tree(path, DEPTH_MAX),
            FilePolicy::Class => self.class(path),
            FilePolicy::Files(files) => {
                for name in self.root.list(path).unwrap_or_default() {
                    for file in files {
                        self.file(&format!("{path}/{name}/{file}"));
                    }
                }
            }
        }
    }

    /// True once it is enough; what is left out then was not asked for by anybody.
    fn full(&self) -> bool {
        self.seen.len() >= ENTRIES_MAX || self.out.len() >= BYTES_MAX || monotonic_ns() > self.deadline_ns
    }

    /// False if this path was written before.
    fn is_new(&mut self, path: &str) -> bool {
        !self.full() && self.seen.insert(path.to_owned())
    }

    /// Links of a class, and what they point to. Some are directories themselves on old kernels.
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
        let Ok(names) = self.root.list(path) else {
            return;
        };
        for name in names {
            if !is_wanted(&name) || self.full() {
                continue;
            }
            let child = format!("{path}/{name}");
            if let Ok(target) = self.root.link(&child) {
                self.link(&child, &target);
            } else if self.root.list(&child).is_ok() {
                // Idle states have ten files for each CPU and state, and nobody reads them.
                let idle = name.starts_with("state") && path.ends_with("/cpuidle");
                if depth > 0 && !idle {
                    self.tree(&child, depth - 1);
                }
            } else {
                self.file(&child);
            }
        }
    }

    pub(super) fn link(&mut self, path: &str, target: &str) {
        if self.is_new(path) {
            let (path, target) = (self.redactor.line(path), self.redactor.line(target));
            let _ = writeln!(self.out, "== {path} -> {target}");
        }
    }

    /// The file with what is private blanked, or the error that reading it gives. Absent files
    /// are absent in the board too.
    pub(super) fn file(&mut self, path: &str) {
        match self.root.read_bytes(path) {
            Ok(bytes) if bytes.len() <= FILE_BYTES_MAX => {
                let bytes = self.blanked(path, bytes);
                self.content(path, &bytes);
            }
            Ok(_) => {}
            Err(missing) => {
                let name = match missing.why {
                    Why::Denied => Some("EACCES"),
                    Why::Io(errno) => error_name(errno),
                    _ => None,
                };
                if let Some(name) = name
                    && self.is_new(path)
                {
                    let path = self.redactor.line(path);
                    let _ = writeln!(self.out, "== {path} ! {name}");
                }
            }
        }
    }

    fn header(&mut self, path: &str) {
        match self.root.read_head(path, 64) {
            Ok(bytes) => self.content(path, &bytes),
            // Reading it whole fails in the same way, and keeps the error.
            Err(_) => self.file(path),
        }
    }

    pub(super) fn content(&mut self, path: &str, bytes: &[u8]) {
        if self.is_new(path) {
            let path = self.redactor.line(path);
            let _ = writeln!(self.out, "== {path}");
            escape(bytes, &mut self.out);
        }
    }

    /// The running kernel is asked for its page size; a board tells it in the file that has it.
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

    /// The content without what is private. Bytes that are no text stay: the few binary files that
    /// are read are properties of the device tree.
    fn blanked(&mut self, path: &str, bytes: Vec<u8>) -> Vec<u8> {
        match path.rsplit('/').next().unwrap_or_default() {
            "DMI" => return crate::survey::dmi_without_serials(&bytes),
            "eeprom" => return crate::survey::spd_without_serials(&bytes),
            "serial" => return card_serial(&String::from_utf8_lossy(&bytes)).into_bytes(),
            _ => {}
        }
        let redactor = &mut self.redactor;
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return bytes;
        };
        let text = match path {
            "/proc/sys/kernel/hostname" => format!("{}\n", redactor.blank(Kind::HostName)),
            "/proc/cmdline" => format!("{}\n", redactor.cmdline(text)),
            "/proc/self/mountinfo" => redactor.mountinfo(text),
            "/proc/swaps" => redactor.swaps(text),
            "/proc/1/cgroup" => redactor.control_groups(text),
            "/boot/firmware/config.txt" | "/boot/config.txt" => redactor.config_txt(text),
            // That they are there is all that is asked.
            "/.dockerenv" | "/run/.containerenv" => String::new(),
            "/proc/cpuinfo" => identify::with_amlogic_id(text, redactor.text(text)),
            _ => redactor.text(text),
        };
        text.into_bytes()
    }
}

/// The serial number of a card replaced by one that tells the same of its maker: zero, low, or usual.
/// Any other serial number is blanked whole.
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

/// The target of a link, as a path of its own.
pub(super) fn resolve(link: &str, target: &str) -> String {
    if target.starts_with('/') {
        return target.to_owned();
    }
    let mut parts: Vec<&str> = link.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            ".." => {
                parts.pop();
            }
            "." | "" => {}
            other => parts.push(other),
        }
    }
    parts.join("/")
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
