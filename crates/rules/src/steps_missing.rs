//! Rule: steps-missing. Workloads failed, gave wrong answers or were not run; each with its reason.

use super::built_in_used::stands_in;
use super::place::step_place;
use super::{Role, Rule, Subject};
use facts::{Facts, Finding, Place, Quantity, Severity, view};
use record::{End, Failure, FailureKind, Mode, Outcome, RuleId, Step, Variant, WorkloadId};

pub(super) const RULE: Rule =
    Rule { subjects: &[Subject::Memory], role: Role::Gap, ..Rule::new(RuleId::own("steps-missing"), check) };

/// Template for skipped steps.
const SKIPPED: &str = "{step} was skipped: {reason}.";
const SEVERAL_SKIPPED: &str = "{step} were skipped: {reason}.";

/// Template for steps that a log monitored, without a sign of a failure.
const LACKING: &str = "The log has monitoring data of {step}, but no result.";

/// True for a finding on steps that were not tried.
pub fn is_skip(finding: &Finding) -> bool {
    finding.rule == RULE.id && [SKIPPED, SEVERAL_SKIPPED].contains(&finding.template)
}

/// Multi-core runs of every standard run.
const MULTI_RUNS: usize = 3;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for (index, step) in facts.steps.iter().enumerate() {
        let finding = match &step.outcome {
            Outcome::Done(_) => continue,
            // Steps after Ctrl-C are not reported; the run itself says so.
            Outcome::Failed(failure) if failure.kind == FailureKind::Interrupted => continue,
            // The copy of a log ends there, which another rule reports.
            Outcome::Failed(_) if ends_in(facts, index) => continue,
            Outcome::Failed(failure) => {
                let is_wrong = failure.kind == FailureKind::WrongAnswer;
                let severity = if is_wrong || is_main_score_lost(facts, step) || is_all_lost(facts) {
                    Severity::Invalid
                } else {
                    Severity::Degraded
                };
                // Text that is not in the log does not show that the step failed.
                if failure.message == Failure::NOT_IN_LOG && severity < Severity::Invalid {
                    let lacking = Finding::new(RULE.id, Severity::Info, LACKING);
                    add(&mut findings, named(facts, index, lacking, "log"));
                    continue;
                }
                let names_it = failure.message.starts_with(&format!("{} ", view::step_name(step)));
                let template = if names_it { "{reason}." } else { "{step} failed: {reason}." };
                Finding::new(RULE.id, severity, template).with("reason", sentence_part(&failure.message))
            }
            Outcome::Skipped(_) if stands_in(facts, step).is_some() => continue,
            Outcome::Skipped(missing) => {
                let severity = if step.workload != WorkloadId::Clock && is_all_lost(facts) {
                    Severity::Invalid
                } else {
                    Severity::Info
                };
                Finding::new(RULE.id, severity, SKIPPED).with("reason", sentence_part(&missing.to_string()))
            }
        };
        let of = step.workload.to_string();
        add(&mut findings, named(facts, index, finding, &of));
    }
    findings.extend(too_few_runs(facts));
    findings
}

/// Finding with the name of its step. A single repetition has its number, because the score has others.
fn named(facts: &Facts<'_>, index: usize, finding: Finding, of: &str) -> Finding {
    let step = &facts.steps[index];
    let is_other = |other: &Step| other.workload == step.workload && other.variant == step.variant;
    let is_done = |other: &Step| is_other(other) && matches!(other.outcome, Outcome::Done(_));
    let is_repetition = view::is_log(facts) && step.variant == Variant::MULTI && facts.steps.iter().any(is_done);
    let run = is_repetition.then(|| Quantity::Text((step.repetition + 1).to_string()));
    finding
        .confidence(99)
        .with("step", Quantity::Text(view::step_name(step)))
        .with_known("run", run)
        .with("workload", Quantity::Text(of.to_owned()))
        .at(step_place(facts, index))
}

/// Repetitions, clusters and variants that fail for the same reason form one finding.
fn add(findings: &mut Vec<Finding>, finding: Finding) {
    let is_same = |known: &Finding| {
        let values = ["workload", "reason"];
        known.severity == finding.severity && values.iter().all(|name| known.value(name) == finding.value(name))
    };
    match findings.iter_mut().find(|known| is_same(known)) {
        Some(known) => merge(known, finding),
        None => findings.push(finding),
    }
}

fn ends_in(facts: &Facts<'_>, step: usize) -> bool {
    view::is_log(facts) && facts.run.end == End::Died && step + 1 == facts.steps.len()
}

/// Adds the places of a finding with the same reason, and the name of its step if it differs.
fn merge(known: &mut Finding, other: Finding) {
    let name = other.value("step").map(ToString::to_string);
    let step = known.values.iter_mut().find(|(name, _)| *name == "step");
    if let (Some((_, Quantity::Text(steps))), Some(name)) = (step, name)
        && !steps.split(", ").any(|step| step == name)
    {
        steps.push_str(", ");
        steps.push_str(&name);
        if known.template == SKIPPED {
            known.template = SEVERAL_SKIPPED;
        }
    }
    let run = other.value("run").map(ToString::to_string);
    if let (Some((_, Quantity::Text(runs))), Some(run)) =
        (known.values.iter_mut().find(|(name, _)| *name == "run"), run)
    {
        runs.push_str(", ");
        runs.push_str(&run);
    }
    known.places.extend(other.places);
}

/// True for 7-zip or its replacement without a score in any run. A missing score on one core does not affect the one on
/// all CPUs.
fn is_main_score_lost(facts: &Facts<'_>, failed: &Step) -> bool {
    let is_main = |step: &Step| step.workload.id().is_some_and(WorkloadId::is_main);
    let replaces = |variant: &Variant| *variant == failed.variant || *variant == Variant::MULTI;
    let is_done = |step: &Step| replaces(&step.variant) && is_main(step) && matches!(step.outcome, Outcome::Done(_));
    is_main(failed) && !facts.steps.iter().any(is_done)
}

/// True without any score of the purpose of this run: a program, loads by name, or one of two sides.
fn is_all_lost(facts: &Facts<'_>) -> bool {
    if facts.run.mode == Mode::Ab {
        let is_done = |step: &&Step| matches!(step.outcome, Outcome::Done(_));
        let has = |side: Variant| facts.steps.iter().filter(is_done).any(|s| s.variant == side);
        return !has(Variant::SIDE_A) || !has(Variant::SIDE_B);
    }
    let is_for_them = matches!(facts.run.mode, Mode::Command | Mode::Loads | Mode::Geekbench | Mode::Phoronix);
    let is_score = |step: &Step| step.workload != WorkloadId::Clock && matches!(step.outcome, Outcome::Done(_));
    is_for_them && !view::is_log(facts) && !facts.steps.iter().any(is_score)
}

/// Reason without its full stop, because the template has its own.
fn sentence_part(reason: &str) -> Quantity {
    Quantity::Text(reason.trim().trim_end_matches('.').to_owned())
}

/// A log does not name a run that is missing: the kernel killed it, or it crashed.
pub(super) fn too_few_runs(facts: &Facts<'_>) -> Option<Finding> {
    let is_parallel = view::cpu_count(facts).is_some_and(|cpus| cpus > 1);
    let done = facts.multi_totals().len();
    let tried = facts.steps.iter().filter(|step| step.variant == Variant::MULTI).count();
    // Reviews without benchmarks, Geekbench and Phoronix have no 7-zip at all.
    let has_any = view::compressions(facts).next().is_some();
    let expected = view::is_log(facts) && has_any && is_parallel;
    if !expected || done >= MULTI_RUNS || tried > done {
        return None;
    }
    let severity = if done == 0 { Severity::Invalid } else { Severity::Degraded };
    Some(
        Finding::new(RULE.id, severity, "Only {done} of {expected} runs of 7-zip on all CPUs gave a result.")
            .with("done", Quantity::Count(done as i64))
            .with("expected", Quantity::Count(MULTI_RUNS as i64))
            .of(facts.multi_totals().iter().copied().map(|(step, _)| step))
            .at(Place::Field("steps".into())),
    )
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, log, own_run, with_step};
    use crate::tests::{findings_of, sentences};
    use facts::Severity;
    use record::{Failure, FailureKind, Missing, Mode, Outcome, Record, Variant, WorkloadId, WorkloadName};

    fn failed(workload: impl Into<WorkloadName>, variant: Variant, kind: FailureKind) -> Record {
        let mut record = with_step(own_run(), workload, variant, &[], (0.0, 1.0), compression(1));
        record.steps[0].outcome = Outcome::Failed(Failure {
            kind,
            message: "it took longer than 60 s and was ended.".into(),
            output_tail: String::new(),
            exit_status: None,
        });
        record
    }

    #[test]
    fn failures_are_named_and_weighed() {
        let record = failed(WorkloadId::OpenSsl, Variant::AES_128_CBC, FailureKind::TimedOut);
        assert_eq!(
            sentences(RULE.id, &record),
            ["openssl aes-128-cbc failed: it took longer than 60 s and was ended."]
        );
        for (workload, kind, expected) in [
            (WorkloadId::OpenSsl, FailureKind::TimedOut, Severity::Degraded),
            (WorkloadId::OpenSsl, FailureKind::WrongAnswer, Severity::Invalid),
            (WorkloadId::SevenZip, FailureKind::Signal, Severity::Invalid),
        ] {
            let found = findings_of(RULE.id, &failed(workload, Variant::MULTI, kind));
            assert_eq!(found[0].severity, expected, "{workload:?}");
        }
        let interrupted = failed(WorkloadId::SevenZip, Variant::MULTI, FailureKind::Interrupted);
        assert_eq!(sentences(RULE.id, &interrupted), [""; 0]);
    }

    #[test]
    fn run_without_scores_is_invalid() {
        for (mode, expected) in [
            (Mode::Standard, [Severity::Degraded, Severity::Info]),
            (Mode::Command, [Severity::Invalid, Severity::Invalid]),
            (Mode::Geekbench, [Severity::Invalid, Severity::Invalid]),
        ] {
            let mut record = failed("own", Variant::ONLY, FailureKind::ExitStatus);
            record = with_step(record, "other", "", &[], (1.0, 2.0), compression(1));
            record.run.mode = mode.clone();
            record.steps[1].outcome = Outcome::Skipped(Missing::absent("tool"));
            let found = findings_of(RULE.id, &record);
            assert_eq!(found.iter().map(|f| f.severity).collect::<Vec<_>>(), expected);
            record = with_step(record, "good", "", &[], (2.0, 3.0), compression(1));
            let found = findings_of(RULE.id, &record);
            assert!(found.iter().all(|f| f.severity != Severity::Invalid), "{mode}");
        }
    }

    #[test]
    fn one_side_alone_is_no_answer() {
        let mut record = failed("own", Variant::SIDE_B, FailureKind::ExitStatus);
        record.run.mode = Mode::Ab;
        let record = with_step(record, "own", Variant::SIDE_A, &[], (1.0, 2.0), compression(1));
        let found = findings_of(RULE.id, &record);
        assert_eq!(found[0].severity, Severity::Invalid);
        let record = with_step(record, "own", Variant::SIDE_B, &[], (2.0, 3.0), compression(1));
        let found = findings_of(RULE.id, &record);
        assert_eq!(found[0].severity, Severity::Degraded);
    }

    /// A step that a log monitored did not fail if only its text is missing; garbled text is a failure.
    #[test]
    fn result_that_is_not_in_a_log_is_no_failure() {
        for (message, severity, expected) in [
            (Failure::NOT_IN_LOG, Severity::Info, "The log has monitoring data of stockfish, but no result."),
            ("it printed no total", Severity::Degraded, "stockfish failed: it printed no total."),
        ] {
            let mut record = failed(WorkloadId::Stockfish, Variant::ONLY, FailureKind::Garbled);
            let Outcome::Failed(failure) = &mut record.steps[0].outcome else { unreachable!() };
            failure.message = message.to_owned();
            let found = findings_of(RULE.id, &record);
            assert_eq!((found[0].severity, found[0].sentence().as_str()), (severity, expected));
        }
    }

    #[test]
    fn equal_skips_are_merged() {
        let mut record = own_run();
        for _ in 0..3 {
            record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 1.0), compression(1));
            let missing = Missing::unsupported("7zz", "no 7-zip is installed");
            record.steps.last_mut().unwrap().outcome = Outcome::Skipped(missing);
        }
        assert_eq!(sentences(RULE.id, &record), ["7-zip on all CPUs was skipped: no 7-zip is installed."]);
        let record = with_step(record, WorkloadId::Lzma, Variant::MULTI, &[], (1.0, 2.0), compression(1));
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
    }

    #[test]
    fn log_with_too_few_runs_says_so() {
        for (runs, expected) in [(3, None), (2, Some(Severity::Degraded)), (0, Some(Severity::Invalid))] {
            let mut record =
                with_step(log("0.9.58"), WorkloadId::SevenZip, Variant::SINGLE, &[0], (0.0, 1.0), compression(1));
            for _ in 0..runs {
                record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (1.0, 2.0), compression(9));
            }
            let found = findings_of(RULE.id, &record);
            assert_eq!(found.first().map(|finding| finding.severity), expected, "{runs}");
        }
    }
}
