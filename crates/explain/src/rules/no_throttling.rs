//! Rule: no-throttling. Says that nothing was throttled where that would have been seen, and that
//! it cannot be known where nothing would have shown it.

use super::{Check, Role, Rule, clock_lower_hot, power_limit, rpi_firmware, rpi_firmware_clock, thermal_throttling};
use crate::case::Case;
use crate::{Finding, Place, Quantity, Severity, view};
use record::{ChannelId, ChannelKind, OfRaspberryPi, Record, RuleId, Variant};

pub(super) const RULE: Rule = Rule {
    id: RuleId::own("no-throttling"),
    about: "No throttling was detected, or it cannot be detected.",
    link: "https://docs.kernel.org/driver-api/thermal/sysfs-api.html",
    check: Check::Case(check),
    role: Role::GoodNews,
    ..Rule::PLAIN
};

/// Rules whose findings are the opposite of this one.
const OPPOSITES: [&Rule; 5] = [
    &clock_lower_hot::RULE,
    &power_limit::RULE,
    &rpi_firmware::RULE,
    &rpi_firmware_clock::RULE,
    &thermal_throttling::RULE,
];

/// Fewer samples than this can miss a short fall.
const SAMPLES_MIN: usize = 3;

fn check(case: &Case<'_>) -> Vec<Finding> {
    let record = case.record;
    let cpus = view::cpu_count(record).unwrap_or(1);
    let phases = view::phases(record);
    let loaded: Vec<_> = phases.iter().filter(|phase| phase.is_full_load(cpus)).collect();
    if loaded.is_empty() || OPPOSITES.iter().any(|rule| !rule.found(case).is_empty()) {
        return Vec::new();
    }
    let witnesses = witnesses(record);
    let finding = if witnesses.is_empty() {
        Finding::new(
            RULE.id,
            Severity::Info,
            "Throttling cannot be detected: no clocks, cooling devices or throttle counters available.",
        )
        .sure(95)
    } else {
        Finding::new(RULE.id, Severity::Info, "No throttling under full load (checked: {witnesses}).")
            .sure(if witnesses.len() > 1 { 95 } else { 85 })
            .with("witnesses", Quantity::Text(witnesses.join(", ")))
    };
    vec![finding.at_all(loaded.iter().map(|phase| Place::Step(phase.steps[0])))]
}

/// What would have shown it.
fn witnesses(record: &Record) -> Vec<&'static str> {
    let has = |is_wanted: fn(&ChannelId) -> bool| {
        view::channels(record, is_wanted).any(|channel| channel.values.iter().flatten().count() >= SAMPLES_MIN)
    };
    let is_of_firmware = |id: &ChannelId| *id == ChannelId::RaspberryPi(OfRaspberryPi::Throttled);
    let is_cooling = |id: &ChannelId| matches!(id, ChannelId::Cooling(_));
    let has_counters = record
        .samples
        .channels
        .iter()
        .any(|channel| channel.kind == ChannelKind::Counter && channel.id.is_throttle_count());
    let measured_hot = !view::cluster_clocks(record, &Variant::HOT_LOADED).is_empty();
    [
        (measured_hot, "measured clocks"),
        (has(is_of_firmware), "firmware throttle bits"),
        (has_counters, "CPU throttle counters"),
        (has(is_cooling), "cooling devices"),
        (has(ChannelId::is_policy_claim), "reported clocks"),
    ]
    .into_iter()
    .filter_map(|(is_there, name)| is_there.then_some(name))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::tests::sentences;
    use crate::test_support::{compression, gauge_channel, own_run, with_step};
    use record::{ChannelId, Unit, Variant, WorkloadId};

    #[test]
    fn no_throttling_needs_evidence() {
        let record = with_step(own_run(), WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 2.0), compression(1));
        assert!(sentences(RULE.id, &record)[0].contains("cannot be detected"));
        let steady = gauge_channel(record.clone(), ChannelId::claimed(0), Unit::Kilohertz, &[9; 5]);
        assert_eq!(sentences(RULE.id, &steady), ["No throttling under full load (checked: reported clocks)."]);
        let khz = [1_800_000, 1_800_000, 900_000, 900_000, 900_000];
        let falling = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &khz);
        assert_eq!(sentences(RULE.id, &falling), [""; 0]);
    }
}
