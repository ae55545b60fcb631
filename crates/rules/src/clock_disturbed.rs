//! Rule: clock-disturbed. The windows of a clock reading contradict each other.
//!
//! The highest rate that several windows support is still the clock. If few windows agree, another
//! task used the CPU, or the clock changed during the reading.

use super::clock_lower_hot;
use super::place::step_place;
use super::{Rule, Subject};
use facts::{Facts, Finding, Quantity, Severity, view};
use record::{RuleId, Variant};

pub(super) const RULE: Rule = Rule { subjects: &[Subject::Clock], ..Rule::new(RuleId::own("clock-disturbed"), check) };

/// On a quiet machine more than nine of ten windows agree; below one fifth the clock
/// itself is doubtful.
const AGREEING_PERMILLE_MIN: u32 = 200;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let mut findings = few_agree(facts);
    findings.extend(under_load(facts));
    findings
}

/// Second clock pass under leftover load of the first.
fn under_load(facts: &Facts<'_>) -> Option<Finding> {
    let fall = clock_lower_hot::useless(facts)?;
    Some(Finding {
        rule: RULE.id,
        severity: Severity::Info,
        template: "This sbc-bench version measured the second clock pass under leftover load: its {hot}, after {cold} \
                   before, is not a valid reading.",
        ..fall.confidence(85)
    })
}

/// Readings in which few windows agree, or fewer than three.
fn few_agree(facts: &Facts<'_>) -> Vec<Finding> {
    let mut worst: Option<(u32, usize, u32)> = None;
    let mut disturbed = 0;
    for variant in [Variant::COLD, Variant::COLD_CORES, Variant::COLD_ALL_CPUS] {
        for (step, clocks) in view::clock_passes(facts, &variant) {
            for point in &clocks.points {
                let Some(windows) = &point.windows else { continue };
                let is_alone = windows.supported == Some(false);
                let few = windows.agreeing_permille < AGREEING_PERMILLE_MIN;
                if windows.count == 0 || !(few || is_alone) {
                    continue;
                }
                disturbed += 1;
                if worst.is_none_or(|(agreeing, _, _)| windows.agreeing_permille < agreeing) {
                    worst = Some((windows.agreeing_permille, step, point.cpu));
                }
            }
        }
    }
    let Some((agreeing, step, cpu)) = worst else { return Vec::new() };
    let finding = Finding::new(
        RULE.id,
        Severity::Info,
        "{disturbed} clock readings were disturbed: on CPU {cpu} only {agreeing} of the timing windows agree with the \
         best.",
    );
    vec![
        finding
            .with("disturbed", Quantity::Count(disturbed))
            .with("cpu", Quantity::Count(cpu.into()))
            .with("agreeing", Quantity::Percent(f64::from(agreeing) / 10.0))
            .at(step_place(facts, step)),
    ]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{gauge_channel, log, own_run, point, with_clocks};
    use crate::tests::sentences;
    use record::{ChannelId, RaspberryPiChannel, Unit, Variant};

    /// A lower clock that the firmware reports as well is no artefact of the second pass.
    #[test]
    fn a_clock_of_the_firmware_confirms_the_second_pass() {
        for (firmware_khz, expected) in [(1_900_000, 0), (2_147_000, 1)] {
            let printed =
                |mhz| record::ClockPoint { opp_khz: Some(2_147_000), printed_mhz: Some(mhz), ..<_>::default() };
            let record = with_clocks(log("0.9.2"), Variant::COLD, vec![printed(2_145)]);
            let record = with_clocks(record, Variant::HOT_AFTER, vec![printed(1_899)]);
            let id = ChannelId::RaspberryPi(RaspberryPiChannel::LogFirmwareClock);
            let record = gauge_channel(record, id, Unit::Kilohertz, &[2_147_000, firmware_khz]);
            assert_eq!(sentences(RULE.id, &record).len(), expected, "{firmware_khz}");
        }
    }

    #[test]
    fn few_agreeing_windows_are_a_disturbance() {
        for (agreeing_permille, supported, expected) in [(50, true, 1), (800, true, 0), (800, false, 1)] {
            let mut reading = point(0, 1_800_000, 1_800_000);
            let windows = reading.windows.as_mut().unwrap();
            windows.agreeing_permille = agreeing_permille;
            windows.supported = Some(supported);
            let record = with_clocks(own_run(), Variant::COLD, vec![reading]);
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }
}
