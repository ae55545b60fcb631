//! A score with the repetitions behind it, each with the time in which it was measured.

use facts::Elasticity;
use facts::stats::median;
use facts::view::{self, OnlineCpus, ScoreSteps, cpu_ns, waited_ns};
use facts::{Facts, Figure};
use record::{Outcome, Step, StepMeasurement, Total, Variant, Window, WorkBound};

/// A score with its repetitions.
pub(super) struct Score<'a> {
    pub figure: &'a Figure,
    /// The first step behind it.
    pub step: &'a Step,
    /// All repetitions; at least one.
    pub runs: Vec<Run<'a>>,
    /// Number of CPUs that the score can use.
    pub busy_cpus: u32,
    /// CPUs online over time; `None` if the machine's CPUs are unknown.
    pub online: Option<OnlineCpus>,
}

/// A repetition.
pub(super) struct Run<'a> {
    pub step: &'a Step,
    pub window: Window,
    /// Work per time.
    pub rate: f64,
}

/// Share of a fall between two repetitions from which it is a single step.
const ONE_STEP_SHARE_MAX: f64 = 0.8;

impl<'a> Score<'a> {
    /// Score of these steps, if it has a ledger: main scores, and scores with a known cost of a lower clock.
    pub(super) fn of(facts: &'a Facts<'_>, steps: &ScoreSteps) -> Option<Self> {
        let mut figures: Vec<&Figure> = facts.figures().iter().collect();
        figures.retain(|figure| figure.is_main && steps.steps.contains(&figure.step));
        // The summary line shows AES-256; shorter keys are faster.
        if figures.iter().any(|figure| figure.key.is_form(&Variant::AES_256_CBC)) {
            figures.retain(|figure| figure.key.is_form(&Variant::AES_256_CBC));
        }
        let better = |a: &&Figure, b: &&Figure| {
            if a.higher_is_better { a.value.total_cmp(&b.value) } else { b.value.total_cmp(&a.value) }
        };
        let figure = figures.into_iter().max_by(better)?;
        let step = facts.steps.get(figure.step)?;
        if steps.workload.is_of_memory() || !(steps.is_main || Elasticity::is_known(step)) {
            return None;
        }
        let is_same = |other: &&(usize, &Step)| {
            let other = other.1;
            (other.variant == step.variant, &other.cpus, other.threads) == (true, &step.cpus, step.threads)
        };
        let all = steps.steps.iter().filter_map(|index| Some((*index, facts.steps.get(*index)?)));
        let all: Vec<(usize, &Step)> = all.collect();
        let repeated = all.iter().filter(is_same);
        let mut runs: Vec<Run> = repeated
            .filter_map(|(_, step)| {
                let rate = view::step_score(step)?.rate();
                Some(Run { step, window: step.window, rate })
            })
            .collect();
        cut(&mut runs);
        let cpus = view::cpu_count(facts).unwrap_or(1);
        let online = OnlineCpus::of(facts);
        let expected = match WorkBound::of(&step.workload, &step.variant) {
            WorkBound::Unknown if step.cpus.is_empty() => {
                cpus_wanted(&runs).or_else(|| cpus_seen_busy(facts, online.as_ref()?, &runs)).unwrap_or(cpus)
            }
            _ => view::busy_cpus_expected(step),
        };
        let busy_cpus = expected.clamp(1, cpus.max(1));
        (!runs.is_empty()).then_some(Self { figure, step, runs, busy_cpus, online })
    }

    /// Reached value as work per time.
    pub(super) fn rate(&self) -> f64 {
        self.of_rate(self.figure.value)
    }

    /// Converts between the unit of the score and work per time.
    pub(super) fn of_rate(&self, value: f64) -> f64 {
        if self.figure.higher_is_better { value } else { 1.0 / value }
    }

    /// Number of CPUs that a repetition could use; offline CPUs are counted elsewhere.
    pub(super) fn cpus_there(&self, run: &Run<'_>) -> f64 {
        let wanted = f64::from(self.busy_cpus);
        self.online.as_ref().map_or(wanted, |online| online.mean(run.window).min(wanted))
    }

    /// Whether the score uses all CPUs.
    pub(super) fn is_on_all(&self, facts: &Facts<'_>) -> bool {
        view::cpu_count(facts).is_some_and(|cpus| self.busy_cpus >= cpus)
    }

    /// Rate of the best repetition without a cause, if there are two: the rows of a log may miss a part of a single one.
    pub(super) fn free_best(&self, is_free: impl Fn(usize) -> bool) -> Option<f64> {
        let free = self.runs.iter().enumerate().filter(|(index, _)| is_free(*index));
        let free: Vec<f64> = free.map(|(_, run)| run.rate).collect();
        free.iter().copied().reduce(f64::max).filter(|_| free.len() > 1)
    }

    /// Ratio of the score to the best repetition, at most 1.
    pub(super) fn kept_of_best(&self) -> f64 {
        let best = self.runs.iter().map(|run| run.rate).reduce(f64::max).unwrap_or(0.0);
        if best > 0.0 { (self.rate() / best).min(1.0) } else { 1.0 }
    }

    /// Ratio of the score to the first repetition, at most 1.
    pub(super) fn kept_of_first(&self) -> f64 {
        let first = self.runs.first().map_or(0.0, |run| run.rate);
        if first > 0.0 { (self.rate() / first).min(1.0) } else { 1.0 }
    }

    /// Whether each repetition is lower than the one before it. A fall that lies between two of three did not build up.
    pub(super) fn falls_step_by_step(&self) -> bool {
        let pairs = self.runs.iter().zip(self.runs.iter().skip(1));
        let falls: Vec<f64> = pairs.map(|(before, after)| (before.rate / after.rate).ln()).collect();
        let least = -(1.0 - super::SAME_SHARE).ln();
        let largest = falls.iter().copied().fold(0.0, f64::max);
        let is_spread = falls.len() == 1 || largest <= ONE_STEP_SHARE_MAX * falls.iter().total::<f64>();
        !falls.is_empty() && is_spread && falls.iter().all(|fall| *fall > least)
    }

    /// Ratio of the score to the first quarter of a series, if the load reports one.
    pub(super) fn kept_of_early(&self, facts: &Facts<'_>) -> f64 {
        let trends = facts.series_trends();
        let of_step = trends.iter().find(|trend| trend.step == self.figure.step);
        of_step.map_or(1.0, |trend| (self.rate() / self.of_rate(trend.early)).min(1.0))
    }
}

/// Number of CPUs used by an unknown program, from the samples of its repetitions.
fn cpus_seen_busy(facts: &Facts<'_>, online: &OnlineCpus, runs: &[Run<'_>]) -> Option<u32> {
    let uses = runs.iter().flat_map(|run| facts.cpu_use(&run.window));
    let busy: Vec<f64> = uses.map(|usage| usage.busy / 100.0 * f64::from(online.at(usage.at_ms))).collect();
    Some(median(&busy)?.round() as u32)
}

/// Number of CPUs on which a program ran or waited to run.
fn cpus_wanted(runs: &[Run<'_>]) -> Option<u32> {
    let of = |run: &Run<'_>| {
        let wanted_ns = cpu_ns(run.step)? + waited_ns(run.step)?;
        Some(wanted_ns / (run.window.elapsed_ms().max(1) as f64 * 1e6))
    };
    let wanted: Vec<f64> = runs.iter().filter_map(of).collect();
    Some(median(&wanted)?.round() as u32)
}

/// Splits the common window of a log's repetitions by their durations: equal work takes longer at a lower rate.
fn cut(runs: &mut [Run<'_>]) {
    let Some(whole) = runs.first().map(|run| run.window).filter(|_| runs.len() > 1) else { return };
    let is_one = runs.iter().all(|run| (run.window.start_ms, run.window.end_ms) == (whole.start_ms, whole.end_ms));
    let time: f64 = runs.iter().map(|run| 1.0 / run.rate).total();
    if !is_one || whole.elapsed_ms() <= 0 || time <= 0.0 {
        return;
    }
    let mut from_ms = whole.start_ms as f64;
    for run in runs {
        let to_ms = from_ms + whole.elapsed_ms() as f64 / run.rate / time;
        run.window = Window { start_ms: from_ms as i64, end_ms: to_ms as i64, ..Window::default() };
        from_ms = to_ms;
    }
}

/// 7-zip's own figures for a repetition.
pub(super) fn compression<'a>(run: &Run<'a>) -> Option<&'a record::Compression> {
    match &run.step.outcome {
        Outcome::Done(StepMeasurement::Compression(done)) => Some(done),
        _ => None,
    }
}
