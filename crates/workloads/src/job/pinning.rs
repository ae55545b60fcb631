//! On which CPUs a program runs: how one says it, and which sets of CPUs that makes on a machine. How a
//! process is bound to them is in `child`.

use crate::job::cpus::{cpus_by_core_type, fastest_cpu};
use record::Machine;

/// CPUs that a program may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CpuSelection {
    /// All of them.
    All,
    /// One CPU of the fastest core type.
    Fastest,
    /// Once on one CPU of every core type.
    OnePerCoreType,
    /// Once on the CPUs of every core type.
    CoreTypes,
    /// These.
    Cpus(Vec<u32>),
}

/// `all`, `fastest`, `core-types` or a list such as `0-3,6`.
///
/// # Errors
/// One sentence about what it may be.
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
    /// The CPUs of one measurement, in the order that was asked for; empty for all. Sets of CPUs that are measured one
    /// after the other are for programs (`places`): one measurement has all of them.
    pub fn of_one_measurement(&self, machine: &Machine) -> Vec<u32> {
        match self {
            CpuSelection::Cpus(cpus) => cpus.clone(),
            CpuSelection::Fastest => vec![fastest_cpu(machine)],
            CpuSelection::All | CpuSelection::OnePerCoreType | CpuSelection::CoreTypes => Vec::new(),
        }
    }
}

/// The sets of CPUs that a program runs on, one after the other; an empty set stands for all.
pub fn places(machine: &Machine, pinning: &CpuSelection) -> Vec<Vec<u32>> {
    match pinning {
        CpuSelection::All => vec![Vec::new()],
        CpuSelection::Cpus(cpus) => vec![cpus.clone()],
        CpuSelection::Fastest => vec![vec![fastest_cpu(machine)]],
        CpuSelection::OnePerCoreType => cpus_by_core_type(machine).into_iter().map(|cpus| cpus[..1].to_vec()).collect(),
        CpuSelection::CoreTypes => cpus_by_core_type(machine),
    }
}
