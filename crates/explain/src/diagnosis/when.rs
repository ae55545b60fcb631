//! Conditions of the table of relations.

use super::finding_place::FindingPlace;
use facts::{Facts, Finding, Place, Quantity, Severity, view};
use record::{Record, Variant, Window, WorkloadId};
use rules::relation::RelationCondition;
use rules::slowdown::hot_millicelsius_for;

/// Whether a condition holds for a finding at its place, among all findings.
pub(super) fn holds(
    when: RelationCondition,
    facts: &Facts<'_>,
    finding: &Finding,
    at: &FindingPlace,
    all: &[Finding],
) -> bool {
    match when {
        RelationCondition::Always => true,
        RelationCondition::Hot => is_hot(facts, finding, at),
        RelationCondition::Swapped => found(all, is_of_swapping),
        RelationCondition::OutOfMemory => found(all, |finding| finding.rule == rules::OUT_OF_MEMORY),
        RelationCondition::Says(words) => finding.sentence().contains(words),
        RelationCondition::Bit(bit) => finding.value("bit") == Some(&Quantity::Count(bit)),
        RelationCondition::SupplyClock => finding.value("supply").is_some(),
        RelationCondition::ByDesign => finding.value("why").is_some(),
        RelationCondition::FirmwareAsked => facts.firmware_bits(&0) != view::FirmwareBits::Unknown,
        RelationCondition::CiphersAlone => {
            let is_cipher = |score: &usize| {
                let id = facts.scores()[*score].workload.id();
                id.is_some_and(|id| matches!(id, WorkloadId::OpenSsl | WorkloadId::Aes))
            };
            at.names_them && !at.scores.is_empty() && at.scores.iter().all(is_cipher)
        }
        RelationCondition::ManyNodes => {
            let packages = facts.machine.cpus.iter().map(|cpu| cpu.package);
            let first = facts.machine.cpus.first().map(|cpu| cpu.package);
            packages.into_iter().any(|package| Some(package) != first)
        }
        RelationCondition::TemperatureKnown => {
            let is_known = temperature(facts, at).is_some() && view::sensor_of_a_part(facts).is_none();
            // A limit that is read needs no temperature to rule out heat.
            finding.value("limit").is_some() || (is_known && finding.unseen.is_none())
        }
        RelationCondition::HotUncapped => is_uncapped(facts, finding) && is_hot(facts, finding, at),
        RelationCondition::Uncapped => is_uncapped(facts, finding),
        RelationCondition::Unsteady => finding.value("later").is_some(),
        RelationCondition::Overclocked => found(all, |finding| finding.template == rules::config_txt::FASTER),
        RelationCondition::UseFell => finding.value("others").is_some(),
        RelationCondition::RateFell => ["last_use", "use"].iter().all(|of_use| finding.value(of_use).is_none()),
        RelationCondition::Stolen => finding.value("steal").is_some(),
        RelationCondition::Withheld => finding.value("withheld").is_some(),
        RelationCondition::CpusWereBusy => finding.value("idle").is_none(),
        RelationCondition::Harmless => finding.severity == Severity::Info,
        RelationCondition::Reasoned => finding.value("reason").is_some(),
        RelationCondition::Skipped => rules::is_skip(finding),
    }
}

/// Whether a condition concerns the whole run, so that cause and consequence need not share scores.
pub(super) fn is_of_the_run(when: RelationCondition) -> bool {
    matches!(when, RelationCondition::Swapped | RelationCondition::OutOfMemory)
}

fn is_hot(facts: &Facts<'_>, finding: &Finding, at: &FindingPlace) -> bool {
    let clock = ["hot", "firmware"].into_iter().find_map(|name| match finding.value(name) {
        Some(Quantity::Khz(khz)) => Some(*khz),
        _ => None,
    });
    let hot = hot_millicelsius_for(facts, clock.unwrap_or(u32::MAX));
    let own = own_temperature(facts, at).or_else(|| temperature_of_cold_pass(facts, finding));
    let was_cool = own.is_some_and(|temp| temp < hot - COOLER_MILLICELSIUS);
    !was_cool && temperature(facts, at).is_some_and(|temp| temp >= hot)
}

/// Logs lack temperatures during the OPP ladder.
fn is_uncapped(record: &Record, finding: &Finding) -> bool {
    view::is_log(record) || finding.value("opps").is_none()
}

fn found(all: &[Finding], is_wanted: impl Fn(&Finding) -> bool) -> bool {
    all.iter().any(is_wanted)
}

fn is_of_swapping(finding: &Finding) -> bool {
    finding.rule == rules::SWAPPING && finding.severity > Severity::Info
}

/// Distance below the limit in thousandths of a degree at which heat did not lower a measurement, whatever the later
/// temperature.
const COOLER_MILLICELSIUS: i64 = 20_000;

/// Maximum temperature during a finding that names no score, such as a clock measured before the load.
fn own_temperature(facts: &Facts<'_>, at: &FindingPlace) -> Option<i64> {
    let span = at.span.filter(|_| !at.names_them)?;
    let window = Window { start_ms: span.from_ms, end_ms: span.to_ms, ..Window::default() };
    facts.heat(&window).map(|heat| heat.millicelsius_max)
}

/// Temperature behind a line of the clock pass before the load, which has no rows in a log: that of the idle machine.
fn temperature_of_cold_pass(facts: &Facts<'_>, finding: &Finding) -> Option<i64> {
    let lines = view::clock_passes(facts, &Variant::COLD).flat_map(|(_, clocks)| &clocks.points);
    let mut lines = lines.filter_map(|point| point.line);
    let is_of_it = |line: u32| finding.places.contains(&Place::Line(line));
    facts.idle().as_ref().filter(|_| lines.any(is_of_it)).map(|idle| idle.millicelsius)
}

/// Maximum temperature during the scores and the time span of a finding.
fn temperature(facts: &Facts<'_>, at: &FindingPlace) -> Option<i64> {
    let heat = |window: Window| facts.heat(&window).map(|heat| heat.millicelsius_max);
    let steps = at.scores.iter().flat_map(|score| &facts.scores()[*score].steps);
    let windows = steps.filter_map(|step| facts.steps.get(*step)).map(|step| step.window);
    let of_scores = windows.filter(|window| window.elapsed_ms() > 0).filter_map(heat).max();
    let of_span =
        at.span.and_then(|span| heat(Window { start_ms: span.from_ms, end_ms: span.to_ms, ..Window::default() }));
    of_scores.max(of_span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, gauge_channel, own_run, with_step};
    use facts::Scope;
    use record::{ChannelId, RuleId, Unit, Variant};
    use rules::relation::ScoreScope;

    #[test]
    fn a_cap_is_none_of_heat_and_no_temperature_tells_of_no_limit() {
        let record = with_step(own_run(), WorkloadId::SevenZip, Variant::MULTI, &[], (2.0, 4.0), compression(7000));
        let hot = gauge_channel(record.clone(), ChannelId::Soc, Unit::Millicelsius, &[90_000; 9]);
        let finding = Finding::new(RuleId::own("x"), Severity::Degraded, "So.").of([0]);
        let capped = finding.clone().with("opps", Quantity::numbers([1800.0, 2016.0], "MHz", 0));
        for (record, finding, when, expected) in [
            (&hot, &finding, RelationCondition::HotUncapped, true),
            (&hot, &capped, RelationCondition::HotUncapped, false),
            (&hot, &capped, RelationCondition::Uncapped, false),
            (&hot, &finding, RelationCondition::TemperatureKnown, true),
            (&record, &finding, RelationCondition::TemperatureKnown, false),
        ] {
            let facts = Facts::of(record);
            let at = FindingPlace::of(&facts, finding, ScoreScope::All);
            assert_eq!(holds(when, &facts, finding, &at, &[]), expected, "{when:?}");
        }
    }

    #[test]
    fn scores_measured_cool_are_not_lowered_by_heat() {
        let record = with_step(own_run(), WorkloadId::SevenZip, Variant::MULTI, &[], (2.0, 4.0), compression(7000));
        let temp: Vec<i64> = (0..9).map(|row| if row < 4 { 40_000 } else { 85_000 }).collect();
        let record = gauge_channel(record, ChannelId::Soc, Unit::Millicelsius, &temp);
        let facts = Facts::of(&record);
        for (from_ms, to_ms, expected) in [(0, 1000, false), (2500, 3500, true)] {
            let finding = Finding::new(RuleId::own("x"), Severity::Degraded, "So.");
            let finding = finding.about(Scope::Machine).during(from_ms, to_ms);
            let at = FindingPlace::of(&facts, &finding, ScoreScope::All);
            assert_eq!(holds(RelationCondition::Hot, &facts, &finding, &at, &[]), expected, "{from_ms}");
        }
    }
}
