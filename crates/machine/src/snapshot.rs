//! Writes down everything that is read on a machine as the text of a board file, so that a bug
//! report is a fixture: `Root::from_board` reads it back and answers as the machine did.
//!
//! Links and read errors are kept. Serial numbers, addresses, UUIDs and the host name are blanked
//! and the files that hold nothing else are never opened. Only files are read that the kernel
//! answers from memory; the walk is bounded in entries, bytes and time.

use crate::timeline::monotonic_ns;
use crate::{Root, redact};
use record::Why;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A server with 512 CPUs has some 30,000 files below `/sys/devices/system/cpu`.
const ENTRIES_MAX: usize = 40_000;
/// Text that still fits a bug report when compressed.
const BYTES_MAX: usize = 8 << 20;
/// Sensors on slow buses answer within a tenth of a second; nobody waits longer for all of them.
const ELAPSED_NS_MAX: u64 = 20_000_000_000;
/// No file that is of use here is larger. `/proc/cpuinfo` of 256 CPUs has 400 KiB.
const FILE_BYTES_MAX: usize = 1 << 20;
/// Directories below a place of the table are entered at most so deep.
const DEPTH_MAX: usize = 6;

/// How much of a place is wanted.
#[derive(Clone, Copy)]
enum Take {
    /// This one file.
    File,
    /// The file's first bytes: the header of a program.
    Header,
    /// Everything below, links not followed.
    Tree,
    /// Every entry of a class: the link, and everything below its target.
    Class,
    /// Of every entry below, only these files.
    Files(&'static [&'static str]),
}

/// The places that identification, sensors, settings and gate read. A place that is not here is
/// missing in every snapshot: whoever reads a new one adds it.
const PLACES: &[(&str, Take)] = &[
    ("/proc/cpuinfo", Take::File),
    ("/proc/meminfo", Take::File),
    ("/proc/stat", Take::File),
    ("/proc/version", Take::File),
    ("/proc/cmdline", Take::File),
    ("/proc/swaps", Take::File),
    ("/proc/loadavg", Take::File),
    ("/proc/uptime", Take::File),
    ("/proc/vmstat", Take::File),
    ("/proc/pressure/cpu", Take::File),
    ("/proc/pressure/io", Take::File),
    ("/proc/pressure/memory", Take::File),
    ("/proc/1/cgroup", Take::File),
    ("/proc/xen/capabilities", Take::File),
    ("/proc/sys/kernel/osrelease", Take::File),
    ("/proc/sys/kernel/arch", Take::File),
    ("/proc/sys/kernel/hostname", Take::File),
    ("/bin/sh", Take::Header),
    ("/etc/os-release", Take::File),
    ("/usr/lib/os-release", Take::File),
    ("/etc/armbian-release", Take::File),
    ("/etc/orangepi-release", Take::File),
    ("/etc/fenix-release", Take::File),
    ("/etc/radxa_image_fingerprint", Take::File),
    ("/etc/rpi-issue", Take::File),
    ("/etc/apt/sources.list.d/raspi.list", Take::File),
    ("/boot/dietpi/.version", Take::File),
    ("/run/systemd/container", Take::File),
    ("/.dockerenv", Take::File),
    ("/run/.containerenv", Take::File),
    ("/sys/devices/system/cpu", Take::Tree),
    ("/sys/devices/cpu_core/cpus", Take::File),
    ("/sys/devices/cpu_atom/cpus", Take::File),
    ("/sys/devices/cpu_lowpower/cpus", Take::File),
    ("/sys/devices/soc0", Take::Tree),
    ("/sys/devices/system/clocksource/clocksource0", Take::Tree),
    ("/sys/class/thermal", Take::Class),
    ("/sys/class/hwmon", Take::Class),
    ("/sys/class/devfreq", Take::Class),
    ("/sys/class/powercap", Take::Class),
    (
        "/sys/class/power_supply",
        Take::Files(&["type", "scope", "status", "online", "capacity"]),
    ),
    ("/sys/class/dmi/id", Take::Tree),
    (
        "/sys/block",
        Take::Files(&[
            "size",
            "removable",
            "queue/rotational",
            "disksize",
            "comp_algorithm",
        ]),
    ),
    ("/sys/hypervisor/type", Take::File),
    ("/sys/firmware/acpi/platform_profile", Take::File),
    ("/sys/firmware/devicetree/base/model", Take::File),
    ("/sys/firmware/devicetree/base/compatible", Take::File),
    ("/sys/firmware/devicetree/base/cpus", Take::Tree),
    ("/sys/firmware/devicetree/base/hypervisor", Take::Tree),
    (
        "/sys/firmware/devicetree/base/emmc2bus/dma-ranges",
        Take::File,
    ),
    (
        "/sys/firmware/devicetree/base/chosen/u-boot,version",
        Take::File,
    ),
    ("/sys/kernel/mm/transparent_hugepage/enabled", Take::File),
    ("/sys/module/pcie_aspm/parameters/policy", Take::File),
    ("/sys/module/zswap/parameters", Take::Tree),
];

/// Where operating points stand in the device tree: nodes of this name below the root.
const OPP_TABLE: &str = "opp-table";

/// Names that are never opened: they hold what is private, change something, or are of no use.
const SKIPPED: &[&str] = &[
    "crash_notes",
    "crash_notes_size",
    "subsystem",
    "uevent",
    "power",
    "driver",
    "firmware_node",
    "physical_node",
    "hotplug",
    "microcode",
    "wakeup",
    "reload",
    "modalias",
    "phandle",
    "vulnerabilities",
    "state_disabled",
];

/// The text of a board file of this machine.
pub fn snapshot(root: &Root) -> String {
    let mut walk = Walk {
        root,
        out: String::from(
            "# A snapshot by sbc-bench. Serial numbers, addresses and names are blanked.\n",
        ),
        seen: BTreeSet::new(),
        deadline_ns: monotonic_ns() + ELAPSED_NS_MAX,
    };
    for (path, take) in PLACES {
        walk.place(path, *take);
    }
    let tree = "/sys/firmware/devicetree/base";
    for node in root.list(tree).unwrap_or_default() {
        if node.contains(OPP_TABLE) {
            walk.tree(&format!("{tree}/{node}"), DEPTH_MAX);
        }
    }
    walk.page_size();
    walk.out
}

struct Walk<'a> {
    root: &'a Root,
    out: String,
    seen: BTreeSet<String>,
    deadline_ns: u64,
}

impl Walk<'_> {
    fn place(&mut self, path: &str, take: Take) {
        match take {
            Take::File => self.file(path),
            Take::Header => self.header(path),
            Take::Tree => self.tree(path, DEPTH_MAX),
            Take::Class => self.class(path),
            Take::Files(files) => {
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
        self.seen.len() >= ENTRIES_MAX
            || self.out.len() >= BYTES_MAX
            || monotonic_ns() > self.deadline_ns
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

    fn tree(&mut self, path: &str, depth: usize) {
        let Ok(names) = self.root.list(path) else {
            return;
        };
        for name in names {
            if is_private(&name) || SKIPPED.contains(&name.as_str()) || self.full() {
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

    fn link(&mut self, path: &str, target: &str) {
        if self.is_new(path) {
            let _ = writeln!(self.out, "== {path} -> {target}");
        }
    }

    /// The file with what is private blanked, or the error that reading it gives. Absent files
    /// are absent in the board too.
    fn file(&mut self, path: &str) {
        match self.root.read_bytes(path) {
            Ok(bytes) if bytes.len() <= FILE_BYTES_MAX => {
                let bytes = blanked(path, bytes);
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
                    let _ = writeln!(self.out, "== {path} ! {name}");
                }
            }
        }
    }

    fn header(&mut self, path: &str) {
        let mut bytes = [0; 64];
        let source = self.root.source(path);
        match source.map(|source| source.read_into(&mut bytes)) {
            Ok(Ok(count)) => self.content(path, &bytes[..count]),
            // Reading it whole fails in the same way, and keeps the error.
            _ => self.file(path),
        }
    }

    fn content(&mut self, path: &str, bytes: &[u8]) {
        if self.is_new(path) {
            let _ = writeln!(self.out, "== {path}");
            escape(bytes, &mut self.out);
        }
    }

    /// The running kernel is asked for its page size; a board tells it in the file that has it.
    fn page_size(&mut self) {
        const PATH: &str = "/proc/self/smaps";
        match crate::identify::page_size_bytes(self.root) {
            Ok(bytes) => {
                let line = format!("KernelPageSize: {:>8} kB\n", bytes / 1024);
                self.content(PATH, line.as_bytes());
            }
            Err(_) => self.file(PATH),
        }
    }
}

/// Files that hold nothing but what is private.
fn is_private(name: &str) -> bool {
    const PRIVATE: &[&str] = &[
        "serial",
        "uuid",
        "asset_tag",
        "unique_id",
        "wwid",
        "address",
        "eui",
    ];
    PRIVATE.iter().any(|part| name.contains(part))
}

/// The content without what is private. Bytes that are no text stay: the few binary files that
/// are read are properties of the device tree.
fn blanked(path: &str, bytes: Vec<u8>) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return bytes;
    };
    let text = match path {
        "/proc/sys/kernel/hostname" => format!("{}\n", redact::BLANK),
        "/proc/cmdline" => format!("{}\n", redact::cmdline(text)),
        _ => redact::file(text),
    };
    text.into_bytes()
}

/// The target of a link, as a path of its own.
fn resolve(link: &str, target: &str) -> String {
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

/// Names of errors that a board file can hold; others are left out, which reads as absent.
fn error_name(errno: i32) -> Option<&'static str> {
    const NAMES: &[(i32, &str)] = &[
        (libc::EAGAIN, "EAGAIN"),
        (libc::EBUSY, "EBUSY"),
        (libc::EINVAL, "EINVAL"),
        (libc::EIO, "EIO"),
        (libc::ENODATA, "ENODATA"),
        (libc::EOPNOTSUPP, "EOPNOTSUPP"),
        (libc::ETIMEDOUT, "ETIMEDOUT"),
    ];
    NAMES
        .iter()
        .find(|(known, _)| *known == errno)
        .map(|(_, name)| *name)
}

/// Content in the notation of board files (see `root`).
fn escape(bytes: &[u8], out: &mut String) {
    if bytes.is_empty() {
        return;
    }
    let ended = bytes.last() == Some(&b'\n');
    let lines = bytes[..bytes.len() - usize::from(ended)].split(|byte| *byte == b'\n');
    for line in lines {
        let start = out.len();
        for chunk in line.utf8_chunks() {
            for c in chunk.valid().chars() {
                match c {
                    '\\' => out.push_str("\\\\"),
                    '\0' => out.push_str("\\0"),
                    // An equals sign in front could look like the next entry.
                    '=' if out.len() == start => out.push_str("\\="),
                    '\t' => out.push('\t'),
                    c if c.is_ascii_control() => {
                        let _ = write!(out, "\\x{:02x}", u32::from(c));
                    }
                    c => out.push(c),
                }
            }
            for byte in chunk.invalid() {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
        out.push('\n');
    }
    if !ended {
        out.push_str("\\\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identify;

    fn there_and_back(board: &str) -> Root {
        let text = snapshot(&Root::from_board(board).unwrap());
        Root::from_board(&text).unwrap_or_else(|(line, text)| panic!("line {line}: {text}"))
    }

    #[test]
    fn a_snapshot_answers_as_the_machine_did() {
        for name in testkit::boards() {
            let board = testkit::board(&name);
            let before = identify(&Root::from_board(&board).unwrap());
            let mut after = identify(&there_and_back(&board));
            if before.hostname.known().is_some() {
                assert_eq!(after.hostname.known().map(String::as_str), Some("redacted"));
            }
            after.hostname = before.hostname.clone();
            let json = |machine| serde_json::to_string_pretty(machine).unwrap();
            assert!(json(&before) == json(&after), "{name}:\n{}", json(&after));
        }
    }

    #[test]
    fn errors_and_links_are_kept() {
        let root = there_and_back(
            "\
== /sys/class/thermal/thermal_zone0 -> ../../devices/virtual/thermal/thermal_zone0
== /sys/devices/virtual/thermal/thermal_zone0/temp ! ENODATA
== /sys/devices/virtual/thermal/thermal_zone0/type
\\= odd \\x01 \\xff \\\\
\\
== /sys/class/dmi/id/product_serial
SECRET
== /proc/cpuinfo
Serial\t\t: 10000000deadbeef
",
        );
        let zone = "/sys/class/thermal/thermal_zone0";
        assert!(root.link(zone).is_ok());
        let temp = root.read(&format!("{zone}/temp")).unwrap_err();
        assert_eq!(temp.why, Why::Io(libc::ENODATA));
        let kind = root.read_bytes(&format!("{zone}/type")).unwrap();
        assert_eq!(kind, b"= odd \x01 \xff \\");
        assert!(root.read("/sys/class/dmi/id/product_serial").is_err());
        assert_eq!(
            root.read("/proc/cpuinfo").unwrap(),
            "Serial\t\t: 0000000000000000\n"
        );
    }

    #[test]
    fn the_running_system_can_be_written_down() {
        let text = snapshot(&Root::system());
        let root = Root::from_board(&text).unwrap();
        let (before, after) = (identify(&Root::system()), identify(&root));
        assert_eq!(before.cpus.len(), after.cpus.len());
        assert_eq!(before.clusters, after.clusters);
        assert_eq!(before.page_size_bytes, after.page_size_bytes);
        assert_eq!(before.userland_arch, after.userland_arch);
        let host = before.hostname.known().map_or("", String::as_str);
        assert!(
            !text.contains(&format!("\n{host}\n")),
            "the host name is blanked"
        );
    }

    proptest::proptest! {
        #[test]
        fn any_content_comes_back(bytes: Vec<u8>) {
            let mut text = "== /x\n".to_owned();
            escape(&bytes, &mut text);
            let root = Root::from_board(&text).unwrap();
            proptest::prop_assert_eq!(root.read_bytes("/x").unwrap(), bytes);
        }

        #[test]
        fn any_text_comes_back(text in "([=\\\\\r\n\t x]|\\PC){0,40}") {
            let mut board = "== /x\n".to_owned();
            escape(text.as_bytes(), &mut board);
            let root = Root::from_board(&board).unwrap();
            proptest::prop_assert_eq!(root.read("/x").unwrap(), text);
        }
    }
}
