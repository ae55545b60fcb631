//! Rule: power-limit. Clocks fell under load although it was not hot: a limit of power or current.

use super::place::samples_place;
use super::slowdown::{self, Cause};
use super::thermal_throttling::kernel_says_heat;
use super::{Check, Rule, Throttles};
use crate::{Finding, Quantity, Severity, view};
use record::{Record, RuleId};

pub(super) const RULE: Rule = Rule {
    id: RuleId::own("power-limit"),
    about: "Clocks dropped under load without heat: a power or current limit.",
    link: "https://docs.kernel.org/power/powercap/powercap.html",
    check: Check::Record(check),
    throttles: Throttles::Clock,
    ..Rule::PLAIN
};

fn check(record: &Record) -> Vec<Finding> {
    let falls = view::clock_falls(record);
    let heat = kernel_says_heat(record);
    let of_cause = |cause| {
        let mut falls = falls.clone();
        falls.retain(|fall| slowdown::cause(record, fall, heat) == cause);
        falls
    };
    let causes = [Cause::Power, Cause::Unknown, Cause::ManyCores, Cause::Turbo];
    causes
        .into_iter()
        .filter_map(|cause| {
            let falls = of_cause(cause);
            let fall = slowdown::worst(&falls)?;
            let finding = finding(cause)
                .with("phase", Quantity::Text(fall.phase.clone()))
                .with("clock_before", Quantity::Khz(fall.top_khz))
                .with("clock_after", Quantity::Khz(fall.low_khz))
                .with("clock_mean", Quantity::Khz(fall.mean_khz))
                .with("first", Quantity::Ms(fall.first_ms))
                .at_all(
                    falls.iter().map(|fall| samples_place(record, &fall.channel, fall.first_ms, fall.window.end_ms)),
                );
            let finding = match fall.temp_millicelsius_max {
                Some(temp) => finding.with("temperature", Quantity::Millicelsius(temp)),
                None => finding,
            };
            let finding = after_heat(record, cause, finding, fall.temp_millicelsius_max);
            let counts = finding.severity > Severity::Info || cause != Cause::Turbo;
            let loss = slowdown::clock_loss_percent(record).filter(|loss| counts && *loss > 0.0);
            Some(finding.explains(loss))
        })
        .take(1)
        .collect()
}

/// No temperature is harmless in a run that had been hot before: the limits of a chip remember.
fn after_heat(record: &Record, cause: Cause, finding: Finding, temp_millicelsius: Option<i64>) -> Finding {
    let hottest = view::heat(record, view::whole_run()).map_or(0, |heat| heat.millicelsius_max);
    let is_cool = matches!(cause, Cause::Power | Cause::Heat | Cause::Governor);
    if !is_cool || hottest < HOT_MILLICELSIUS || temp_millicelsius >= Some(hottest) {
        return finding;
    }
    Finding {
        template: "During {phase}, the clock dropped from {clock_before} to {clock_after} (average {clock_mean}) at \
                   {temperature}: a power or current limit. The temperature reached {hottest} elsewhere in this run, \
                   which can also cause a power limit.",
        ..finding
    }
    .with("hottest", Quantity::Millicelsius(hottest))
}

/// Firmware lowers the limit of power long before the kernel throttles.
const HOT_MILLICELSIUS: i64 = 90_000;

fn finding(cause: Cause) -> Finding {
    match cause {
        Cause::ManyCores => Finding::new(
            RULE.id,
            Severity::Info,
            "With all CPUs busy the clock is {clock_mean} instead of {clock_before} from the start of {phase}: the \
             all-core limit of this CPU.",
        )
        .sure(75),
        Cause::Turbo => Finding::new(
            RULE.id,
            Severity::Info,
            "During {phase}, the clock varied between {clock_after} and {clock_before} (average {clock_mean}), which \
             is normal for turbo clocks.",
        )
        .sure(80),
        Cause::Unknown => Finding::new(
            RULE.id,
            Severity::Degraded,
            "During {phase}, the clock dropped from {clock_before} to {clock_after} (average {clock_mean}); without a \
             temperature sensor the cause (heat or power limit) is unknown.",
        )
        .sure(70),
        Cause::Power | Cause::Heat | Cause::Governor => Finding::new(
            RULE.id,
            Severity::Degraded,
            "During {phase}, the clock dropped from {clock_before} to {clock_after} (average {clock_mean}) at only \
             {temperature}: a power or current limit.",
        )
        .sure(75),
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::Severity;
    use crate::rules::tests::{findings_of, sentences};
    use crate::test_support::*;
    use record::{ChannelId, Fact, Record, Unit, Variant, WorkloadId};

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
        assert_eq!(findings_of(RULE.id, &run("x86_64", &FELL, Some(99))).len(), 0);
        assert_eq!(findings_of(RULE.id, &run("x86_64", &[TOP; 9], Some(60))).len(), 0);
        let unknown = findings_of(RULE.id, &run("x86_64", &FELL, None));
        assert!(unknown[0].sentence().contains("is unknown"));
    }

    #[test]
    fn lower_clock_for_many_cores_is_by_design() {
        let khz = [TOP, TOP, TOP, LOW, LOW, LOW, LOW, LOW, LOW];
        let found = findings_of(RULE.id, &run("x86_64", &khz, Some(60)));
        assert_eq!(found[0].severity, Severity::Info);
    }
}
