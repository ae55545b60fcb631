//! CPUs for a program: syntax, and sets of CPUs on a machine. `process::child` pins the process.

use crate::job::cpus::{cpus_by_core_type, fastest_cpu};
use record::Machine;

/// CPUs that a program may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CpuSelection {
    /// All CPUs.
    All,
    /// One CPU of the fastest core type.
    Fastest,
    /// One CPU of every core type in turn.
    OnePerCoreType,
    /// All CPUs of every core type in turn.
    CoreTypes,
    /// A list of CPUs.
    Cpus(Vec<u32>),
}

/// `all`, `fastest`, `core-types` or a list such as `0-3,6`.
///
/// # Errors
/// One sentence about its allowed values.
pub fn parse_cpu_selection(text: &str) -> Result<CpuSelection, String> {
    match text {
        "all" => Ok(CpuSelection::All),
        "fastest" => Ok(CpuSelection::Fastest),
        "one-per-core-type" => Ok(CpuSelection::OnePerCoreType),
        "core-types" => Ok(CpuSelection::CoreTypes),
        list => record::parse_cpu_list(list)
            .filter(|cpus| !cpus.is_empty())
            .map(CpuSelection::Cpus)
            .ok_or_else(|| format!("CPUs must be all, fastest, core-types or a list such as 0-3,6, not {text:?}")),
    }
}

impl CpuSelection {
    /// CPUs of a single measurement in the given order; empty for all. Selections that programs run on in turn (`places`)
    /// are all CPUs here.
    pub fn of_one_measurement(&self, machine: &Machine) -> Vec<u32> {
        match self {
            CpuSelection::Cpus(cpus) => cpus.clone(),
            CpuSelection::Fastest => vec![fastest_cpu(machine)],
            CpuSelection::All | CpuSelection::OnePerCoreType | CpuSelection::CoreTypes => Vec::new(),
        }
    }
}

/// Sets of CPUs that a program runs on in turn; an empty set means all CPUs.
pub fn places(machine: &Machine, pinning: &CpuSelection) -> Vec<Vec<u32>> {
    match pinning {
        CpuSelection::All => vec![Vec::new()],
        CpuSelection::Cpus(cpus) => vec![cpus.clone()],
        CpuSelection::Fastest => vec![vec![fastest_cpu(machine)]],
        CpuSelection::OnePerCoreType => cpus_by_core_type(machine).into_iter().map(|cpus| cpus[..1].to_vec()).collect(),
        CpuSelection::CoreTypes => cpus_by_core_type(machine),
    }
}
