//! Rule: low-voltage. The board's own alarm reported that its supply was too low.

use super::place::at_samples;
use super::{Rule, thermal_messages};
use facts::view::{self, FirmwareBits, gauge};
use facts::{Cause, Facts, Finding, Quantity, Severity};
use record::{ChannelId, HwmonChannel, RaspberryPiChannel, RuleId};

pub(super) const RULE: Rule = Rule::new(RuleId::own("low-voltage"), check);

/// Message of the Raspberry Pi firmware.
const OF_FIRMWARE: ChannelId = ChannelId::RaspberryPi(RaspberryPiChannel::Throttled);

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    // The Raspberry Pi firmware has more details, which its own rule reports.
    if facts.samples.channel(&OF_FIRMWARE).is_some() {
        return Vec::new();
    }
    let alarms = view::channels(facts, |id| matches!(id, ChannelId::Hwmon(_, HwmonChannel::Alarm)));
    let found = alarms.filter_map(|channel| {
        let readings = gauge(facts, channel, view::whole_run());
        let first = readings.iter().find(|reading| reading.value > 0)?;
        let last_ms = readings.last()?.at_ms;
        let finding = Finding::new(
            RULE.id,
            Severity::Degraded,
            "Low supply voltage, first after {first} (alarm of {name}); boards lower their clock in this case. Use a \
             better supply or a shorter cable.",
        );
        let finding = at_samples(facts, finding, &channel.id, first.at_ms, last_ms);
        let finding = finding.with("first", Quantity::Ms(first.at_ms));
        Some(finding.with("name", Quantity::Text(channel.label.clone())))
    });
    let found: Vec<Finding> = found.collect();
    if !found.is_empty() || facts.firmware_bits(&0) != FirmwareBits::Unknown {
        return found;
    }
    let template = "The kernel reported a low supply voltage ({message}).";
    thermal_messages::finding(facts, RULE.id, Cause::LowVoltage, template).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::{OF_FIRMWARE, RULE};
    use crate::test_support::{gauge_channel, labelled, own_run, with_message};
    use crate::tests::sentences;
    use record::{ChannelId, HwmonChannel, Unit};

    #[test]
    fn message_of_the_kernel_is_told_where_nothing_else_is() {
        for (text, expected) in [
            ("hwmon hwmon1: Undervoltage detected!", 1),
            ("Under-voltage detected! (0x00050005)", 1),
            ("hwmon hwmon1: Voltage normalised", 0),
        ] {
            assert_eq!(sentences(RULE.id, &with_message(own_run(), text)).len(), expected, "{text}");
        }
    }

    #[test]
    fn alarm_is_told_unless_the_firmware_says_more() {
        for (values, expected) in [(&[0, 0, 1, 1], 1), (&[0, 0, 0, 0], 0)] {
            let id = ChannelId::Hwmon(1, HwmonChannel::Alarm);
            let record = labelled(gauge_channel(own_run(), id, Unit::Count, values), "rpi_volt");
            let found = sentences(RULE.id, &record);
            assert_eq!(found.len(), expected);
            assert!(found.iter().all(|sentence| sentence.contains("(alarm of rpi_volt)")));
            let record = gauge_channel(record, OF_FIRMWARE, Unit::Bits, &[0, 0, 0, 0]);
            assert_eq!(sentences(RULE.id, &record), [""; 0]);
        }
    }
}
