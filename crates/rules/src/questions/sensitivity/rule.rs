//! Rule: clock-sensitivity. What a workload loses when the clock falls, and what limits it.

use crate::questions::sensitivity::{Sensitivity, results};
use crate::tables::{Role, Rule, Subject};
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::RuleId;

pub(super) const RULE: Rule = Rule {
    subjects: &[Subject::Clock],
    role: Role::Answer,
    about: "How workloads depend on the CPU clock, and what limits them.",
    ..Rule::new(RuleId::own("clock-sensitivity"), check)
};

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    results(facts).iter().filter_map(finding).collect()
}

fn finding(result: &Sensitivity) -> Option<Finding> {
    let elasticity = result.elasticity?;
    let words = match elasticity.value {
        little if little < 0.1 => "is nearly independent of the clock",
        part if part < 0.9 => "partly depends on the clock",
        _ => "scales with the clock",
    };
    let bound = |index: usize| elasticity.interval.map(|interval| Quantity::ratio(interval[index], 2));
    let finding = Finding::new(
        RULE.id,
        Severity::Info,
        "{name} {words} (elasticity {elasticity}[, {low} to {high}]); it {differs} at the highest clock than at the lowest. \
         Limited by: {limiter}.",
    );
    Some(
        finding
            .confidence(95)
            .with("name", Quantity::Text(result.name.clone()))
            .with("words", Quantity::Text(words.into()))
            .with("elasticity", Quantity::ratio(elasticity.value, 2))
            .with_known("low", bound(0))
            .with_known("high", bound(1))
            .with("differs", Quantity::Text(result.difference_words()?))
            .with("change", Quantity::Percent(result.change_percent()?))
            .with("limiter", Quantity::Text(result.limiter.words().into()))
            .at_all(result.steps.iter().map(|step| Place::Step(*step))),
    )
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, own_run, with_step};
    use crate::tests::sentences;
    use record::{SetClock, Variant, WorkloadId};

    #[test]
    fn sensitivity_sentence() {
        let mut record = own_run();
        for (khz, mips) in [(600_000, 1000), (1_500_000, 2500)] {
            record = with_step(record, WorkloadId::SevenZip, Variant::SINGLE, &[0], (0.0, 9.0), compression(mips));
            record.steps.last_mut().unwrap().set_clock = Some(SetClock::Khz(khz));
        }
        let found = sentences(RULE.id, &record);
        let expected = "7-zip single-threaded scales with the clock (elasticity 1.00); it is 150 % faster at the highest \
                        clock than at the lowest. Limited by: unknown.";
        assert_eq!(found, [expected]);
        assert_eq!(sentences(RULE.id, &own_run()), [""; 0]);
    }
}
