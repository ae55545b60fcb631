//! Facts for the identification, taken from the machine of a Record.

use super::cores::{CoreGroup, Cores, Plain};
use super::table::TABLES;
use record::table::word_list;
use record::{Machine, NamedValue};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Longer texts are not names.
const TEXT_CHARS_MAX: usize = 200;

/// Known facts about a machine's SoC.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Board: device tree model or DMI.
    pub(super) board: Option<String>,
    /// Strings of the device tree's root, most specific first.
    pub(super) compatible: Vec<String>,
    /// Texts and numbers of the chip, its firmware and its kernel, by name.
    pub(super) sayings: Vec<NamedValue>,
    /// Model name of an x86 processor.
    pub(super) x86_name: Option<String>,
    /// Cores.
    pub(super) cores: Cores,
    /// Words of `Features`, `flags` or `isa`.
    pub(super) features: BTreeSet<String>,
    /// Highest clock that any cpufreq policy claims.
    pub(super) clock_khz_max: Option<u32>,
    /// True for a 64-bit kernel.
    pub(super) is_64_bit: bool,
    /// True in a virtual machine, whose cores depend on the host and are not evidence.
    pub(super) is_guest: bool,
}

impl Facts {
    /// The facts of this machine.
    pub fn of(machine: &Machine) -> Self {
        let is_guest = machine.virtualisation.known().is_some_and(|of| is_guest(of));
        let is_x86 = machine.kernel_arch.known().is_some_and(|arch| is_x86(arch));
        let named = machine.soc.known().map(|name| cut(name));
        let mut sayings = sayings(machine);
        // Records of earlier versions have no more than what some file called the SoC.
        if let Some(name) = named.clone()
            && !is_x86
            && machine.chip.is_empty()
            && machine.compatible.is_empty()
        {
            sayings.push(NamedValue { name: "hardware".to_owned(), value: name, from: "soc".to_owned() });
        }
        Self {
            board: machine.board.known().map(|name| cut(name)),
            compatible: machine.compatible.iter().map(|text| cut(text)).collect(),
            sayings,
            x86_name: named.clone().filter(|_| is_x86),
            cores: if is_guest { Cores::default() } else { cores(machine) },
            features: if is_guest { BTreeSet::new() } else { features(machine) },
            clock_khz_max: clock_khz_max(machine),
            is_64_bit: machine.kernel_arch.known().is_some_and(|arch| arch.contains("64")),
            is_guest,
        }
    }

    /// SoCs that fit the cores and the instruction set of the machine; the name of a board is not proof.
    pub(super) fn possible(&self, socs: Vec<usize>) -> Vec<usize> {
        let plain = Plain::of(&self.cores);
        let is_possible = |soc: &usize| {
            let soc = &TABLES.socs[*soc];
            let fits = soc.shapes.iter().any(|shape| shape.fits_types(&plain));
            (self.cores.is_empty() || fits) && !(self.is_64_bit && soc.is_32_bit())
        };
        socs.into_iter().filter(is_possible).collect()
    }

    /// True if the cores print an instruction set of RISC-V.
    pub(super) fn is_riscv(&self) -> bool {
        ["i", "m", "a"].iter().all(|letter| self.features.contains(*letter))
    }

    /// The value of a saying.
    pub(super) fn saying(&self, name: &str) -> Option<&NamedValue> {
        self.sayings.iter().find(|saying| saying.name == name)
    }
}

/// Hypervisors as named by systemd-detect-virt(1), and `wsl`.
static HYPERVISORS: LazyLock<Vec<&str>> = LazyLock::new(|| word_list("hypervisors"));

/// True for a virtual machine, and for a container in one (`docker on kvm`). A plain container runs on the cores of its
/// host.
fn is_guest(virtualisation: &str) -> bool {
    let below = virtualisation.rsplit(" on ").next().unwrap_or_default();
    HYPERVISORS.contains(&below) || HYPERVISORS.contains(&virtualisation)
}

fn is_x86(arch: &str) -> bool {
    arch.starts_with("x86") || arch.starts_with('i') && arch.ends_with("86")
}

/// Foreign text without control characters and of bounded length.
fn cut(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let text: String = plain.take(TEXT_CHARS_MAX).collect();
    text.trim().to_owned()
}

/// Identification by the chip and by the kernel's SoC bus (`soc_*` among the features).
fn sayings(machine: &Machine) -> Vec<NamedValue> {
    let bus = machine.features.iter().filter(|value| value.name.starts_with("soc_"));
    machine
        .chip
        .iter()
        .chain(bus)
        .map(|value| NamedValue { name: value.name.clone(), value: cut(&value.value), from: value.from.clone() })
        .collect()
}

fn cores(machine: &Machine) -> Cores {
    let mut cores = Cores {
        total: machine.cpus.len(),
        one_for_all: machine.chip.iter().any(|value| value.name == "cpuinfo_blocks"),
        ..Cores::default()
    };
    for cpu in &machine.cpus {
        let Some(core_type) = cpu.core_type.known() else {
            continue;
        };
        // An instruction set is what many types of cores have in common.
        if core_type.starts_with("rv32") || core_type.starts_with("rv64") {
            continue;
        }
        let is_arm_stepping = |text: &&String| text.starts_with('r') && text.contains('p');
        let seen =
            CoreGroup { core_type: core_type.clone(), stepping: cpu.stepping.known().filter(is_arm_stepping).cloned() };
        *cores.seen.entry(seen).or_default() += 1;
    }
    cores
}

fn features(machine: &Machine) -> BTreeSet<String> {
    let own = machine.cpus.iter().flat_map(|cpu| cpu.features.iter().cloned());
    let mut features: BTreeSet<String> = own.collect();
    for cpu in &machine.cpus {
        // Logs carry the instruction set of RISC-V in the place of the core's type.
        if let Some(isa) = cpu.core_type.known().and_then(|text| text.strip_prefix("rv64")) {
            let letters = isa.split('_').next().unwrap_or_default();
            let letters = letters.split(['x', 'z']).next().unwrap_or_default();
            features.extend(letters.chars().map(String::from));
        }
    }
    features
}

fn clock_khz_max(machine: &Machine) -> Option<u32> {
    let claims = machine.policies.iter();
    claims.filter_map(|policy| policy.clock_khz_max.known().copied()).max()
}
