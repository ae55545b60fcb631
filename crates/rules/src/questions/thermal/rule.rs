//! Rule: thermal-result. How long a load held its clock, and the remaining clock.

use crate::tables::{Role, Rule};
use facts::thermal::load;
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::RuleId;

pub(super) const RULE: Rule = Rule {
    role: Role::Answer,
    about: "Time to throttling under a stress load, and the sustained clock and score.",
    ..Rule::new(RuleId::own("thermal-result"), check)
};

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let (Some(result), Some((_, _, series))) = (facts.thermal(), load(facts)) else { return Vec::new() };
    let (clock, score) = (result.steady_clock_percent(), result.steady_score_percent(series));
    let template = match (&result.throttle, clock, score) {
        (Some(_), ..) => {
            "Under {load} throttling started after {after} ({sign}); [sustained {clock} of the clock and {score} of the \
             score|sustained {clock} of the clock|sustained {score} of the score|sustained performance unknown]\
             [; maximum {max}][, {resistance}][, time constant {lag}]."
        }
        (None, Some(_), _) => {
            "Under {load} no throttling within {time}[; maximum {max}][, {resistance}][, time constant {lag}]."
        }
        (None, None, Some(_)) => {
            "Under {load} the score did not drop within {time}[; maximum {max}][, {resistance}][, time constant {lag}]; \
             no clock was read."
        }
        (None, None, None) => {
            "Whether {load} was throttled within {time} cannot be known[; maximum {max}][, {resistance}][, time constant \
             {lag}]."
        }
    };
    let share = |percent: Option<f64>| percent.map(|percent| Quantity::measured(percent, "%", 0));
    let max = result.temperature.map(|[_, max, _]| Quantity::Millicelsius((1000.0 * max).round() as i64));
    let resistance = result.power_fit.as_ref().ok().map(|fit| Quantity::measured(fit.k_per_w.value, "K/W", 1));
    let step = &facts.steps[result.step];
    let throttle = result.throttle.as_ref();
    vec![
        Finding::new(RULE.id, Severity::Info, template)
            .with("load", Quantity::Text(step.variant.to_string()))
            .with("time", Quantity::Ms(step.window.elapsed_ms()))
            .with_known("after", throttle.map(|throttle| Quantity::Ms(throttle.after_ms)))
            .with_known("sign", throttle.map(|throttle| Quantity::Text(throttle.sign.into())))
            .with_known("clock", share(clock))
            .with_known("score", share(score))
            .with_known("max", max)
            .with_known("resistance", resistance)
            .with_known("lag", result.tau_s().ok().map(|tau| Quantity::measured(tau.value, "s", 0)))
            .at(Place::Step(result.step)),
    ]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{own_run, series, with_step};
    use crate::tests::sentences;
    use record::{Variant, WorkloadId};

    #[test]
    fn load_that_loses_its_score_is_told() {
        for (end, expected) in [
            (60.0, "Under simd throttling started after 10.5 s (the score dropped); sustained 60 % of the score."),
            (100.0, "Under simd the score did not drop within 60.0 s; no clock was read."),
        ] {
            let mut values = vec![100.0; 10];
            values.extend([end; 50]);
            let mut record = with_step(own_run(), WorkloadId::Heat, Variant::SIMD, &[], (0.0, 60.0), series(&values));
            if let record::Outcome::Done(record::StepMeasurement::Series(series)) = &mut record.steps[0].outcome {
                series.at_ms = (1..=60).map(|second| second * 1000).collect();
            }
            assert_eq!(sentences(RULE.id, &record), [expected]);
        }
        assert_eq!(sentences(RULE.id, &own_run()), [""; 0]);
    }
}
