//! Rule: no-temperature. No sensor reported the temperature of the CPU.

use super::{Rule, clock_lower_hot, virtualised};
use facts::{Facts, Finding, Place, Quantity, Severity, view};
use record::{Missing, RuleId, soc_temperature};

pub(super) const RULE: Rule = Rule::new(RuleId::own("no-temperature"), check);

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let was_watched = !facts.samples.at_ms.is_empty();
    // A guest cannot read the sensors of its host, which `virtualised` reports.
    if !was_watched || facts.heat_of_run().is_some() || virtualised::hides_temperatures(facts) {
        return Vec::new();
    }
    // A temperature decides something only where a clock or a score fell.
    let would_decide = !facts.declines().is_empty() || !clock_lower_hot::RULE.found(facts).is_empty();
    let choice = soc_temperature::of(facts);
    let finding = |template| Finding::new(RULE.id, Severity::Info, template);
    let channel = choice.as_ref().ok().and_then(|choice| facts.samples.channel(&choice.channel));
    let stuck = channel.and_then(|channel| view::stuck_millicelsius(facts, channel));
    let printed = view::sensor_blocks(facts);
    let finding = match (stuck, choice.as_ref().err().and_then(soc_temperature::left_out)) {
        (Some(millicelsius), _) => finding(
            "The temperature sensor shows {temperature} in every row, idle and under full load: it does not work, and is not \
             used as evidence.",
        )
        .with("temperature", Quantity::Millicelsius(millicelsius)),
        (None, _) if let Some(printed) = printed => finding(
            "No CPU temperature was read under load; `sensors` shows {before} before the benchmarks and {after} right after them.",
        )
        .with("before", Quantity::Millicelsius(printed.before_millicelsius))
        .with("after", Quantity::Millicelsius(printed.after_millicelsius)),
        (None, None) if would_decide => finding("No CPU temperature was read under load, so that heat cannot be told from other causes."),
        (None, None) => finding("No CPU temperature was read under load."),
        (None, Some(sensors)) if would_decide => finding(
            "No sensor reports the CPU temperature, so that heat cannot be told from other causes. Ignored sensors: {sensors}.",
        )
        .with("sensors", Quantity::Text(sensors.to_owned())),
        (None, Some(sensors)) => finding("No sensor reports the CPU temperature. Ignored sensors: {sensors}.")
        .with("sensors", Quantity::Text(sensors.to_owned())),
    };
    let why = Missing::unsupported("", "no temperature of the CPUs was read");
    vec![finding.confidence(97).unseen_because(why).at(Place::Field("samples.channels".into()))]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{gauge_channel, labelled, own_run};
    use crate::tests::sentences;
    use record::{ChannelId, Unit};

    #[test]
    fn sensors_that_show_nothing_do_not_count() {
        for (temps, expected) in [
            ([0, 0], 1),
            ([-273_000, -127_000], 1),
            ([45_000, 0], 0),
            // A board in a freezer.
            ([-12_500, -8_000], 0),
        ] {
            let record = gauge_channel(own_run(), ChannelId::Soc, Unit::Millicelsius, &temps);
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
        assert_eq!(sentences(RULE.id, &own_run()), [""; 0]);
    }

    /// A sensor with a constant value is not evidence of heat.
    #[test]
    fn sensors_that_do_not_change_with_the_load_are_not_believed() {
        const WHOLE: &str = include_str!("../../explain/tests/made/lying-column.txt");
        let stuck = WHOLE.replace("45.0°C", "96.0°C").replace("57.0°C", "96.0°C");
        for (text, expected) in [(WHOLE, 0), (&stuck, 1)] {
            let record = logs::read(text);
            let found = sentences(RULE.id, &record);
            assert_eq!(found.len(), expected, "{found:?}");
            assert!(found.iter().all(|sentence| sentence.contains("shows 96.0 °C in every row")), "{found:?}");
            assert!(sentences(crate::hot::RULE.id, &record).is_empty());
        }
    }

    #[test]
    fn sensors_that_were_left_out_are_named() {
        let id = ChannelId::zone_temperature(0);
        let record = labelled(gauge_channel(own_run(), id, Unit::Millicelsius, &[45_000, 46_000]), "gpu-thermal");
        let [sentence] = &sentences(RULE.id, &record)[..] else { panic!("one sentence") };
        assert!(sentence.ends_with("Ignored sensors: gpu-thermal (GPU only)."), "{sentence}");
    }
}
