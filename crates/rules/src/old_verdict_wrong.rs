//! Rule: old-verdict-wrong. A verdict that a log prints about itself is wrong.
//!
//! Versions of the bash program have judged by the wrong evidence: time at the highest OPP taken
//! for throttling, x86 never looked at, clocks compared only where both passes deviate.

use super::{
    Rule, background_activity, clock_below_claim, clock_lower_hot, cores_killed, no_throttling, power_limit,
    rpi_firmware, rpi_firmware_clock, scores_decline, slowdown, swapping, system_time, thermal_throttling,
};
use facts::view::{self, Difference};
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::{ChannelId, LogLine, RuleId, Source, Total};

pub(super) const RULE: Rule = Rule::new(RuleId::own("old-verdict-wrong"), check);

/// Evidence required for the verdict "throttling".
const SLOWED: [&Rule; 6] = [
    &clock_lower_hot::RULE,
    &cores_killed::RULE,
    &power_limit::RULE,
    &rpi_firmware::RULE,
    &rpi_firmware_clock::RULE,
    &thermal_throttling::RULE,
];

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let Source::Log(log) = &facts.source else { return Vec::new() };
    let mut findings: Vec<Finding> = Vec::new();
    for line in &log.verdicts {
        let Some(finding) = judge(facts, line) else { continue };
        // Tables of residencies for several clusters are one verdict.
        match findings.iter_mut().find(|known| known.template == finding.template) {
            Some(known) => known.places.extend(finding.places),
            None => findings.push(finding),
        }
    }
    findings
}

fn judge(facts: &Facts<'_>, line: &LogLine) -> Option<Finding> {
    let text = line.text.trim();
    let finding = if text.starts_with("Throttling") {
        not_throttled(facts)?
    } else if text.starts_with("No throttling") {
        if declines_beside_clocks(facts) {
            return None;
        }
        contradicted(
            facts,
            &[&thermal_throttling::RULE, &power_limit::RULE, &rpi_firmware::RULE, &scores_decline::RULE],
            "clocks or scores dropped",
        )?
    } else if text.starts_with("Measured clockspeed not lower") || text.starts_with("No mismatch") {
        contradicted(facts, &[&clock_below_claim::RULE], "the clock is lower than advertised")?
    } else if text.starts_with("Too much background activity (%system)") {
        let found = system_time::RULE.found(facts);
        found.is_empty().then(|| {
            Finding::new(
                RULE.id,
                Severity::Info,
                "The log says \"{verdict}\", but this activity is the monitor itself.",
            )
            .confidence(70)
        })?
    } else if text.starts_with("No swapping") {
        contradicted(facts, &[&swapping::RULE], "swapping occurred")?
    } else if text.starts_with("Too much other background activity") {
        let found = background_activity::RULE.found(facts);
        found.is_empty().then(|| {
            Finding::new(
                RULE.id,
                Severity::Info,
                "The log says \"{verdict}\"; averaged over each benchmark, other tasks used less than 10 % of one CPU, which \
                 lowers no score.",
            )
            .confidence(70)
        })?
    } else {
        return None;
    };
    Some(finding.with("verdict", Quantity::Text(text.to_owned())).at(Place::Line(line.line)))
}

/// True if the scores decline and clocks are not the reason: the threads lacked CPU time, the decline is that of
/// memory, or a cool board had its full clock after the load. x86 CPUs recover faster than they are measured.
fn declines_beside_clocks(facts: &Facts<'_>) -> bool {
    let halves = facts.halves();
    let is_of_use = view::fall(halves).is_some_and(|fall| fall.is_of_use());
    let is_of_memory = view::differs(halves) == Difference::CompressionRate;
    let is_cool = facts.heat_of_run().is_some_and(|heat| heat.millicelsius_max < slowdown::hot_millicelsius(facts));
    is_of_use || is_of_memory || !view::is_x86(facts) && is_cool && no_throttling::are_clocks_kept(facts)
}

/// "Throttling" without evidence.
fn not_throttled(facts: &Facts<'_>) -> Option<Finding> {
    if SLOWED.iter().any(|rule| !rule.found(facts).is_empty()) {
        return None;
    }
    let has_residency = facts.states.iter().any(|state| !state.residencies.is_empty());
    let has_claims = view::channels(facts, ChannelId::is_any_claim).next().is_some();
    let below_ms: i64 = facts.residency_below_top().iter().map(|below| below.below_ms).total();
    let heat = facts.heat_of_run();
    let finding = match (below_ms, heat) {
        // Without evidence, no contradiction.
        (1.., _) if !has_claims => return None,
        (0, _) if !has_residency => Finding::new(
            RULE.id,
            Severity::Info,
            "The log says \"{verdict}\", but nothing else in it shows a clock or a score that dropped.",
        )
        .confidence(75),
        (0, _) => Finding::new(
            RULE.id,
            Severity::Info,
            "The log says \"{verdict}\", but no time was spent below the highest clock.",
        )
        .confidence(90),
        // At this temperature the limit may have been active, but too briefly to cost anything.
        (below_ms, Some(heat)) if heat.millicelsius_max >= slowdown::hot_millicelsius(facts) => Finding::new(
            RULE.id,
            Severity::Info,
            "The log says \"{verdict}\" because of {below} below the highest OPP in the whole run, which no score shows.",
        )
        .confidence(65)
        .with("below", Quantity::Ms(below_ms)),
        (below_ms, Some(heat)) => Finding::new(
            RULE.id,
            Severity::Info,
            "The log says \"{verdict}\" because of {below} below the highest OPP, but the maximum was {temperature} \
             and the clock was full under load: the CPUs were idle.",
        )
        .confidence(85)
        .with("below", Quantity::Ms(below_ms))
        .with("temperature", Quantity::Millicelsius(heat.millicelsius_max)),
        (below_ms, None) => Finding::new(
            RULE.id,
            Severity::Info,
            "The log says \"{verdict}\" because of {below} below the highest OPP, but clocks and scores did not drop.",
        )
        .confidence(65)
        .with("below", Quantity::Ms(below_ms)),
    };
    Some(finding)
}

/// A verdict that the findings of these rules contradict, if they harm at all.
fn contradicted(facts: &Facts<'_>, rules: &[&Rule], but: &'static str) -> Option<Finding> {
    let mut found = rules.iter().flat_map(|rule| rule.found(facts).to_vec());
    let evidence = found.find(|finding| finding.severity > Severity::Info)?;
    Some(
        Finding::new(RULE.id, Severity::Info, "The log says \"{verdict}\", but {but}: {evidence}")
            .confidence(evidence.confidence_percent)
            .with("but", Quantity::Text(but.to_owned()))
            .with("evidence", Quantity::Text(evidence.sentence()))
            .at_all(evidence.places),
    )
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::*;
    use crate::tests::sentences;
    use record::{ChannelId, LogLine, Record, Residency, Source, Unit, Variant, WorkloadId};

    fn saying(mut record: Record, text: &str) -> Record {
        if let Source::Log(log) = &mut record.source {
            log.verdicts.push(LogLine { line: 740, text: text.into() });
        }
        record
    }

    #[test]
    fn throttling_at_the_highest_clock_is_a_wrong_verdict() {
        let mut record = saying(log("0.9.42"), "Throttling occured");
        let mut after = state(None);
        after.residencies =
            vec![Residency { cpus: vec![0], khz_ms: vec![(2_064_000, 0), (1_800_000, 86_780), (600_000, 0)] }];
        record.states.push(after);
        let record = gauge_channel(record, ChannelId::Soc, Unit::Millicelsius, &[50_000]);
        assert_eq!(
            sentences(RULE.id, &record),
            ["The log says \"Throttling occured\", but no time was spent below the highest clock."]
        );
    }

    #[test]
    fn idle_is_told_as_cause_only_where_it_was_cool() {
        for (millicelsius, expected) in [(50_000, "the CPUs were idle."), (84_000, "which no score shows.")] {
            let mut record = saying(log("0.6.2"), "Throttling statistics (time spent on each cpufreq OPP)");
            let mut after = state(None);
            after.residencies =
                vec![Residency { cpus: vec![0], khz_ms: vec![(1_992_000, 2_109_540), (1_608_000, 170)] }];
            record.states.push(after);
            let record = gauge_channel(record, ChannelId::Soc, Unit::Millicelsius, &[millicelsius]);
            let record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &[1_992_000]);
            let found = sentences(RULE.id, &record);
            assert!(found[0].ends_with(expected), "{found:?}");
        }
    }

    #[test]
    fn no_throttling_with_falling_scores_is_a_wrong_verdict() {
        for (scores, expected) in [([20_002, 16_428, 16_415], 1), ([5345, 5370, 5331], 0)] {
            let mut record = saying(log("0.9.37"), "No throttling");
            for score in scores {
                record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 1.0), compression(score));
            }
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }

    #[test]
    fn scores_that_lack_cpu_time_do_not_contradict_no_throttling() {
        let mut record = saying(log("0.9.37"), "No throttling");
        for (score, usage) in [(4117, 360), (3735, 325), (3161, 275)] {
            let run = compression_by_use(score, usage);
            record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 1.0), run);
        }
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
    }

    #[test]
    fn right_verdict_stays() {
        let mut record = saying(log("0.9.40"), "Throttling occured -> https://tinyurl.com/4ky59sys");
        let mut after = state(None);
        after.residencies = vec![Residency { cpus: vec![0], khz_ms: vec![(1_500_000, 600_000), (750_000, 17_000)] }];
        record.states.push(after);
        let record = gauge_channel(record, ChannelId::Soc, Unit::Millicelsius, &[84_000]);
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
    }
}
