//! Files whose private content has no recognisable shape: the kernel's command line, mounts, swaps, cgroups and
//! settings of a Raspberry Pi's firmware. Only known values are kept.

use super::known::{DEVICES, DISKS, FIRMWARE, IN_MEMORY, MOUNT_OPTIONS, OPTIONS, PLACES};
use super::{BLANK, Kind, Redactor};

impl Redactor {
    /// Redacts the kernel's command line: keeps known options, and the names of all others.
    pub fn cmdline(&mut self, text: &str) -> String {
        let words: Vec<String> = text.split_whitespace().map(|word| self.option(word)).collect();
        words.join(" ")
    }

    fn option(&mut self, word: &str) -> String {
        let (key, value) = match word.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (word, None),
        };
        let lower = key.to_lowercase().replace('-', "_");
        let is_known = OPTIONS.iter().any(|known| {
            (lower.len() == known.len() || known.len() > 2 && lower.len() > known.len())
                && known.bytes().zip(lower.bytes()).all(|(a, b)| a == b || a == b'-' && b == b'_')
        });
        let secret = ["serial", "mac", "uuid", "password", "token", "secret", "user", "host", "hwaddr"];
        let is_secret =
            lower.split(['.', '_']).any(|part| secret.iter().any(|word| part.starts_with(word)) && part != "machine");
        match value {
            _ if is_known && !is_secret => self.addresses(word),
            None => {
                self.count(Kind::Option);
                BLANK.to_owned()
            }
            Some(value) if DISKS.contains(&key) => format!("{key}={}", self.device(value)),
            Some(value) if !is_secret && is_number(value) => word.to_owned(),
            Some("" | "y" | "n" | "Y" | "N" | "on" | "off" | "yes" | "no" | "auto" | "0" | "1") => word.to_owned(),
            Some(_) => {
                self.count(Kind::Option);
                format!("{}={BLANK}", self.addresses(key))
            }
        }
    }

    /// Redacts a disk unless its name is generic.
    pub fn device(&mut self, text: &str) -> String {
        if let Some(name) = text.strip_prefix("/dev/") {
            let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
            if is_plain && DEVICES.iter().any(|known| name.starts_with(known)) {
                return text.to_owned();
            }
        }
        for key in ["UUID=", "PARTUUID="] {
            if let Some(id) = text.strip_prefix(key) {
                return format!("{key}{}", self.digits(Kind::Identifier, id));
            }
        }
        if ["overlay", "none", "rootfs"].contains(&text) || IN_MEMORY.contains(&text) {
            return text.to_owned();
        }
        self.count(Kind::Label);
        match text.split_once('=') {
            Some((key @ ("LABEL" | "PARTLABEL"), _)) => format!("{key}={BLANK}"),
            _ if text.starts_with("/dev/") => format!("/dev/{BLANK}"),
            _ => BLANK.to_owned(),
        }
    }

    /// Redacts `/proc/self/mountinfo` (`proc_pid_mountinfo(5)`): keeps file systems on devices and in memory, without
    /// names and credentials.
    pub fn mountinfo(&mut self, text: &str) -> String {
        let lines = text.lines().filter_map(|line| self.mount(line));
        lines.map(|line| line + "\n").collect()
    }

    fn mount(&mut self, line: &str) -> Option<String> {
        let (before, after) = line.split_once(" - ")?;
        let mut before = before.split(' ');
        let (id, parent, numbers) = (before.next()?, before.next()?, before.next()?);
        let (root, place, own) = (before.next()?, before.next()?, before.next()?);
        let mut after = after.split(' ');
        let (kind, source) = (after.next()?, after.next()?);
        let shared = after.next().unwrap_or_default();
        let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_digit() || c == ':');
        let is_kept = (source.starts_with("/dev/") || IN_MEMORY.contains(&kind))
            && [id, parent, numbers].into_iter().all(is_plain)
            && kind.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
        if !is_kept {
            self.count(Kind::Label);
            return None;
        }
        let root = if root == "/" { "/".to_owned() } else { self.place(root) };
        let (place, source) = (self.place(place), self.device(source));
        let mut options = |text: &str| -> String {
            let all = text.split(',');
            let kept: Vec<&str> = all.clone().filter(|option| MOUNT_OPTIONS.contains(option)).collect();
            if kept.len() < all.count() {
                self.count(Kind::Option);
            }
            kept.join(",")
        };
        let (own, shared) = (options(own), options(shared));
        Some(format!("{id} {parent} {numbers} {root} {place} {own} - {kind} {source} {shared}"))
    }

    /// Redacts a path: keeps the usual mount point that it begins with.
    pub fn place(&mut self, path: &str) -> String {
        if path.starts_with("/dev/") {
            return self.device(path);
        }
        if PLACES.contains(&path) || !path.starts_with('/') {
            return path.to_owned();
        }
        let below = |known: &&&str| path.strip_prefix(**known).is_some_and(|rest| rest.starts_with('/'));
        let longest = PLACES.iter().filter(below).max_by_key(|known| known.len());
        let number = self.number(Kind::Label, path);
        let number = if number == 0 { String::new() } else { format!("-{number}") };
        format!("{}/{BLANK}{number}", longest.copied().unwrap_or_default())
    }

    /// Redacts `/proc/swaps`: keeps kinds of devices and files, without the owner's directories.
    pub fn swaps(&mut self, text: &str) -> String {
        let lines = text.lines().map(|line| match line.split_once(char::is_whitespace) {
            Some((path, rest)) if path.starts_with('/') => {
                // Columns are parsed by words.
                format!("{} {rest}\n", self.place(path))
            }
            _ => format!("{line}\n"),
        });
        lines.collect()
    }

    /// Redacts `/proc/PID/cgroup`: keeps the manager of a container, without its name.
    pub fn control_groups(&mut self, text: &str) -> String {
        const MANAGERS: [&str; 5] = ["docker", "kubepods", "libpod", "lxc", "containerd"];
        const USUAL: [&str; 4] = ["init.scope", "system.slice", "user.slice", "machine.slice"];
        let mut part = |part: &str| {
            let manager = MANAGERS.iter().find(|word| {
                let rest = part.strip_prefix(**word);
                rest.is_some_and(|rest| {
                    rest.is_empty() || (rest.starts_with(['-', '.']) && !rest.ends_with(".service"))
                })
            });
            match manager {
                Some(manager) => (*manager).to_owned(),
                None if part.is_empty() || USUAL.contains(&part) => part.to_owned(),
                None => {
                    self.count(Kind::Label);
                    BLANK.to_owned()
                }
            }
        };
        let mut line = |line: &str| {
            let mut fields = line.splitn(3, ':');
            let (number, controllers) = (fields.next()?, fields.next()?);
            let path: Vec<String> = fields.next()?.split('/').map(&mut part).collect();
            Some(format!("{number}:{controllers}:{}\n", path.join("/")))
        };
        text.lines().filter_map(&mut line).collect()
    }

    /// Redacts `config.txt` of a Raspberry Pi: keeps hardware settings, without comments, keys and names.
    pub fn config_txt(&mut self, text: &str) -> String {
        let mut out = String::new();
        for line in text.lines() {
            // Readers need this note to find the current file.
            if line.contains("DO NOT EDIT THIS FILE") {
                out.push_str("# DO NOT EDIT THIS FILE\n");
                continue;
            }
            let setting = line.split('#').next().unwrap_or_default().trim();
            if setting.starts_with('[') && setting.ends_with(']') {
                out.push_str(&self.section(setting));
            } else if let Some((name, value)) = setting.split_once('=') {
                let name = name.trim();
                if !is_setting(name) {
                    self.count(Kind::Option);
                    continue;
                }
                let value = self.firmware(name, value.trim());
                out.push_str(&format!("{name}={value}\n"));
            }
        }
        out
    }

    /// A section may apply to one board by its serial number.
    fn section(&mut self, section: &str) -> String {
        match section.strip_prefix("[0x") {
            Some(_) => {
                self.count(Kind::Serial);
                "[0x0]\n".to_owned()
            }
            None => format!("{section}\n"),
        }
    }

    /// Redacts the value of a firmware setting.
    pub fn firmware(&mut self, name: &str, value: &str) -> String {
        let is_known = is_setting(name) && FIRMWARE.iter().any(|known| name.starts_with(known));
        if is_known || is_number(value) && !name.starts_with("decode_") && !name.contains("serial") {
            return self.line(value);
        }
        self.count(if name.starts_with("decode_") { Kind::Key } else { Kind::Option });
        BLANK.to_owned()
    }
}

/// True for possible names of settings (`over_voltage`, `gpio`, `hdmi_mode:0`).
fn is_setting(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':');
    (1..=40).contains(&name.len()) && name.chars().all(is_part)
}

/// True for numbers that are too small to identify anybody.
fn is_number(text: &str) -> bool {
    (1..=6).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}
