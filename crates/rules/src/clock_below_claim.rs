//! Rule: clock-below-claim. The measured clock is lower than the kernel claims, while cold.
//!
//! Possible causes: firmware that caps the clock, OPP tables with clocks that are too high, or a board that already
//! throttled at the start. The measured clock is authoritative.

use super::place::step_place;
use super::score_low::refuting;
use super::{Rule, Subject, slowdown};
use facts::view::{self, ClusterClock, OppShape};
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::table::Table;
use record::{ChannelId, RuleId, StableSort, Variant, WorkloadId};

pub(super) const RULE: Rule =
    Rule { subjects: &[Subject::Clock], ..Rule::new(RuleId::own("clock-below-claim"), check) };

/// Crystals deviate by a few hundredths of a percent and readings by 0.5 %; more is not rounding.
const DEVIATION_PERCENT_MIN: f64 = 1.0;
/// Inconsistent readings were disturbed, which alone can cost tens of percent.
const UNSTEADY_PERCENT_MIN: f64 = 10.0;
/// Threshold at which a comparison of boards by advertised clock is misleading.
const DEGRADED_PERCENT: f64 = 3.0;
/// Same for a limit that the kernel reports. OPP tables list clocks of faster variants of a SoC, up to 16 % higher in
/// published logs; more is a fault.
const REPORTED_PERCENT: f64 = 20.0;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let later = facts.cluster_clocks(&Variant::HOT_AFTER);
    let mut seen: Vec<Vec<u32>> = Vec::new();
    let mut findings = Vec::new();
    for clock in worst_first(facts.all_cluster_clocks(&Variant::COLD)) {
        let (Some(deviation), Some(claimed_khz)) = (clock.deviation_percent(), clock.claimed_khz) else { continue };
        let limit = if clock.is_steady { clock.tolerance_percent(DEVIATION_PERCENT_MIN) } else { UNSTEADY_PERCENT_MIN };
        // The measuring loop loses a few MHz at any clock.
        if view::opp_shape(facts, &clock) == Some(OppShape::OneOffset) {
            continue;
        }
        // One finding per cluster: its CPUs share one clock.
        if deviation > -limit || seen.contains(&clock.cluster_cpus) {
            continue;
        }
        seen.push(clock.cluster_cpus.clone());
        // One design is named once, for the cluster that it affects most.
        if findings.iter().any(is_by_design) && known_tolerance(facts, deviation).is_some() {
            continue;
        }
        let reached = view::later_clock(&clock, &later);
        findings.push(finding(facts, &clock, claimed_khz, deviation, reached));
    }
    findings
}

fn is_by_design(finding: &Finding) -> bool {
    finding.value("why").is_some()
}

fn worst_first(mut clocks: Vec<ClusterClock>) -> Vec<ClusterClock> {
    let deviation = |clock: &ClusterClock| clock.deviation_percent().unwrap_or(0.0);
    clocks.stable_sort_by(|a, b| deviation(a).total_cmp(&deviation(b)));
    clocks
}

fn finding(
    facts: &Facts<'_>,
    clock: &ClusterClock,
    claimed_khz: u32,
    deviation: f64,
    reached: Option<&ClusterClock>,
) -> Finding {
    let finding = match reached {
        // A clock that was reached later is available: only the first readings were lower.
        Some(after) => {
            let template = if view::is_disturbed(facts, clock) {
                    "Measured clock of {cpus} was {measured} before the load and {later} after it, advertised {claimed}: \
                     the first readings were disturbed."
                } else {
                    "Measured clock of {cpus} was {measured} before the load and {later} after it, advertised {claimed} \
                     ({deviation}): the clock is not stable."
                };
            Finding::new(RULE.id, Severity::Info, template)
                .confidence(80)
                .with("later", Quantity::Khz(after.measured_khz))
                .at(step_place(facts, after.step))
        }
        None if !clock.is_steady => Finding::new(
            RULE.id,
            Severity::Info,
            "Highest measured clock of {cpus} was {measured}, advertised {claimed} ({deviation}), but the readings \
             are inconsistent.",
        )
        .confidence(55),
        None => match refuting(facts, clock.cpu) {
            Some(score) => score.with_score(Finding::new(
                RULE.id,
                Severity::Info,
                "Measured clock of {cpus} is {measured}, advertised {claimed} ({deviation}), but single-threaded 7-zip \
                 ({score}[ as 7-zip 16.02, estimated from {measured_score} of another version]) is as usual at the advertised clock ({low} to {high}) and too fast for the measured one: the \
                 clock reading is wrong.",
            ))
            .confidence(75)
            .with("low", Quantity::Mips(score.expected.low))
            .with("high", Quantity::Mips(score.expected.high)),
            None => of_cause(facts, clock, deviation),
        },
    };
    finding
        .with("cpus", Quantity::Cpus(clock.cluster_cpus.clone()))
        .with("measured", Quantity::Khz(clock.measured_khz))
        .with("claimed", Quantity::Khz(claimed_khz))
        .with("deviation", Quantity::Percent(deviation))
        .at(clock.line.map_or_else(|| step_place(facts, clock.step), Place::Line))
}

fn of_cause(facts: &Facts<'_>, clock: &ClusterClock, deviation: f64) -> Finding {
    let of = |severity, template| Finding::new(RULE.id, severity, template).confidence(95);
    if let Some(reported_khz) = known_to_kernel(facts, clock) {
        let template = "The highest clock of {cpus} is {reported}: cpufreq lists OPPs up to {claimed}, but \
                        reports no more than this itself.";
        let severity = if deviation <= -REPORTED_PERCENT { Severity::Degraded } else { Severity::Info };
        return of(severity, template).with("reported", Quantity::Khz(reported_khz));
    }
    if let Some(known) = known_tolerance(facts, deviation) {
        let template = "Measured clock of {cpus} is {measured}, advertised {claimed} ({deviation}): {why}.";
        return of(Severity::Info, template).with("why", Quantity::Text(known.to_owned()));
    }
    let severity = if deviation <= -DEGRADED_PERCENT { Severity::Degraded } else { Severity::Info };
    match view::opp_shape(facts, clock) {
        Some(OppShape::OneFactor { factor, opps }) => of(
            severity,
            "Measured clock of {cpus} is {measured}, advertised {claimed} ({deviation}): all {opps} OPPs run at {factor} of \
             their clock, so the boot loader set the clock source lower than the kernel assumes.",
        )
        .with("opps", Quantity::Count(opps as i64))
        .with("factor", Quantity::Percent(100.0 * factor)),
        Some(OppShape::FlatTop { opps_khz }) => {
            let opps_mhz = opps_khz.iter().map(|khz| f64::from(*khz) / 1000.0);
            of(
                severity,
                "Measured clock of {cpus} is {measured}, advertised {claimed} ({deviation}): the OPPs {opps} run at the \
                 same clock, so the firmware caps it.",
            )
            .with("opps", Quantity::numbers(opps_mhz, "MHz", 0))
        }
        _ => of(severity, cause(facts, clock)),
    }
}

/// Minimum number of rows for a reported clock.
const ROWS_MIN: usize = 5;
/// Reported and measured clocks are equal if they differ by less than this share.
const SAME_CLOCK: f64 = 0.02;

/// Highest clock reported during cool workloads, if it equals the measured one and is below the advertised one: the kernel
/// then knows the limit.
fn known_to_kernel(facts: &Facts<'_>, clock: &ClusterClock) -> Option<u32> {
    let claimed_khz = f64::from(clock.claimed_khz?);
    let hot = slowdown::hot_millicelsius(facts);
    let is_cool = |phase: &&view::Phase| facts.heat(&phase.window).is_none_or(|heat| heat.millicelsius_max < hot);
    let workloads = facts.phases().iter().filter(|phase| phase.workload != WorkloadId::Clock).filter(is_cool);
    let of_cpu = facts.machine.policies.iter().find(|policy| policy.cpus.contains(&clock.cpu))?.policy;
    let channel = facts.samples.channel(&ChannelId::claimed(of_cpu))?;
    let readings: Vec<i64> =
        workloads.flat_map(|p| view::clock_gauge(facts, channel, p.window)).map(|r| r.value).collect();
    let top = *readings.iter().max().filter(|_| readings.len() >= ROWS_MIN)? as f64;
    let is_same = (top / f64::from(clock.measured_khz) - 1.0).abs() <= SAME_CLOCK;
    (is_same && top < claimed_khz * (1.0 - SAME_CLOCK)).then_some(top as u32)
}

/// Clocks by design of some chips.
const KNOWN: Table = Table::of(include_str!("../../../data/known_clocks.tsv"));

/// Reason why this SoC runs this far off the named clock by design, if known.
pub(super) fn known_tolerance(facts: &Facts<'_>, deviation: f64) -> Option<&'static str> {
    let soc = facts.machine.soc.known().cloned().or_else(|| facts.soc().known().cloned())?;
    let soc = soc.to_ascii_uppercase();
    KNOWN.rows().find_map(|row| {
        let [name, below, above, why, _] = row.array()?;
        let tolerance: f64 = if deviation < 0.0 { below } else { above }.parse().ok()?;
        (soc.contains(name) && deviation.abs() <= tolerance).then_some(why)
    })
}

/// Firmware caps affect all clusters of a board.
fn cause(facts: &Facts<'_>, clock: &ClusterClock) -> &'static str {
    let others = facts.cluster_clocks(&Variant::COLD);
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
    } else if clock.deviation_percent() > Some(-DEGRADED_PERCENT) {
        "Measured clock of {cpus} is {measured}, advertised {claimed} ({deviation}): a limit, or a clock source that \
         cannot set the advertised clock exactly."
    } else {
        "Measured clock of {cpus} is {measured}, advertised {claimed} ({deviation}): cpufreq does not \
         report the limiter."
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, gauge_channel, log, own_run, point, with_clocks, with_step};
    use crate::tests::{findings_of, sentences};
    use facts::Severity;
    use record::{ChannelId, Unit, Variant, WorkloadId};

    #[test]
    fn cap_of_the_firmware_is_named() {
        let points = vec![point(0, 1_512_000, 1_414_000), point(1, 1_512_000, 1_413_000)];
        let record = with_clocks(own_run(), Variant::COLD, points);
        assert_eq!(
            sentences(RULE.id, &record),
            ["Measured clock of CPUs 0-3 is 1413 MHz, advertised 1512 MHz (-6.5 %): cpufreq does not \
              report the limiter."]
        );
        assert_eq!(findings_of(RULE.id, &record)[0].severity, Severity::Degraded);
    }

    /// A small distance may be the step of a clock source: no limiter is named.
    #[test]
    fn small_distance_names_no_limiter() {
        for (measured_khz, is_limited) in [(1_478_000, false), (1_414_000, true)] {
            let record = with_clocks(own_run(), Variant::COLD, vec![point(0, 1_512_000, measured_khz)]);
            let found = sentences(RULE.id, &record);
            assert_eq!(found.iter().any(|sentence| sentence.contains("the limiter")), is_limited, "{found:?}");
        }
    }

    /// A score of the advertised clock refutes a lower reading; a score of the lower clock confirms it.
    #[test]
    fn score_of_the_advertised_clock_refutes_the_reading() {
        for (mips, expected) in [(1360, "the clock reading is wrong."), (680, "cpufreq does not report the limiter.")] {
            let record = with_clocks(own_run(), Variant::COLD, vec![point(0, 1_800_000, 900_000)]);
            let score = compression(mips);
            let mut record = with_step(record, WorkloadId::SevenZip, Variant::SINGLE, &[0], (1.0, 2.0), score);
            record.steps[1].method = 16;
            let found = sentences(RULE.id, &record);
            assert!(found.len() == 1 && found[0].ends_with(expected), "{found:?}");
            assert!(sentences(crate::score_high::RULE.id, &record).is_empty());
        }
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
    fn disturbed_first_readings_harm_nothing() {
        let printed = |mhz| record::ClockPoint { opp_khz: Some(1_000_000), printed_mhz: Some(mhz), ..<_>::default() };
        let record = with_clocks(log("0.8.3"), Variant::COLD, vec![printed(905)]);
        let record = with_clocks(record, Variant::HOT_AFTER, vec![printed(1000)]);
        let found = findings_of(RULE.id, &record);
        assert!(found[0].sentence().ends_with("the first readings were disturbed."), "{}", found[0].sentence());
        assert_eq!(found[0].severity, Severity::Info);
    }

    #[test]
    fn cap_that_the_kernel_reports_is_no_cap_behind_its_back() {
        for (measured_khz, reported_khz, expected) in [
            (1_783_000, 1_785_000, Severity::Info),
            (1_783_000, 2_091_000, Severity::Degraded),
            (698_000, 700_000, Severity::Degraded),
        ] {
            let points = vec![point(0, 2_091_000, measured_khz), point(0, 1_989_000, measured_khz)];
            let record = with_clocks(own_run(), Variant::COLD, points);
            let record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (1.0, 5.0), compression(1));
            let record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &[reported_khz; 10]);
            let found = findings_of(RULE.id, &record);
            assert_eq!(found[0].severity, expected, "{}", found[0].sentence());
        }
    }

    #[test]
    fn clocks_that_a_soc_sets_by_its_own_measurement_are_within_its_tolerance() {
        for (soc, khz, expected) in [
            ("Rockchip RK3568", 1_930_000, Severity::Info),
            ("Rockchip RK3568", 1_880_000, Severity::Info),
            ("Rockchip RK3568", 1_700_000, Severity::Degraded),
            ("Rockchip RK3399", 1_930_000, Severity::Degraded),
        ] {
            let mut record = with_clocks(own_run(), Variant::COLD, vec![point(0, 1_992_000, khz)]);
            record.machine.soc = record::Fact::Known(soc.into());
            assert_eq!(findings_of(RULE.id, &record)[0].severity, expected, "{soc} {khz}");
        }
    }

    #[test]
    fn one_design_of_several_clusters_is_told_once() {
        let mut record = own_run();
        let cluster = |cpus: &[u32]| record::Cluster { cpus: cpus.to_vec(), ..record::Cluster::default() };
        record.machine.clusters = vec![cluster(&[0, 1]), cluster(&[2, 3])];
        record.machine.soc = record::Fact::Known("Rockchip RK3588".into());
        let points = vec![point(0, 2_304_000, 2_180_000), point(2, 2_352_000, 2_222_000)];
        let found = sentences(RULE.id, &with_clocks(record, Variant::COLD, points));
        assert!(found.len() == 1 && found[0].contains("CPUs 2-3"), "{found:?}");
    }

    #[test]
    fn single_cluster_cap_is_distinguished() {
        let mut machine = own_run();
        let cluster = |cpus: &[u32]| record::Cluster { cpus: cpus.to_vec(), ..record::Cluster::default() };
        machine.machine.clusters = vec![cluster(&[0, 1]), cluster(&[2, 3])];
        for (other_khz, expected) in
            [(1_799_000, "all other clusters reach theirs"), (1_500_000, "cpufreq does not report the limiter")]
        {
            let points = vec![point(0, 1_800_000, other_khz), point(2, 2_200_000, 1_800_000)];
            let found = sentences(RULE.id, &with_clocks(machine.clone(), Variant::COLD, points));
            assert!(found[0].starts_with("Measured clock of CPUs 2-3") || found.len() == 2, "{found:?}");
            assert!(found.iter().any(|sentence| sentence.contains(expected)), "{found:?}");
        }
    }
}
