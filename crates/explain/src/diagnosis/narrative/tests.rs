//! Explanations in words.

use super::*;
use crate::test_support::{own_run, point, series, with_clocks, with_scores, with_step};
use facts::Facts;
use facts::{Quantity, Severity};
use record::{Variant, WorkloadId};

/// Finding of a rule about the whole machine.
fn finding(id: &str, severity: Severity, values: &[(&'static str, Quantity)]) -> Finding {
    let rule = rules::of_runs().find(|rule| rule.id.as_str() == id).unwrap();
    let template = "It is so: {a}.";
    let with = |finding: Finding, (name, value): &(&'static str, Quantity)| finding.with(name, value.clone());
    values.iter().fold(Finding::new(rule.id, severity, template).with("a", Quantity::Text(id.to_owned())), with)
}

#[test]
fn a_valid_run_has_no_reasons() {
    let mut record = with_clocks(own_run(), Variant::COLD, vec![point(0, 1_800_000, 1_799_000)]);
    record = with_scores(record, 1420, &[5345, 5370, 5331]);
    let explained = crate::diagnosis::explain(&record);
    let told = Narrative::of(&explained.facts, &explained.assessment);
    assert_eq!(told.verdict, "Results are valid.");
    assert_eq!(told.causes, []);
    assert_eq!(
        told.notes,
        [
            "Whether the CPUs were throttled under load cannot be known: no clock was read during it, and no CPU temperature \
             was read under load.",
            "Measured clocks match the advertised ones (largest deviation -0.1 %).",
        ]
    );
}

#[test]
fn a_cause_is_told_with_what_follows_from_it_and_what_helps() {
    let record = with_scores(own_run(), 1420, &[5345, 5000, 4600]);
    let found = [
        finding("thermal-throttling", Severity::Degraded, &[]),
        finding("scores-decline", Severity::Degraded, &[("fall", Quantity::Percent(14.0))]),
        finding("hot", Severity::Info, &[]),
        finding("clock-ok", Severity::Info, &[]),
    ];
    let explained = crate::diagnosis::explain_findings(&facts::Facts::of(&record), found.to_vec());
    let told = Narrative::of(&Facts::of(&record), &explained);
    assert_eq!(told.verdict, "Results are genuine, but heat took 7 % of 7-zip on all CPUs.");
    let [paragraph] = told.causes.as_slice() else { panic!("{:?}", told.causes) };
    assert_eq!((paragraph.severity, paragraph.heading.as_str()), (Severity::Degraded, "Heat"));
    assert_eq!(
        paragraph.sentences,
        [
            "It is so: thermal-throttling.",
            "It explains the drop of the multi-core score by 14 % from the first to the last run.",
            "Remedy: Cool the SoC better (heat sink, fan, airflow) and repeat the run.",
        ]
    );
    assert_eq!(told.notes, ["It is so: clock-ok."]);
}

/// A disturbance of unknown effect is no loss.
#[test]
fn a_score_without_a_measured_loss_may_be_lower() {
    let record = with_scores(own_run(), 1420, &[5345, 5345, 5345]);
    let record = with_step(record, WorkloadId::MemoryLibc, Variant::SINGLE, &[0], (4.0, 5.0), series(&[1000.0]));
    let memory = record.steps.len() - 1;
    let found = finding("background-activity", Severity::Degraded, &[]).of(vec![memory]);
    let explained = crate::diagnosis::explain_findings(&Facts::of(&record), vec![found]);
    let told = Narrative::of(&Facts::of(&record), &explained);
    assert_eq!(told.verdict, "Results are valid; only memory may be below what this machine can do: other tasks.");
}

#[test]
fn an_invalid_score_has_a_reason_that_is_less_grave() {
    let record = with_scores(own_run(), 1420, &[5345, 5000, 4600]);
    let found = [
        finding("thermal-throttling", Severity::Degraded, &[]),
        finding("scores-decline", Severity::Degraded, &[("fall", Quantity::Percent(14.0))]),
    ];
    let mut explained = crate::diagnosis::explain_findings(&Facts::of(&record), found.to_vec());
    explained.verdict = facts::Verdict::Invalid;
    let lowered = explained.scores.iter_mut().filter(|score| score.verdict == facts::Verdict::Degraded);
    lowered.for_each(|score| score.verdict = facts::Verdict::Invalid);
    let told = Narrative::of(&Facts::of(&record), &explained);
    assert_eq!(told.verdict, "Results are invalid; do not use them: heat, in 7-zip on all CPUs.");
}

#[test]
fn a_ledger_is_one_sentence() {
    use facts::{Basis, ExpectedScore, Ledger, Method, Part, Points, Tenths};
    use record::{Fact, Missing};
    let record = with_scores(own_run(), 1420, &[16_000, 14_907]);
    let points = |tenths| Points { percent: Tenths(tenths), ..Points::default() };
    let part = |cause, tenths, built_up: Option<i64>| Part {
        diagnosis: 0,
        cause,
        factor: 1.0,
        points: points(tenths),
        built_up: built_up.map(Tenths),
        method: Method::Clocks,
        by: Vec::new(),
    };
    let multi = facts::Facts::of(&record).scores().clone().into_iter().map(|score| score.key);
    let expected = ExpectedScore { value: 18_689.0, low: 18_000.0, high: 19_000.0, basis: Basis::Parts };
    let ledger = |parts: Vec<Part>, unexplained: i64, expected: Fact<ExpectedScore>| Ledger {
        negligible: Vec::new(),
        score: multi.clone().find(|key| key.words() == "7-zip on all CPUs").unwrap(),
        unit: "MIPS".into(),
        reached: 14_907.0,
        repetitions: 3,
        expected,
        parts,
        unexplained: points(unexplained),
    };
    let known = || Fact::Known(expected.clone());
    let unknown = Fact::Missing { missing: Missing::unsupported("", "no run was free of it") };
    for (ledger, expected) in [
        (
            ledger(vec![part(Cause::Heat, 202, Some(130))], 0, known()),
            Some("14907 of about 18700 MIPS; heat took 20 % (13 of it built up over the three runs)."),
        ),
        (
            ledger(vec![part(Cause::LowVoltage, 330, None), part(Cause::Heat, 100, Some(100))], 20, known()),
            Some(
                "14907 of about 18700 MIPS; under-voltage took 33 %, heat 10 % (built up over the three runs); 2 % is \
                 unexplained.",
            ),
        ),
        (
            ledger(vec![part(Cause::Heat, 100, None)], 0, unknown),
            Some("14907 MIPS; what it should have been is unknown: no run was free of it."),
        ),
        (ledger(vec![part(Cause::Heat, 2, None)], 0, known()), None),
        (ledger(Vec::new(), 0, known()), None),
    ] {
        let told = sentence::ledger(&ledger);
        assert_eq!(told.as_deref(), expected.map(|text| format!("7-zip on all CPUs: {text}")).as_deref());
    }
}
