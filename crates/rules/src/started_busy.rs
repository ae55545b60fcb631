//! Rule: started-busy. The run was forced to start although the system was busy.

use super::Rule;
use facts::{Facts, Finding, Place, Quantity, Severity, view};
use record::RuleId;

pub(super) const RULE: Rule = Rule::new(RuleId::own("started-busy"), check);

/// A use of one CPU of this size, in hundredths of a percent, disturbs everything that runs next to it.
const BUSY_HUNDREDTHS_OF_CPU: u32 = 2_500;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(gate) = facts.gate.known().filter(|gate| gate.forced && !gate.passed) else { return Vec::new() };
    let named = view::process_words(&gate.busiest);
    let is_heavy = gate.busiest.iter().any(|process| process.hundredths_percent >= BUSY_HUNDREDTHS_OF_CPU);
    let severity = if is_heavy { Severity::Invalid } else { Severity::Degraded };
    let template = "The run was started with --force while {busy} of all CPUs was in use[ by {named}].";
    let busy = f64::from(gate.busy_hundredths_percent) / 100.0;
    let finding = Finding::new(RULE.id, severity, template)
        .with("busy", Quantity::Percent(busy))
        .with("named", Quantity::Text(named));
    vec![finding.at(Place::Field("gate".into()))]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::own_run;
    use crate::tests::sentences;
    use record::{BusyProcess, Fact, Gate};

    #[test]
    fn forced_start_names_busy_processes() {
        let mut record = own_run();
        let mut gate = Gate {
            forced: true,
            passed: false,
            busy_hundredths_percent: 2_600,
            busiest: vec![BusyProcess { pid: 4711, name: "cc1plus".into(), hundredths_percent: 9_900 }],
            ..Gate::default()
        };
        record.gate = Fact::Known(gate.clone());
        assert_eq!(
            sentences(RULE.id, &record),
            [
                "The run was started with --force while 26 % of all CPUs was in use by cc1plus (PID 4711, 99 % of one CPU)."
            ]
        );
        gate.passed = true;
        record.gate = Fact::Known(gate);
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
    }
}
