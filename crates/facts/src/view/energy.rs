//! Energy of every step from the best source that contains the CPUs, or the reason why it is unknown.

use super::power::PowerSource;
use super::power_series::PowerSeries;
use super::score::step_score;
use super::score_steps::ScoreKey;
use super::step_energy::StepEnergy;
use crate::Facts;
use crate::number::{number, with_unit};
use crate::stats::{Line, mean, median};
use record::{Channel, Mode, Outcome, Step, StepMeasurement, Unit, Variant, WorkloadId};

/// Power and energy of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Energy {
    /// Source of the power.
    pub source: PowerSource,
    /// Usual time between readings in milliseconds.
    pub period_ms: f64,
    /// Step of the last digit of the readings in milliwatts.
    pub resolution_mw: f64,
    /// Shortest and longest delay of the readings in milliseconds; corrected for.
    pub late_ms: (f64, f64),
    /// Power of the idle machine in milliwatts: its state of that name in a power measurement, else the mean while the CPUs
    /// were idle; `None` if they never were while the source gave readings.
    pub idle_mw: Option<f64>,
    /// Every step that ran, in order: its index, and its energy or the reason why it is unknown.
    pub steps: Vec<(usize, Result<StepEnergy, String>)>,
    /// The same for the states without load of a power measurement. Of a suspend it is the energy of the time asleep.
    pub rests: Vec<(usize, Result<StepEnergy, String>)>,
    /// Other sources over the same time.
    pub others: Vec<SourceAgreement>,
    /// Meters that gave no power.
    pub silent: Vec<SilentMeter>,
}

/// A meter without a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SilentMeter {
    /// Its channel.
    pub name: String,
    /// Why.
    pub why: String,
}

/// Another source compared with the source of the run.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceAgreement {
    /// The other source.
    pub other: PowerSource,
    /// Straight line through simultaneous readings: offset in milliwatts and factor; or why there is none.
    pub line: Result<Line, LineFailure>,
    /// Delay against the source of the run in milliseconds; negative if earlier.
    pub later_ms: f64,
    /// Number of simultaneous readings.
    pub readings: usize,
}

/// Why two sources have no common line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineFailure {
    /// They have too few readings at the same time.
    TooFew,
    /// The power of the run's source hardly changed.
    Steady,
    /// The power of one changes without that of the other.
    Unrelated,
}

impl LineFailure {
    /// The reason, after the name of the other source and a colon.
    pub fn words(self) -> &'static str {
        match self {
            Self::TooFew => "not compared, because too few readings are of the same time",
            Self::Steady => "not compared, because power did not change enough",
            Self::Unrelated => "does not follow it",
        }
    }
}

/// Mode of runs that measure states without load.
const POWER: Mode = Mode::own("power");
/// Readings of two sources belong together within this time.
const TOGETHER_MS: u64 = 1_000;
/// Minimum number of readings and minimum correlation of a fit.
const TOGETHER_MIN: usize = 10;
const CORRELATION_MIN: f64 = 0.9;
/// Smallest change of power of which a second source must show its share, relative to the mean: noise of meters is less.
const CHANGE_MIN: f64 = 0.1;

/// The source of the power of the whole board, or why there is none.
pub fn source_of_board<'a>(facts: &'a Facts<'_>) -> Result<&'a PowerSource, String> {
    let remedy = "use a power meter: `sbc-bench list meters`";
    let sources = facts.power_sources();
    match (facts.power_source(), silent_meters(facts).first()) {
        (Some(source), _) if source.is_whole() => Ok(source),
        (_, Some(silent)) => Err(format!("the meter gave no power: {}", silent.why)),
        _ if sources.is_empty() => Err(format!("no sensor measures power; {remedy}")),
        _ => {
            let words: Vec<String> = sources.iter().take(NAMES_MAX).map(PowerSource::words).collect();
            let words = words.join("; ");
            Err(format!("no sensor measures the whole board ({words}); {remedy}"))
        }
    }
}

/// Meters without any power, once each.
fn silent_meters(facts: &Facts<'_>) -> Vec<SilentMeter> {
    let is_silent =
        |channel: &&Channel| channel.id.is_meter() && channel.is_power() && channel.values.iter().all(Option::is_none);
    let mut silent: Vec<SilentMeter> = Vec::new();
    for channel in facts.samples.channels.iter().filter(is_silent) {
        let gap = channel.gaps.first().map(|gap| gap.missing.to_string());
        let Some(why) = other_quantities(facts, channel).or(gap) else { continue };
        let meter = SilentMeter { name: channel.id.to_string(), why };
        if silent.iter().all(|known| known.why != meter.why) {
            silent.push(meter);
        }
    }
    silent
}

/// What a meter without power gives instead.
fn other_quantities(facts: &Facts<'_>, power: &Channel) -> Option<String> {
    let has = |unit: Unit| {
        let mut own = facts.samples.channels.iter().filter(|channel| channel.id.is_of_same_chip(&power.id));
        own.any(|channel| channel.unit == unit && channel.values.iter().any(Option::is_some))
    };
    let what = match (has(Unit::Millivolts), has(Unit::Milliamperes)) {
        (true, false) => "a voltage but no power or current",
        (false, true) => "a current but no power or voltage",
        (true, true) => "voltage and current of the mains, whose product is not power",
        (false, false) => return None,
    };
    Some(format!("{} gives {what}", crate::plain(&power.source)))
}

/// Energy of all steps, or the reason why it is unknown.
pub(crate) fn energy(facts: &Facts<'_>) -> Result<Energy, String> {
    let source = facts.power_source().as_ref().map_or_else(|| source_of_board(facts), Ok)?;
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
    let rests: Vec<_> = rests.into_iter().filter(|_| facts.run.mode == POWER).map(rest).collect();
    let is_idle = |index: usize| facts.steps[index].variant == Variant::IDLE;
    let idle = rests.iter().filter(|(index, _)| is_idle(*index)).filter_map(|(_, energy)| energy.clone().ok());
    let idle = StepEnergy::median_of(&idle.collect::<Vec<_>>()).map(|energy| energy.mean_mw);
    let idle_mw = idle.or_else(|| series.idle_mw());
    let measured = |(index, step): (usize, &Step)| {
        let above_idle = |energy: StepEnergy| {
            let joules = idle_mw.map(|idle_mw| energy.joules * (1.0 - idle_mw / energy.mean_mw));
            StepEnergy { joules_above_idle: joules, ..energy }
        };
        (index, series.measured(index, step.window).map(above_idle))
    };
    let others = facts.power_sources().iter().filter(|other| *other != source);
    Ok(Energy {
        period_ms: series.period_ms,
        resolution_mw: series.resolution_mw,
        late_ms: series.late_ms,
        idle_mw,
        steps: steps.into_iter().map(measured).collect(),
        rests,
        others: others.map(|other| agreement(facts, &series, other)).collect(),
        silent: silent_meters(facts),
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
    let has_changed = |values: &[f64]| {
        let [low, high] = [f64::min, f64::max].map(|pick| values.iter().copied().reduce(pick).unwrap_or_default());
        mean(values).is_some_and(|mean| high - low > CHANGE_MIN * mean)
    };
    let line = match Line::through(&pairs) {
        _ if pairs.len() < TOGETHER_MIN => Err(LineFailure::TooFew),
        Some(line) if line.correlation >= CORRELATION_MIN => Ok(line),
        _ if !has_changed(&pairs.iter().map(|(own, _)| *own).collect::<Vec<_>>()) => Err(LineFailure::Steady),
        _ => Err(LineFailure::Unrelated),
    };
    SourceAgreement { other: other.clone(), line, later_ms, readings: pairs.len() }
}

impl SourceAgreement {
    /// For example `ina226 at the input of the board, with what it feeds: 0.92 of it - 0.30 W`.
    pub fn words(&self) -> String {
        let against = match self.line {
            Ok(Line { offset, slope, .. }) => {
                let sign = if offset < 0.0 { '-' } else { '+' };
                format!("{slope:.2} of it {sign} {:.2} W ({} readings)", offset.abs() / 1000.0, self.readings)
            }
            Err(why) => why.words().to_owned(),
        };
        format!("{}: {against}", self.other.words())
    }
}

/// Energy of all repetitions of one score.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreEnergy {
    /// Score.
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
        let work = known.iter().filter_map(|energy| energy.work(&step_score(&facts.steps[energy.step])?));
        let work: Vec<(f64, String)> = work.collect();
        let unit = work.first().map(|(_, unit)| unit.clone());
        let same = work.iter().filter(|(_, other)| Some(other) == unit.as_ref()).map(|(value, _)| *value);
        let reason = || own().find_map(|(_, energy)| energy.clone().err());
        let work = median(&same.collect::<Vec<_>>()).zip(unit);
        let middle = match StepEnergy::median_of(&known) {
            Some(energy) => Ok(energy),
            None => Err(reason()?),
        };
        Some(ScoreEnergy { key: score.key.clone(), median: middle, work })
    };
    facts.scores().iter().filter_map(of_score).collect()
}

impl Energy {
    /// Source of the power, its resolution, and the power of the idle machine.
    pub fn sentence(&self) -> String {
        let idle = match self.idle_mw {
            Some(mw) => format!("idle {:.2} W", mw / 1000.0),
            None => format!("idle power not measured, because {}", self.why_no_idle()),
        };
        let (seconds, watts) = (self.period_ms / 1000.0, self.resolution_mw / 1000.0);
        // Finer steps say nothing about the measurement.
        let steps = if watts >= 0.001 { format!(", in steps of {} W", number(watts, "W")) } else { String::new() };
        format!("{}: a reading every {} s{steps}; {idle}", self.source.words(), number(seconds, "s"))
    }

    /// Why no idle power is known.
    pub fn why_no_idle(&self) -> &'static str {
        if self.rests.is_empty() {
            "the CPUs were never idle while power was read"
        } else {
            "the idle state has no figure"
        }
    }

    /// Other sources, and meters without values.
    pub fn other_words(&self) -> Vec<String> {
        let silent = self.silent.iter().map(|meter| format!("{}: gave no power, because {}", meter.name, meter.why));
        self.others.iter().map(SourceAgreement::words).chain(silent).collect()
    }
}

impl ScoreEnergy {
    /// Headings of [`ScoreEnergy::cells`].
    pub const HEADINGS: [&str; 6] =
        ["Step", "Mean power", "Highest", "Energy of a repetition", "Without idle power", "Work per energy"];

    /// Name, mean and highest power, energy with half its interval, energy without idle power, and work per energy, in words.
    pub fn cells(&self) -> [String; 6] {
        let name = self.key.words().to_owned();
        match &self.median {
            Ok(energy) => {
                let watts = |mw: f64| format!("{:.2} W", mw / 1000.0);
                let joules = format!("{} ±{:.1} %", with_unit(energy.joules, "J"), energy.percent());
                let work = self.work.as_ref().map_or_else(|| "-".to_owned(), |(value, unit)| with_unit(*value, unit));
                let above_idle =
                    energy.joules_above_idle.map_or_else(|| "-".to_owned(), |joules| with_unit(joules, "J"));
                let mean = match energy.drift_words() {
                    Some(drift) => format!("{} ({drift})", watts(energy.mean_mw)),
                    None => watts(energy.mean_mw),
                };
                [name, mean, watts(energy.peak_mw), joules, above_idle, work]
            }
            Err(why) => {
                let dash = || "-".to_owned();
                [name, dash(), dash(), format!("not measured, because {why}"), dash(), dash()]
            }
        }
    }
}

#[cfg(test)]
mod tests;
