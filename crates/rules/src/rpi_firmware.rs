//! Rule: rpi-firmware. The firmware of a Raspberry Pi reported under-voltage, a capped clock or throttling.
//!
//! Only events during the run count: live bits, or a sticky bit that rose. A log has the bits after the run only, which
//! count with other evidence.

use super::place::samples_place;
use super::{Precondition, Rule, Subject, ThrottledPart, slowdown};
use facts::view::{self, FirmwareBits};
use facts::{Facts, Finding, Place, Quantity, Scope, Severity};
use record::{BoardInput, ChannelId, RaspberryPiChannel, RuleId};

pub(super) const RULE: Rule = Rule {
    subjects: &[Subject::Storage],
    throttles: ThrottledPart::Clock,
    when: Precondition::Both,
    ..Rule::new(RuleId::own("rpi-firmware"), check)
};

/// Meaning of the four bits.
const BITS: [(u32, &str); 4] = [
    (0, "under-voltage (the power supply or its cable is too weak)"),
    (1, "a capped clock"),
    (2, "throttling"),
    (3, "the soft temperature limit"),
];

/// True for Records of a Raspberry Pi whose firmware was queried.
pub(super) fn is_raspberry_pi(facts: &Facts<'_>) -> bool {
    facts.firmware_bits(&0) != FirmwareBits::Unknown
}

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let found = BITS.iter().filter_map(|(bit, meaning)| {
        let state = facts.firmware_bits(bit);
        let finding = finding(facts, *bit, state)?;
        Some(finding.with("what", Quantity::Text((*meaning).to_owned())).with("bit", Quantity::Count((*bit).into())))
    });
    found.collect()
}

fn finding(facts: &Facts<'_>, bit: u32, state: FirmwareBits) -> Option<Finding> {
    match state {
        FirmwareBits::Clear | FirmwareBits::Unknown => None,
        FirmwareBits::Live { samples, of, first_ms } => {
            let Some(channel) = facts.samples.channel(&ChannelId::RaspberryPi(RaspberryPiChannel::Throttled)) else {
                return Some(right_after(facts));
            };
            let place = samples_place(facts, &channel.id, first_ms, first_ms);
            Some(
                Finding::new(
                    RULE.id,
                    Severity::Degraded,
                    "The firmware reported {what} in {samples} of {of} samples, first after \
                     {first}.",
                )
                .confidence(99)
                .with("samples", Quantity::Count(samples as i64))
                .with("of", Quantity::Count(of as i64))
                .with("first", Quantity::Ms(first_ms))
                .at(place),
            )
        }
        FirmwareBits::RoseDuringRun => Some(
            Finding::new(
                RULE.id,
                Severity::Degraded,
                "The firmware recorded {what} during the run, too briefly to be sampled.",
            )
            .confidence(97)
            .at(Place::Field("states".into())),
        ),
        FirmwareBits::SinceBoot if bit == 0 => Some(under_voltage(facts).unwrap_or_else(|| since_boot(facts, bit))),
        FirmwareBits::SinceBoot => Some(since_boot(facts, bit)),
    }
}

/// A log has the bits once, from the end of the run.
fn right_after(facts: &Facts<'_>) -> Finding {
    Finding::new(RULE.id, Severity::Degraded, "The firmware reported {what} right after the run.")
        .confidence(97)
        .at(bits_place(facts))
}

fn bits_place(facts: &Facts<'_>) -> Place {
    view::firmware_bits_line(facts).map_or(Place::Field("states".into()), Place::Line)
}

/// Under-voltage of a log whose rows show it: the firmware ran its lowest clock while the kernel asked for more.
fn under_voltage(facts: &Facts<'_>) -> Option<Finding> {
    let rows = facts.under_voltage_rows();
    let at_ms = |row: Option<&usize>| facts.samples.at_ms.get(*row?).copied();
    let (first_ms, last_ms) = (at_ms(rows.first())?, at_ms(rows.last())?);
    let input = facts.samples.channel(&ChannelId::BoardInput(BoardInput::Log));
    let lowest = input.and_then(|input| rows.iter().filter_map(|row| input.values.get(*row).copied().flatten()).min());
    let finding = Finding::new(
        RULE.id,
        Severity::Degraded,
        "The firmware recorded {what} since boot, and lowered the clock in this run[ while the supply was down to \
         {supply}].",
    );
    let volts = lowest.map(|microvolts| Quantity::measured(microvolts as f64 / 1e6, "V", 2));
    let channel = view::firmware_clock_channel(facts)?;
    let place = samples_place(facts, &channel.id, first_ms, last_ms);
    Some(finding.confidence(90).with_known("supply", volts).about(Scope::Machine).during(first_ms, last_ms).at(place))
}

/// A sticky bit of unknown age needs clocks or scores that dropped during the run as evidence.
fn since_boot(facts: &Facts<'_>, bit: u32) -> Finding {
    let scores: Vec<f64> = facts.multi_totals().iter().map(|(_, mips)| *mips).collect();
    // The other bits are of heat, unless the supply was too weak.
    let hot = slowdown::hot_millicelsius(facts);
    let was_cool = bit > 0 && facts.heat_of_run().is_some_and(|heat| heat.millicelsius_max < hot);
    let is_of_supply = !facts.under_voltage_rows().is_empty();
    let dropped = facts.firmware_clocks().is_some()
        || !facts.clock_falls().is_empty()
        || view::fall_percent(&scores).is_some_and(|fall| fall >= 3.0);
    let finding = if dropped && (!was_cool || is_of_supply) {
        Finding::new(
            RULE.id,
            Severity::Degraded,
            "The firmware recorded {what} since boot, and clocks or scores dropped in this run.",
        )
        .confidence(85)
    } else {
        Finding::new(
            RULE.id,
            Severity::Info,
            "The firmware recorded {what} since boot, before or during the run (the log does not show which).",
        )
        .confidence(50)
    };
    finding.at(bits_place(facts))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, gauge_channel, log, own_run, state, with_step};
    use crate::tests::{findings_of, sentences};
    use facts::Severity;
    use record::{ChannelId, RaspberryPiChannel, Unit, Variant, WorkloadId};

    #[test]
    fn live_and_sticky_bits() {
        let bits = [0x50000, 0x50005, 0x50005, 0x50000];
        let record = gauge_channel(own_run(), ChannelId::RaspberryPi(RaspberryPiChannel::Throttled), Unit::Bits, &bits);
        assert_eq!(
            sentences(RULE.id, &record),
            [
                "The firmware reported under-voltage (the power supply or its cable is too weak) \
                 in 2 of 4 samples, first after 500 ms.",
                "The firmware reported throttling in 2 of 4 samples, first after 500 ms.",
            ]
        );
        let record =
            gauge_channel(own_run(), ChannelId::RaspberryPi(RaspberryPiChannel::Throttled), Unit::Bits, &[0xf0000; 4]);
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
    }

    /// Rows at the lowest clock of the firmware are those of a recorded under-voltage; throttling of a cool SoC without
    /// them is of another time.
    #[test]
    fn sticky_bits_belong_to_a_run_that_shows_them() {
        let clocks = [2_400_000, 2_400_000, 1_500_000, 1_500_000];
        for (bits, celsius, expected) in [
            (0x1_0000, 55, &["and lowered the clock in this run while the supply was down to 4.45 V."][..]),
            (0x5_0000, 55, &["while the supply was down to 4.45 V.", "and clocks or scores dropped in this run."]),
            (0x4_0000, 55, &["(the log does not show which)."]),
            (0x4_0000, 84, &["and clocks or scores dropped in this run."]),
        ] {
            let record =
                with_step(log("0.9.48"), WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 1.8), compression(1));
            let mut record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &[2_400_000; 4]);
            let firmware = ChannelId::RaspberryPi(RaspberryPiChannel::LogFirmwareClock);
            record = gauge_channel(record, firmware, Unit::Kilohertz, &clocks);
            let input = ChannelId::BoardInput(record::BoardInput::Log);
            record = gauge_channel(record, input, Unit::Microvolts, &[5_110_000, 4_300_000, 4_450_000, 4_490_000]);
            record = gauge_channel(record, ChannelId::Soc, Unit::Millicelsius, &[celsius * 1000; 4]);
            record.machine.policies[0].opps_khz = vec![1_500_000, 2_400_000];
            record.states = vec![state(None), state(Some(bits))];
            let found = sentences(RULE.id, &record);
            assert_eq!(found.len(), expected.len(), "{bits:x}: {found:?}");
            assert!(found.iter().zip(expected).all(|(sentence, end)| sentence.ends_with(end)), "{found:?}");
        }
    }

    #[test]
    fn sticky_bits_of_a_log_need_other_evidence() {
        let mut record = log("0.9.72");
        record.states = vec![state(None), state(Some(0x20000))];
        assert_eq!(findings_of(RULE.id, &record)[0].severity, Severity::Info);
        for score in [2639, 2110, 1544] {
            record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 1.0), compression(score));
        }
        assert_eq!(findings_of(RULE.id, &record)[0].severity, Severity::Degraded);
    }
}
