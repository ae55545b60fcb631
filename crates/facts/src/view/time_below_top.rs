//! Time spent at every OPP while CPUs were loaded.

use super::heat::workloads;
use super::phases::Phase;
use super::samples::{counter_total, is_log};
use crate::{Facts, Place};
use record::{ChannelId, PolicyChannel, Record, Total, Unit};

/// Time of one cpufreq policy below its highest OPP.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeBelowTop {
    /// CPUs of the policy; empty if not known.
    pub cpus: Vec<u32>,
    /// Time below the highest OPP, in milliseconds.
    pub below_ms: i64,
    /// All time, in milliseconds.
    pub total_ms: i64,
    /// Highest OPP that the run used; tables of cpufreq may list OPPs that are never reached.
    pub top_khz: u32,
    /// The lowest OPP that was used.
    pub low_khz: u32,
    /// Mean clock over the time.
    pub mean_khz: u32,
    /// Place in the Record.
    pub place: Place,
}

/// Time below the highest OPP: in own runs during full load only, because idle clusters may be slow; in logs over the
/// whole run, which is all they contain.
pub(crate) fn residency_below_top(facts: &Facts<'_>) -> Vec<TimeBelowTop> {
    if is_log(facts) {
        return residency_of_log(facts);
    }
    let cpus = super::cpu_use::cpu_count(facts).unwrap_or(1);
    let loaded: Vec<Phase> = workloads(facts).into_iter().filter(|phase| phase.is_full_load(cpus)).collect();
    let policies = facts.machine.policies.iter();
    policies
        .filter_map(|policy| {
            let mut khz_ms: Vec<(u32, i64)> = Vec::new();
            for channel in &facts.samples.channels {
                let khz = match channel.id {
                    ChannelId::Policy(of, PolicyChannel::Residency(khz)) if of == policy.policy => khz,
                    _ => continue,
                };
                let spent: i64 = loaded.iter().filter_map(|phase| counter_total(facts, channel, phase.window)).total();
                let ms_per_unit = if channel.unit == Unit::Ticks { 10 } else { 1 };
                khz_ms.push((khz, spent * ms_per_unit));
            }
            let place = Place::Samples {
                channel: ChannelId::Policy(policy.policy, PolicyChannel::Residencies),
                start_ms: loaded.first()?.window.start_ms,
                end_ms: loaded.last()?.window.end_ms,
            };
            below_top(policy.cpus.clone(), &khz_ms, place)
        })
        .collect()
}

fn residency_of_log(record: &Record) -> Vec<TimeBelowTop> {
    let Some(state) = record.states.iter().rev().find(|state| !state.residencies.is_empty()) else {
        return Vec::new();
    };
    let place = match state.line {
        Some(line) => Place::Line(line),
        None => Place::Field("states".into()),
    };
    let residencies = state.residencies.iter();
    residencies
        .filter_map(|residency| {
            let spent = residency.khz_ms.iter().map(|(khz, ms)| (*khz, *ms as i64));
            below_top(residency.cpus.clone(), &spent.collect::<Vec<_>>(), place.clone())
        })
        .collect()
}

fn below_top(cpus: Vec<u32>, khz_ms: &[(u32, i64)], place: Place) -> Option<TimeBelowTop> {
    let used = || khz_ms.iter().filter(|(_, ms)| *ms > 0);
    let top_khz = used().map(|(khz, _)| *khz).max()?;
    let total_ms: i64 = used().map(|(_, ms)| ms).total();
    let weighted: f64 = used().map(|(khz, ms)| f64::from(*khz) * *ms as f64).total();
    Some(TimeBelowTop {
        cpus,
        below_ms: used().filter(|(khz, _)| *khz < top_khz).map(|(_, ms)| ms).total(),
        total_ms,
        top_khz,
        low_khz: used().map(|(khz, _)| *khz).min()?,
        mean_khz: (weighted / total_ms as f64) as u32,
        place,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, counter, own_run, with_step};
    use record::{Variant, WorkloadId};

    #[test]
    fn ticks_below_the_highest_clock_count_only_under_load() {
        let mut record = own_run();
        for (workload, variant, cpus, window) in [
            (WorkloadId::OpenSsl, Variant::ONLY, &[0][..], (0.0, 1.0)),
            (WorkloadId::SevenZip, Variant::MULTI, &[], (1.0, 2.0)),
        ] {
            record = with_step(record, workload, variant, cpus, window, compression(1));
        }
        // The first second has one busy CPU: slow time in it does no harm.
        let slow = [0, 50, 100, 110, 120];
        let fast = [0, 0, 0, 40, 80];
        for (khz, ticks) in [(1_200_000, slow), (1_800_000, fast)] {
            let id = ChannelId::Policy(0, PolicyChannel::Residency(khz));
            record = counter(record, id, Unit::Ticks, &ticks);
        }
        let below = residency_below_top(&Facts::of(&record));
        assert_eq!((below[0].below_ms, below[0].total_ms), (200, 1_000));
        assert_eq!((below[0].low_khz, below[0].mean_khz), (1_200_000, 1_680_000));
    }
}
