//! Whether a system has the machine for itself.

use super::lost_cpus::offline_by_states;
use crate::Facts;
use crate::stats::mean;
use record::{Record, Source};

/// Container managers. A container shows `/proc` and `/sys` of its host.
pub const CONTAINERS: [&str; 8] =
    ["docker", "podman", "lxc", "lxc-libvirt", "systemd-nspawn", "containerd", "kubernetes", "container-other"];

/// True in a virtual machine: only there CPU time is stolen. Containers do not count: they show `/proc` and `/sys` of the host.
pub fn is_guest(record: &Record) -> bool {
    let kind = record.machine.virtualisation.known().map(String::as_str);
    kind.is_some_and(|kind| !matches!(kind, "" | "none") && !CONTAINERS.contains(&kind))
        || steal_of_log(record).is_some_and(|steal| steal.percent_min > 0.0)
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

/// Steal time while the benchmarks of a log ran, in percent of all CPUs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogSteal {
    /// Average over the run.
    pub percent: f64,
    /// Lower bound, because iostat rounds.
    pub percent_min: f64,
}

/// Resolution of iostat, in points.
const IOSTAT_POINTS: f64 = 0.01;

/// Steal time of a run from the averages since boot that iostat printed before and after it; `None` if not printed twice.
pub fn steal_of_log(record: &Record) -> Option<LogSteal> {
    let Source::Log(log) = &record.source else { return None };
    let blocks = log.blocks.iter().filter(|block| block.heading == "iostat");
    let mut steal = blocks.filter_map(|block| parse_iostat(&block.text));
    let (before, after) = (steal.next()?, steal.next_back()?);
    let run_ms = record.steps.iter().map(|step| step.window.end_ms).max()?.max(1) as f64;
    // Without the time since boot, the run is no more than all of it.
    let up_ms = record.run.uptime_ms.known().map_or(0.0, |ms| *ms as f64);
    let percent = after + (after - before) * up_ms / run_ms;
    Some(LogSteal { percent, percent_min: percent - IOSTAT_POINTS * (up_ms / run_ms + 0.5) })
}

/// Parses the column `%steal` of the table of CPUs of iostat. The line of names has one word more than that of values.
pub fn parse_iostat(text: &str) -> Option<f64> {
    let mut lines = text.lines().skip_while(|line| !line.trim_start().starts_with("avg-cpu"));
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
    let went_offline = offline_by_states(facts).is_some() || !facts.lost_cpus().is_empty();
    let lost = steps.iter().filter_map(|step| facts.steps.get(*step)).flat_map(|step| facts.cpu_use(&step.window));
    let lost: Vec<f64> = lost.map(|usage| usage.iowait + usage.steal).collect();
    let is_other_loss = mean(&lost).is_some_and(|percent| percent >= OTHER_LOSS_PERCENT);
    (!went_offline && !is_other_loss).then(|| others_words(facts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, log, with_step};
    use proptest::prelude::*;
    use record::{Fact, LogBlock, Variant, WorkloadId};

    fn iostat(steal: &str) -> String {
        format!(
            "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n   1,09    0,07    0,88    0,39    {steal}   97,57"
        )
    }

    /// An average since boot hides the steal time of a run the more, the longer the machine was up.
    #[test]
    fn steal_time_of_a_run_is_told_from_that_since_boot() {
        for (up_minutes, before, after, expected) in [
            (0, "0,00", "21,32", (21.32, 21.31)),
            (90, "0,50", "2,45", (20.0, 19.9)),
            (1_440, "0,02", "0,04", (2.92, 1.47)),
        ] {
            let mut record =
                with_step(log("0.9.72"), WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 600.0), compression(1));
            record.run.uptime_ms = Fact::Known(up_minutes * 60_000);
            let Source::Log(log) = &mut record.source else { unreachable!() };
            let blocks = [before, after].map(iostat);
            log.blocks = blocks.map(|text| LogBlock { line: 1, heading: "iostat".into(), text }).to_vec();
            let steal = steal_of_log(&record).unwrap();
            let found = (steal.percent, steal.percent_min);
            assert!((found.0 - expected.0).abs() < 0.05 && (found.1 - expected.1).abs() < 0.05, "{found:?}");
        }
    }

    proptest! {
        #[test]
        fn iostat_never_panics(text in "(avg-cpu:|%steal|%user|-?[0-9]{1,40}[.,]?[0-9]*|[ \n]|\\PC)*") {
            parse_iostat(&text);
        }
    }
}
