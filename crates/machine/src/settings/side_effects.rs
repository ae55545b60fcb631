//! Side effects of a setting change, which are restored after it: leaving a governor removes its tunables, and
//! everything bound to a CPU that goes offline moves to other CPUs.

use super::node::POLICY;
use super::{DeviceName, Node};
use crate::Root;
use crate::faults::{self, Call};
use crate::threads;
use record::{Missing, Reading, parse_cpu_list};
use rustix::thread::{Pid, sched_setaffinity};

mod bound;

pub(super) use bound::emptied_cpuset;

/// Side effect of a setting change. Never set directly, only restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SideEffect {
    /// Tunable of a governor, of one policy or of all (Documentation/admin-guide/pm/cpufreq.rst, "Generic Scaling
    /// Governors").
    Tunable { policy: Option<u32>, governor: DeviceName, file: DeviceName },
    /// `scaling_setspeed`: clock requested from governor `userspace`.
    SetSpeed(u32),
    /// `boost` of a policy, which newer kernels recreate with its first CPU.
    Boost(u32),
    /// CPUs of an interrupt (Documentation/core-api/irq/irq-affinity.rst).
    Interrupt(u32),
    /// Directory of a version 1 cpuset, which permanently loses CPUs that go offline
    /// (Documentation/admin-guide/cgroup-v1/cpusets.rst).
    Cpuset(String),
    /// CPUs on which a thread of another program may run.
    Thread { tid: u32, start_ticks: u64 },
}

const CPUFREQ: &str = "/sys/devices/system/cpu/cpufreq/";
const INTERRUPTS: &str = "/proc/irq";
/// Mount points of version 1: the usual one, and that of Android kernels.
const CPUSETS: [(&str, &str); 2] = [("/sys/fs/cgroup/cpuset", "cpuset.cpus"), ("/dev/cpuset", "cpus")];
const THREAD: &str = "CPUs of thread ";
const STARTED: &str = ", started at tick ";

impl SideEffect {
    /// Name in the journal.
    pub(super) fn path(&self) -> String {
        match self {
            Self::Tunable { policy, governor, file } => {
                let policy = policy.map_or(String::new(), |policy| format!("policy{policy}/"));
                format!("{CPUFREQ}{policy}{}/{}", governor.as_str(), file.as_str())
            }
            Self::SetSpeed(policy) => format!("{POLICY}{policy}/scaling_setspeed"),
            Self::Boost(policy) => format!("{POLICY}{policy}/boost"),
            Self::Interrupt(number) => format!("{INTERRUPTS}/{number}/smp_affinity_list"),
            Self::Cpuset(folder) => {
                let mount = CPUSETS.iter().find(|(mount, _)| folder.starts_with(mount));
                format!("{folder}/{}", mount.map_or("cpuset.cpus", |(_, file)| file))
            }
            Self::Thread { tid, start_ticks } => format!("{THREAD}{tid}{STARTED}{start_ticks}"),
        }
    }

    /// Parses a name in the journal.
    pub(super) fn from_path(path: &str) -> Option<Self> {
        if let Some(thread) = path.strip_prefix(THREAD) {
            let (tid, start_ticks) = thread.split_once(STARTED)?;
            return Some(Self::Thread { tid: tid.parse().ok()?, start_ticks: start_ticks.parse().ok()? });
        }
        if let Some(number) = path.strip_prefix("/proc/irq/") {
            let number = number.strip_suffix("/smp_affinity_list")?;
            return number.parse().ok().map(Self::Interrupt);
        }
        if let Some(rest) = path.strip_prefix(CPUFREQ) {
            return in_cpufreq(rest);
        }
        let leads_away = path.split('/').any(|part| part == "..");
        CPUSETS.iter().find_map(|(mount, file)| {
            let folder = path.strip_suffix(file)?.strip_suffix('/')?;
            (folder.starts_with(mount) && !leads_away).then(|| Self::Cpuset(folder.to_owned()))
        })
    }

    /// The value in force; a list of CPUs may be empty.
    ///
    /// # Errors
    /// It does not exist any more, or cannot be read.
    pub(super) fn read(&self, root: &Root) -> Reading<String> {
        match self {
            Self::Thread { tid, start_ticks } => {
                let gone = || Missing::absent(self.path());
                let thread = bound::Thread::read(root, *tid).ok_or_else(gone)?;
                (thread.start_ticks == *start_ticks).then_some(thread.allowed).ok_or_else(gone)
            }
            _ => Ok(root.read(&self.path())?.trim().to_owned()),
        }
    }

    /// Writes a value.
    ///
    /// # Errors
    /// The kernel rejects it.
    pub(super) fn write(&self, root: &Root, value: &str) -> Reading<()> {
        let Self::Thread { tid, .. } = self else { return root.write(&self.path(), value) };
        if !root.is_system() {
            return Err(Missing::unsupported(self.path(), "not the running system"));
        }
        let cpus = threads::cpu_set(&parse_cpu_list(value).unwrap_or_default()).unwrap_or_default();
        let thread = i32::try_from(*tid).ok().and_then(Pid::from_raw);
        let set = || sched_setaffinity(thread, &cpus);
        faults::pass(Call::Affinity, self.path(), set)
            .map_err(|error| Missing::unsupported(self.path(), error.to_string()))
    }

    /// Governor that creates it; none if it belongs to no single policy.
    pub(super) fn governor(&self) -> Option<Node> {
        match self {
            Self::Tunable { policy, .. } => policy.map(Node::Governor),
            Self::SetSpeed(policy) => Some(Node::Governor(*policy)),
            _ => None,
        }
    }

    /// True if it can disappear without having to be restored.
    pub(super) fn may_end(&self) -> bool {
        matches!(self, Self::Interrupt(_) | Self::Cpuset(_) | Self::Thread { .. })
    }

    /// True if the kernel recreates it with its setting, so that a value found there was not chosen by the user.
    pub(super) fn is_recreated(&self) -> bool {
        matches!(self, Self::Tunable { .. } | Self::SetSpeed(_) | Self::Boost(_))
    }
}

/// Parses a path below the directory of cpufreq.
fn in_cpufreq(rest: &str) -> Option<SideEffect> {
    let parts: Vec<&str> = rest.split('/').collect();
    let (policy, rest) = match parts.split_first() {
        Some((first, rest)) if first.starts_with("policy") => (Some(first.strip_prefix("policy")?.parse().ok()?), rest),
        _ => (None, parts.as_slice()),
    };
    match (policy, rest) {
        (Some(policy), ["scaling_setspeed"]) => Some(SideEffect::SetSpeed(policy)),
        (Some(policy), ["boost"]) => Some(SideEffect::Boost(policy)),
        (policy, [governor, file]) => {
            Some(SideEffect::Tunable { policy, governor: DeviceName::new(governor)?, file: DeviceName::new(file)? })
        }
        _ => None,
    }
}

/// Side effects of setting a node to this value, with the previous values. Unreadable places are omitted, because they
/// cannot be written either.
pub(super) fn disturbed_by(root: &Root, node: Node, value: &str) -> Vec<(SideEffect, String)> {
    let places = match node {
        Node::Governor(policy) => of_governor(root, policy),
        Node::CpuOnline(cpu) if value == "0" => bound::to_cpu(root, cpu),
        _ => Vec::new(),
    };
    let with_value = |place: SideEffect| place.read(root).ok().map(|value| (place, value));
    let is_value = |(_, value): &(SideEffect, String)| value != "<unsupported>";
    places.into_iter().filter_map(with_value).filter(is_value).collect()
}

/// Tunables of a policy's governor, and the clock that was set by hand.
fn of_governor(root: &Root, policy: u32) -> Vec<SideEffect> {
    let Ok(governor) = Node::Governor(policy).read(root) else { return Vec::new() };
    let mut places = Vec::new();
    if governor == "userspace" {
        places.push(SideEffect::SetSpeed(policy));
    }
    let Some(governor) = DeviceName::new(&governor) else { return places };
    for policy in [Some(policy), None] {
        let folder = match policy {
            Some(policy) => format!("{POLICY}{policy}/{}", governor.as_str()),
            None => format!("{CPUFREQ}{}", governor.as_str()),
        };
        let files = root.list(&folder).unwrap_or_default();
        let files = files.iter().filter_map(|file| DeviceName::new(file));
        places.extend(files.map(|file| SideEffect::Tunable { policy, governor, file }));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_cannot_escape() {
        for path in [
            "/sys/devices/system/cpu/cpufreq/ondemand/up_threshold",
            "/sys/devices/system/cpu/cpufreq/policy4/schedutil/rate_limit_us",
            "/sys/devices/system/cpu/cpufreq/policy0/scaling_setspeed",
            "/sys/devices/system/cpu/cpufreq/policy0/boost",
            "/proc/irq/17/smp_affinity_list",
            "/sys/fs/cgroup/cpuset/a/b/cpuset.cpus",
            "/dev/cpuset/top-app/cpus",
            "CPUs of thread 17, started at tick 4711",
        ] {
            let place = SideEffect::from_path(path).map(|place| place.path());
            assert_eq!(place.as_deref(), Some(path));
        }
        for path in [
            "/sys/devices/system/cpu/cpufreq/policy0/../x",
            "/sys/devices/system/cpu/cpufreq/a/b/c/d",
            "/proc/irq/../smp_affinity_list",
            "/proc/irq/1/smp_affinity",
            "/sys/fs/cgroup/cpuset/../cpuset.cpus",
            "/etc/cpuset.cpus",
            "CPUs of thread x, started at tick 1",
        ] {
            assert_eq!(SideEffect::from_path(path), None, "{path}");
        }
    }
}
