//! Data for other systems: main figures under names that are stable across runs, and steps as tests.

use facts::{Explanation, Facts, Figure, Verdict};
use record::{Outcome, Record, Step};
use std::collections::BTreeMap;

/// A main figure.
pub(super) struct Score {
    /// `sevenzip_16_multi`, `clock_cold_cortex_a76`: workload, method, variant and core type in lower-case letters,
    /// digits and underscores. Figures of two methods never share a name, so that no series mixes them.
    pub(super) name: String,
    /// The figure.
    pub(super) figure: Figure,
}

/// Main figures that are comparable between runs, sorted by name; empty for an invalid result, because trackers keep
/// values forever.
pub(super) fn scores(facts: &Facts<'_>, explained: &Explanation) -> Vec<Score> {
    if explained.verdict == Verdict::Invalid {
        return Vec::new();
    }
    let mut named: BTreeMap<String, Figure> = BTreeMap::new();
    for figure in
        facts.figures().iter().filter(|figure| is_tracked(facts, figure)).filter(|figure| figure.value.is_finite())
    {
        let core = figure.core.as_ref();
        // Physical figures have no method; their keys contain 0.
        let key = figure.key.as_str().replace("@0", "");
        let bare = slug(&[&key, &core.map(facts::figures::Core::label).unwrap_or_default()]);
        let by_cpus = || slug(&[&bare, &core.map(|core| record::cpu_list(&core.cpus)).unwrap_or_default()]);
        let name = if named.contains_key(&bare) { by_cpus() } else { bare };
        named.entry(name).or_insert(figure.clone());
    }
    named.into_iter().map(|(name, figure)| Score { name, figure }).collect()
}

/// True for comparable main figures, and for power and energy of main scores: the amount of work behind joules differs between
/// machines, but not between runs of one.
fn is_tracked(facts: &Facts<'_>, figure: &Figure) -> bool {
    let is_of_main = || facts.scores().iter().any(|score| score.is_main && score.steps.contains(&figure.step));
    let step = &facts.steps[figure.step];
    let is_steady_work = step.not_comparable.is_none() && step.set_clock.is_none();
    (figure.is_main && figure.not_comparable.is_none()) || (figure.key.is_power() && is_steady_work && is_of_main())
}

/// Outcome of a step as a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TestOutcome {
    /// The step has a result.
    Passed,
    /// The step has no result.
    Failed,
    /// The step was not run.
    Skipped,
}

impl TestOutcome {
    /// Outcome of a whole result: degraded figures are genuine.
    pub(super) fn of(verdict: Verdict) -> Self {
        if verdict == Verdict::Invalid { Self::Failed } else { Self::Passed }
    }

    /// `pass`, `fail` or `skip`.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Passed => "pass",
            Self::Failed => "fail",
            Self::Skipped => "skip",
        }
    }
}

/// Time `at_ms` into a run as UTC in this format; `None` if the start is unknown.
pub(super) fn utc(record: &Record, at_ms: i64, form: &str) -> Option<String> {
    let ms = record.run.started.known()?.saturating_add(at_ms);
    facts::utc(ms, form)
}

/// A step as a test.
pub(super) struct Test<'a> {
    /// `sevenzip_multi_3`: workload, variant, and run number.
    pub(super) name: String,
    /// Outcome.
    pub(super) outcome: TestOutcome,
    /// Reason, unless the step passed.
    pub(super) why: String,
    /// The step.
    pub(super) step: &'a Step,
}

/// Steps as tests, in order. Names are unique.
pub(super) fn tests(record: &Record) -> Vec<Test<'_>> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut all = Vec::with_capacity(record.steps.len());
    for step in &record.steps {
        let name = slug(&[step.workload.as_str(), step.variant.as_str()]);
        let count = counts.entry(name.clone()).or_default();
        *count += 1;
        let name = if *count == 1 { name } else { format!("{name}_{count}") };
        all.push(ended(name, step));
    }
    all
}

fn ended(name: String, step: &Step) -> Test<'_> {
    let (outcome, why) = match &step.outcome {
        Outcome::Done(_) => (TestOutcome::Passed, String::new()),
        Outcome::Failed(failure) => (TestOutcome::Failed, failure.message.clone()),
        Outcome::Skipped(missing) => (TestOutcome::Skipped, missing.to_string()),
    };
    Test { name, outcome, why, step }
}

/// Words joined to one name: lower-case letters, digits and single underscores.
pub(super) fn slug(words: &[&str]) -> String {
    let mut name = String::new();
    for word in words.iter().flat_map(|words| words.split(|c: char| !c.is_ascii_alphanumeric())) {
        if !word.is_empty() {
            name.extend((!name.is_empty()).then_some('_'));
            name.push_str(&word.to_ascii_lowercase());
        }
    }
    name
}
