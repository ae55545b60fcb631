//! The same machine as other kernels would show it: other numbers, nothing of cpufreq, cores that
//! are switched off or hidden, a 32-bit userland.

use record::{Cpu, Fact, Machine, Missing};

/// All variants by name.
pub(crate) fn of(machine: &Machine) -> Vec<(&'static str, Machine)> {
    vec![
        ("renumbered", renumbered(machine)),
        ("without policies", without_policies(machine)),
        ("a core switched off", switched_off(machine)),
        ("32-bit", in_32_bits(machine)),
    ]
}

/// Numbers of clusters, packages and cores as MPIDR, device trees or PPTT would have them, and the
/// CPUs in the other order.
fn renumbered(machine: &Machine) -> Machine {
    let mut machine = machine.clone();
    machine.cpus.reverse();
    for (index, cpu) in (0_i32..).zip(machine.cpus.iter_mut()) {
        cpu.package = 36 + index * 3;
        cpu.cluster = 65_535 - index;
        cpu.core = -1;
    }
    machine
}

fn without_policies(machine: &Machine) -> Machine {
    let mut machine = machine.clone();
    machine.policies.clear();
    for cluster in &mut machine.clusters {
        cluster.policy = None;
    }
    machine
}

/// Switches the last CPU off: the kernel reports only its presence.
fn switched_off(machine: &Machine) -> Machine {
    let mut machine = machine.clone();
    if machine.cpus.len() > 1
        && let Some(last) = machine.cpus.last_mut()
    {
        let gone = || Missing::unsupported("", "switched off");
        *last = Cpu {
            online: false,
            core_type: gone().into(),
            stepping: gone().into(),
            midr: gone().into(),
            features: Vec::new(),
            ..last.clone()
        };
    }
    machine
}

/// A 64-bit kernel prints other features for programs of 32 bits.
fn in_32_bits(machine: &Machine) -> Machine {
    const KEPT: [&str; 6] = ["aes", "pmull", "sha1", "sha2", "crc32", "neon"];
    let mut machine = machine.clone();
    for cpu in &mut machine.cpus {
        if !cpu.features.iter().any(|name| name == "asimd") {
            continue;
        }
        cpu.features.retain(|name| KEPT.contains(&name.as_str()));
        cpu.features.push("neon".to_owned());
    }
    if machine.kernel_arch.known().is_some_and(|arch| arch == "aarch64") {
        machine.kernel_arch = Fact::Known("armv8l".to_owned());
    }
    machine
}
