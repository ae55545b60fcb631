//! Measured scores: the steps of each, and whether the run was made for it.

use super::phases::step_name;
use record::{Outcome, Record, Step, Variant, WorkloadId, WorkloadName};
use serde::{Serialize, Serializer};
use std::fmt;

/// A score: workload and form, if forms have separate scores.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScoreKey {
    id: String,
    words: String,
}

impl ScoreKey {
    /// The score that a step is for.
    pub fn of(step: &Step) -> Self {
        let of_memory = step.workload.is_of_memory();
        let id = step.workload.id();
        let single = step.variant.is_single_of_any_kind();
        let form = match (single, step.variant.is_multi_of_any_kind()) {
            (true, _) => Some("single"),
            (_, true) => Some("multi"),
            _ => None,
        };
        match form {
            _ if of_memory => Self { id: "memory".into(), words: "memory".into() },
            Some(form) if id.is_some_and(WorkloadId::is_main) => {
                let plain = Step { variant: form.into(), ..step.clone() };
                Self { id: format!("{}-{form}", step.workload), words: step_name(&plain) }
            }
            _ => Self { id: step.workload.to_string(), words: step.workload.label().to_owned() },
        }
    }

    /// Its spelling for programs: `sevenzip-multi`, `memory`, `cpuminer`.
    pub fn as_str(&self) -> &str {
        &self.id
    }

    /// Its name for people: `7-zip on all CPUs`.
    pub fn words(&self) -> &str {
        &self.words
    }
}

impl fmt::Display for ScoreKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.id)
    }
}

impl Serialize for ScoreKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.id)
    }
}

/// A score with the steps behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScoreSteps {
    /// Score.
    pub key: ScoreKey,
    /// Workload.
    pub workload: WorkloadName,
    /// Indices in `Record::steps`, including failed steps.
    pub steps: Vec<usize>,
    /// True if the run was made for it: the verdict of the run is about these.
    pub is_main: bool,
}

/// All scores in the order in which they were first measured. What was skipped has none.
pub(crate) fn scores(record: &Record) -> Vec<ScoreSteps> {
    let mut scores: Vec<ScoreSteps> = Vec::new();
    for (index, step) in record.steps.iter().enumerate() {
        let was_run = !matches!(step.outcome, Outcome::Skipped(_));
        if !was_run || !gives_scores(step) {
            continue;
        }
        let key = ScoreKey::of(step);
        match scores.iter_mut().find(|score| score.key == key) {
            Some(score) => score.steps.push(index),
            None => {
                scores.push(ScoreSteps { key, workload: step.workload.clone(), steps: vec![index], is_main: false });
            }
        }
    }
    // The first of these that there are.
    let wanted: [fn(&ScoreSteps) -> bool; 3] = [
        |score| score.workload.id().is_some_and(WorkloadId::is_main),
        |score| !score.workload.id().is_some_and(is_stress),
        |_| true,
    ];
    if let Some(is_main) = wanted.iter().find(|is_main| scores.iter().any(is_main)) {
        scores.iter_mut().for_each(|score| score.is_main = is_main(score));
    }
    scores
}

/// False for clocks, waiting, background heat, parts of other steps, and the second version of a program, which only
/// provides a ratio.
fn gives_scores(step: &Step) -> bool {
    use WorkloadId::*;
    let is_none = |id| matches!(id, Clock | Wait | Watch | Heat);
    !step.workload.id().is_some_and(is_none)
        && !step.workload.is_within_another()
        && step.variant != Variant::OTHER_VERSION
}

/// True for loads that heat the machine; their scores are shown, but are not the purpose of the run.
fn is_stress(id: WorkloadId) -> bool {
    use WorkloadId::*;
    matches!(id, Cpuminer | Simd | Stockfish | StressNg)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, own_run, series, with_step};

    #[test]
    fn a_heat_test_is_main_only_where_it_is_all_there_is() {
        let miner = || {
            let window = (0.0, 10.0);
            with_step(own_run(), WorkloadId::Cpuminer, Variant::ONLY, &[], window, series(&[1.0]))
        };
        let told = |record: &Record| {
            let scores = scores(record).into_iter();
            scores.map(|score| format!("{} {}", score.key, score.is_main)).collect::<Vec<_>>()
        };
        assert_eq!(told(&miner()), ["cpuminer true"]);
        let record = with_step(miner(), WorkloadId::SevenZip, Variant::MULTI, &[], (20.0, 30.0), compression(7000));
        let record = with_step(record, WorkloadId::SevenZip, Variant::SINGLE, &[3], (30.0, 40.0), compression(2000));
        assert_eq!(told(&record), ["cpuminer false", "sevenzip-multi true", "sevenzip-single true"]);
        let words: Vec<String> = scores(&record).iter().map(|score| score.key.words().to_owned()).collect();
        let miner = WorkloadId::Cpuminer.label();
        assert_eq!(words, [miner, "7-zip on all CPUs", "7-zip single-threaded"]);
    }
}
