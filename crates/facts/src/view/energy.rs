//! Energy of every step from the source of the whole board, or the reason why it is unknown.

use super::power::PowerSource;
use super::power_series::{PowerSeries, StepEnergy};
use super::score::step_score;
use super::score_steps::ScoreKey;
use crate::Facts;
use crate::number::{number, with_unit};
use crate::stats::{Line, median};
use record::{Mode, Outcome, Step, StepMeasurement, WorkloadId};

/// Power and energy of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Energy {
    /// What measured it.
    pub source: PowerSource,
    /// Usual time between readings in milliseconds.
    pub period_ms: f64,
    /// Step of the last digit of the readings in milliwatts.
    pub resolution_mw: f64,
    /// Shortest and longest delay of the readings in milliseconds; corrected for.
    pub late_ms: (f64, f64),
    /// Mean power while the CPUs were idle in milliwatts; `None` if they never were while the source gave readings.
    pub idle_mw: Option<f64>,
    /// Every step that ran, in order: its index, and its energy or the reason why it is unknown.
    pub steps: Vec<(usize, Result<StepEnergy, String>)>,
    /// The same for the states without load of a power measurement. Of a suspend it is the energy of the time asleep.
    pub rests: Vec<(usize, Result<StepEnergy, String>)>,
    /// Other sources over the same time.
    pub others: Vec<SourceAgreement>,
}

/// Another source compared with the source of the run.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceAgreement {
    /// The other source.
    pub other: PowerSource,
    /// Straight line through simultaneous readings: offset in milliwatts and factor. `None` if power did not change
    /// enough.
    pub line: Option<Line>,
    /// Delay against the source of the run in milliseconds; negative if earlier.
    pub later_ms: f64,
    /// Number of simultaneous readings.
    pub readings: usize,
}

/// Mode of runs that measure states without load.
const POWER: Mode = Mode::own("power");
/// Readings of two sources belong together within this time.
const TOGETHER_MS: u64 = 1_000;
/// Minimum number of readings and minimum correlation of a fit.
const TOGETHER_MIN: usize = 10;
const CORRELATION_MIN: f64 = 0.9;

/// Energy of all steps, or the reason why it is unknown.
pub(crate) fn energy(facts: &Facts<'_>) -> Result<Energy, String> {
    let remedy = "use a power meter: `sbc-bench list meters`";
    let sources = facts.power_sources();
    let mut meters = facts.samples.channels.iter().filter(|channel| channel.id.is_meter());
    let silent = meters.find_map(|channel| channel.gaps.first().filter(|_| channel.values.iter().all(Option::is_none)));
    let source = match (facts.power_source(), silent) {
        (Some(source), _) if source.is_whole() => source,
        (_, Some(gap)) => return Err(format!("the meter gave no value: {}", gap.missing)),
        _ if sources.is_empty() => return Err(format!("no sensor measures power; {remedy}")),
        _ => {
            let words: Vec<String> = sources.iter().take(NAMES_MAX).map(PowerSource::words).collect();
            let words = words.join("; ");
            return Err(format!("no sensor measures the whole board ({words}); {remedy}"));
        }
    };
    let series = PowerSeries::of(facts, source);
    let has_run = |step: &Step| step.window.elapsed_ms() > 0 && matches!(step.outcome, Outcome::Done(_));
    let run = facts.steps.iter().enumerate().filter(|(_, step)| has_run(step));
    let (rests, steps): (Vec<_>, Vec<_>) = run.partition(|(_, step)| step.workload == WorkloadId::Wait);
    let rest = |(index, step): (usize, &Step)| {
        let energy = match asleep_ms(step) {
            Some(asleep_ms) => series.asleep(index, step.window, asleep_ms),
            None => series.measured(index, step.window),
        };
        (index, energy)
    };
    Ok(Energy {
        period_ms: series.period_ms,
        resolution_mw: series.resolution_mw,
        late_ms: series.late_ms,
        idle_mw: series.idle_mw(),
        steps: steps.into_iter().map(|(index, step)| (index, series.measured(index, step.window))).collect(),
        rests: rests.into_iter().filter(|_| facts.run.mode == POWER).map(rest).collect(),
        others: sources.iter().filter(|other| *other != source).map(|other| agreement(facts, &series, other)).collect(),
        source: source.clone(),
    })
}

/// Time that the machine slept in a step, in milliseconds; `None` if it was not suspended.
fn asleep_ms(step: &Step) -> Option<f64> {
    let Outcome::Done(StepMeasurement::Scores(scores)) = &step.outcome else { return None };
    Some(1000.0 * scores.rows.iter().find(|score| score.name == "asleep")?.value)
}

/// Maximum number of named parts.
const NAMES_MAX: usize = 4;

fn agreement(facts: &Facts<'_>, own: &PowerSeries<'_>, other: &PowerSource) -> SourceAgreement {
    let theirs = PowerSeries::of(facts, other);
    let middle = |series: &PowerSeries<'_>| f64::midpoint(series.late_ms.0, series.late_ms.1);
    let later_ms = middle(&theirs) - middle(own);
    let pairs = own.readings.iter().filter_map(|(at_ms, mw)| {
        let wanted = at_ms.saturating_add(later_ms as i64);
        let after = theirs.readings.partition_point(|(at_ms, _)| *at_ms < wanted);
        let near = theirs.readings.get(after.saturating_sub(1)..).unwrap_or_default().iter().take(2);
        let nearest = near.min_by_key(|(at_ms, _)| at_ms.abs_diff(wanted))?;
        (nearest.0.abs_diff(wanted) <= TOGETHER_MS).then_some((*mw, nearest.1))
    });
    let pairs: Vec<(f64, f64)> = pairs.collect();
    let line = Line::through(&pairs).filter(|line| pairs.len() >= TOGETHER_MIN && line.correlation >= CORRELATION_MIN);
    SourceAgreement { other: other.clone(), line, later_ms, readings: pairs.len() }
}

impl SourceAgreement {
    /// For example `ina226 at the input of the board, with what it feeds: 0.92 of it - 0.30 W`.
    pub fn words(&self) -> String {
        let against = match self.line {
            Some(Line { offset, slope, .. }) => {
                let sign = if offset < 0.0 { '-' } else { '+' };
                format!("{slope:.2} of it {sign} {:.2} W ({} readings)", offset.abs() / 1000.0, self.readings)
            }
            None => "does not follow it".to_owned(),
        };
        format!("{}: {against}", self.other.words())
    }
}

/// Energy of all repetitions of one score.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreEnergy {
    /// Which score.
    pub key: ScoreKey,
    /// Median over the repetitions, or the reason why it is unknown: mean power in milliwatts, energy, half its
    /// interval in percent.
    pub median: Result<StepEnergy, String>,
    /// Work per energy, with its unit.
    pub work: Option<(f64, String)>,
}

/// Energy score by score, in the order of the run.
pub(crate) fn score_energies(facts: &Facts<'_>) -> Vec<ScoreEnergy> {
    let Ok(energy) = facts.energy() else { return Vec::new() };
    let of_score = |score: &super::ScoreSteps| {
        let own = || energy.steps.iter().filter(|(step, _)| score.steps.contains(step));
        let known: Vec<StepEnergy> = own().filter_map(|(_, energy)| energy.clone().ok()).collect();
        let of = |value: &dyn Fn(&StepEnergy) -> f64| median(&known.iter().map(value).collect::<Vec<_>>());
        let work = known.iter().filter_map(|energy| energy.work(&step_score(&facts.steps[energy.step])?));
        let work: Vec<(f64, String)> = work.collect();
        let unit = work.first().map(|(_, unit)| unit.clone());
        let same = work.iter().filter(|(_, other)| Some(other) == unit.as_ref()).map(|(value, _)| *value);
        let middle = || {
            Some(StepEnergy {
                mean_mw: of(&|energy| energy.mean_mw)?,
                peak_mw: known.iter().map(|energy| energy.peak_mw).reduce(f64::max)?,
                least_mw: known.iter().map(|energy| energy.least_mw).reduce(f64::min)?,
                joules: of(&|energy| energy.joules)?,
                joules_low: of(&|energy| energy.joules_low)?,
                joules_high: of(&|energy| energy.joules_high)?,
                ..*known.first()?
            })
        };
        let reason = || own().find_map(|(_, energy)| energy.clone().err());
        let median = match middle() {
            Some(energy) => Ok(energy),
            None => Err(reason()?),
        };
        let work = crate::stats::median(&same.collect::<Vec<_>>()).zip(unit);
        Some(ScoreEnergy { key: score.key.clone(), median, work })
    };
    facts.scores().iter().filter_map(of_score).collect()
}

/// Why no idle power is known.
pub const NEVER_IDLE: &str = "the CPUs were never idle while power was read";

impl Energy {
    /// What measured it, how finely, and what the idle machine drew.
    pub fn sentence(&self) -> String {
        let idle = match self.idle_mw {
            Some(mw) => format!("idle {:.2} W", mw / 1000.0),
            None => format!("idle power not measured, because {NEVER_IDLE}"),
        };
        let (seconds, watts) = (self.period_ms / 1000.0, self.resolution_mw / 1000.0);
        // Finer steps say nothing about the measurement.
        let steps = if watts >= 0.001 { format!(", in steps of {} W", number(watts, "W")) } else { String::new() };
        format!("{}: a reading every {} s{steps}; {idle}", self.source.words(), number(seconds, "s"))
    }
}

impl ScoreEnergy {
    /// Headings of [`ScoreEnergy::cells`].
    pub const HEADINGS: [&str; 5] = ["Step", "Mean power", "Highest", "Energy of a repetition", "Work per energy"];

    /// Name, mean and highest power, energy with half its interval, and work per energy, in words.
    pub fn cells(&self) -> [String; 5] {
        let name = self.key.words().to_owned();
        match &self.median {
            Ok(energy) => {
                let watts = |mw: f64| format!("{:.2} W", mw / 1000.0);
                let joules = format!("{} ±{:.1} %", with_unit(energy.joules, "J"), energy.percent());
                let work = self.work.as_ref().map_or_else(|| "-".to_owned(), |(value, unit)| with_unit(*value, unit));
                [name, watts(energy.mean_mw), watts(energy.peak_mw), joules, work]
            }
            Err(why) => [name, "-".into(), "-".into(), format!("not measured, because {why}"), "-".into()],
        }
    }
}

#[cfg(test)]
mod tests;
