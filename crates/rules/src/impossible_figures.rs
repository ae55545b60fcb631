//! Rule: impossible-figures. A clock or a score exceeds what such a machine can reach: a counter with another rate, a
//! system clock that jumped, a program that skipped its work, or an edited log.

use super::place::step_place;
use super::score_low::judged;
use super::{Rule, Subject};
use compare::reference::Reference;
use facts::{Facts, Figure, Finding, Quantity, Scope, Severity, view};
use record::{RuleId, Variant, WorkloadId};

pub(super) const RULE: Rule =
    Rule { subjects: &[Subject::Clock, Subject::Memory], ..Rule::new(RuleId::own("impossible-figures"), check) };

/// Readings of clock and score are accurate to a few percent: beyond this, one of them is wrong.
const SINGLE_TIMES_MAX: f64 = 2.0;
/// No CPU is faster with all CPUs busy than alone; the single run may have been slow.
const MULTI_TIMES_MAX: f64 = 2.0;
/// Margin for more channels and faster chips than on any other board with the SoC.
const MEMORY_TIMES_MAX: f64 = 4.0;
/// Minimum number of boards that define the usual range of a SoC.
const BOARDS_MIN: usize = 3;
/// An access to the L1 cache takes three or four cycles.
const LATENCY_NS_MIN: f64 = 0.3;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let mut found = singles(facts);
    found.extend(clocks(facts));
    found.extend(multi(facts));
    found.extend(memory(facts));
    found
}

fn finding(facts: &Facts<'_>, step: usize, template: &'static str) -> Finding {
    Finding::new(RULE.id, Severity::Invalid, template).confidence(95).of([step]).at(step_place(facts, step))
}

fn clocks(facts: &Facts<'_>) -> Option<Finding> {
    let passes = [Variant::COLD, Variant::HOT_AFTER, Variant::HOT_LOADED];
    let clocks = passes.iter().flat_map(|variant| facts.cluster_clocks(variant));
    let highest =
        clocks.max_by_key(|clock| clock.measured_khz).filter(|clock| clock.measured_khz > view::CLOCK_KHZ_MAX)?;
    let template = "The measured clock of {cpus} is {measured}; no CPU reaches that, so the reading is wrong.";
    let finding = finding(facts, highest.step, template).with("cpus", Quantity::Cpus(highest.cluster_cpus.clone()));
    // All scores were measured with the same clock.
    Some(finding.about(Scope::Machine).with("measured", Quantity::Khz(highest.measured_khz)))
}

/// True if a score exceeds the usual range at its clock so far that one of them is wrong.
pub(super) fn is_impossible(score: f64, usual_high: f64) -> bool {
    score > SINGLE_TIMES_MAX * usual_high
}

fn singles(facts: &Facts<'_>) -> Vec<Finding> {
    let scores = judged(facts.known_figures(), Reference::builtin()).into_iter();
    let wrong = scores.filter(|score| is_impossible(score.lowest(), score.expected.high));
    let template = "{core} would be {percent} faster in single-threaded 7-zip than usual for this core at {clock} \
                    ({score}; usual {low} to {high}): the score or the clock is wrong.";
    let finding = |score: super::score_low::ScoreCheck<'_>| Finding {
        severity: Severity::Invalid,
        ..score.finding(facts, RULE.id, template).of([score.figure.step])
    };
    wrong.map(finding).collect()
}

/// Score on all CPUs against the sum of what each reaches alone. CPUs without a score count as the fastest.
fn multi(facts: &Facts<'_>) -> Option<Finding> {
    let is_of = |figure: &&Figure, variant: &Variant| {
        figure.is_main && figure.key.is_of(WorkloadId::SevenZip) && figure.key.is_form(variant)
    };
    let figures = facts.figures();
    let multi = figures.iter().find(|figure| is_of(figure, &Variant::MULTI))?;
    let singles: Vec<&Figure> = figures.iter().filter(|figure| is_of(figure, &Variant::SINGLE)).collect();
    let fastest = singles.iter().map(|figure| figure.value).reduce(f64::max)?;
    let alone = f64::from(view::cpu_count(facts)?) * fastest;
    let template = "7-zip on all CPUs has {multi} where all CPUs together would have {alone} if each were as fast as \
                    the fastest alone: one of the scores is wrong.";
    (multi.value > MULTI_TIMES_MAX * alone).then(|| {
        let finding = finding(facts, multi.step, template).with("multi", Quantity::Mips(multi.value));
        finding.with("alone", Quantity::Mips(alone))
    })
}

fn memory(facts: &Facts<'_>) -> Option<Finding> {
    let is_memory = |figure: &&Figure| figure.is_main && figure.key.workload().is_of_memory();
    let memory: Vec<&Figure> = facts.known_figures().iter().filter(is_memory).collect();
    let value = |figure: &Figure| Quantity::Score(figure.value, figure.unit.clone());
    let is_none = |figure: &&&Figure| figure.unit == "ns" && figure.value < LATENCY_NS_MIN;
    if let Some(figure) = memory.iter().find(is_none) {
        let template = "{figure} is {value}: no access is that fast, so the reading is wrong.";
        let finding = finding(facts, figure.step, template).with("figure", Quantity::Text(figure.name()));
        return Some(finding.with("value", value(figure)));
    }
    let soc = facts.soc().known().filter(|_| !memory.is_empty())?;
    let judged = memory.into_iter().filter(|figure| figure.higher_is_better).filter_map(|figure| {
        let core_type = figure.core.as_ref().and_then(|core| core.core_type.as_deref());
        let usual = Reference::builtin().usual_of_soc(soc, core_type, &figure.key)?;
        Some((figure, 1.0 + figure.gain_percent(usual.median)? / 100.0, usual))
    });
    let wrong = judged.filter(|(_, times, usual)| usual.boards >= BOARDS_MIN && *times > MEMORY_TIMES_MAX);
    let (figure, times, usual) = wrong.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let template = "{figure} is {value}, {times} times what {boards} boards with this SoC have ({usual}): the reading \
                    is wrong.";
    let finding = finding(facts, figure.step, template)
        .with("figure", Quantity::Text(figure.name()))
        .with("value", value(figure))
        .with("times", Quantity::ratio(times, 0))
        .with("boards", Quantity::Count(usual.boards as i64));
    Some(finding.with("usual", Quantity::Score(usual.median, figure.unit.clone())))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::score_low::tests::a53;
    use crate::test_support::{compression, own_run, point, with_clocks, with_step};
    use crate::tests::{findings_of, sentences};
    use facts::{Severity, Verdict};
    use record::{Cluster, Fact, Record, Variant, WorkloadId};

    fn verdict(record: &Record) -> Verdict {
        explain::explain(record).assessment.verdict
    }

    #[test]
    fn clocks_and_scores_that_cannot_be_are_invalid() {
        let fast = a53(18_000_000, 1360);
        assert_eq!(
            sentences(RULE.id, &fast),
            ["The measured clock of CPUs 0-3 is 18000 MHz; no CPU reaches that, so the reading is wrong."]
        );
        assert_eq!(verdict(&fast), Verdict::Invalid);
        let found = findings_of(RULE.id, &a53(1_800_000, 13_600));
        assert!(found[0].sentence().contains("the score or the clock is wrong"), "{}", found[0].sentence());
        assert_eq!(verdict(&a53(1_800_000, 13_600)), Verdict::Invalid);
        for (clock_khz, mips) in [(1_800_000, 1360), (900_000, 1360), (6_200_000, 1360)] {
            assert_eq!(sentences(RULE.id, &a53(clock_khz, mips)), [""; 0], "{clock_khz} {mips}");
        }
    }

    #[test]
    fn all_cpus_do_no_more_than_each_alone() {
        for (multi, expected) in [(13_000, 1), (5_500, 0)] {
            let clocks = (0..4).map(|cpu| point(cpu, 1_800_000, 1_800_000)).collect();
            let mut record = with_clocks(own_run(), Variant::COLD, clocks);
            record.machine.clusters =
                vec![Cluster { cpus: vec![0, 1, 2, 3], core_type: Fact::Known("Cortex-A53".into()), policy: None }];
            for (variant, cpus, mips) in [(Variant::SINGLE, &[0][..], 1400), (Variant::MULTI, &[], multi)] {
                record = with_step(record, WorkloadId::SevenZip, variant, cpus, (1.0, 2.0), compression(mips));
            }
            let found = findings_of(RULE.id, &record);
            assert_eq!(found.len(), expected, "{multi}");
            assert!(found.iter().all(|finding| finding.severity == Severity::Invalid));
        }
    }
}
