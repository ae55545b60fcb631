//! Rule: efficiency-result. The most efficient OPP, and OPPs with anomalies.

use crate::questions::efficiency::{Anomaly, OppWalk, walks};
use crate::tables::{Role, Rule};
use facts::{Facts, Finding, Quantity, Severity};
use record::RuleId;

pub(super) const RULE: Rule = Rule {
    role: Role::Answer,
    about: "The most efficient OPP, and OPPs with anomalies.",
    ..Rule::new(RuleId::own("efficiency-result"), check)
};

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    walks(facts).iter().flat_map(findings).collect()
}

fn findings(walk: &OppWalk) -> Vec<Finding> {
    let mut found: Vec<Finding> = sweet_spot(walk).into_iter().collect();
    for (index, anomaly) in &walk.anomalies {
        let point = &walk.points[*index];
        let sentence = crate::questions::efficiency::sentence(point, anomaly);
        let severity = match anomaly {
            Anomaly::NotHonoured(_) | Anomaly::HeldBack => Severity::Degraded,
            Anomaly::OutOfProportion(_) | Anomaly::FlatVoltage(_) => Severity::Info,
        };
        let measured_khz = point.measured_khz.filter(|_| matches!(anomaly, Anomaly::NotHonoured(_)));
        let (percent, span_khz) = match anomaly {
            Anomaly::NotHonoured(percent) | Anomaly::OutOfProportion(percent) => (Some(*percent), None),
            Anomaly::FlatVoltage(span_khz) => (None, Some(*span_khz)),
            Anomaly::HeldBack => (None, None),
        };
        found.push(
            Finding::new(RULE.id, severity, "On {cpus}: {sentence}")
                .with_known("measured", measured_khz.map(Quantity::Khz))
                .with_known("deviation", percent.map(Quantity::Percent))
                .with_known("span", span_khz.map(Quantity::Khz))
                .with("cpus", Quantity::Cpus(walk.cpus.clone()))
                .with("opp", Quantity::Khz(point.opp_khz))
                .with("sentence", Quantity::Text(sentence)),
        );
    }
    found
}

fn sweet_spot(walk: &OppWalk) -> Option<Finding> {
    let best = &walk.points[walk.sweet_spot?];
    let top = walk.points.last()?;
    let saved = 100.0 * (1.0 - best.energy()? / top.energy()?);
    let template = if best.opp_khz == top.opp_khz {
        "{cpus}: the highest OPP, {opp}, needs least energy per unit of work."
    } else {
        "{cpus}: {opp} needs least energy per unit of work, {saved} less than {top}, at {share} of its performance."
    };
    Some(
        Finding::new(RULE.id, Severity::Info, template)
            .with("cpus", Quantity::Cpus(walk.cpus.clone()))
            .with("opp", Quantity::Khz(best.opp_khz))
            .with("top", Quantity::Khz(top.opp_khz))
            .with("saved", Quantity::Percent(saved))
            .with("share", Quantity::Percent(100.0 * best.score / top.score)),
    )
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, gauge_channel, own_run, with_step};
    use crate::tests::sentences;
    use record::{ChannelId, MeterChannel, Mode, SetClock, Unit, Variant, WorkloadId};

    #[test]
    fn sweet_spot_is_told() {
        let mut record = own_run();
        record.run.mode = Mode::Efficiency;
        let mut power = Vec::new();
        for (nth, (khz, mips, milliwatts)) in
            [(600_000, 1000, 2000), (1_200_000, 2000, 2500), (1_800_000, 3000, 6000)].into_iter().enumerate()
        {
            let start = 10.0 * nth as f64;
            record =
                with_step(record, WorkloadId::SevenZip, Variant::OPP, &[0], (start, start + 9.9), compression(mips));
            record.steps.last_mut().unwrap().set_clock = Some(SetClock::Khz(khz));
            power.extend([milliwatts; 20]);
        }
        let record = gauge_channel(record, ChannelId::meter(MeterChannel::Power), Unit::Milliwatts, &power);
        let expected = "CPU 0: 1200 MHz needs least energy per unit of work, 38 % less than 1800 MHz, at 67 % of its \
                        performance.";
        assert_eq!(sentences(RULE.id, &record), [expected]);
        assert_eq!(sentences(RULE.id, &own_run()), [""; 0]);
    }
}
