//! Bindings to a CPU that are lost when it goes offline: interrupts, threads, cpusets.

use super::super::node::POLICY;
use super::{CPUSETS, INTERRUPTS, SideEffect, of_governor};
use crate::Root;
use crate::processes;
use identify::read_list;
use record::Arrange;
use record::parse_cpu_list;

/// Folders of cpusets that are looked at: more than any system has, and an end in any case.
const FOLDERS_MAX: usize = 4096;

/// A thread, as far as it matters here.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) start_ticks: u64,
    /// CPUs on which it may run, as a list.
    pub(super) allowed: String,
    /// Not one of the kernel's own.
    is_of_program: bool,
}

impl Thread {
    /// Nothing if it is gone.
    pub(super) fn read(root: &Root, tid: u32) -> Option<Self> {
        let status = root.read(&format!("/proc/{tid}/status")).ok()?;
        let stat = root.read(&format!("/proc/{tid}/stat")).ok()?;
        let value = |key: &str| status.lines().find_map(|line| line.strip_prefix(key));
        Some(Self {
            start_ticks: parse_start_ticks(&stat)?,
            allowed: value("Cpus_allowed_list:")?.trim().to_owned(),
            // Threads of the kernel have no memory of their own; they are parked and come back by themselves.
            is_of_program: value("VmSize:").is_some(),
        })
    }
}

/// Field 22 of proc_pid_stat(5). The name, which may hold anything, ends at the last parenthesis.
pub(super) fn parse_start_ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(19)?.parse().ok()
}

/// Everything that is disturbed when this CPU goes off. What stays bound to another CPU that is on is not.
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

/// A policy without CPUs ends, and its governor with it.
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

/// Threads of other programs. Ours are bound by us, and their owner looks after them.
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

/// A cpuset of version 1 that has no other CPU and is in use: without it, the kernel moves its programs to the
/// parent permanently.
pub(in crate::settings) fn emptied_cpuset(root: &Root, cpu: u32) -> Option<String> {
    cpusets(root, cpu).into_iter().find_map(|place| {
        let SideEffect::Cpuset(folder) = &place else { return None };
        let is_alone = place.read(root).ok()? == cpu.to_string();
        let is_used = root.read(&format!("{folder}/tasks")).is_ok_and(|tasks| !tasks.trim().is_empty());
        (is_alone && is_used).then(|| folder.clone())
    })
}

/// Every cpuset of version 1 with this CPU, children before their parents: they are put back in the other
/// order, and no child may have a CPU that its parent has not. The root of the hierarchy follows by itself.
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
    folders.arrange_by_key(|folder| std::cmp::Reverse(folder.matches('/').count()));
    folders.into_iter().map(SideEffect::Cpuset).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_name_with_field_like_text() {
        let fields = "S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20";
        for (name, expected) in [("sh", Some(4711)), ("a) R 1 (b", Some(4711))] {
            assert_eq!(parse_start_ticks(&format!("7 ({name}) {fields}")), expected);
        }
        assert_eq!(parse_start_ticks("7 (sh"), None);
    }
}
