//! Writes all files that the program reads on a machine as the text of a board file, so that a bug report is a fixture:
//! `Root::from_board` reads it and answers like the machine.
//!
//! Links and read errors are included. Serial numbers, addresses, UUIDs and the host name are redacted, and files with
//! nothing else are never opened. Only files that the kernel answers from memory are read; the walk is limited in
//! entries, bytes and time.

mod devices;
mod notation;
mod paths;
mod walk;

use crate::Root;
use crate::timeline::monotonic_ns;
use paths::{OPP_TABLE, places};
use redact::Redactor;
use std::collections::BTreeSet;
use walk::{DEPTH_MAX, TreeWalk};

/// Maximum time in nanoseconds. Sensors on slow buses answer within a tenth of a second each.
const ELAPSED_NS_MAX: u64 = 20_000_000_000;

/// Text of a board file of this machine.
pub fn snapshot(root: &Root) -> String {
    snapshot_of(root).0
}

/// As [`snapshot`], with the list of redacted values.
pub fn snapshot_of(root: &Root) -> (String, Redactor) {
    let mut walk = TreeWalk {
        root,
        out: String::from("# Snapshot by sbc-bench. Serial numbers, addresses and names are redacted.\n"),
        seen: BTreeSet::new(),
        redactor: Redactor::default(),
        deadline_ns: monotonic_ns() + ELAPSED_NS_MAX,
    };
    let compatible = identify::compatible(root);
    compatible.iter().for_each(|name| walk.redactor.keep(name));
    if let Some(host) = identify::hostname(root).known() {
        walk.redactor.know_host(host);
    }
    for (path, take) in places() {
        walk.place(path, take);
    }
    let tree = "/sys/firmware/devicetree/base";
    for node in root.list(tree).unwrap_or_default() {
        if node.contains(OPP_TABLE) {
            walk.tree(&format!("{tree}/{node}"), DEPTH_MAX);
        }
    }
    for (path, head) in identify::chip_heads(root) {
        walk.content(&path, &head);
    }
    walk.page_size();
    walk.devices();
    (walk.out, walk.redactor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identify;
    use record::MissingReason;

    fn there_and_back(board: &str) -> Root {
        let text = snapshot(&Root::from_board(board).unwrap());
        Root::from_board(&text).unwrap_or_else(|(line, text)| panic!("line {line}: {text}"))
    }

    #[test]
    fn snapshot_answers_as_the_machine_did() {
        for name in testkit::boards() {
            let board = testkit::board(&name);
            let before = identify(&Root::from_board(&board).unwrap());
            let mut after = identify(&there_and_back(&board));
            if before.hostname.known().is_some() {
                assert_eq!(after.hostname.known().map(String::as_str), Some("redacted"));
            }
            after.hostname = before.hostname.clone();
            let json = |machine| serde_json::to_string_pretty(machine).unwrap();
            let (before, after) = (json(&before), json(&after));
            let differing = before.lines().zip(after.lines()).find(|(a, b)| a != b);
            assert!(before == after, "{name}: {differing:?}");
        }
    }

    /// Device tree of QEMU's machine `virt` under Linux 6.12.
    #[test]
    fn a_guest_stays_a_guest() {
        let root = there_and_back(
            "\
== /proc/cpuinfo
processor : 0
CPU part : 0xd08
== /sys/firmware/devicetree/base/compatible
linux,dummy-virt\\0
== /sys/firmware/devicetree/base/fw-cfg@9020000/compatible
qemu,fw-cfg-mmio\\0
",
        );
        assert_eq!(identify(&root).virtualisation, record::Fact::Known("qemu".into()));
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
        assert_eq!(temp.why, MissingReason::Io(libc::ENODATA));
        let kind = root.read_bytes(&format!("{zone}/type")).unwrap();
        assert_eq!(kind, b"= odd \x01 \xff \\");
        assert!(root.read("/sys/class/dmi/id/product_serial").is_err());
        assert_eq!(root.read("/proc/cpuinfo").unwrap(), "Serial\t\t: 0000000000000000\n");
    }

    /// The path has the length and the last character of a WireGuard key.
    #[test]
    fn redacted_paths_keep_their_separators() {
        let board = "== /sys/devices/system/cpu/cpufreq/policy0/aBc=\n1\n";
        let text = snapshot(&Root::from_board(board).unwrap());
        Root::from_board(&text).unwrap_or_else(|(line, text)| panic!("line {line}: {text}"));
        assert!(text.ends_with(board), "{text}");
    }

    #[test]
    fn running_system_can_be_written_down() {
        let text = snapshot(&Root::system());
        let root = Root::from_board(&text).unwrap();
        let (before, after) = (identify(&Root::system()), identify(&root));
        assert_eq!(before.cpus.len(), after.cpus.len());
        assert_eq!(before.clusters, after.clusters);
        assert_eq!(before.page_size_bytes, after.page_size_bytes);
        assert_eq!(before.userland_arch, after.userland_arch);
    }
}
