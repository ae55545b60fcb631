//! Rule: power-limit. Clocks fell under load at moderate temperatures: a limit of power or current.

use super::place::samples_place;
use super::slowdown::{self, Cause};
use super::thermal_throttling::kernel_says_heat;
use super::{Rule, ThrottledPart, thermal_messages};
use facts::view::ClockFall;
use facts::{Facts, Finding, Quantity, Severity, view};
use record::table::Table;
use record::{Missing, RuleId};

pub(super) const RULE: Rule = Rule { throttles: ThrottledPart::Clock, ..Rule::new(RuleId::own("power-limit"), check) };

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let heat = kernel_says_heat(facts);
    let of_cause = |cause| {
        let mut falls = facts.clock_falls().to_vec();
        falls.retain(|fall| slowdown::cause(facts, fall, heat) == cause);
        falls
    };
    let causes = [Cause::Power, Cause::Unknown, Cause::ManyCores, Cause::Turbo];
    let of_first = causes.into_iter().map(|cause| (cause, of_cause(cause))).find(|(_, falls)| !falls.is_empty());
    let Some((cause, falls)) = of_first else {
        let template = "The kernel logged a limit of current[ ({mechanism})]: \"{message}\".";
        return thermal_messages::finding(facts, RULE.id, facts::Cause::PowerLimit, template).into_iter().collect();
    };
    let groups = slowdown::by_workload(&falls);
    let found = groups.iter().map(|falls| {
        // The limit has the temperature of the lower clock, not that of a hotter moment.
        let of_limit = |fall: &ClockFall| fall.temp_millicelsius_low.or(fall.temp_millicelsius_max);
        let finding = finding(cause, falls, slowdown::names_clusters(facts, falls));
        let finding = slowdown::with_falls(facts, finding, falls, of_limit);
        let temp = falls.iter().filter_map(|fall| fall.temp_millicelsius_max).max();
        let finding = after_heat(facts, cause, finding, temp);
        let finding = by_a_part(facts, cause, finding, slowdown::names_clusters(facts, falls));
        let finding = unseen(cause, finding, falls);
        let finding = at_limit(facts, cause, finding, falls);
        match cause {
            Cause::Power => finding.with_known("rated", rated_power(facts)),
            Cause::Unknown => finding.unseen_because(Missing::unsupported("", "nothing that was read shows the cause")),
            _ => finding,
        }
    });
    found.collect()
}

/// Firmware reports its reason in bits; without them its clock shows no cause. The same applies to a machine whose
/// turbo is unknown.
fn unseen(cause: Cause, finding: Finding, falls: &[ClockFall]) -> Finding {
    let is_of_firmware = falls.iter().any(|fall| fall.channel.is_firmware_clock());
    let template = match (cause, is_of_firmware, finding.value("temperature")) {
        (Cause::Unknown, true, _) => {
            "During {phase}, the firmware lowered the clock from {clock_before} to {clock_after} (average {clock_mean})[ \
             at {temperature} at most]; nothing that was read shows why."
        }
        (Cause::Unknown, false, Some(_)) if finding.value("sensor").is_none() => {
            "During {phase}, clocks dropped at {temperature} at most: {clusters}. Nothing that was read shows which limit, \
             of temperature, clock, power or current, it was."
        }
        _ => return finding,
    };
    Finding { template, ..finding }
}

/// The limit, where the power of the processor and its limits are read.
fn at_limit(facts: &Facts<'_>, cause: Cause, finding: Finding, falls: &[ClockFall]) -> Finding {
    let reached = falls.iter().find_map(|fall| Some((fall, slowdown::reached_limit(facts, fall)?)));
    let (Cause::Power, Some((fall, limit))) = (cause, reached) else { return finding };
    let template = if slowdown::names_clusters(facts, falls) {
        "During {phase}, clocks dropped: {clusters}. The power of the processor was at its limit ({limit}, {term})."
    } else {
        "During {phase}, the clock dropped from {clock_before} to {clock_after} (average {clock_mean}): the power of the \
         processor was at its limit ({limit}, {term})."
    };
    let place = samples_place(facts, &limit.channel, fall.first_ms, fall.window.end_ms);
    Finding { template, ..finding }
        .confidence(95)
        .with("limit", Quantity::measured(limit.microwatts as f64 / 1e6, "W", 1))
        .with("term", Quantity::Text(limit.term.replace('_', " ")))
        .at(place)
}

/// No temperature is harmless in a run that was hot before: limits of chips have hysteresis.
fn after_heat(facts: &Facts<'_>, cause: Cause, finding: Finding, temp_millicelsius: Option<i64>) -> Finding {
    let hottest = facts.heat_of_run().map_or(0, |heat| heat.millicelsius_max);
    let is_cool = matches!(cause, Cause::Power | Cause::Heat | Cause::Governor);
    if !is_cool || hottest < HOT_MILLICELSIUS || temp_millicelsius >= Some(hottest) {
        return finding;
    }
    Finding {
        template: "During {phase}, clocks dropped at {temperature}: {clusters}. The cause is a power or current limit; \
                   the temperature reached {hottest} elsewhere in this run.",
        ..finding
    }
    .with("hottest", Quantity::Millicelsius(hottest))
}

/// A sensor of one core does not cover the others.
fn by_a_part(facts: &Facts<'_>, cause: Cause, finding: Finding, names_clusters: bool) -> Finding {
    let (Cause::Unknown, Some(sensor)) = (cause, view::sensor_of_a_part(facts)) else { return finding };
    let template = if names_clusters {
        "During {phase}, clocks dropped: {clusters}. The only temperature ({temperature} at most) is that of one part of \
             the CPUs ({sensor}), so the cause (heat or power limit) is unknown."
    } else {
        "During {phase}, the clock dropped from {clock_before} to {clock_after} (average {clock_mean}). The only \
             temperature ({temperature} at most) is that of one part of the CPUs ({sensor}), so the cause (heat or power \
             limit) is unknown."
    };
    Finding { template, ..finding }.with("sensor", Quantity::Text(sensor))
}

const RATED_POWER: Table = Table::of(include_str!("../../../data/rated_power.tsv"));

/// Rated power of this CPU, the default of its long-term limit.
fn rated_power(facts: &Facts<'_>) -> Option<Quantity> {
    let name = facts.soc().known()?;
    let is_of = |row: &record::table::Row| name.split_whitespace().any(|word| word == row.get("cpu"));
    let watts: f64 = RATED_POWER.rows().find(is_of)?.get("rated_watts").parse().ok()?;
    Some(Quantity::measured(watts, "W", usize::from(watts.fract() > 0.0)))
}

/// Firmware lowers the power limit long before the kernel throttles.
const HOT_MILLICELSIUS: i64 = 90_000;

/// Sentence about the clock drops of one workload, with the CPUs unless all are affected.
fn finding(cause: Cause, falls: &[ClockFall], names_clusters: bool) -> Finding {
    let at_most = falls.iter().all(|fall| fall.at_most && !fall.fell_within);
    let (severity, sure) = match cause {
        Cause::ManyCores => (Severity::Info, 75),
        Cause::Turbo => (Severity::Info, 80),
        Cause::Unknown => (Severity::Degraded, 70),
        Cause::Power | Cause::Heat | Cause::Governor => (Severity::Degraded, 75),
    };
    let template = match (cause, names_clusters) {
        (Cause::ManyCores, _) => {
            "With all CPUs busy the clock is {clock_mean} instead of {clock_before} from the start of {phase}: the \
             all-core limit of this CPU."
        }
        (Cause::Turbo, _) => {
            "During {phase}, the clock varied between {clock_after} and {clock_before} (average {clock_mean}), which is \
             normal for turbo clocks."
        }
        (Cause::Unknown, false) => {
            "During {phase}, the clock dropped from {clock_before} to {clock_after} (average {clock_mean}); without a \
             temperature under load the cause (heat or power limit) is unknown."
        }
        (Cause::Unknown, true) => {
            "During {phase}, clocks dropped: {clusters}. Without a temperature under load the cause (heat or power limit) is \
             unknown."
        }
        (_, false) if at_most => {
            "During {phase}, the clock was {clock_mean} on average and {clock_after} at least, with fewer CPUs busy up to \
             {clock_before}, at only {temperature}: a power or current limit, if all CPUs can hold the highest of these \
             clocks."
        }
        (_, false) => {
            "During {phase}, the clock dropped from {clock_before} to {clock_after} (average {clock_mean}) at only \
             {temperature}: a power or current limit[ (this CPU is rated for {rated})]."
        }
        (_, true) => {
            "During {phase}, clocks dropped at only {temperature}: {clusters}. The cause is a power or current limit[ (this CPU is rated for \
             {rated})]."
        }
    };
    let finding = Finding::new(RULE.id, severity, template).confidence(sure);
    match cause {
        Cause::ManyCores => finding.with("design", Quantity::Text("the all-core limit of this CPU".into())),
        Cause::Turbo => finding.with("design", Quantity::Text("turbo clocks vary".into())),
        Cause::Unknown => finding.with("limit_words", Quantity::Text("the cause is unknown".into())),
        Cause::Power | Cause::Heat | Cause::Governor => {
            finding.with("limit_words", Quantity::Text("a power or current limit".into()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::*;
    use crate::tests::{findings_of, sentences};
    use facts::Severity;
    use record::{ChannelId, Fact, PowercapChannel, Record, Unit, Variant, WorkloadId};

    fn run(arch: &str, khz: &[i64], celsius: Option<i64>) -> Record {
        let end = khz.len() as f64 / 2.0;
        let record = with_step(own_run(), WorkloadId::OpenSsl, Variant::AES_256_CBC, &[0], (0.0, 1.4), compression(1));
        let mut record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (1.5, end), compression(1));
        record.machine.kernel_arch = Fact::Known(arch.into());
        let record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, khz);
        match celsius {
            Some(celsius) => {
                let heat = vec![celsius * 1000; khz.len()];
                gauge_channel(record, ChannelId::Soc, Unit::Millicelsius, &heat)
            }
            None => record,
        }
    }

    const TOP: i64 = 3_600_000;
    const LOW: i64 = 2_300_000;
    const FELL: [i64; 9] = [TOP, TOP, TOP, TOP, TOP, LOW, LOW, 2_500_000, LOW];

    #[test]
    fn drop_at_low_temperature_is_power_limit() {
        assert_eq!(
            sentences(RULE.id, &run("x86_64", &FELL, Some(70))),
            ["During 7-zip on all CPUs, the clock dropped from 3600 MHz to 2300 MHz (average 2767 MHz) at only 70.0 \
              °C: a power or current limit."]
        );
        // The temperature is that of the lower clock, not that of the turbo before it.
        let record = run("x86_64", &FELL, None);
        let heat = [70_000, 70_000, 70_000, 71_000, 71_000, 61_000, 61_000, 60_000, 60_000];
        let record = gauge_channel(record, ChannelId::Soc, Unit::Millicelsius, &heat);
        let found = sentences(RULE.id, &record);
        assert!(found[0].contains("at only 61.0 °C"), "{found:?}");
        assert_eq!(findings_of(RULE.id, &run("x86_64", &FELL, Some(99))).len(), 0);
        assert_eq!(findings_of(RULE.id, &run("x86_64", &[TOP; 9], Some(60))).len(), 0);
        let unknown = findings_of(RULE.id, &run("x86_64", &FELL, None));
        assert!(unknown[0].sentence().contains("is unknown"));
    }

    /// A limit that is read is named, with and without a temperature, and even if it was hot.
    #[test]
    fn reached_limit_is_named() {
        for celsius in [Some(60), Some(95), None] {
            for (watts, is_limited) in [(15, true), (9, false)] {
                let mut record = run("x86_64", &FELL, celsius);
                let joules: Vec<i64> = (0..FELL.len() as i64).map(|row| row * watts * 500_000).collect();
                record = counter(record, rapl(PowercapChannel::Energy), Unit::Microjoules, &joules);
                let id = rapl(PowercapChannel::Limit("long_term".into()));
                record = gauge_channel(record, id, Unit::Microwatts, &[15_000_000; FELL.len()]);
                let found = sentences(RULE.id, &record);
                let has_named = found.iter().any(|text| text.contains("was at its limit (15.0 W, long term)"));
                assert_eq!(has_named, is_limited, "{celsius:?} {found:?}");
                let explained = explain::explain(record);
                let causes = explained.assessment.diagnoses.iter().map(|diagnosis| diagnosis.cause);
                let is_cause = causes.clone().any(|cause| cause == facts::Cause::PowerLimit);
                assert!(is_cause || !is_limited, "{celsius:?}: {:?}", causes.collect::<Vec<_>>());
            }
        }
    }

    /// Without a sensor, power limits and heat are indistinguishable: neither is reported as the cause.
    #[test]
    fn power_limit_needs_a_temperature() {
        for (celsius, expected) in [(Some(70), facts::Cause::PowerLimit), (None, facts::Cause::NotVisible)] {
            let explained = explain::explain(run("x86_64", &FELL, celsius));
            let causes: Vec<facts::Cause> =
                explained.assessment.diagnoses.iter().map(|diagnosis| diagnosis.cause).collect();
            assert_eq!(causes, [expected]);
        }
    }

    /// Firmware reports its reason in bits; without them its clock shows no cause.
    #[test]
    fn a_clock_of_the_firmware_names_no_limit() {
        let mut record = run("aarch64", &[TOP; 9], Some(60));
        record.samples.channels.retain(|channel| channel.id != ChannelId::claimed(0));
        let id = ChannelId::RaspberryPi(record::RaspberryPiChannel::LogFirmwareClock);
        let found = sentences(RULE.id, &gauge_channel(record, id, Unit::Kilohertz, &FELL));
        assert!(found[0].contains("the firmware lowered the clock") && !found[0].contains("power"), "{found:?}");
    }

    /// The sensor of one core does not cover the others.
    #[test]
    fn a_sensor_of_one_core_does_not_tell_heat_from_power() {
        for (name, is_known) in [("cpu0-thermal", false), ("soc-thermal", true)] {
            let mut record = run("x86_64", &FELL, Some(61));
            record.machine.clusters = vec![record::Cluster::default(); 2];
            record.machine.features.push(record::NamedValue {
                name: "thermal-source".into(),
                value: format!("/sys/devices/virtual/thermal/thermal_zone0/ ({name})"),
                from: String::new(),
            });
            let found = sentences(RULE.id, &record);
            assert_eq!(found[0].contains("a power or current limit"), is_known, "{found:?}");
            assert_eq!(found[0].contains("of one part of the CPUs (cpu0-thermal)"), !is_known, "{found:?}");
        }
    }

    #[test]
    fn rated_power_of_a_known_cpu_is_named() {
        for (soc, expected) in [("Intel(R) N100", true), ("Intel(R) N1000", false)] {
            let mut record = run("x86_64", &FELL, Some(70));
            record.machine.soc = Fact::Known(soc.into());
            let found = sentences(RULE.id, &record);
            assert_eq!(found[0].ends_with("limit (this CPU is rated for 6 W)."), expected, "{found:?}");
        }
    }

    #[test]
    fn lower_clock_for_many_cores_is_by_design() {
        for (second, severity) in [(LOW, Severity::Info), (LOW - 100_000, Severity::Degraded)] {
            let khz = [TOP, TOP, TOP, LOW, LOW, LOW, LOW, second, LOW];
            let found = findings_of(RULE.id, &run("x86_64", &khz, Some(60)));
            assert_eq!(found[0].severity, severity, "{second}");
            // Short forms name what a finding names: no limit of power if the clock is lower by design.
            let is_design = severity == Severity::Info;
            let named = (found[0].value("limit_words").is_none(), found[0].value("design").is_some());
            assert_eq!(named, (is_design, is_design), "{:?}", found[0]);
            let sentence = found[0].sentence();
            assert_eq!(sentence.contains("with fewer CPUs busy up to 3600 MHz"), !is_design, "{sentence}");
        }
    }
}
