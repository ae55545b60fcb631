//! Rule: supply-droops. The voltage at the input of the board falls under load: supply or cable is too weak.

use super::Rule;
use super::place::at_samples;
use facts::stats::{Line, median};
use facts::view::{self, gauge};
use facts::{Facts, Finding, Quantity, Severity};
use record::{Channel, RuleId, StableSort, Unit};

pub(super) const RULE: Rule = Rule::new(RuleId::own("supply-droops"), check);

/// Share of the voltage by which USB permits 5 V to fall at the device: 4.75 V of 5 V (USB 2.0, section 7.2.2).
const DROOP_MIN: f64 = 0.05;
/// Share of the lowest and of the highest currents that stand for rest and load.
const ENDS: usize = 10;
/// Minimum number of readings with voltage and current.
const READINGS_MIN: usize = 20;
/// Voltage follows current that closely only through the resistance of supply and cable.
const CORRELATION_MAX: f64 = -0.8;
/// Mains voltage is not the input of a board.
const MILLIVOLTS_MAX: f64 = 60_000.0;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(source) = facts.power_source().as_ref().filter(|source| source.is_whole()) else { return Vec::new() };
    let of = |unit: Unit| {
        let is_it = |channel: &&Channel| channel.unit == unit && channel.id.is_of_same_chip(source.id(facts));
        facts.samples.channels.iter().find(is_it)
    };
    let (Some(volts), Some(amperes)) = (of(Unit::Millivolts), of(Unit::Milliamperes)) else { return Vec::new() };
    droop(facts, volts, amperes).into_iter().collect()
}

fn droop(facts: &Facts<'_>, volts: &Channel, amperes: &Channel) -> Option<Finding> {
    let voltage = gauge(facts, volts, view::whole_run());
    let current = gauge(facts, amperes, view::whole_run());
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for reading in &current {
        let same = voltage.iter().find(|other| other.row == reading.row);
        pairs.extend(same.map(|other| (reading.value as f64, other.value as f64)));
    }
    let line = Line::through(&pairs).filter(|_| pairs.len() >= READINGS_MIN)?;
    pairs.stable_sort_by(|a, b| a.0.total_cmp(&b.0));
    let end = (pairs.len() / ENDS).max(1);
    let middle = |part: &[(f64, f64)]| median(&part.iter().map(|(_, millivolts)| *millivolts).collect::<Vec<_>>());
    let (rest, load) = (middle(&pairs[..end])?, middle(&pairs[pairs.len() - end..])?);
    let is_droop = rest - load >= DROOP_MIN * rest && line.correlation <= CORRELATION_MAX && rest <= MILLIVOLTS_MAX;
    if !is_droop {
        return None;
    }
    let template = "The input voltage falls from {rest} at rest to {load} under load: {ohms} of supply and cable. Use a \
                    shorter or thicker cable, or a better supply.";
    let volts_of = |millivolts: f64| Quantity::Score(millivolts / 1000.0, "V".into());
    let (first, last) = (voltage.first()?.at_ms, voltage.last()?.at_ms);
    let finding = Finding::new(RULE.id, Severity::Info, template)
        .with("rest", volts_of(rest))
        .with("load", volts_of(load))
        .with("ohms", Quantity::Score(-line.slope, "V/A".into()));
    Some(at_samples(facts, finding, &volts.id, first, last))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{gauge_channel, labelled, own_run};
    use crate::tests::sentences;
    use record::{ChannelId, HwmonChannel, HwmonKind, Unit};

    #[test]
    fn resistance_of_the_cable() {
        // 5.2 V behind 0 to 300 mΩ, idle at 0.5 A and loaded with 2.5 A; and a sensor of the mains.
        for (millivolts, milliohms, expected) in
            [(5_200, 0, None), (5_200, 60, None), (5_200, 300, Some("0.300 V/A")), (230_000, 9_000, None)]
        {
            let amperes: Vec<i64> = (0..40).map(|row| if row < 20 { 500 + row } else { 2_500 + row }).collect();
            let volts: Vec<i64> = amperes.iter().map(|current| millivolts - current * milliohms / 1000).collect();
            let watts: Vec<i64> = amperes.iter().zip(&volts).map(|(current, volts)| current * volts).collect();
            let id = |kind| ChannelId::Hwmon(0, HwmonChannel::Sensor(kind, 1));
            let record = gauge_channel(own_run(), id(HwmonKind::Power), Unit::Microwatts, &watts);
            let record =
                gauge_channel(labelled(record, "power_meter"), id(HwmonKind::Voltage), Unit::Millivolts, &volts);
            let record = gauge_channel(record, id(HwmonKind::Current), Unit::Milliamperes, &amperes);
            let found = sentences(RULE.id, &record);
            assert_eq!(found.len(), usize::from(expected.is_some()), "{millivolts} {milliohms}: {found:?}");
            let says = |words: &str| found[0].contains(words) && found[0].contains("from 5.0");
            assert!(expected.is_none_or(says), "{found:?}");
        }
    }
}
