//! Rule: hot. The SoC became hot, whether it throttled or not.

use super::Rule;
use super::place::samples_place;
use facts::{Facts, Finding, Quantity, Scope, Severity};
use record::RuleId;

pub(super) const RULE: Rule = Rule::new(RuleId::own("hot"), check);

/// Most boards start to throttle between this and 95 °C.
const HOT_MILLICELSIUS: i64 = 80_000;
/// Critical trip points lie between 100 and 115 °C, passive ones below.
const VERY_HOT_MILLICELSIUS: i64 = 95_000;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let heat = facts.heat_of_run();
    let hot = heat.filter(|heat| heat.millicelsius_max >= HOT_MILLICELSIUS);
    let found = hot.map(|heat| {
        let template = if heat.millicelsius_max >= VERY_HOT_MILLICELSIUS {
            "The temperature reached {temperature}, where SoCs throttle or shut down. Improve the cooling."
        } else {
            "The temperature reached {temperature}; in a warmer room or smaller case this machine may throttle."
        };
        Finding::new(RULE.id, Severity::Info, template)
            .confidence(95)
            .with("temperature", Quantity::Millicelsius(heat.millicelsius_max))
            .with("at", Quantity::Ms(heat.at_ms))
            .about(Scope::Machine)
            .at(samples_place(facts, &heat.channel, heat.at_ms, heat.at_ms))
    });
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{gauge_channel, own_run};
    use crate::tests::sentences;
    use record::{ChannelId, Unit};

    #[test]
    fn heat_is_reported_from_80_degrees() {
        for (temp, expected) in [(81_800, 1), (79_900, 0), (-273_200_000, 0)] {
            let record = gauge_channel(own_run(), ChannelId::Soc, Unit::Millicelsius, &[temp]);
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }
}
