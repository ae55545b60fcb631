//! Rule: clock-lower-all-cpus. CPUs measure less when all of them work than alone, while cold.
//!
//! The reading is too short for heat, so the cause is a power or current limit, or a turbo clock for few cores only.

use super::place::step_place;
use super::slowdown::is_x86;
use super::{Rule, Subject};
use facts::view::{self, ClusterClock};
use facts::{Facts, Finding, Quantity, Severity};
use record::{ClockPoint, RuleId, Variant};

pub(super) const RULE: Rule =
    Rule { subjects: &[Subject::Clock], ..Rule::new(RuleId::own("clock-lower-all-cpus"), check) };

/// Readings agree within 0.5 %; clocks of busy neighbours vary by another 0.5 %.
const FALL_PERCENT_MIN: f64 = 2.0;
/// Loss for every program, caused by a limit that the board does not report.
const DEGRADED_PERCENT: f64 = 5.0;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let alone = facts.cluster_clocks(&Variant::COLD_CORES);
    let together = facts.cluster_clocks(&Variant::COLD_ALL_CPUS);
    let fall = |together: &ClusterClock| {
        let alone = alone.iter().find(|alone| alone.cpu == together.cpu)?;
        let kept = f64::from(together.measured_khz) / f64::from(alone.measured_khz.max(1));
        let percent = 100.0 * (1.0 - kept);
        // Threads that share a quota measure their share, not a clock.
        let counts = percent >= FALL_PERCENT_MIN
            && !together.is_withheld
            && is_supported(facts, together)
            && is_supported(facts, alone);
        counts.then(|| (percent, alone.clone(), together.clone()))
    };
    let falls: Vec<_> = together.iter().filter_map(fall).collect();
    let Some((percent, alone, together)) = falls.iter().max_by(|a, b| a.0.total_cmp(&b.0)) else { return Vec::new() };
    let by_design = is_x86(facts);
    let template = if by_design {
        "Clock of {cpus} is {alone} alone and {together} with all CPUs busy ({change}): single-core turbo, or a power \
         limit."
    } else if facts.heat_of_run().is_some() {
        "Clock of {cpus} is {alone} alone and {together} with all CPUs busy ({change}) while cold: a power or current \
         limit."
    } else {
        "Clock of {cpus} is {alone} alone and {together} with all CPUs busy ({change}). Without a temperature the \
         cause (heat or power limit) is unknown."
    };
    let severity = if *percent >= DEGRADED_PERCENT && !by_design { Severity::Degraded } else { Severity::Info };
    let cpus = falls.iter().map(|(_, _, clock)| clock.cpu).collect();
    let finding = Finding::new(RULE.id, severity, template)
        .confidence(80)
        .with("cpus", Quantity::Cpus(cpus))
        .with("alone", Quantity::Khz(alone.measured_khz))
        .with("together", Quantity::Khz(together.measured_khz))
        .with("change", Quantity::Percent(-percent))
        .at(step_place(facts, alone.step))
        .at(step_place(facts, together.step));
    vec![finding]
}

/// True unless the windows of the reading are inconsistent: then it is not a clock.
fn is_supported(facts: &Facts<'_>, clock: &ClusterClock) -> bool {
    let of_step = |(step, _): &(usize, &record::Clocks)| *step == clock.step;
    let passes = [Variant::COLD_CORES, Variant::COLD_ALL_CPUS];
    let passes = passes.map(|variant| view::clock_passes(facts, &variant));
    let found = passes.into_iter().flatten().find(of_step);
    let points = found.into_iter().flat_map(|(_, clocks)| &clocks.points);
    let own = points.filter(|point| point.cpu == clock.cpu);
    let supported = |point: &ClockPoint| point.windows.as_ref().and_then(|w| w.supported);
    !own.map(supported).any(|supported| supported == Some(false))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{gauge_channel, own_run, point, with_clocks};
    use crate::tests::sentences;
    use record::{ChannelId, Unit, Variant};

    fn check(together_khz: u32, supported: Option<bool>, expected: &[&str]) {
        let clocks = |khz| -> Vec<_> { (0..4).map(|cpu| point(cpu, 1_800_000, khz)).collect() };
        let record = with_clocks(own_run(), Variant::COLD_CORES, clocks(1_799_000));
        let mut together = clocks(together_khz);
        for point in &mut together {
            point.windows.as_mut().unwrap().supported = supported;
        }
        let record = with_clocks(record, Variant::COLD_ALL_CPUS, together);
        let cool = gauge_channel(record.clone(), ChannelId::Soc, Unit::Millicelsius, &[40_000]);
        assert_eq!(sentences(RULE.id, &cool), expected);
        for sentence in sentences(RULE.id, &record) {
            assert!(sentence.contains("Without a temperature"), "{sentence}");
        }
    }

    #[test]
    fn all_core_drop_is_power_limit() {
        check(
            1_500_000,
            Some(true),
            &["Clock of CPUs 0-3 is 1799 MHz alone and 1500 MHz with all CPUs busy (-17 %) while cold: a power or \
               current limit."],
        );
        check(1_790_000, Some(true), &[]);
        check(1_500_000, Some(false), &[]);
        check(
            1_500_000,
            None,
            &["Clock of CPUs 0-3 is 1799 MHz alone and 1500 MHz with all CPUs busy (-17 %) while cold: a power or \
               current limit."],
        );
    }

    #[test]
    fn quota_is_not_a_power_limit() {
        let record = with_clocks(own_run(), Variant::COLD_CORES, vec![point(0, 1_800_000, 1_799_000)]);
        let mut shared = point(0, 1_800_000, 900_000);
        shared.windows.as_mut().unwrap().best_khz = 1_800_000;
        let record = with_clocks(record, Variant::COLD_ALL_CPUS, vec![shared]);
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
    }

    #[test]
    fn turbo_for_few_cores_is_by_design() {
        let mut record = with_clocks(own_run(), Variant::COLD_CORES, vec![point(0, 1, 4_400_000)]);
        record.machine.kernel_arch = record::Fact::Known("x86_64".into());
        let record = with_clocks(record, Variant::COLD_ALL_CPUS, vec![point(0, 1, 3_900_000)]);
        assert!(sentences(RULE.id, &record)[0].contains("single-core turbo"));
    }
}
