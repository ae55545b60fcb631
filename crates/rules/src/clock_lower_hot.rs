//! Rule: clock-lower-hot. The measured clock under load, or right after it, is lower than cold.

use super::place::step_place;
use super::{Rule, Subject};
use facts::view::{self, ClusterClock};
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::{RuleId, Variant};

pub(super) const RULE: Rule = Rule { subjects: &[Subject::Clock], ..Rule::new(RuleId::own("clock-lower-hot"), check) };

/// Readings agree within 0.5 %, and cycle counters within 1 %.
const FALL_PERCENT_MIN: f64 = 2.0;

/// Minimum drop for inconsistent readings.
const UNSTEADY_PERCENT_MIN: f64 = 8.0;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    lowered(facts)
}

/// Drop that leftover load causes in the second pass, which is not real.
pub(super) fn useless(facts: &Facts<'_>) -> Option<Finding> {
    if !view::is_second_pass_unreliable(facts) {
        return None;
    }
    let cold = facts.cluster_clocks(&Variant::COLD);
    let mut after = facts.all_cluster_clocks(&Variant::HOT_AFTER);
    after.retain(|clock| !is_reading(facts, &cold, clock));
    lower(facts, &cold, &after, "after the load")
}

/// Clocks of the firmware and of the second pass agree within 2 %.
const SAME_CLOCK: f64 = 0.02;
/// Maximum distance of two clocks on the same line, as a share.
const SAME_LINE: f64 = 0.01;

/// True if the firmware reported this clock beside it, or at the end of the load.
fn is_of_firmware(facts: &Facts<'_>, clock: &ClusterClock) -> bool {
    let readings = view::firmware_clock_channel(facts).map(|channel| view::gauge(facts, channel, view::whole_run()));
    let last = readings.and_then(|readings| Some(readings.last()?.value as f64));
    let is_near = |khz: f64, share: f64| (khz / f64::from(clock.measured_khz) - 1.0).abs() <= share;
    clock.firmware_khz.is_some_and(|khz| is_near(khz.into(), SAME_LINE))
        || last.is_some_and(|khz| is_near(khz, SAME_CLOCK))
}

/// True if the second pass read this clock: the firmware reported it, or its readings agree, except those of one CPU under
/// leftover load, which agree as well. Readings that disagree, and means without readings, count only as a large fall.
fn is_reading(facts: &Facts<'_>, cold: &[ClusterClock], clock: &ClusterClock) -> bool {
    if is_of_firmware(facts, clock) {
        return true;
    }
    let unreliable = view::is_second_pass_unreliable(facts);
    let is_printed = clock.readings == 0 && view::is_log(facts);
    if clock.is_steady && !is_printed {
        return !unreliable || view::cpu_count(facts).is_some_and(|cpus| cpus > 1);
    }
    let before = cold.iter().find(|before| before.cpu == clock.cpu);
    let limit = |before: &ClusterClock| f64::from(before.measured_khz) * (1.0 - UNSTEADY_PERCENT_MIN / 100.0);
    !unreliable && before.is_some_and(|before| f64::from(clock.measured_khz) <= limit(before))
}

/// Clocks that were really lower.
pub(super) fn lowered(facts: &Facts<'_>) -> Vec<Finding> {
    // The highest of readings that disagree was reached: disturbances only lower a reading.
    let cold = facts.all_cluster_clocks(&Variant::COLD);
    let all_cold = facts.cluster_clocks(&Variant::COLD_ALL_CPUS);
    let mut findings = Vec::new();
    // With all CPUs busy the same load is the fair comparison: single-core turbo clocks
    // are higher by design.
    let before = if all_cold.is_empty() { &cold } else { &all_cold };
    let mut loaded = facts.cluster_clocks(&Variant::HOT_LOADED);
    // Threads that share the remaining CPUs measure half a clock each.
    loaded.retain(|clock| !view::is_short_of_cpus(facts, clock.step));
    findings.extend(lower(facts, before, &loaded, "under load"));
    let mut after = facts.all_cluster_clocks(&Variant::HOT_AFTER);
    after.retain(|clock| !view::is_short_of_cpus(facts, clock.step) && is_reading(facts, &cold, clock));
    let mut found = lower(facts, &cold, &after, "right after the load");
    // Consistent readings under leftover load are a clock, but not that of the workloads, which only scores show.
    if let Some(finding) = found.as_mut().filter(|_| view::is_second_pass_unreliable(facts)) {
        finding.severity = Severity::Info;
    }
    findings.extend(found);
    findings
}

fn lower(facts: &Facts<'_>, before: &[ClusterClock], after: &[ClusterClock], when: &str) -> Option<Finding> {
    let fall = |hot: &ClusterClock| {
        let cold = before.iter().find(|cold| cold.cpu == hot.cpu)?;
        let kept = f64::from(hot.measured_khz) / f64::from(cold.measured_khz.max(1));
        Some((100.0 * (1.0 - kept), cold.clone(), hot.clone()))
    };
    let mut falls: Vec<_> = after.iter().filter_map(fall).collect();
    falls.retain(|(percent, cold, hot)| {
        let usual = if cold.is_steady { FALL_PERCENT_MIN } else { UNSTEADY_PERCENT_MIN };
        *percent >= hot.tolerance_percent(usual)
    });
    let lowered = falls.iter();
    let cpus: Vec<u32> = lowered.map(|(_, _, hot)| hot.cpu).collect();
    let (percent, cold, hot) = falls.into_iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let place = |clock: &ClusterClock| {
        let line = clock.line.map(Place::Line);
        line.unwrap_or_else(|| step_place(facts, clock.step))
    };
    // The clock of a guest varies with the load of its host.
    let is_small = view::is_guest(facts) && percent < UNSTEADY_PERCENT_MIN;
    let severity = if is_small { Severity::Info } else { Severity::Degraded };
    Some(
        Finding::new(RULE.id, severity, "CPU {cpu} measured {cold} cold and {hot} {when} ({change}).")
            .with("cpu", Quantity::Count(hot.cpu.into()))
            .with("cold", Quantity::Khz(cold.measured_khz))
            .with("hot", Quantity::Khz(hot.measured_khz))
            .with("when", Quantity::Text(when.to_owned()))
            .with("change", Quantity::Percent(-percent))
            .with("cpus", Quantity::Cpus(cpus))
            .at(place(&cold))
            .at(place(&hot)),
    )
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{gauge_channel, log, own_run, point, window, with_clocks};
    use crate::tests::sentences;
    use record::{AllCpus, ChannelId, Unit, Variant};

    #[test]
    fn lower_clock_under_load_is_named() {
        let record = with_clocks(own_run(), Variant::COLD, vec![point(0, 1_800_000, 1_797_000)]);
        let slow = vec![point(0, 1_800_000, 1_203_000)];
        assert_eq!(
            sentences(RULE.id, &with_clocks(record.clone(), Variant::HOT_LOADED, slow)),
            ["CPU 0 measured 1797 MHz cold and 1203 MHz under load (-33 %)."]
        );
        let same = vec![point(0, 1_800_000, 1_790_000)];
        assert_eq!(sentences(RULE.id, &with_clocks(record, Variant::HOT_LOADED, same)), [""; 0]);
    }

    #[test]
    fn offline_cpu_does_not_lower_clock() {
        let record = with_clocks(own_run(), Variant::COLD, vec![point(0, 1_305_000, 1_305_000)]);
        let half = vec![point(0, 1_305_000, 654_000)];
        let mut record = with_clocks(record, Variant::HOT_LOADED, half);
        record.steps[1].window = window(2.0, 4.0);
        for (online, expected) in [([2, 2, 2, 2, 2, 1], 0), ([2; 6], 1)] {
            let record = gauge_channel(record.clone(), ChannelId::AllCpus(AllCpus::Online), Unit::Count, &online);
            assert_eq!(sentences(RULE.id, &record).len(), expected, "{online:?}");
        }
    }

    #[test]
    fn loads_on_all_cpus_are_compared_with_each_other() {
        let record = with_clocks(own_run(), Variant::COLD, vec![point(0, 3_600_000, 3_600_000)]);
        let all = vec![point(0, 3_600_000, 3_000_000)];
        let record = with_clocks(record, Variant::COLD_ALL_CPUS, all.clone());
        assert_eq!(sentences(RULE.id, &with_clocks(record, Variant::HOT_LOADED, all)), [""; 0]);
    }

    /// Leftover load lowers readings but not the clock reported by the firmware.
    #[test]
    fn clock_of_the_second_pass_that_the_firmware_reports_is_named() {
        for (firmware_khz, expected) in [(600_000, 1), (1_500_000, 0)] {
            let hot = record::ClockPoint {
                readings_khz: vec![600_100, 599_000, 520_000],
                firmware_khz: Some(firmware_khz),
                ..<_>::default()
            };
            let record = with_clocks(log("0.8.4"), Variant::COLD, vec![point(0, 1_500_000, 1_500_000)]);
            let record = with_clocks(record, Variant::HOT_AFTER, vec![hot]);
            assert_eq!(sentences(RULE.id, &record).len(), expected, "{firmware_khz}");
        }
    }

    /// Disturbances only lower readings, so that the highest of readings that disagree is no more than the clock.
    #[test]
    fn clock_that_fell_far_below_disturbed_readings_is_named() {
        for (khz, expected) in [(986_000, 1), (1_250_000, 0)] {
            let cold = record::ClockPoint { readings_khz: vec![1_299_000, 1_290_000, 1_262_000], ..<_>::default() };
            let hot = record::ClockPoint { readings_khz: vec![khz; 3], ..<_>::default() };
            let record = with_clocks(log("0.9.9"), Variant::COLD, vec![cold]);
            assert_eq!(
                sentences(RULE.id, &with_clocks(record, Variant::HOT_AFTER, vec![hot])).len(),
                expected,
                "{khz}"
            );
        }
    }

    #[test]
    fn second_pass_counts_where_its_readings_agree() {
        const NARROW: &[u32] = &[915, 914, 913];
        const WIDE: &[u32] = &[915, 700, 480];
        for (version, cpus, readings, printed, expected) in [
            ("0.8.4", 4, NARROW, None, 1),
            ("0.8.4", 1, NARROW, None, 0),
            ("0.8.4", 4, WIDE, None, 0),
            ("0.8.4", 4, &[], Some(500), 0),
            ("0.9.36", 4, WIDE, None, 1),
            ("0.9.36", 4, &[], Some(974), 0),
            ("0.9.36", 4, &[], Some(900), 1),
            ("0.4", 4, NARROW, None, 1),
        ] {
            let mut record = with_clocks(log(version), Variant::COLD, vec![point(0, 1_000_000, 999_000)]);
            record.machine.cpus.truncate(cpus);
            let after = record::ClockPoint {
                opp_khz: Some(1_000_000),
                readings_khz: readings.iter().map(|mhz| mhz * 1000).collect(),
                printed_mhz: printed,
                ..<_>::default()
            };
            let record = with_clocks(record, Variant::HOT_AFTER, vec![after]);
            assert_eq!(sentences(RULE.id, &record).len(), expected, "{version} {cpus} {readings:?}");
        }
    }
}
