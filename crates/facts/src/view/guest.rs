//! Whether a system has the machine for itself.

use record::Record;

/// Container managers: a container sees `/proc` and `/sys` of its host.
pub const CONTAINERS: [&str; 8] =
    ["docker", "podman", "lxc", "lxc-libvirt", "systemd-nspawn", "containerd", "kubernetes", "container-other"];

/// True in a virtual machine. A container is none: it sees `/proc` and `/sys` of its host.
pub fn is_guest(record: &Record) -> bool {
    let kind = record.machine.virtualisation.known().map(String::as_str);
    kind.is_some_and(|kind| !matches!(kind, "" | "none") && !CONTAINERS.contains(&kind))
}
