//! Rule: no-throttling. States that no throttling occurred if the evidence would have shown it, and that it is unknown
//! otherwise.

use super::{
    Role, Rule, clock_below_claim, clock_lower_hot, power_limit, rpi_firmware, rpi_firmware_clock, slowdown,
    thermal_throttling, virtualised,
};
use facts::view::{self, ClusterClock, FirmwareBits};
use facts::{EvidenceSource, Facts, Finding, Place, Quantity, Severity};
use record::{Channel, ChannelId, ChannelKind, Missing, RuleId, Variant};

pub(super) const RULE: Rule = Rule { role: Role::GoodNews, ..Rule::new(RuleId::own("no-throttling"), check) };

/// Rules whose findings contradict this one.
const OPPOSITES: [&Rule; 5] = [
    &clock_lower_hot::RULE,
    &power_limit::RULE,
    &rpi_firmware::RULE,
    &rpi_firmware_clock::RULE,
    &thermal_throttling::RULE,
];

/// cpufreq drivers that report the requested clock: firmware or hardware lowers it without their knowledge.
const BLIND_DRIVERS: [&str; 4] = ["cppc_cpufreq", "qcom-cpufreq-hw", "scmi-cpufreq", "scpi-cpufreq"];
/// Temperature at which firmware of boards may throttle without the kernel's knowledge.
const HOT_MILLICELSIUS: i64 = 80_000;
/// Readings of a clock agree within 0.5 %, and cycle counters within 1 %.
const KEPT_SHARE: f64 = 0.98;
/// Fewer samples can miss a short drop.
const SAMPLES_MIN: usize = 3;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let cpus = view::cpu_count(facts).unwrap_or(1);
    let loaded: Vec<_> = facts.phases().iter().filter(|phase| phase.is_full_load(cpus)).collect();
    if loaded.is_empty() || OPPOSITES.iter().any(|rule| !rule.found(facts).is_empty()) {
        return Vec::new();
    }
    // A decline has a cause, and evidence that misses it does not exclude throttling.
    let declines = facts.declines();
    let witnesses = if declines.is_empty() { witnesses(facts) } else { Vec::new() };
    let names: Vec<&str> = witnesses.iter().map(|(name, _)| *name).collect();
    let of = |template| {
        Finding::new(RULE.id, Severity::Info, template)
            .confidence(95)
            .unseen_because(Missing::unsupported("", "no witness that would show it"))
    };
    let finding = match (names.is_empty(), declines.first()) {
        (false, _) => {
            let is_low = clock_below_claim::RULE.found(facts).iter().any(|found| found.severity > Severity::Info);
            let template = if is_low {
                "No clock fell further under full load (checked: {witnesses})."
            } else {
                "No throttling under full load (checked: {witnesses})."
            };
            let found = Finding::new(RULE.id, Severity::Info, template)
                .confidence(if names.len() > 1 { 95 } else { 85 })
                .with("witnesses", Quantity::Text(names.join(", ")));
            witnesses.iter().fold(found, |found, (_, witness)| found.seen_by(witness.clone()))
        }
        (true, Some(decline)) => {
            of("Whether the CPUs were throttled cannot be known: {name} got slower by {fall}, and \
                                        nothing that was read shows why.")
            .with("name", Quantity::Text(decline.name.clone()))
            .with("fall", Quantity::Percent(decline.fall_percent))
        }
        (true, None) if virtualised::hides_temperatures(facts) => return Vec::new(),
        (true, None) => {
            let template = if are_clocks_kept(facts) {
                "No sign of throttling: clocks right after the load are those before it. It cannot be excluded: {why}."
            } else {
                "Whether the CPUs were throttled under load cannot be known: {why}."
            };
            of(template).with("why", Quantity::Text(gaps(facts).join(", and ")))
        }
    };
    vec![finding.at_all(loaded.iter().map(|phase| Place::Step(phase.steps[0])))]
}

fn has_claims(facts: &Facts<'_>) -> bool {
    view::channels(facts, ChannelId::is_any_claim).any(has_samples)
}

fn has_samples(channel: &Channel) -> bool {
    channel.values.iter().flatten().count() >= SAMPLES_MIN
}

/// Evidence that would have shown throttling, with its name for people.
fn witnesses(facts: &Facts<'_>) -> Vec<(&'static str, EvidenceSource)> {
    let first = |is_wanted: fn(&ChannelId) -> bool| {
        view::channels(facts, is_wanted).find(|channel| has_samples(channel)).map(|channel| channel.id.clone())
    };
    let mut counters = facts.samples.channels.iter();
    let counter = counters.find(|channel| channel.kind == ChannelKind::Counter && channel.id.is_throttle_count());
    let mut cooling = view::channels(facts, |id| matches!(id, ChannelId::Cooling(_)));
    let cooling = cooling.find(|channel| has_samples(channel) && channel.cools_cpus());
    let bits = [1, 2].iter().all(|bit| facts.firmware_bits(bit) == FirmwareBits::Clear);
    let known = |channel: Option<&Channel>| channel.map(|channel| channel.id.clone());
    [
        measured(facts).map(|variant| ("measured clocks", EvidenceSource::MeasuredClock(variant))),
        bits.then_some(("firmware throttle bits", EvidenceSource::FirmwareBits)),
        first(ChannelId::is_firmware_clock).map(|id| ("firmware clock", EvidenceSource::FirmwareClock(id))),
        known(counter).map(|id| ("CPU throttle counters", EvidenceSource::ThrottleCounter(id))),
        known(cooling).map(|id| ("cooling devices", EvidenceSource::CoolingDevice(id))),
        sound_claim(facts).map(|id| ("reported clocks", EvidenceSource::ClaimedClock(id))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Clock pass under load or right after it that covers every CPU of the cold one.
fn measured(facts: &Facts<'_>) -> Option<Variant> {
    // Disturbances only lower readings: the highest of readings that disagree was reached.
    if !facts.cluster_clocks(&Variant::HOT_LOADED).is_empty()
        || are_kept(&facts.all_cluster_clocks(&Variant::COLD), &facts.all_cluster_clocks(&Variant::HOT_LOADED))
    {
        return Some(Variant::HOT_LOADED);
    }
    // A clock may recover right after a load: without a temperature and a reported clock, nothing shows the load
    // itself.
    let is_seen = facts.heat_of_run().is_some() && has_claims(facts) && are_clocks_kept(facts);
    is_seen.then_some(Variant::HOT_AFTER)
}

/// True if every CPU measured before the load had the same clock right after it.
pub(super) fn are_clocks_kept(facts: &Facts<'_>) -> bool {
    are_kept(&facts.cluster_clocks(&Variant::COLD), &facts.cluster_clocks(&Variant::HOT_AFTER))
}

fn are_kept(cold: &[ClusterClock], after: &[ClusterClock]) -> bool {
    let kept = |clock: &ClusterClock| {
        let mut hot = after.iter().filter(|hot| hot.cpu == clock.cpu);
        hot.any(|hot| f64::from(hot.measured_khz) >= f64::from(clock.measured_khz) * KEPT_SHARE)
    };
    !cold.is_empty() && cold.iter().all(kept)
}

fn is_blind(facts: &Facts<'_>) -> bool {
    let mut drivers = facts.machine.policies.iter().filter_map(|policy| policy.driver.known());
    drivers.any(|driver| BLIND_DRIVERS.contains(&driver.trim()))
}

/// True if it was hot enough for firmware to throttle unseen.
fn is_hot(facts: &Facts<'_>, millicelsius: i64) -> bool {
    millicelsius >= if view::is_x86(facts) { slowdown::hot_millicelsius(facts) } else { HOT_MILLICELSIUS }
}

fn gaps(facts: &Facts<'_>) -> Vec<String> {
    let clock = if !has_claims(facts) {
        Some("no clock was read during it")
    } else if is_blind(facts) {
        Some("cpufreq shows the clock that was asked for, not the real one")
    } else {
        Some("the reported clock is wrong").filter(|_| !facts.doubted_columns().is_empty())
    };
    let heat = match facts.heat_of_run() {
        None => Some("no CPU temperature was read under load".to_owned()),
        Some(heat) if is_hot(facts, heat.millicelsius_max) => {
            let temperature = Quantity::Millicelsius(heat.millicelsius_max);
            Some(format!("firmware may lower clocks unseen at {temperature}"))
        }
        Some(_) => None,
    };
    let gaps: Vec<String> = clock.map(str::to_owned).into_iter().chain(heat).collect();
    if gaps.is_empty() { vec!["too few rows were read during it".to_owned()] } else { gaps }
}

/// Advertised clock that would have shown a drop: no contradicting evidence, a driver that reads the hardware, and
/// temperatures below unseen throttling of firmware.
fn sound_claim(facts: &Facts<'_>) -> Option<ChannelId> {
    let hottest = facts.heat_of_run()?.millicelsius_max;
    if is_blind(facts) || is_hot(facts, hottest) || !facts.doubted_columns().is_empty() {
        return None;
    }
    view::channels(facts, ChannelId::is_any_claim)
        .find(|channel| has_samples(channel))
        .map(|channel| channel.id.clone())
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, gauge_channel, log, own_run, with_clocks, with_step};
    use crate::tests::sentences;
    use record::{ChannelId, ClockPoint, Unit, Variant, WorkloadId};

    /// "No throttling" would contradict a clock that is always below the advertised one.
    #[test]
    fn a_clock_that_was_low_before_did_not_fall_further() {
        for (measured_khz, expected) in [(1_800_000, "No throttling"), (1_500_000, "No clock fell further")] {
            let points = vec![crate::test_support::point(0, 1_800_000, measured_khz)];
            let record = crate::test_support::with_clocks(own_run(), Variant::COLD, points);
            let record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 2.0), compression(1));
            let record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &[1_800_000; 5]);
            let record = gauge_channel(record, ChannelId::Soc, Unit::Millicelsius, &[60_000; 5]);
            let found = sentences(RULE.id, &record);
            assert!(found.len() == 1 && found[0].starts_with(expected), "{found:?}");
        }
    }

    /// The highest of readings that disagree was reached.
    #[test]
    fn readings_under_load_that_disagree_count_by_the_highest() {
        for (highest_khz, expected) in [(1_016_000, "No throttling"), (900_000, "Whether")] {
            let point = |readings_khz: &[u32]| ClockPoint { readings_khz: readings_khz.to_vec(), ..<_>::default() };
            let cold = point(&[998_000, 904_000, 872_000]);
            let record = with_clocks(log("0.9.8"), Variant::COLD, vec![cold]);
            let record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 2.0), compression(1));
            let record = with_clocks(record, Variant::HOT_LOADED, vec![point(&[highest_khz, 860_000, 800_000])]);
            let found = sentences(RULE.id, &record).join("");
            assert!(found.starts_with(expected), "{highest_khz}: {found}");
        }
    }

    #[test]
    fn no_throttling_needs_evidence() {
        const CANNOT: &str = "cannot be";
        let top = 1_800_000;
        let low = 900_000;
        // Runs, clocks and temperature, and the expected sentence.
        for (scores, khz, celsius, expected) in [
            (&[1_000][..], &[][..], None, CANNOT),
            (&[1_000], &[top; 5], Some(70), "No throttling under full load (checked: reported clocks)."),
            (&[1_000], &[top; 5], None, CANNOT),
            (&[1_000], &[top; 5], Some(88), CANNOT),
            (&[1_000, 990], &[top; 5], Some(70), "No throttling under full load (checked: reported clocks)."),
            (&[1_000, 940], &[top; 5], Some(70), "got slower by 6.0 %"),
            (&[1_000], &[top, top, low, low, low], Some(70), ""),
        ] {
            let mut record = own_run();
            for (index, score) in scores.iter().enumerate() {
                let part = 2.0 / scores.len() as f64;
                let window = (index as f64 * part, (index + 1) as f64 * part);
                record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], window, compression(*score));
            }
            if !khz.is_empty() {
                record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, khz);
            }
            if let Some(celsius) = celsius {
                record = gauge_channel(record, ChannelId::Soc, Unit::Millicelsius, &[celsius * 1000; 5]);
            }
            let found = sentences(RULE.id, &record).join("");
            assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{scores:?} {khz:?}: {found}");
        }
    }
}
