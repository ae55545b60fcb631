//! Data that only the running system provides: the kernel by system calls, CPUs by CPUID, the firmware by its mailbox.

use crate::{Root, kernel_log, vcio};
use identify::RunningSystem;
use record::NamedValue;

impl RunningSystem for Root {
    fn kernel_arch(&self) -> String {
        rustix::system::uname().machine().to_string_lossy().into_owned()
    }

    fn page_size_bytes(&self) -> usize {
        rustix::param::page_size()
    }

    fn core_type_leaves(&self, cpus: &[u32]) -> Vec<(u32, u32)> {
        core_type_leaves(cpus)
    }

    fn firmware(&self) -> Vec<NamedValue> {
        vcio::firmware(self)
    }

    fn boot_messages(&self, records_max: usize) -> Vec<String> {
        kernel_log::boot_messages(self, records_max)
    }
}

/// EAX of leaf 1AH of every CPU, read by a thread that moves from CPU to CPU, so that the caller stays on its own. CPUs
/// that are offline or not allowed are omitted.
#[cfg(target_arch = "x86_64")]
fn core_type_leaves(cpus: &[u32]) -> Vec<(u32, u32)> {
    use rustix::thread::sched_setaffinity;
    if !crate::syscall::is_hybrid() {
        return Vec::new();
    }
    let ask = |cpu: u32| {
        sched_setaffinity(None, &crate::threads::cpu_set(&[cpu])?).ok()?;
        Some((cpu, crate::syscall::core_type_leaf()))
    };
    crate::threads::run("core-types", || cpus.iter().copied().filter_map(ask).collect()).unwrap_or_default()
}

#[cfg(not(target_arch = "x86_64"))]
fn core_type_leaves(_cpus: &[u32]) -> Vec<(u32, u32)> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpuid_on_running_system() {
        let words = core_type_leaves(&[0, 1, 4096]);
        assert!(words.iter().all(|(cpu, _)| *cpu < 2));
    }
}
