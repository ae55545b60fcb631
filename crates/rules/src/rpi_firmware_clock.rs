//! Rule: rpi-firmware-clock. The firmware ran a lower clock than the kernel reported.

use super::Rule;
use super::place::samples_place;
use facts::{EvidenceSource, Facts, Finding, Quantity, Severity};
use record::RuleId;

pub(super) const RULE: Rule = Rule::new(RuleId::own("rpi-firmware-clock"), check);

/// The two clocks are read one after the other: a single sample can straddle a change.
const SAMPLES_MIN: usize = 2;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let clock = facts.firmware_clocks().as_ref().filter(|clock| clock.samples >= SAMPLES_MIN);
    let found = clock.map(|clock| {
        let lost = 1.0 - f64::from(clock.firmware_khz) / f64::from(clock.claimed_khz.max(1));
        let finding = Finding::new(
            RULE.id,
            Severity::Degraded,
            "In {samples} of {of} samples the firmware ran a lower clock than cpufreq reported, down to {firmware} \
             instead of {claimed}.",
        )
        .confidence(95)
        .with("samples", Quantity::Count(clock.samples as i64))
        .with("of", Quantity::Count(clock.of as i64))
        .with("firmware", Quantity::Khz(clock.firmware_khz))
        .with("claimed", Quantity::Khz(clock.claimed_khz))
        .with("lost", Quantity::Percent(100.0 * lost))
        .seen_by(EvidenceSource::FirmwareClock(clock.channel.clone()))
        .with_known("supply", clock.is_of_supply.then_some(Quantity::Khz(clock.firmware_khz)));
        finding.of(clock.steps.iter().copied()).during(clock.first_ms, clock.last_ms).at(samples_place(
            facts,
            &clock.channel,
            clock.first_ms,
            clock.last_ms,
        ))
    });
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, gauge_channel, log, with_step};
    use crate::tests::sentences;
    use record::{ChannelId, RaspberryPiChannel, Unit, Variant, WorkloadId};

    #[test]
    fn lower_clock_of_the_firmware_is_named() {
        for (firmware, expected) in [([1_200_000; 4], 1), ([1_400_000; 4], 0)] {
            let record = with_step(log("0.4"), WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 2.0), compression(1));
            let record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &[1_400_000; 4]);
            let record = gauge_channel(
                record,
                ChannelId::RaspberryPi(RaspberryPiChannel::LogFirmwareClock),
                Unit::Kilohertz,
                &firmware,
            );
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }
}
