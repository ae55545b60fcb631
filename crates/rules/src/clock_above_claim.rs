//! Rule: clock-above-claim. The measured clock is higher than the kernel claims.

use super::clock_below_claim::known_tolerance;
use super::place::step_place;
use super::slowdown::is_x86;
use super::{Rule, Subject};
use facts::{Facts, Finding, Place, Quantity, Severity, view};
use record::{RuleId, StableSort, Variant};

pub(super) const RULE: Rule =
    Rule { subjects: &[Subject::Clock], ..Rule::new(RuleId::own("clock-above-claim"), check) };

/// Crystals deviate by a few hundredths of a percent and readings by 0.5 %; more is not rounding.
const DEVIATION_PERCENT_MIN: f64 = 1.0;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let mut clocks = facts.cluster_clocks(&Variant::COLD);
    let deviation = |clock: &view::ClusterClock| clock.deviation_percent().unwrap_or(0.0);
    clocks.stable_sort_by(|a, b| deviation(b).total_cmp(&deviation(a)));
    let mut seen: Vec<Vec<u32>> = Vec::new();
    let mut findings = Vec::new();
    for clock in clocks {
        let above = deviation(&clock);
        let Some(claimed_khz) = clock.claimed_khz else { continue };
        let is_clock = clock.measured_khz <= view::CLOCK_KHZ_MAX;
        if above < clock.tolerance_percent(DEVIATION_PERCENT_MIN) || seen.contains(&clock.cluster_cpus) || !is_clock {
            continue;
        }
        seen.push(clock.cluster_cpus.clone());
        // ACPI tables represent the turbo range by one OPP that is 1 MHz above the base clock.
        let why = known_tolerance(facts, above);
        let template = match why {
            _ if is_x86(facts) => {
                "Measured clock of {cpus} is {measured}, advertised {claimed} (+{deviation}): turbo clocks not listed by \
                 cpufreq."
            }
            Some(_) => "Measured clock of {cpus} is {measured}, advertised {claimed} (+{deviation}): {why}.",
            None => {
                "Measured clock of {cpus} is {measured}, advertised {claimed} (+{deviation}): turbo, a jumper, or a wrong OPP \
                 table. Use the measured clock to compare scores."
            }
        };
        findings.push(
            Finding::new(RULE.id, Severity::Info, template)
                .confidence(95)
                .with("cpus", Quantity::Cpus(clock.cluster_cpus.clone()))
                .with("measured", Quantity::Khz(clock.measured_khz))
                .with("claimed", Quantity::Khz(claimed_khz))
                .with("deviation", Quantity::Percent(above))
                .with_known("why", why.map(|why| Quantity::Text(why.to_owned())))
                .at(clock.line.map_or_else(|| step_place(facts, clock.step), Place::Line)),
        );
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{own_run, point, with_clocks};
    use crate::tests::sentences;
    use record::Variant;

    #[test]
    fn clock_above_advertised_is_reported() {
        for (measured_khz, expected) in [(1_934_000, 1), (1_805_000, 0), (1_700_000, 0)] {
            let points = vec![point(0, 1_800_000, measured_khz)];
            let record = with_clocks(own_run(), Variant::COLD, points);
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }
}
