//! Bindings to a CPU that are lost when it goes offline: interrupts, threads, cpusets.

use super::super::node::POLICY;
use super::{CPUSETS, INTERRUPTS, SideEffect, of_governor};
use crate::Root;
use crate::processes;
use identify::read_list;
use record::StableSort;
use record::parse_cpu_list;

/// Maximum number of cpusets to inspect.
const FOLDERS_MAX: usize = 4096;

/// Properties of a thread that matter when a CPU goes offline.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) start_ticks: u64,
    /// Allowed CPUs as a list.
    pub(super) allowed: String,
    /// False for kernel threads.
    is_of_program: bool,
}

impl Thread {
    /// `None` if the thread has ended.
    pub(super) fn read(root: &Root, tid: u32) -> Option<Self> {
        let status = root.read(&format!("/proc/{tid}/status")).ok()?;
        let value = |key: &str| status.lines().find_map(|line| line.strip_prefix(key));
        Some(Self {
            start_ticks: processes::started_ticks(root, tid)?,
            allowed: value("Cpus_allowed_list:")?.trim().to_owned(),
            // Kernel threads have no memory of their own; they are parked and return on their own.
            is_of_program: value("VmSize:").is_some(),
        })
    }
}

/// Side effects of taking this CPU offline. Bindings that include another online CPU are not affected.
pub(super) fn to_cpu(root: &Root, cpu: u32) -> Vec<SideEffect> {
    let online = read_list(root, "/sys/devices/system/cpu/online").unwrap_or_default();
    let is_lost =
        |cpus: &[u32]| cpus.contains(&cpu) && !cpus.iter().any(|other| *other != cpu && online.contains(other));
    let mut places = of_last_cpu(root, &is_lost);
    places.extend(cpusets(root, cpu));
    places.extend(interrupts(root, &is_lost));
    places.extend(threads(root, &is_lost));
    places
}

/// A policy without CPUs ends, with its governor.
fn of_last_cpu(root: &Root, is_lost: &dyn Fn(&[u32]) -> bool) -> Vec<SideEffect> {
    let names = root.list("/sys/devices/system/cpu/cpufreq");
    let names = names.unwrap_or_default();
    let policies = names.iter().filter_map(|name| name.strip_prefix("policy")?.parse::<u32>().ok());
    let mut places = Vec::new();
    for policy in policies {
        let cpus = read_list(root, &format!("{POLICY}{policy}/related_cpus"));
        if cpus.is_some_and(|cpus| is_lost(&cpus)) {
            places.push(SideEffect::Boost(policy));
            places.extend(of_governor(root, policy));
        }
    }
    places
}

fn interrupts(root: &Root, is_lost: &dyn Fn(&[u32]) -> bool) -> Vec<SideEffect> {
    let names = root.list(INTERRUPTS).unwrap_or_default();
    let interrupts = names.iter().filter_map(|name| name.parse::<u32>().ok().map(SideEffect::Interrupt));
    interrupts
        .filter(|place| {
            let cpus = place.read(root).ok().and_then(|cpus| parse_cpu_list(&cpus));
            cpus.is_some_and(|cpus| is_lost(&cpus))
        })
        .collect()
}

/// Threads of other programs; this program rebinds its own.
fn threads(root: &Root, is_lost: &dyn Fn(&[u32]) -> bool) -> Vec<SideEffect> {
    let own = std::process::id();
    let mut places = Vec::new();
    for pid in processes::all(root).into_iter().filter(|pid| *pid != own) {
        let threads = root.list(&format!("/proc/{pid}/task")).unwrap_or_default();
        for tid in threads.iter().filter_map(|name| name.parse::<u32>().ok()) {
            let Some(thread) = Thread::read(root, tid) else { continue };
            let cpus = parse_cpu_list(&thread.allowed);
            if thread.is_of_program && cpus.is_some_and(|cpus| is_lost(&cpus)) {
                let start_ticks = thread.start_ticks;
                places.push(SideEffect::Thread { tid, start_ticks });
            }
        }
    }
    places
}

/// Used cpuset of version 1 without another CPU, whose programs the kernel would move to the parent permanently.
pub(in crate::settings) fn emptied_cpuset(root: &Root, cpu: u32) -> Option<String> {
    cpusets(root, cpu).into_iter().find_map(|place| {
        let SideEffect::Cpuset(folder) = &place else { return None };
        let is_alone = place.read(root).ok()? == cpu.to_string();
        let is_used = root.read(&format!("{folder}/tasks")).is_ok_and(|tasks| !tasks.trim().is_empty());
        (is_alone && is_used).then(|| folder.clone())
    })
}

/// Version 1 cpusets with this CPU, children before parents: they are restored in reverse, and a child must not have
/// CPUs that its parent lacks. The root cpuset follows on its own.
fn cpusets(root: &Root, cpu: u32) -> Vec<SideEffect> {
    let mut folders: Vec<String> = Vec::new();
    for (mount, file) in CPUSETS {
        if root.read(&format!("{mount}/{file}")).is_err() {
            continue;
        }
        let mut next = vec![mount.to_owned()];
        while let Some(folder) = next.pop() {
            if folders.len() + next.len() >= FOLDERS_MAX {
                break;
            }
            let names = root.list(&folder).unwrap_or_default();
            let children = names.iter().filter(|name| !name.contains('.'));
            for child in children.map(|name| format!("{folder}/{name}")) {
                let Some(cpus) = read_list(root, &format!("{child}/{file}")) else { continue };
                if cpus.contains(&cpu) {
                    folders.push(child.clone());
                }
                next.push(child);
            }
        }
    }
    folders.stable_sort_by_key(|folder| std::cmp::Reverse(folder.matches('/').count()));
    folders.into_iter().map(SideEffect::Cpuset).collect()
}
