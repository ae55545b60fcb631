//! Whether a system has the machine for itself.

use record::Record;

/// Container managers. A container shows `/proc` and `/sys` of its host.
pub const CONTAINERS: [&str; 8] =
    ["docker", "podman", "lxc", "lxc-libvirt", "systemd-nspawn", "containerd", "kubernetes", "container-other"];

/// True in a virtual machine. Containers do not count: they show `/proc` and `/sys` of the host.
pub fn is_guest(record: &Record) -> bool {
    let kind = record.machine.virtualisation.known().map(String::as_str);
    kind.is_some_and(|kind| !matches!(kind, "" | "none") && !CONTAINERS.contains(&kind))
}

/// Who had the CPU time that a workload lacked: in guests and containers possibly the host.
pub fn others_words(record: &Record) -> &'static str {
    match record.machine.virtualisation.known().map(String::as_str) {
        None | Some("" | "none") => "other tasks",
        Some(_) => "other tasks or the host",
    }
}
