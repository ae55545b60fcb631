//! Loss of workloads at lower clocks: elasticity, limiting resource, use of each core. Pure.
//!
//! Elasticity is the exponent in time ~ clock^-e, in each round the slope of a line through logarithms: at 1 half the
//! clock takes twice the time, at 0 the clock does not matter. Rounds alternate in direction, so drift cancels in their
//! median; its interval is that of the sign test and needs no assumption on the noise (see [`crate::questions::ab`]).

mod core_use;
mod limiter;
mod plot;
mod rule;
mod seconds;
mod text;

pub use limiter::Limiter;
pub use seconds::seconds;
pub(crate) use text::clock_words;
pub use text::text;

use crate::tables::Answer;
use facts::Facts;
use facts::change::{Change, verb_phrase};
use facts::stats::{Line, median, median_interval};
use facts::view::{self, StepScore, step_name, step_score};
use record::{Mode, Outcome, QuestionId, Record, SetClock, Step, StepMeasurement, Window, WorkloadId};

/// The answer to it.
pub(super) const ANSWER: Answer = Answer {
    id: QuestionId::Sensitivity,
    text,
    reports: &[seconds::REPORT],
    plots: &[core_use::PLOT, plot::PLOT],
    rules: &[rule::RULE],
};

/// Confidence level of the interval, in percent.
const CONFIDENCE_PERCENT: f64 = 95.0;

/// One workload at several clocks.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// The workload in words.
    pub name: String,
    /// Unit of the score.
    pub unit: String,
    /// True if a higher score is better.
    pub higher_is_better: bool,
    /// Scores at each clock, lowest clock first.
    pub levels: Vec<Level>,
    /// Elasticity of the score in the clock; `None` with fewer than two clocks.
    pub elasticity: Option<Elasticity>,
    /// Limiter at the highest clock.
    pub limiter: Limiter,
    /// Indices of the steps.
    pub steps: Vec<usize>,
}

/// The exponent in time ~ clock^-e.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elasticity {
    /// Median of the rounds.
    pub value: f64,
    /// 95 % interval of the median, from six rounds on.
    pub interval: Option<[f64; 2]>,
    /// Number of rounds with a value.
    pub rounds: usize,
}

/// One workload at one clock.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// The clock that was set.
    pub clock: SetClock,
    /// Clock in kHz or share of time in percent: the measured one if it differs from the setting.
    pub speed: f64,
    /// Median score.
    pub score: f64,
    /// Runs behind it.
    pub runs: usize,
    /// CPU time a second, in CPUs.
    pub cpu_s_per_s: Option<f64>,
    /// Use of each core in percent, by its number: all that ran, not only the workload.
    pub cores: Vec<(u32, f64)>,
    /// Share of all CPU time that waited for I/O, in percent.
    pub iowait_percent: Option<f64>,
}

impl Sensitivity {
    /// Difference of the score at the highest clock from that at the lowest in percent; negative for times.
    pub fn change_percent(&self) -> Option<f64> {
        self.top_against_lowest()?.percent()
    }

    /// `is 150 % faster`, `takes 60 % less time`: the highest clock against the lowest.
    pub fn difference_words(&self) -> Option<String> {
        Some(verb_phrase(self.change_percent()?, &self.unit, self.higher_is_better))
    }

    fn top_against_lowest(&self) -> Option<Change> {
        let (low, high) = (self.levels.first()?, self.levels.last()?);
        let change = Change { from: low.score, to: high.score, higher_is_better: self.higher_is_better };
        (self.levels.len() > 1).then_some(change)
    }

    /// CPU seconds per second that the work of the highest clock would need at a lower one.
    pub fn cpu_s_needed(&self, at: &Level) -> Option<f64> {
        let top = self.levels.last()?;
        Some(top.cpu_s_per_s? * top.speed / at.speed)
    }
}

/// All workloads that ran at several clocks, in the order of their first runs.
pub fn results(facts: &Facts<'_>) -> Vec<Sensitivity> {
    let mut names: Vec<(String, usize, Vec<usize>)> = Vec::new();
    for (index, step) in facts.steps.iter().enumerate() {
        if step.set_clock.is_none() || step_score(step).is_none() || step.workload == WorkloadId::Clock {
            continue;
        }
        let name = step_name(step);
        for (row, of_row) in rows(step).into_iter().enumerate() {
            let name = match of_row.as_str() {
                "" => name.clone(),
                of_row => format!("{name}: {of_row}"),
            };
            match names.iter_mut().find(|(known, ..)| *known == name) {
                Some((_, _, steps)) => steps.push(index),
                None => names.push((name, row, vec![index])),
            }
        }
    }
    // The walk over all OPPs for power is another question.
    if facts.run.mode == Mode::Efficiency {
        return Vec::new();
    }
    let results = names.into_iter();
    results.filter_map(|(name, row, steps)| result(facts, (name, row), steps)).collect()
}

/// Names of the scores of a step: several where a network and a CPU worked at once, or many scenes were
/// drawn; each of them may depend on the clock in its own way.
fn rows(step: &Step) -> Vec<String> {
    match &step.outcome {
        Outcome::Done(StepMeasurement::Scores(scores)) if scores.rows.len() > 1 => {
            scores.rows.iter().map(|row| row.name.clone()).collect()
        }
        _ => vec![String::new()],
    }
}

fn row_score(step: &Step, row: usize) -> Option<StepScore> {
    let Outcome::Done(StepMeasurement::Scores(scores)) = &step.outcome else { return step_score(step) };
    let found = scores.rows.get(row)?;
    (found.value > 0.0 && found.value.is_finite()).then(|| StepScore {
        value: found.value,
        unit: found.unit.clone(),
        higher_is_better: found.higher_is_better,
    })
}

fn result(facts: &Facts<'_>, (name, row): (String, usize), indices: Vec<usize>) -> Option<Sensitivity> {
    let steps: Vec<&Step> = indices.iter().map(|index| &facts.steps[*index]).collect();
    let score = row_score(steps.first()?, row)?;
    let mut clocks: Vec<SetClock> = steps.iter().filter_map(|step| step.set_clock).collect();
    clocks.sort_unstable();
    clocks.dedup();
    let level = |clock: &SetClock| level(facts, (&steps, row), *clock);
    let levels: Vec<Level> = clocks.iter().filter_map(level).collect();
    let elasticity = elasticity((&steps, row), &levels);
    let limiter = Limiter::of(facts, steps[0], levels.last()?, elasticity);
    Some(Sensitivity {
        name,
        unit: score.unit,
        higher_is_better: score.higher_is_better,
        levels,
        elasticity,
        limiter,
        steps: indices,
    })
}

fn level(facts: &Facts<'_>, (steps, row): (&[&Step], usize), clock: SetClock) -> Option<Level> {
    let own = || steps.iter().filter(|step| step.set_clock == Some(clock));
    let scores: Vec<f64> = own().filter_map(|step| row_score(step, row).map(|score| score.value)).collect();
    let used: Vec<f64> = own()
        .filter_map(|step| {
            let cpu_ns = *step.counters.task_clock_ns.known()? as f64;
            let elapsed_ms = step.window.elapsed_ms().max(1) as f64;
            Some(cpu_ns / 1e6 / elapsed_ms)
        })
        .collect();
    let windows: Vec<Window> = own().map(|step| step.window).collect();
    let iowait: Vec<f64> = windows.iter().flat_map(|window| facts.cpu_use(window)).map(|used| used.iowait).collect();
    Some(Level {
        clock,
        speed: speed(facts, steps.first()?, clock),
        score: median(&scores)?,
        runs: scores.len(),
        cpu_s_per_s: median(&used),
        cores: view::core_use(facts, &windows),
        iowait_percent: facts::stats::mean(&iowait),
    })
}

/// Maximum distance of a clock reading from the set clock, in percent.
const SAME_CLOCK_PERCENT: f64 = 1.0;

/// Measured clock: firmware may give less than the OPP.
fn speed(record: &Record, step: &Step, clock: SetClock) -> f64 {
    let khz = match clock {
        SetClock::SharePercent(percent) => return f64::from(percent),
        SetClock::Khz(khz) => khz,
    };
    let measured = view::opp_clock(record, step.cpus.first().copied(), khz);
    let differs = |measured: &view::OppClock| {
        let percent = 100.0 * (f64::from(measured.khz) / f64::from(khz) - 1.0);
        percent.abs() > measured.tolerance_percent.max(SAME_CLOCK_PERCENT)
    };
    let real = measured.filter(differs).map(|measured| measured.khz);
    f64::from(real.unwrap_or(khz))
}

fn elasticity((steps, row): (&[&Step], usize), levels: &[Level]) -> Option<Elasticity> {
    let point = |step: &&Step| {
        let level = levels.iter().find(|level| Some(level.clock) == step.set_clock)?;
        let rate = row_score(step, row)?.rate();
        Some((step.repetition, (level.speed.ln(), rate.ln())))
    };
    let points: Vec<(u32, (f64, f64))> = steps.iter().filter_map(point).collect();
    let rounds = points.iter().map(|(round, _)| *round).max()? + 1;
    let slopes: Vec<f64> = (0..rounds)
        .filter_map(|round| {
            let own = points.iter().filter(|(of, _)| *of == round);
            Line::through(&own.map(|(_, point)| *point).collect::<Vec<_>>()).map(|line| line.slope)
        })
        .collect();
    let interval = median_interval(&slopes, CONFIDENCE_PERCENT);
    Some(Elasticity {
        value: median(&slopes)?,
        interval: interval.map(|interval| [interval.low, interval.high]),
        rounds: slopes.len(),
    })
}

#[cfg(test)]
mod tests;
