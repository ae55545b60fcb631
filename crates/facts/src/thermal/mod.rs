//! Thermal behaviour of a machine: how long it holds its clock, the remaining clock, the time constant and the thermal
//! resistance. Pure.

pub mod fit;
mod phases;
mod text;
mod throttle;

pub use text::text;
pub use throttle::Throttle;

use crate::Facts;
use crate::stats::{mean, median};
use crate::view::{self, gauge};
use fit::{Estimate, PowerFit, Reason, StepFit};
use record::{ChannelId, Outcome, Record, Series, Step, StepMeasurement, Unit, Wait, Window, WorkloadId};

/// The answer of a thermal test.
#[derive(Debug, Clone, PartialEq)]
pub struct ThermalResult {
    /// Index of the step that heated.
    pub step: usize,
    /// Time window of the load.
    pub window: Window,
    /// Temperature at the start, maximum, and mean of the last quarter, in °C.
    pub temperature: Option<[f64; 3]>,
    /// First throttling; `None` without any.
    pub throttle: Option<Throttle>,
    /// Measured clock before throttling and over the last quarter, in kHz.
    pub measured_khz: Option<[f64; 2]>,
    /// Advertised clock before throttling and over the last quarter, in kHz.
    pub claimed_khz: Option<[f64; 2]>,
    /// Score before throttling and over the last quarter.
    pub score: Option<[f64; 2]>,
    /// Mean power before throttling and over the last quarter, in mW.
    pub milliwatts: Option<[f64; 2]>,
    /// Thermal model with power, or the reason why the data are insufficient.
    pub power_fit: Result<PowerFit, Reason>,
    /// Thermal model without power, or the reason why the data are insufficient.
    pub step_fit: Result<StepFit, Reason>,
    /// Temperature above idle over the last quarter, in K.
    pub above_idle_k: Result<f64, Reason>,
    /// Why the load ended before its time.
    pub ended_early: Option<String>,
}

impl ThermalResult {
    /// Time constant by the model that fits.
    ///
    /// # Errors
    ///
    /// The reason why the temperature alone is insufficient.
    pub fn tau_s(&self) -> Result<Estimate, Reason> {
        let with_power = self.power_fit.and_then(|fit| fit.tau_s);
        with_power.or(self.step_fit.as_ref().map(|fit| fit.tau_s).map_err(|why| *why))
    }

    /// Remaining clock in percent: measured, else advertised.
    pub fn steady_clock_percent(&self) -> Option<f64> {
        let [cold, steady] = self.measured_khz.or(self.claimed_khz)?;
        (cold > 0.0).then(|| 100.0 * steady / cold)
    }

    /// Remaining score in percent.
    pub fn steady_score_percent(&self, series: &Series) -> Option<f64> {
        let [cold, steady] = self.score?;
        let share = if series.higher_is_better { steady / cold } else { cold / steady };
        Some(100.0 * share)
    }
}

/// The load of a thermal test.
pub fn load(record: &Record) -> Option<(usize, &Step, &Series)> {
    let steps = record.steps.iter().enumerate();
    let mut loads = steps.filter_map(|(index, step)| match &step.outcome {
        Outcome::Done(StepMeasurement::Series(series)) if step.workload == WorkloadId::Heat => {
            Some((index, step, series))
        }
        _ => None,
    });
    loads.next()
}

/// The waits of a thermal test, with their steps.
pub fn waits(record: &Record) -> impl Iterator<Item = (&Step, &Wait)> {
    record.steps.iter().filter_map(|step| match &step.outcome {
        Outcome::Done(StepMeasurement::Wait(wait)) => Some((step, wait)),
        _ => None,
    })
}

/// Thermal result of a Record, if it is a thermal test.
pub(crate) fn result(facts: &Facts<'_>) -> Option<ThermalResult> {
    let (step, heated, series) = load(facts)?;
    let window = heated.window;
    let throttle = throttle::first(facts, window, series);
    let cold = Window { end_ms: window.start_ms + cold_ms(throttle.as_ref(), window), ..window };
    let steady = Window { start_ms: window.end_ms - window.elapsed_ms() / 4, ..window };
    let both = |of: &dyn Fn(Window) -> Option<f64>| Some([of(cold)?, of(steady)?]);
    let phases = phases::phases(facts, heated);
    let temperature = temperature(facts, window, steady);
    let step_fit = phases::without_power(&phases, throttle.as_ref());
    let steady_celsius = temperature.map(|[.., steady]| steady);
    Some(ThermalResult {
        step,
        window,
        temperature,
        measured_khz: both(&|part| measured_khz(series, window, part)),
        claimed_khz: both(&|part| claimed_khz(facts, part)),
        score: both(&|part| {
            let inside = within(series, window, part);
            median(&inside.map(|at| series.values[at]).collect::<Vec<_>>())
        }),
        milliwatts: both(&|part| view::mean_power_mw(facts, part)),
        power_fit: phases::with_power(&phases),
        above_idle_k: phases::above_idle_k(&phases, step_fit.as_ref().ok(), steady_celsius),
        step_fit,
        throttle,
        ended_early: series.ended_early.clone(),
    })
}

/// Longest time that counts as cold; it also ends with the first throttling.
const COLD_MS_MAX: i64 = 10_000;
/// At least two intervals, for boards that throttle at once.
const COLD_MS_MIN: i64 = 2_000;

fn cold_ms(throttle: Option<&Throttle>, window: Window) -> i64 {
    let until = throttle.map_or(window.elapsed_ms() / 4, |throttle| throttle.after_ms);
    until.clamp(COLD_MS_MIN, COLD_MS_MAX)
}

/// Indices of the intervals of a series that end within a part of its window.
fn within(series: &Series, window: Window, part: Window) -> impl Iterator<Item = usize> + '_ {
    let ends = series.at_ms.iter().enumerate();
    let inside = ends.filter(move |(_, at)| part.contains(window.start_ms + **at));
    inside.map(|(index, _)| index).filter(|index| *index < series.values.len())
}

/// Mean over all CPUs, as work is the sum of them.
fn measured_khz(series: &Series, window: Window, part: Window) -> Option<f64> {
    let inside: Vec<usize> = within(series, window, part).collect();
    let of_cpu = |clock: &record::ClockSeries| {
        let values = inside.iter().filter_map(|at| clock.khz.get(*at));
        mean(&values.map(|khz| f64::from(*khz)).collect::<Vec<_>>())
    };
    let clocks: Vec<f64> = series.clocks.iter().filter_map(of_cpu).collect();
    mean(&clocks)
}

/// Mean over all policies; the clock of a Raspberry Pi's firmware takes precedence over the kernel's.
fn claimed_khz(record: &Record, part: Window) -> Option<f64> {
    let mean_of = |channel: &record::Channel| {
        let readings = gauge(record, channel, part);
        let scale = if channel.unit == Unit::Hertz { 0.001 } else { 1.0 };
        mean(&readings.iter().map(|r| r.value as f64 * scale).collect::<Vec<_>>())
    };
    if let Some(firmware) = view::firmware_clock_channel(record) {
        return mean_of(firmware);
    }
    let policies = view::channels(record, ChannelId::is_policy_claim);
    mean(&policies.filter_map(mean_of).collect::<Vec<_>>())
}

fn temperature(facts: &Facts<'_>, window: Window, steady: Window) -> Option<[f64; 3]> {
    let channel = facts.soc_temperature()?;
    let celsius = |part: Window| {
        let readings = view::temperatures(facts, channel, part).into_iter();
        readings.map(|reading| reading.value as f64 / 1000.0).collect::<Vec<_>>()
    };
    let all = celsius(window);
    let max = all.iter().copied().reduce(f64::max)?;
    Some([*all.first()?, max, mean(&celsius(steady))?])
}

#[cfg(test)]
mod tests;
