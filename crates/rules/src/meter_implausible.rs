//! Rule: meter-implausible. Readings of a power meter are impossible; its figures are not used.

use super::Rule;
use facts::view::{self, Doubt};
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::{ChannelId, RuleId};

pub(super) const RULE: Rule = Rule::new(RuleId::own("meter-implausible"), check);

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let channels = facts.samples.channels.iter().enumerate();
    let meters = channels.filter(|(_, channel)| {
        // An unused battery also reports zero, correctly.
        let is_meter = matches!(channel.id, ChannelId::Meter(..) | ChannelId::Hwmon(..));
        is_meter && channel.is_power()
    });
    meters
        .filter_map(|(at, channel)| {
            let doubt = view::power_doubt(facts, channel)?;
            let name = match channel.label.as_str() {
                "" => channel.id.to_string(),
                label => format!("{} ({label})", channel.id),
            };
            let place = Place::Field(format!("samples.channels[{at}]"));
            let cpus = facts.machine.cpus.len() as i64;
            Some(finding(doubt, cpus).with("meter", Quantity::Text(name)).at(place))
        })
        .collect()
}

fn finding(doubt: Doubt, cpus: i64) -> Finding {
    let watts = |milliwatts: f64| Quantity::Score(milliwatts / 1000.0, "W".into());
    let of = |template| Finding::new(RULE.id, Severity::Info, template);
    match doubt {
        Doubt::Zero => {
            of("Power meter {meter} reports 0 W while the machine runs; it does not measure this machine and is not \
                used.")
        }
        Doubt::Constant(milliwatts) => {
            of("Power meter {meter} reports a constant {power}, idle and under load; it does not measure this machine \
                and is not used.")
            .with("power", watts(milliwatts))
        }
        Doubt::Impossible(milliwatts, product) => {
            of("Power meter {meter} reports {power}, but its voltage and current give at most {product}; one of them \
                is wrong and it is not used.")
            .with("power", watts(milliwatts))
            .with("product", watts(product))
        }
        Doubt::TooLittle(milliwatts, product) => {
            of("Power meter {meter} reports {power}, but its voltage and current give {product}; one of them is wrong \
                and it is not used.")
            .with("power", Quantity::Score(milliwatts, "mW".into()))
            .with("product", watts(product))
        }
        Doubt::BelowAny(milliwatts) => of(
            "Power meter {meter} reports {power}, but no machine running Linux draws less than {least}. Its unit may \
             be wrong (W for mW) or it measures something else; it is not used.",
        )
        .with("power", Quantity::Score(milliwatts, "mW".into()))
        .with("least", Quantity::Score(view::ANY_MW_MIN, "mW".into())),
        Doubt::BeyondMachine(milliwatts, most) => of(
            "Power meter {meter} reports {power}, but a machine with {cpus} CPUs draws at most {most}. Its unit may \
             be wrong (mW for W) or it measures more than this machine; it is not used.",
        )
        .with("power", watts(milliwatts))
        .with("most", watts(most))
        .with("cpus", Quantity::Count(cpus)),
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{gauge_channel, own_run};
    use crate::tests::sentences;
    use record::{ChannelId, HwmonChannel, HwmonKind, MeterChannel, SupplyChannel, Unit};

    /// Milliwatts instead of the microwatts of the kernel's interface.
    const MIXED_UP: [i64; 6] = [3500, 3490, 3510, 3500, 3490, 3510];

    #[test]
    fn meter_that_measures_nothing_is_named() {
        let with = |id: ChannelId, milliwatts: &[i64]| {
            let record = gauge_channel(own_run(), id, Unit::Milliwatts, milliwatts);
            sentences(RULE.id, &record)
        };
        let expected = "Power meter meter.power reports 0 W while the machine runs; it does not measure this machine \
                        and is not used.";
        assert_eq!(with(ChannelId::meter(MeterChannel::Power), &[0; 10]), [expected]);
        assert_eq!(with(ChannelId::meter(MeterChannel::Power), &[3000, 3100, 0, 3000, 3200]), [""; 0]);
        let battery = ChannelId::Supply("BAT0".into(), SupplyChannel::Power);
        assert_eq!(with(battery, &[0; 10]), [""; 0]);
        let expected = "Power meter meter.power reports 3.00 mW, but no machine running Linux draws less than 50.0 mW. Its \
                        unit may be wrong (W for mW) or it measures something else; it is not used.";
        assert_eq!(with(ChannelId::meter(MeterChannel::Power), &[3, 2, 3, 4, 3]), [expected]);
        let found =
            with(ChannelId::meter(MeterChannel::Power), &[3_000_000, 2_900_000, 3_100_000, 3_000_000, 3_000_000]);
        assert!(found[0].contains("reports 3000 W, but a machine with "), "{found:?}");
        let mut record = gauge_channel(
            own_run(),
            ChannelId::Hwmon(0, HwmonChannel::Sensor(HwmonKind::Power, 1)),
            Unit::Microwatts,
            &MIXED_UP,
        );
        record = gauge_channel(
            record,
            ChannelId::Hwmon(0, HwmonChannel::Sensor(HwmonKind::Voltage, 1)),
            Unit::Millivolts,
            &[5000; 6],
        );
        record = gauge_channel(
            record,
            ChannelId::Hwmon(0, HwmonChannel::Sensor(HwmonKind::Current, 1)),
            Unit::Milliamperes,
            &[700; 6],
        );
        let expected = "Power meter hwmon0.power1 reports 3.50 mW, but its voltage and current give 3.50 W; one of them \
                        is wrong and it is not used.";
        assert_eq!(sentences(RULE.id, &record), [expected]);
    }
}
