//! Detection of virtual machines and containers, from files only, without CPUID. Names are those of
//! systemd-detect-virt(1).

use crate::Tree;
use crate::board::{DEVICE_TREE, DMI};
use crate::cpuinfo::CpuInfo;
use record::table::Table;
use record::{Missing, MissingReason, Reading};

/// `none`, the hypervisor, the container, or `docker on kvm`.
///
/// # Errors
/// Too little is readable to distinguish bare metal from a guest.
pub(crate) fn virtualisation(root: &dyn Tree, info: &CpuInfo) -> Reading<String> {
    match (container(root), hypervisor(root, info)) {
        (Some(container), Some(hypervisor)) => Ok(format!("{container} on {hypervisor}")),
        (Some(container), None) => Ok(container),
        (None, Some(hypervisor)) => Ok(hypervisor),
        (None, None) if *info == CpuInfo::default() => {
            // Without a sign of a guest, bare metal is assumed only if the files can be read at all.
            Err(match root.read("/proc/cpuinfo") {
                Ok(text) => Missing::garbled("/proc/cpuinfo", &text),
                Err(missing) => missing,
            })
        }
        // Single texts cannot exclude a guest: the files that would are missing for a reason of their own.
        (None, None) => match root.read("/proc/1/environ") {
            Err(Missing { path, why: MissingReason::Unsupported(reason) }) => Err(Missing::unsupported(path, reason)),
            _ => Ok("none".into()),
        },
    }
}

/// Container runtime, if any. Container managers set `container=` in the environment of process 1 (systemd's container
/// interface); the others leave their own files.
fn container(root: &dyn Tree) -> Option<String> {
    if let Ok(name) = root.read_value("/run/systemd/container") {
        return Some(name);
    }
    let environment = root.read("/proc/1/environ").unwrap_or_default();
    let by_environment = environment.split('\0').find_map(|entry| entry.strip_prefix("container="));
    if let Some(name) = by_environment.filter(|name| !name.is_empty()) {
        return Some(name.to_owned());
    }
    if root.read("/.dockerenv").is_ok() {
        return Some("docker".into());
    }
    if root.read("/run/.containerenv").is_ok() {
        return Some("podman".into());
    }
    let kernel = root.read("/proc/sys/kernel/osrelease").unwrap_or_default();
    if kernel.to_lowercase().contains("microsoft") {
        return Some("wsl".into());
    }
    let groups = root.read("/proc/1/cgroup").unwrap_or_default();
    container_of_cgroup(&groups).map(str::to_owned)
}

/// Container managers name their cgroups (cgroups(7)) after themselves.
fn container_of_cgroup(groups: &str) -> Option<&'static str> {
    const NAMES: &[(&str, &str)] = &[
        ("docker", "docker"),
        ("kubepods", "kubernetes"),
        ("libpod", "podman"),
        ("lxc", "lxc"),
        ("containerd", "containerd"),
    ];
    let paths = groups.lines().filter_map(|line| line.splitn(3, ':').nth(2));
    let mut parts = paths.flat_map(|path| path.split('/'));
    parts.find_map(|part| {
        let named = NAMES.iter().find(|(word, _)| {
            part.strip_prefix(word)
                // `docker.service` is the manager itself, on the host.
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']) && !rest.ends_with(".service"))
        });
        named.map(|(_, name)| *name)
    })
}

/// Prefixes of DMI texts and their hypervisors.
const DMI_WORDS: Table = Table::of(include_str!("../../../data/dmi_hypervisors.tsv"));

/// Hypervisor, if any.
fn hypervisor(root: &dyn Tree, info: &CpuInfo) -> Option<String> {
    // Xen's first domain runs on the hardware; all others are guests.
    let xen_host = root.read("/proc/xen/capabilities").is_ok_and(|text| text.contains("control_d"));
    if let Ok(kind) = root.read_value("/sys/hypervisor/type") {
        return (!xen_host).then_some(kind);
    }
    let by_tree = hypervisor_of_tree(root);
    if by_tree.is_some() {
        return by_tree;
    }
    let flagged = info.any("flags").is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"));
    let named = hypervisor_of_dmi(root);
    // KVM provides a clock source to its guests, an emulator does not.
    let clocks = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
    let clocks = root.read(clocks).unwrap_or_default();
    if clocks.contains("kvm-clock") && matches!(named, None | Some("qemu")) {
        return Some("kvm".into());
    }
    if clocks.contains("hyperv") {
        return Some("microsoft".into());
    }
    match named {
        // Firmware of bare metal may contain any of these words; x86 guests also have the `hypervisor` flag.
        Some(name) if flagged || info.any("flags").is_none() || name == "amazon" => {
            // EC2 `*.metal` instances are bare metal and lack the flag.
            (name != "amazon" || flagged || !is_metal(root)).then(|| name.to_owned())
        }
        _ => flagged.then(|| "vm-other".to_owned()),
    }
}

fn is_metal(root: &dyn Tree) -> bool {
    root.read_value(&format!("{DMI}/product_name")).is_ok_and(|name| name.contains("metal"))
}

fn hypervisor_of_dmi(root: &dyn Tree) -> Option<&'static str> {
    ["product_name", "sys_vendor", "board_vendor", "bios_vendor"]
        .iter()
        .filter_map(|file| root.read_value(&format!("{DMI}/{file}")).ok())
        .find_map(|text| {
            let named = DMI_WORDS.rows().find(|row| text.starts_with(row.get("text")));
            named.map(|row| row.get("hypervisor"))
        })
}

/// Machines that exist only as guests, by prefix of their `compatible` (Linux Documentation/devicetree/bindings, QEMU
/// hw/riscv/virt.c, Xen tools/libs/light/libxl_arm.c). Firecracker, crosvm, Cloud Hypervisor and kvmtool all use
/// `linux,dummy-virt`.
const MACHINES: [(&str, &str); 3] = [("linux,dummy-virt", "vm-other"), ("riscv-virtio", "qemu"), ("xen,xenvm", "xen")];

/// Guests on ARM and RISC-V have a `hypervisor` node, QEMU's configuration device, or a machine name without a vendor.
fn hypervisor_of_tree(root: &dyn Tree) -> Option<String> {
    if let Ok(compatible) = root.read(&format!("{DEVICE_TREE}/hypervisor/compatible")) {
        let name = compatible.split(['\0', ',']).next().unwrap_or_default();
        return Some(match name {
            "linux" => "kvm".into(),
            "" => "vm-other".into(),
            other => other.to_owned(),
        });
    }
    let tree = root.list(DEVICE_TREE).unwrap_or_default();
    if tree.iter().any(|node| node.starts_with("fw-cfg@")) {
        return Some("qemu".into());
    }
    let compatible = root.read(&format!("{DEVICE_TREE}/compatible")).unwrap_or_default();
    let named = |board: &str| MACHINES.iter().find(|(known, _)| board.starts_with(known)).map(|(_, name)| *name);
    compatible.split('\0').find_map(named).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BoardFile;

    fn check(board: &str, expected: Option<&str>) {
        let root = BoardFile::parse(board).unwrap();
        let info = CpuInfo::parse(&(&root as &dyn Tree).read("/proc/cpuinfo").unwrap_or_default());
        let found = virtualisation(&root, &info).ok();
        assert_eq!(found.as_deref(), expected, "{board}");
    }

    const METAL: &str = "== /proc/cpuinfo\nprocessor : 0\nflags : fpu sse2\n";
    const GUEST: &str = "== /proc/cpuinfo\nprocessor : 0\nflags : fpu hypervisor\n";
    const ARM: &str = "== /proc/cpuinfo\nprocessor : 0\nCPU part : 0xd08\n";

    #[test]
    fn machines_and_guests() {
        check("", None);
        check(METAL, Some("none"));
        check(ARM, Some("none"));
        check(GUEST, Some("vm-other"));
        for (cpuinfo, file, text, expected) in [
            (GUEST, "/sys/class/dmi/id/sys_vendor", "QEMU", "qemu"),
            (GUEST, "/sys/class/dmi/id/product_name", "VMware Virtual Platform", "vmware"),
            (METAL, "/sys/class/dmi/id/bios_vendor", "Xen", "none"),
            (ARM, "/sys/class/dmi/id/product_name", "Apple Virtualization Generic Platform", "apple"),
            (METAL, "/sys/class/dmi/id/sys_vendor", "Amazon EC2", "amazon"),
            (ARM, "/sys/class/dmi/id/product_name", "c7g.metal", "none"),
            (ARM, "/sys/firmware/devicetree/base/hypervisor/compatible", "linux,kvm\\0", "kvm"),
            (ARM, "/sys/firmware/devicetree/base/fw-cfg@9020000/compatible", "qemu,fw-cfg-mmio\\0", "qemu"),
            (ARM, "/sys/firmware/devicetree/base/compatible", "linux,dummy-virt\\0", "vm-other"),
            (ARM, "/sys/firmware/devicetree/base/compatible", "xen,xenvm-4.17\\0xen,xenvm\\0", "xen"),
            (ARM, "/sys/hypervisor/type", "xen", "xen"),
            (GUEST, "/sys/devices/system/clocksource/clocksource0/available_clocksource", "kvm-clock tsc", "kvm"),
            (METAL, "/.dockerenv", "", "docker"),
            (METAL, "/proc/1/environ", "PATH=/bin\\0container=lxc\\0", "lxc"),
            (METAL, "/run/systemd/container", "systemd-nspawn", "systemd-nspawn"),
            (GUEST, "/proc/1/cgroup", "0::/docker/0123abcd", "docker on vm-other"),
            (METAL, "/proc/1/cgroup", "0::/system.slice/docker.service", "none"),
            (METAL, "/proc/1/cgroup", "1:cpu:/kubepods.slice/x", "kubernetes"),
        ] {
            check(&format!("{cpuinfo}== {file}\n{text}\n"), Some(expected));
        }
    }

    #[test]
    fn first_domain_of_xen_is_the_machine() {
        let xen = "== /sys/hypervisor/type\nxen\n== /proc/xen/capabilities\ncontrol_d\n";
        check(&format!("{METAL}{xen}"), Some("none"));
    }

    proptest::proptest! {
        #[test]
        fn parsers_never_panic(text in "([0-9:/a-z.\\-\n]|\\PC){0,60}") {
            container_of_cgroup(&text);
        }
    }
}
