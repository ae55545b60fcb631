//! Rule: clock-below-claim. The measured clock is lower than the kernel claims, while cold.
//!
//! Firmware that caps the clock, OPP tables that promise too much, or a board that was already
//! throttled at the start. What was measured is what counts.

use super::place::step_place;
use super::{Check, Rule, Subject};
use crate::view::{self, ClusterClock};
use crate::{Finding, Place, Quantity, Severity};
use record::{Record, RuleId, Variant};

pub(super) const RULE: Rule = Rule {
    id: RuleId::own("clock-below-claim"),
    about: "The measured clock is below the advertised one.",
    link: "https://docs.kernel.org/admin-guide/pm/cpufreq.html",
    check: Check::Record(check),
    subjects: &[Subject::Clock],
    ..Rule::PLAIN
};

/// Crystals are off by a few hundredths of a percent and readings by 0.5 %; more is no rounding.
const DEVIATION_PERCENT_MIN: f64 = 1.0;
/// Readings that contradict each other were disturbed, which alone can cost tens of percent.
const UNSTEADY_PERCENT_MIN: f64 = 10.0;
/// A second pass that comes this much nearer to the claim shows that the clock is not steady.
const STEADY_PERCENT: f64 = 1.0;
/// From here a table of boards by their claimed clock is misleading.
const DEGRADED_PERCENT: f64 = 3.0;

fn check(record: &Record) -> Vec<Finding> {
    let later = view::cluster_clocks(record, &Variant::HOT_AFTER);
    let mut seen: Vec<Vec<u32>> = Vec::new();
    let mut findings = Vec::new();
    for clock in worst_first(view::all_cluster_clocks(record, &Variant::COLD)) {
        let (Some(deviation), Some(claimed_khz)) = (clock.deviation_percent(), clock.claimed_khz) else {
            continue;
        };
        let limit = if clock.is_steady { clock.tolerance_percent(DEVIATION_PERCENT_MIN) } else { UNSTEADY_PERCENT_MIN };
        // One finding for each cluster: its CPUs share one clock.
        if deviation > -limit || seen.contains(&clock.cluster_cpus) {
            continue;
        }
        seen.push(clock.cluster_cpus.clone());
        let reached = later.iter().find(|after| {
            after.cpu == clock.cpu
                && after.claimed_khz == clock.claimed_khz
                && after
                    .deviation_percent()
                    .is_some_and(|later| later - deviation >= clock.tolerance_percent(STEADY_PERCENT))
        });
        findings.push(finding(record, &clock, claimed_khz, deviation, reached));
    }
    findings
}

fn worst_first(mut clocks: Vec<ClusterClock>) -> Vec<ClusterClock> {
    let deviation = |clock: &ClusterClock| clock.deviation_percent().unwrap_or(0.0);
    clocks.sort_by(|a, b| deviation(a).total_cmp(&deviation(b)));
    clocks
}

fn finding(
    record: &Record,
    clock: &ClusterClock,
    claimed_khz: u32,
    deviation: f64,
    reached: Option<&ClusterClock>,
) -> Finding {
    let severity = if deviation <= -DEGRADED_PERCENT { Severity::Degraded } else { Severity::Info };
    let finding = match reached {
        Some(after) => Finding::new(
            RULE.id,
            severity,
            "Measured clock of {cpus} was {measured} before the load and {later} after it, advertised {claimed} \
             ({deviation}): the clock is not stable.",
        )
        .sure(80)
        .with("later", Quantity::Khz(after.measured_khz))
        .at(step_place(record, after.step)),
        None if !clock.is_steady => Finding::new(
            RULE.id,
            Severity::Info,
            "Highest measured clock of {cpus} was {measured}, advertised {claimed} ({deviation}), but the readings \
             are inconsistent.",
        )
        .sure(55),
        None => Finding::new(RULE.id, severity, cause(record, clock)).sure(95).explains(Some(-deviation)),
    };
    finding
        .with("cpus", Quantity::Cpus(clock.cluster_cpus.clone()))
        .with("measured", Quantity::Khz(clock.measured_khz))
        .with("claimed", Quantity::Khz(claimed_khz))
        .with("deviation", Quantity::Percent(deviation))
        .at(clock.line.map_or_else(|| step_place(record, clock.step), Place::Line))
}

/// Which of the known causes it is: firmware that caps a board holds all clusters below their claims.
fn cause(record: &Record, clock: &ClusterClock) -> &'static str {
    let others = view::cluster_clocks(record, &Variant::COLD);
    let mut others = others
        .iter()
        .filter(|other| other.cluster_cpus != clock.cluster_cpus)
        .filter_map(|other| Some((other, other.deviation_percent()?)))
        .peekable();
    let has_others = others.peek().is_some();
    let reach = |(other, off): (&ClusterClock, f64)| off > -other.tolerance_percent(DEVIATION_PERCENT_MIN);
    if has_others && others.all(reach) {
        "Measured clock of {cpus} is {measured}, advertised {claimed} ({deviation}); all other clusters reach theirs, \
         so only this cluster has a limit or a wrong OPP table."
    } else {
        "Measured clock of {cpus} is {measured}, advertised {claimed} ({deviation}): firmware or a power or thermal \
         limit caps it."
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::Severity;
    use crate::rules::tests::{findings_of, sentences};
    use crate::test_support::{own_run, point, with_clocks};
    use record::Variant;

    #[test]
    fn cap_of_the_firmware_is_named() {
        let points = vec![point(0, 1_512_000, 1_414_000), point(1, 1_512_000, 1_413_000)];
        let record = with_clocks(own_run(), Variant::COLD, points);
        assert_eq!(
            sentences(RULE.id, &record),
            ["Measured clock of CPUs 0-3 is 1413 MHz, advertised 1512 MHz (-6.5 %): firmware or a power or thermal \
              limit caps it."]
        );
        assert_eq!(findings_of(RULE.id, &record)[0].severity, Severity::Degraded);
    }

    #[test]
    fn rounding_is_not_a_cap() {
        let record = with_clocks(own_run(), Variant::COLD, vec![point(0, 1_512_000, 1_500_000)]);
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
    }

    #[test]
    fn clock_that_is_reached_later_is_not_steady() {
        let record = with_clocks(own_run(), Variant::COLD, vec![point(0, 2_707_000, 873_000)]);
        let record = with_clocks(record, Variant::HOT_AFTER, vec![point(0, 2_707_000, 2_706_000)]);
        let found = sentences(RULE.id, &record);
        assert!(found[0].ends_with("advertised 2707 MHz (-68 %): the clock is not stable."));
    }

    #[test]
    fn single_cluster_cap_is_distinguished() {
        let mut machine = own_run();
        let cluster = |cpus: &[u32]| record::Cluster { cpus: cpus.to_vec(), ..record::Cluster::default() };
        machine.machine.clusters = vec![cluster(&[0, 1]), cluster(&[2, 3])];
        for (other_khz, expected) in
            [(1_799_000, "all other clusters reach theirs"), (1_500_000, "firmware or a power or thermal limit")]
        {
            let points = vec![point(0, 1_800_000, other_khz), point(2, 2_200_000, 1_800_000)];
            let found = sentences(RULE.id, &with_clocks(machine.clone(), Variant::COLD, points));
            assert!(found[0].starts_with("Measured clock of CPUs 2-3") || found.len() == 2, "{found:?}");
            assert!(found.iter().any(|sentence| sentence.contains(expected)), "{found:?}");
        }
    }
}
