//! Rule: clock-methods-differ. The cycle counter of a CPU and the measured clock differ.
//!
//! Chains of operations and cycle counters are independent, so both are right if they agree. If they differ, neither is
//! reliable until the reason is known.

use super::place::step_place;
use super::{Rule, Subject};
use facts::{Facts, Finding, Quantity, Severity, view};
use record::{RuleId, Variant};

pub(super) const RULE: Rule =
    Rule { subjects: &[Subject::Clock], ..Rule::new(RuleId::own("clock-methods-differ"), check) };

/// Both methods are accurate to 0.2 %, and to 0.5 % on a machine that is not idle.
const DIFFERENCE_PERCENT_MIN: f64 = 0.5;
/// Averages of the driver include a few milliseconds of idle time before the measurement.
const AVERAGE_PERCENT_MIN: f64 = 2.0;
const AVERAGE: &str = "cpuinfo_avg_freq";

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let mut worst: Option<(f64, Finding)> = None;
    let mut cpus = Vec::new();
    for variant in [Variant::COLD, Variant::COLD_CORES] {
        for (step, clocks) in view::clock_passes(facts, &variant) {
            for point in &clocks.points {
                let windows = point.windows.as_ref().filter(|w| w.supported != Some(false));
                let Some(chain_khz) = windows.map(|w| w.best_khz).filter(|khz| *khz > 0) else { continue };
                for counter in &point.counters {
                    let Some(counted_khz) = counter.khz.known() else { continue };
                    let percent = 100.0 * (f64::from(*counted_khz) / f64::from(chain_khz) - 1.0);
                    let limit = if counter.name == AVERAGE { AVERAGE_PERCENT_MIN } else { DIFFERENCE_PERCENT_MIN };
                    if percent.abs() <= limit {
                        continue;
                    }
                    cpus.push(point.cpu);
                    if worst.as_ref().is_none_or(|(known, _)| percent.abs() > known.abs()) {
                        let finding = Finding::new(
                            RULE.id,
                            Severity::Info,
                            "CPU {cpu} measured {measured} but {counter} counted {counted} ({difference}): one of \
                             them is wrong, or the clock changed in between.",
                        );
                        let finding = finding
                            .confidence(85)
                            .with("cpu", Quantity::Count(point.cpu.into()))
                            .with("measured", Quantity::Khz(chain_khz))
                            .with("counter", Quantity::Text(counter.name.clone()))
                            .with("counted", Quantity::Khz(*counted_khz))
                            .with("difference", Quantity::Percent(percent))
                            .at(step_place(facts, step));
                        worst = Some((percent, finding));
                    }
                }
            }
        }
    }
    cpus.sort_unstable();
    cpus.dedup();
    let finding = worst.map(|(_, finding)| finding.with("cpus", Quantity::Cpus(cpus)));
    finding.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{own_run, point, with_clocks};
    use crate::tests::sentences;
    use record::{CounterClock, Fact, Variant};

    fn check(name: &str, counted_khz: u32, supported: bool, expected: usize) {
        let mut reading = point(2, 1_800_000, 1_800_000);
        reading.windows.as_mut().unwrap().supported = Some(supported);
        reading.counters = vec![CounterClock { name: name.into(), khz: Fact::Known(counted_khz) }];
        let record = with_clocks(own_run(), Variant::COLD, vec![reading]);
        let found = sentences(RULE.id, &record);
        assert_eq!(found.len(), expected, "{name} {counted_khz}: {found:?}");
    }

    #[test]
    fn more_than_half_a_percent_is_named() {
        check("perf armv8_cortex_a53", 1_800_200, true, 0);
        check("perf armv8_cortex_a53", 1_808_900, true, 0);
        check("perf armv8_cortex_a53", 1_809_100, true, 1);
        check("perf armv8_cortex_a53", 1_400_000, true, 1);
        check("perf armv8_cortex_a53", 1_400_000, false, 0);
        check("cpuinfo_avg_freq", 1_780_000, true, 0);
        check("cpuinfo_avg_freq", 1_700_000, true, 1);
    }
}
