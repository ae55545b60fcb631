//! Rule: others-off. The run switched CPUs off for a program that starts a thread for each CPU it sees.

use super::Rule;
use super::place::step_place;
use facts::{Facts, Finding, Quantity, Severity};
use record::{RuleId, WorkloadId};

pub(super) const RULE: Rule = Rule::new(RuleId::own("others-off"), check);

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let off = facts.switched_off();
    let mut cpus: Vec<u32> = off.iter().map(|off| off.cpu).collect();
    cpus.sort_unstable();
    cpus.dedup();
    let alone = |at_ms| off.iter().any(|off| off.is_at(at_ms));
    let steps = facts.steps.iter().enumerate();
    let mut steps = steps.filter(|(_, step)| {
        let is_elsewhere = !step.cpus.is_empty() && !cpus.iter().all(|cpu| step.cpus.contains(cpu));
        step.workload != WorkloadId::Clock && is_elsewhere && alone(step.window.start_ms)
    });
    let Some((index, first)) = steps.next() else { return Vec::new() };
    let finding = Finding::new(
        RULE.id,
        Severity::Info,
        "This run took {cpus} offline temporarily to restrict {program} to its CPUs.",
    );
    vec![
        finding
            .confidence(99)
            .with("cpus", Quantity::Cpus(cpus))
            .with("program", Quantity::Text(first.workload.to_string()))
            .at(step_place(facts, index)),
    ]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{own_run, series, with_cpu_switched, with_step};
    use crate::tests::sentences;
    use record::{Variant, WorkloadId};

    #[test]
    fn program_is_named() {
        let record = with_step(own_run(), WorkloadId::Geekbench, Variant::ONLY, &[0, 1], (10.0, 20.0), series(&[1.0]));
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
        let record = with_cpu_switched(record, 2, 9_500, Some(20_100));
        let record = with_cpu_switched(record, 3, 9_600, Some(20_200));
        assert_eq!(
            sentences(RULE.id, &record),
            ["This run took CPUs 2-3 offline temporarily to restrict geekbench to its CPUs."]
        );
    }
}
