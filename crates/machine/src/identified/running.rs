//! What only the running system tells of itself: its kernel by system calls, its CPUs by CPUID, its firmware by its mailbox.

use crate::{Root, kernel_log, vcio};
use identify::Running;
use record::NamedValue;

impl Running for Root {
    fn kernel_arch(&self) -> String {
        rustix::system::uname().machine().to_string_lossy().into_owned()
    }

    fn page_size_bytes(&self) -> usize {
        rustix::param::page_size()
    }

    fn core_type_leaves(&self, cpus: &[u32]) -> Vec<(u32, u32)> {
        own_words(cpus)
    }

    fn firmware(&self) -> Vec<NamedValue> {
        vcio::firmware(self)
    }

    fn boot_messages(&self, records_max: usize) -> Vec<String> {
        kernel_log::boot_messages(self, records_max)
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
    fn cpuid_on_running_system() {
        let words = own_words(&[0, 1, 4096]);
        assert!(words.iter().all(|(cpu, _)| *cpu < 2));
    }
}
