//! Rule: clock-ok. Every cluster measured the clock that the kernel claims.

use super::place::step_place;
use super::{Role, Rule, Subject};
use super::{clock_lower_hot, opp_not_honoured};
use facts::{Facts, Finding, Quantity, Severity, view};
use record::{RuleId, Variant};

pub(super) const RULE: Rule =
    Rule { subjects: &[Subject::Clock], role: Role::GoodNews, ..Rule::new(RuleId::own("clock-ok"), check) };

/// Same limit as in the rules for clocks below and above the claim.
const DEVIATION_PERCENT_MAX: f64 = 1.0;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let clocks = facts.cluster_clocks(&Variant::COLD);
    let is_equal = |clock: &view::ClusterClock| {
        let deviation = clock.deviation_percent();
        let limit = clock.tolerance_percent(DEVIATION_PERCENT_MAX);
        deviation.filter(|deviation| deviation.abs() < limit)
    };
    let deviations: Option<Vec<f64>> = clocks.iter().map(is_equal).collect();
    let Some(deviations) = deviations.filter(|deviations| !deviations.is_empty()) else { return Vec::new() };
    let worst = deviations.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()));
    let Some(worst) = worst else { return Vec::new() };
    let cpus: Vec<u32> = clocks.iter().flat_map(|clock| clock.cluster_cpus.clone()).collect();
    // Inconsistent readings say nothing about the clock of their CPUs.
    let others = facts.all_cluster_clocks(&Variant::COLD);
    let is_part = others.iter().any(|clock| !clock.is_steady && !cpus.contains(&clock.cpu));
    let falls = !clock_lower_hot::lowered(facts).is_empty();
    let misses_lower = !opp_not_honoured::RULE.found(facts).is_empty();
    let template = match (is_part, falls) {
        (true, _) => "The measured clock of {cpus} matches the advertised one (deviation {deviation}).",
        (false, false) if misses_lower => {
            "At the highest OPP, measured clocks match the advertised ones (largest deviation {deviation})."
        }
        (false, true) => "Measured clocks match the advertised ones before the load (largest deviation {deviation}).",
        (false, false) => "Measured clocks match the advertised ones (largest deviation {deviation}).",
    };
    let finding = Finding::new(RULE.id, Severity::Info, template);
    let mut steps: Vec<usize> = clocks.iter().map(|clock| clock.step).collect();
    steps.dedup();
    vec![
        finding
            .confidence(97)
            .with("deviation", Quantity::Percent(worst))
            .with("cpus", Quantity::Cpus(cpus))
            .at_all(steps.into_iter().map(|step| step_place(facts, step))),
    ]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{own_run, point, with_clocks};
    use crate::tests::sentences;
    use record::Variant;

    #[test]
    fn clock_ok_needs_all_clusters() {
        let good = point(0, 1_800_000, 1_797_000);
        let record = with_clocks(own_run(), Variant::COLD, vec![good.clone()]);
        assert_eq!(
            sentences(RULE.id, &record),
            ["Measured clocks match the advertised ones (largest deviation -0.2 %)."]
        );
        let low = [(1_000_000, 1_200_000), (800_000, 1_000_000)].map(|(opp, measured)| point(0, opp, measured));
        let record = with_clocks(own_run(), Variant::COLD, [vec![good.clone()], low.to_vec()].concat());
        assert_eq!(
            sentences(RULE.id, &record),
            ["At the highest OPP, measured clocks match the advertised ones (largest deviation -0.2 %)."]
        );
        let bad = vec![good, point(1, 1_800_000, 1_700_000)];
        assert_eq!(sentences(RULE.id, &with_clocks(own_run(), Variant::COLD, bad)), [""; 0]);
        assert_eq!(sentences(RULE.id, &own_run()), [""; 0]);
    }
}
