//! Core kinds of a hybrid x86 processor, from CPUID or, if that is not available, from the kernel's PMUs. A list of
//! model names is not needed.
//!
//! Sources: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, CPUID leaves 07H (EDX bit 15:
//! hybrid) and 1AH (EAX bits 31:24: type of this core); perf-intel-hybrid(1).

use crate::Tree;
use crate::core_type::HybridCoreKind;
use crate::cpu_files::read_list;
use std::collections::BTreeMap;

/// Core type of Intel Atom in CPUID leaf 1AH: efficiency cores.
const ATOM: u32 = 0x20;
/// Core type of Intel Core in CPUID leaf 1AH: performance cores.
const CORE: u32 = 0x40;
/// PMUs of the efficiency cores. Meteor Lake and later have the second one on some kernels.
const EFFICIENCY_PMUS: [&str; 2] = ["cpu_atom", "cpu_lowpower"];

/// Core kind of each CPU from CPUID or the kernel; empty if the processor is not hybrid.
pub(crate) fn halves(root: &dyn Tree, cpus: &[u32]) -> BTreeMap<u32, HybridCoreKind> {
    let mut halves: BTreeMap<u32, HybridCoreKind> = EFFICIENCY_PMUS
        .iter()
        .filter_map(|pmu| read_list(root, &format!("/sys/devices/{pmu}/cpus")))
        .flatten()
        .map(|cpu| (cpu, HybridCoreKind::Efficiency))
        .collect();
    if let Some(running) = root.running() {
        let asked = running.core_type_leaves(cpus).into_iter();
        halves.extend(asked.filter_map(|(cpu, eax)| Some((cpu, core_kind_of_leaf(eax)?))));
    }
    halves
}

/// Core kind in EAX of leaf 1AH; `None` if the leaf does not exist.
fn core_kind_of_leaf(eax: u32) -> Option<HybridCoreKind> {
    match eax >> 24 {
        ATOM => Some(HybridCoreKind::Efficiency),
        CORE => Some(HybridCoreKind::Performance),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BoardFile;

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
        let root = BoardFile::parse(board).unwrap();
        let halves = halves(&root, &[0, 1, 2, 3]);
        assert_eq!(halves.into_keys().collect::<Vec<_>>(), [2, 3]);
        assert!(super::halves(&BoardFile::default(), &[0]).is_empty());
    }
}
