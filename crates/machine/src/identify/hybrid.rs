//! Which half of a hybrid x86 processor each CPU is: asked of the CPU itself by CPUID, and where
//! that is not possible taken from the kernel's PMUs. No list of model names is needed.
//!
//! Sources: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, CPUID leaves
//! 07H (EDX bit 15: hybrid) and 1AH (EAX bits 31:24: type of this core); perf-intel-hybrid(1).

use super::core_type::HybridCoreKind;
use super::cpu_files::read_list;
use crate::Root;
use std::collections::BTreeMap;

/// Core type of CPUID leaf 1AH for Intel Atom: the efficiency cores.
const ATOM: u32 = 0x20;
/// Core type of CPUID leaf 1AH for Intel Core: the performance cores.
const CORE: u32 = 0x40;
/// PMUs of the efficiency half. Meteor Lake and later have the second on some kernels.
const EFFICIENCY_PMUS: [&str; 2] = ["cpu_atom", "cpu_lowpower"];

/// CPUs that say, or of which the kernel says, which half they are; empty if nothing is hybrid.
pub(super) fn halves(root: &Root, cpus: &[u32]) -> BTreeMap<u32, HybridCoreKind> {
    let mut halves: BTreeMap<u32, HybridCoreKind> = EFFICIENCY_PMUS
        .iter()
        .filter_map(|pmu| read_list(root, &format!("/sys/devices/{pmu}/cpus")))
        .flatten()
        .map(|cpu| (cpu, HybridCoreKind::Efficiency))
        .collect();
    if root.is_system() {
        let asked = own_words(cpus).into_iter();
        halves.extend(asked.filter_map(|(cpu, eax)| Some((cpu, core_kind_of_leaf(eax)?))));
    }
    halves
}

/// The half that EAX of leaf 1AH means; none where the leaf does not exist.
fn core_kind_of_leaf(eax: u32) -> Option<HybridCoreKind> {
    match eax >> 24 {
        ATOM => Some(HybridCoreKind::Efficiency),
        CORE => Some(HybridCoreKind::Performance),
        _ => None,
    }
}

/// EAX of leaf 1AH from every CPU, asked by a thread of its own that moves from one to the next, so
/// that the caller stays on its CPU. CPUs that are off or not allowed are left out.
#[cfg(target_arch = "x86_64")]
fn own_words(cpus: &[u32]) -> Vec<(u32, u32)> {
    use rustix::thread::{CpuSet, sched_setaffinity};
    if !crate::syscall::is_hybrid() {
        return Vec::new();
    }
    let ask = |cpu: u32| {
        let number = usize::try_from(cpu).ok().filter(|cpu| *cpu < CpuSet::MAX_CPU)?;
        let mut set = CpuSet::new();
        set.set(number);
        sched_setaffinity(None, &set).ok()?;
        Some((cpu, crate::syscall::core_type_leaf()))
    };
    crate::threads::apart("core-types", || cpus.iter().copied().filter_map(ask).collect()).unwrap_or_default()
}

#[cfg(not(target_arch = "x86_64"))]
fn own_words(_cpus: &[u32]) -> Vec<(u32, u32)> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpuid_leaf_distinguishes_core_kinds() {
        for (eax, expected) in [
            (0x4000_0001, Some(HybridCoreKind::Performance)),
            (0x2000_0001, Some(HybridCoreKind::Efficiency)),
            (0x2000_0003, Some(HybridCoreKind::Efficiency)),
            (0, None),
            (u32::MAX, None),
        ] {
            assert_eq!(core_kind_of_leaf(eax), expected, "{eax:#x}");
        }
    }

    #[test]
    fn kernel_lists_hybrid_cpus() {
        let board = "== /sys/devices/cpu_atom/cpus\n2-3\n== /sys/devices/cpu_core/cpus\n0-1\n";
        let root = Root::from_board(board).unwrap();
        let halves = halves(&root, &[0, 1, 2, 3]);
        assert_eq!(halves.into_keys().collect::<Vec<_>>(), [2, 3]);
        assert!(super::halves(&Root::empty(), &[0]).is_empty());
    }

    #[test]
    fn cpuid_on_running_system() {
        let words = own_words(&[0, 1, 4096]);
        assert!(words.iter().all(|(cpu, _)| *cpu < 2));
    }
}
