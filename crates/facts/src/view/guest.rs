//! Whether a system has the machine for itself.

use crate::Facts;
use crate::stats::mean;
use record::{LogBlock, Record, Source};

/// Container managers. A container shows `/proc` and `/sys` of its host.
pub const CONTAINERS: [&str; 8] =
    ["docker", "podman", "lxc", "lxc-libvirt", "systemd-nspawn", "containerd", "kubernetes", "container-other"];

/// True in a virtual machine. Containers do not count: they show `/proc` and `/sys` of the host.
pub fn is_guest(record: &Record) -> bool {
    let kind = record.machine.virtualisation.known().map(String::as_str);
    kind.is_some_and(|kind| !matches!(kind, "" | "none") && !CONTAINERS.contains(&kind))
}

/// Who had the CPU time that a workload lacked: in guests and containers possibly the host.
pub fn others_words(record: &Record) -> &'static str {
    if is_shared(record) { "other tasks or the host" } else { "other tasks" }
}

/// True in a guest or a container: a host decides how much CPU time it has.
pub fn is_shared(record: &Record) -> bool {
    let kind = record.machine.virtualisation.known().map(String::as_str);
    kind.is_some_and(|kind| !matches!(kind, "" | "none"))
}

/// Average steal time since boot, in percent of all CPUs, before and after the benchmarks of a log.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogSteal {
    /// Before the benchmarks.
    pub before: f64,
    /// After them.
    pub after: f64,
}

/// Steal time that iostat printed in a log; `None` if not printed twice.
pub fn steal_of_log(record: &Record) -> Option<LogSteal> {
    let Source::Log(log) = &record.source else { return None };
    let mut steal = log.blocks.iter().filter(|block| block.heading == "iostat").filter_map(iostat_steal);
    Some(LogSteal { before: steal.next()?, after: steal.next_back()? })
}

/// Column `%steal` of the table of CPUs. The line of names has one word more than that of values.
fn iostat_steal(block: &LogBlock) -> Option<f64> {
    let mut lines = block.text.lines().skip_while(|line| !line.trim_start().starts_with("avg-cpu"));
    let column = lines.next()?.split_whitespace().position(|name| name == "%steal")?.checked_sub(1)?;
    let value = lines.next()?.split_whitespace().nth(column)?;
    let percent: f64 = value.replace(',', ".").parse().ok()?;
    (0.0..=100.0).contains(&percent).then_some(percent)
}

/// Maximum wait for storage and maximum stolen time of a phase that other tasks explain, in percent of the CPU time.
const OTHER_LOSS_PERCENT: f64 = 2.0;

/// Who had the CPU time that threads of these steps lost; `None` if CPUs went offline, or if they waited for storage or the
/// hypervisor.
pub fn others_with_the_rest(facts: &Facts<'_>, steps: &[usize]) -> Option<&'static str> {
    let online = facts.states.iter().map(|state| state.online_cpus.len()).filter(|count| *count > 0);
    let counts: Vec<usize> = online.collect();
    let went_offline = counts.last() < counts.first() || !facts.lost_cpus().is_empty();
    let lost = steps.iter().filter_map(|step| facts.steps.get(*step)).flat_map(|step| facts.cpu_use(&step.window));
    let lost: Vec<f64> = lost.map(|usage| usage.iowait + usage.steal).collect();
    let is_other_loss = mean(&lost).is_some_and(|percent| percent >= OTHER_LOSS_PERCENT);
    (!went_offline && !is_other_loss).then(|| others_words(facts))
}
