//! Reference clock for the readings of a channel: the clock that all CPUs could have held, with the readings taken
//! under load.

use super::clock_gauge::clock_gauge;
use super::cpu_use::cpu_count;
use super::firmware::soft_limit;
use super::phases::Phase;
use super::samples::{Reading, channels};
use super::scores::fall_percent;
use crate::Facts;
use crate::stats::quantile;
use record::{Channel, ChannelId, LogMonitorChannel, Record, Unit, Window, WorkloadId};
use std::collections::BTreeMap;

/// Clock that all CPUs of a cluster could have held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Base {
    /// The clock.
    pub khz: u32,
    /// True if all CPUs together may reach less: a loss against this clock is an upper bound.
    pub at_most: bool,
}

/// Below this load, a governor may have lowered the clock because CPUs were idle: between two runs, or at the end of
/// one.
const BUSY_PERCENT_MIN: f64 = 75.0;
/// Repetitions that fall by this much began at a higher clock than they ended at.
const DECLINE_PERCENT_MIN: f64 = 3.0;
/// The clock that turbo reached with all CPUs busy, as a share of the readings.
const UNLIMITED_SHARE: f64 = 0.9;

/// True for an x86 CPU, whose single-core turbo exceeds the clock of all cores. Falls back to the architecture of its
/// programs if that of the kernel is unknown.
pub fn is_x86(record: &Record) -> bool {
    let arch = record.machine.kernel_arch.known().or(record.machine.userland_arch.known());
    let is_x86 =
        |arch: &String| matches!(arch.as_str(), "x86_64" | "amd64") || (arch.starts_with('i') && arch.ends_with("86"));
    let has_driver_of_boards =
        record.machine.policies.iter().filter_map(|policy| policy.driver.known()).any(|driver| driver == "cpufreq-dt");
    arch.is_some_and(is_x86) && record.machine.compatible.is_empty() && !has_driver_of_boards
}

/// Reference clock for the readings of a channel. A single sample, the first row of a log (an average since boot) and
/// the clock pass (which sets clocks itself) do not count. If scores fell, the reference is the best reading under full
/// load, because the turbo of one core is not that of all; otherwise the highest clock, as an upper bound.
pub(super) fn base(facts: &Facts<'_>, channel: &Channel, phases: &[Phase], busy: &[Option<f64>]) -> Option<Base> {
    let is_first = facts.first_rows();
    let kept = |reading: &Reading| !is_first.get(reading.row).copied().unwrap_or(false);
    let x86 = is_x86(facts);
    if x86 && declines(facts) {
        let loads = full_loads(facts, phases);
        let readings = loads.iter().flat_map(|phase| busy_readings(facts, channel, phase, busy));
        let values: Vec<f64> = readings.filter(kept).map(|reading| reading.value.max(0) as f64).collect();
        return quantile(&values, UNLIMITED_SHARE).map(|khz| Base { khz: khz as u32, at_most: false });
    }
    let highest_seen = |channel: &Channel| {
        let workloads = phases.iter().filter(|phase| phase.workload != WorkloadId::Clock);
        let readings = workloads.flat_map(|phase| in_khz(facts, channel, phase.window));
        // A row at the end of one phase also begins the next.
        let by_row: BTreeMap<usize, u32> =
            readings.filter(kept).map(|reading| (reading.row, reading.value.max(0) as u32)).collect();
        let mut values: Vec<u32> = by_row.into_values().collect();
        values.sort_unstable();
        // The second highest, because a core reaches its highest OPP more than once.
        values.len().checked_sub(2).map(|at| values[at])
    };
    // The kernel reports clocks that a soft limit withholds from the first moment on.
    let claim_of_kernel = if channel.id.is_firmware_clock() && soft_limit(facts).is_some() {
        channels(facts, ChannelId::is_policy_claim).next().and_then(highest_seen)
    } else {
        None
    };
    let khz = highest_seen(channel).max(claim_of_kernel);
    khz.map(|khz| Base { khz, at_most: x86 })
}

/// True if the last of the runs on all CPUs was slower than the first.
fn declines(facts: &Facts<'_>) -> bool {
    let scores: Vec<f64> = facts.multi_totals().iter().map(|(_, mips)| *mips).collect();
    fall_percent(&scores).is_some_and(|fall| fall >= DECLINE_PERCENT_MIN)
}

/// For every row whether it shows an average since boot.
pub(crate) fn first_rows(record: &Record) -> Vec<bool> {
    let first = record.samples.channel(&ChannelId::LogMonitor(LogMonitorChannel::FirstRow));
    first.map_or_else(Vec::new, |channel| channel.values.iter().map(|value| *value == Some(1)).collect())
}

/// Readings of a clock in kHz; firmware counts in hertz.
fn in_khz(record: &Record, channel: &Channel, window: Window) -> Vec<Reading> {
    let per_khz = if channel.unit == Unit::Hertz { 1000 } else { 1 };
    let readings = clock_gauge(record, channel, window).into_iter();
    readings.map(|reading| Reading { value: reading.value / per_khz, ..reading }).collect()
}

/// Readings of a phase while its CPUs were really busy.
pub(super) fn busy_readings(record: &Record, channel: &Channel, phase: &Phase, busy: &[Option<f64>]) -> Vec<Reading> {
    let mut readings = in_khz(record, channel, phase.window);
    readings.retain(|reading| {
        let busy = busy.get(reading.row).copied().flatten();
        busy.is_none_or(|busy| busy >= BUSY_PERCENT_MIN)
    });
    readings
}

/// Phases that keep all CPUs busy at clocks that the run has not set itself.
pub(super) fn full_loads<'a>(record: &Record, phases: &'a [Phase]) -> Vec<&'a Phase> {
    let cpus = cpu_count(record).unwrap_or(1);
    // On a machine with one CPU every phase is a full load. A clock that the run set itself is not a fall.
    let is_set = |phase: &&Phase| {
        let mut steps = phase.steps.iter().map(|at| &record.steps[*at]);
        steps.any(|step| step.set_clock.is_some())
    };
    phases.iter().filter(|phase| phase.is_full_load(cpus) && !is_set(phase)).collect()
}

/// CPUs of a channel such as `policy4.claimed`: those of its policy, and CPUs of the same cluster or core type without
/// a channel.
pub(super) fn cpus_of(record: &Record, channel: &Channel) -> Vec<u32> {
    let machine = &record.machine;
    let Some(policy) = machine.policies.iter().find(|policy| Some(policy.policy) == channel.id.policy()) else {
        return Vec::new();
    };
    let mut cpus = policy.cpus.clone();
    let is_of = |cpu: &u32| policy.cpus.contains(cpu);
    let Some(own) = machine.clusters.iter().find(|cluster| cluster.cpus.iter().any(is_of)) else {
        return cpus;
    };
    let has_channel = |cpu: &u32| {
        let mut policies = machine.policies.iter().filter(|policy| policy.cpus.contains(cpu));
        policies.any(|policy| record.samples.channel(&ChannelId::claimed(policy.policy)).is_some())
    };
    cpus.extend(own.cpus.iter().filter(|cpu| !has_channel(cpu)));
    if own.core_type.known().is_some() {
        let alike = machine.clusters.iter().filter(|cluster| cluster.core_type == own.core_type);
        let without = alike.filter(|cluster| !cluster.cpus.iter().any(has_channel));
        cpus.extend(without.flat_map(|cluster| cluster.cpus.iter().copied()));
    }
    cpus.sort_unstable();
    cpus.dedup();
    cpus
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, gauge_channel, own_run, with_step};
    use crate::view::phases;
    use record::{Fact, Variant};

    #[test]
    fn a_base_is_what_all_cores_could_hold() {
        let flat = [10_000, 9_990, 9_980];
        let falling = [10_000, 8_500, 8_300];
        for (arch, scores, mhz, expected) in [
            // A single sample is not a base.
            ("aarch64", flat, [1_900, 2_000, 1_900, 1_900, 1_900, 1_900, 1_900, 1_900], (1_900, false)),
            ("aarch64", falling, [1_800, 1_800, 1_800, 1_800, 1_200, 1_200, 1_000, 1_000], (1_800, false)),
            // The turbo of one core is not a reference for all cores.
            ("x86_64", falling, [4_900, 4_950, 3_600, 3_600, 2_900, 2_900, 2_900, 2_900], (3_600, false)),
            ("x86_64", flat, [3_000, 3_000, 2_500, 2_600, 2_500, 2_600, 2_500, 2_500], (3_000, true)),
        ] {
            let mut record = own_run();
            record.machine.kernel_arch = Fact::Known(arch.into());
            let aes = (WorkloadId::OpenSsl, Variant::AES_256_CBC);
            record = with_step(record, aes.0, aes.1, &[0], (0.0, 0.9), compression(1));
            for (index, score) in scores.into_iter().enumerate() {
                let window = (1.0 + index as f64, 1.9 + index as f64);
                record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], window, compression(score));
            }
            let khz: Vec<i64> = mhz.iter().map(|mhz| mhz * 1000).collect();
            let record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &khz);
            let channel = &record.samples.channels[0];
            let found = base(&Facts::of(&record), channel, &phases(&record), &[]).unwrap();
            assert_eq!((found.khz / 1000, found.at_most), expected, "{arch} {mhz:?}");
        }
    }
}
