//! Rights, identity, clocks and settings.

use super::Availability::{No, Partly, Unknown, Yes};
use super::{Facts, Finding};
use machine::cgroup;
use machine::cycles::CycleCounter;
use machine::settings::Node;
use record::{Fact, Missing, MissingReason, Policy};

/// Reason for unknown run-time facts.
pub(super) const OTHER_MACHINE: &str = "these are the files of another machine";
pub(super) const AS_ROOT: &str = "run as root (sudo)";
/// All CPUs.
const CPUS: &str = "/sys/devices/system/cpu";

pub(super) fn root(facts: &Facts) -> Finding {
    if !facts.root.is_system() {
        return Unknown.because(OTHER_MACHINE);
    }
    if machine::is_root() {
        Yes.because("running as root")
    } else {
        Partly
            .with_remedy("not root: clocks are measured as they are set, drives and some sensors are not read", AS_ROOT)
    }
}

pub(super) fn board(facts: &Facts) -> Finding {
    match &facts.machine.board {
        Fact::Known(name) => {
            let by = if facts.machine.compatible.is_empty() { "DMI or firmware" } else { "device tree" };
            Yes.because(format!("{name} ({by})"))
        }
        Fact::Missing { missing } if missing.why != MissingReason::Absent => Unknown.because(missing.to_string()),
        Fact::Missing { missing } => No.because(format!("neither device tree nor DMI names the board ({missing})")),
    }
}

pub(super) fn environment(facts: &Facts) -> Finding {
    if let Some(sign) = facts.machine.emulated_by() {
        let because = format!("the CPU is emulated ({sign}): no clock and no score is that of a CPU");
        return No.with_remedy(because, "run on real hardware");
    }
    match &facts.machine.virtualisation {
        Fact::Known(kind) if kind == "none" => Yes.because("bare metal"),
        Fact::Known(kind) => Partly.with_remedy(
            format!("{kind}: others may share the CPUs; clocks and sensors may be hidden or the host's"),
            "run on the host for figures of the board",
        ),
        Fact::Missing { missing } => Unknown.because(missing.to_string()),
    }
}

pub(super) fn quota(facts: &Facts) -> Finding {
    match cgroup::quota(facts.root) {
        Ok(false) => Yes.because("none"),
        Ok(true) => Partly.with_remedy(
            "the cgroup of this process has a CPU quota: it runs at full clock for a part of each period",
            "run outside of the container, session or service with the quota",
        ),
        Err(missing) if missing.why == MissingReason::Absent => {
            Unknown.because(format!("the kernel has no cgroups, or they are not shown ({missing})"))
        }
        Err(missing) => Unknown.because(missing.to_string()),
    }
}

pub(super) fn cycle_counters(facts: &Facts) -> Finding {
    if !facts.root.is_system() {
        return Unknown.because(OTHER_MACHINE);
    }
    let cpu = facts.machine.cpus.iter().find(|cpu| cpu.online).map_or(0, |cpu| cpu.cpu);
    let mut reasons: Vec<Missing> = Vec::new();
    for (name, counter) in CycleCounter::all(facts.root, cpu) {
        match counter {
            Ok(_) => return Yes.because(format!("clocks are also measured by the counters of the CPU ({name})")),
            Err(missing) => reasons.push(missing),
        }
    }
    let way_out = if !reasons.iter().any(|missing| missing.why == MissingReason::Denied) {
        ""
    } else if machine::is_root() {
        "allow perf_event_open and /dev/cpu/*/msr to this container"
    } else {
        "run as root, or: sudo sysctl kernel.perf_event_paranoid=2"
    };
    let reasons: Vec<String> = reasons.iter().map(Missing::to_string).collect();
    let because = format!("clocks are measured by timed loops alone: {}", reasons.join("; "));
    Partly.with_remedy(because, way_out)
}

pub(super) fn cpufreq(facts: &Facts) -> Finding {
    let policies = &facts.machine.policies;
    if !policies.is_empty() {
        return Yes.because(policies.iter().map(policy).collect::<Vec<_>>().join("; "));
    }
    let names = match facts.root.list(&format!("{CPUS}/cpufreq")) {
        Err(missing) if missing.why != MissingReason::Absent => return Unknown.because(missing.to_string()),
        names => names.unwrap_or_default(),
    };
    match facts.root.list(CPUS) {
        Ok(_) if names.iter().any(|name| name.starts_with("policy")) => {
            Unknown.because("policies are there and cannot be read")
        }
        Ok(_) => No.with_remedy(
            "no cpufreq policy: the kernel has no driver for the clocks of these CPUs, or a hypervisor sets them; \
             clocks are measured, but have nothing to be compared with",
            "on a board, use a kernel with its cpufreq driver",
        ),
        Err(missing) => Unknown.because(missing.to_string()),
    }
}

/// `policy0: 408-1512 MHz, 5 OPPs, governor ondemand`.
fn policy(policy: &Policy) -> String {
    let mhz = |fact: &Fact<u32>| fact.known().map_or("?".to_owned(), |khz| (khz / 1000).to_string());
    let mut text =
        format!("policy{}: {}-{} MHz", policy.policy, mhz(&policy.clock_khz_min), mhz(&policy.clock_khz_max));
    if !policy.opps_khz.is_empty() {
        text.push_str(&format!(", {} OPPs", policy.opps_khz.len()));
    }
    if let Fact::Known(governor) = &policy.governor {
        text.push_str(&format!(", governor {governor}"));
    }
    text
}

pub(super) fn settings(facts: &Facts) -> Finding {
    let policies = &facts.machine.policies;
    let is_settable = |policy: &&Policy| {
        let others = policy.governors.iter().any(|governor| Some(governor) != policy.governor.known());
        others || policy.clock_khz_min != policy.clock_khz_max
    };
    let settable = policies.iter().filter(is_settable).count();
    if settable == 0 {
        if let (Unknown, why, _) = cpufreq(facts) {
            return Unknown.because(why);
        }
        let why = if policies.is_empty() { "no cpufreq policy" } else { "no policy has another governor or clock" };
        return No.because(format!("{why}: OPP sweeps, efficiency and ab with clocks cannot run"));
    }
    if !facts.root.is_system() {
        return Unknown.because(format!("{settable} of {} policies list a choice; {OTHER_MACHINE}", policies.len()));
    }
    if facts.root.is_read_only(CPUS) {
        return No.with_remedy("/sys is mounted read-only", "run outside of the container");
    }
    if machine::is_root() {
        Yes.because(format!("governor and clock limits of {settable} of {} policies", policies.len()))
    } else {
        No.with_remedy("setting governors and clocks needs root", AS_ROOT)
    }
}

/// Unavailable CPUs, and a disabled boost.
pub(super) fn cpus(facts: &Facts) -> Finding {
    let numbers = |is_wanted: fn(&record::Cpu) -> bool| -> Vec<u32> {
        facts.machine.cpus.iter().filter(|cpu| is_wanted(cpu)).map(|cpu| cpu.cpu).collect()
    };
    let (all, offline) = (numbers(|_| true), numbers(|cpu| !cpu.online));
    if all.is_empty() {
        return Unknown.because("no CPU is known");
    }
    let denied = machine::denied_cpus(facts.root, &facts.machine);
    let boost = facts.root.read_value(&format!("{CPUS}/cpufreq/boost")).is_ok_and(|value| value == "0");
    let mut because = Vec::new();
    let mut way_out = Vec::new();
    if !offline.is_empty() {
        let count = offline.len();
        because.push(format!("{count} of {} CPUs are offline ({})", all.len(), record::cpu_words(&offline)));
        way_out.push("take them online: write 1 into cpuN/online");
    }
    if !denied.is_empty() {
        because.push(format!("this process may not run on {}", record::cpu_words(&denied)));
        way_out.push("start it outside of the cpuset or taskset");
    }
    if boost {
        because.push("boost is off".to_owned());
        way_out.push("write 1 into /sys/devices/system/cpu/cpufreq/boost");
    }
    if because.is_empty() {
        return Yes.because(format!("{} CPUs, all online", all.len()));
    }
    Partly.with_remedy(because.join("; "), way_out.join("; "))
}

pub(super) fn cpu_hotplug(facts: &Facts) -> Finding {
    let cpus = &facts.machine.cpus;
    let count = cpus.iter().filter(|cpu| Node::CpuOnline(cpu.cpu).read(facts.root).is_ok()).count();
    const FOR: &str = "programs that start one thread per CPU run on all CPUs only";
    match (count, cpus.len()) {
        (_, 0) => Unknown.because("no CPU is known"),
        (_, 1) => No.because("there is only one CPU"),
        (0, _) => No.because(format!("the kernel lets no CPU be taken offline: {FOR}")),
        (count, all) if !facts.root.is_system() => {
            Unknown.because(format!("{count} of {all} CPUs have the switch; {OTHER_MACHINE}"))
        }
        (count, all) if facts.root.is_read_only(CPUS) => {
            No.because(format!("{count} of {all} CPUs have the switch, but /sys is mounted read-only"))
        }
        (count, all) if machine::is_root() => Yes.because(format!("{count} of {all} CPUs can be taken offline")),
        _ => No.with_remedy(format!("taking CPUs offline needs root: {FOR}"), AS_ROOT),
    }
}
