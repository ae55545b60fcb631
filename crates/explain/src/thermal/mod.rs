//! What a machine makes of heat: how long it holds its clock, what is left of it, how fast it warms
//! and how many degrees a watt costs. Pure.

pub mod fit;
mod text;
mod throttle;

pub use text::text;
pub use throttle::Throttle;

use crate::stats::{mean, median};
use crate::view::{self, gauge};
use fit::{Moment, PowerFit, StepFit, fit_power, fit_steps};
use record::{Measured, Outcome, Record, Series, Step, Unit, Wait, Window};

/// The answer of a thermal test.
#[derive(Debug, Clone, PartialEq)]
pub struct ThermalResult {
    /// Index of the step that heated.
    pub step: usize,
    /// When it ran.
    pub window: Window,
    /// Temperature at its start, at most, and over its last quarter, in °C.
    pub temperature: Option<[f64; 3]>,
    /// When it was first held back; none if it never was, as far as can be seen.
    pub throttle: Option<Throttle>,
    /// Clock before it was held back and over the last quarter, measured, in kHz.
    pub measured_khz: Option<[f64; 2]>,
    /// The same as the kernel claims it.
    pub claimed_khz: Option<[f64; 2]>,
    /// Score before it was held back and over the last quarter.
    pub score: Option<[f64; 2]>,
    /// Mean power before it was held back and over the last quarter, in milliwatts.
    pub milliwatts: Option<[f64; 2]>,
    /// The thermal model, where power is known.
    pub power_fit: Option<PowerFit>,
    /// The thermal model without power.
    pub step_fit: Option<StepFit>,
    /// Why the load ended before its time.
    pub ended_early: Option<String>,
}

impl ThermalResult {
    /// The time constant, by whichever model fits.
    pub fn tau_s(&self) -> Option<f64> {
        let with_power = self.power_fit.map(|fit| fit.tau_s);
        with_power.or(self.step_fit.as_ref().map(|fit| fit.tau_s))
    }

    /// What is left of the clock, in percent: measured, else claimed.
    pub fn steady_clock_percent(&self) -> Option<f64> {
        let [cold, steady] = self.measured_khz.or(self.claimed_khz)?;
        (cold > 0.0).then(|| 100.0 * steady / cold)
    }

    /// What is left of the score, in percent.
    pub fn steady_score_percent(&self, series: &Series) -> Option<f64> {
        let [cold, steady] = self.score?;
        let share = match series.higher_is_better {
            true => steady / cold,
            false => cold / steady,
        };
        Some(100.0 * share)
    }
}

/// The load of a thermal test.
pub fn load(record: &Record) -> Option<(usize, &Step, &Series)> {
    let steps = record.steps.iter().enumerate();
    let mut loads = steps.filter_map(|(index, step)| match &step.outcome {
        Outcome::Done(Measured::Series(series)) if step.workload == "heat" => {
            Some((index, step, series))
        }
        _ => None,
    });
    loads.next()
}

/// The waits of a thermal test, with their steps.
pub fn waits(record: &Record) -> impl Iterator<Item = (&Step, &Wait)> {
    record.steps.iter().filter_map(|step| match &step.outcome {
        Outcome::Done(Measured::Wait(wait)) => Some((step, wait)),
        _ => None,
    })
}

/// The answer of a Record, if it was a thermal test.
pub fn result(record: &Record) -> Option<ThermalResult> {
    let (step, heated, series) = load(record)?;
    let window = heated.window;
    let throttle = throttle::first(record, window, series);
    let cold = Window {
        end_ms: window.start_ms + cold_ms(throttle.as_ref(), window),
        ..window
    };
    let steady = Window {
        start_ms: window.end_ms - window.elapsed_ms() / 4,
        ..window
    };
    let both = |of: &dyn Fn(Window) -> Option<f64>| Some([of(cold)?, of(steady)?]);
    let (power_fit, step_fit) = fits(record, window, throttle.as_ref());
    Some(ThermalResult {
        step,
        window,
        temperature: temperature(record, window, steady),
        measured_khz: both(&|part| measured_khz(series, window, part)),
        claimed_khz: both(&|part| claimed_khz(record, part)),
        score: both(&|part| {
            let inside = within(series, window, part);
            median(&inside.map(|at| series.values[at]).collect::<Vec<_>>())
        }),
        milliwatts: both(&|part| view::mean_power_mw(record, part)),
        throttle,
        power_fit,
        step_fit,
        ended_early: series.ended_early.clone(),
    })
}

/// What counts as cold: until it was first held back, and at most this long.
const COLD_MS_MAX: i64 = 10_000;
/// Two intervals at least, or nothing would be left of a board that is held back at once.
const COLD_MS_MIN: i64 = 2_000;

fn cold_ms(throttle: Option<&Throttle>, window: Window) -> i64 {
    let until = throttle.map_or(window.elapsed_ms() / 4, |throttle| throttle.after_ms);
    until.clamp(COLD_MS_MIN, COLD_MS_MAX)
}

/// Indices of the intervals of a series that end within a part of its window.
fn within(series: &Series, window: Window, part: Window) -> impl Iterator<Item = usize> + '_ {
    let ends = series.at_ms.iter().enumerate();
    let inside = ends.filter(move |(_, at)| part.contains(window.start_ms + **at));
    inside
        .map(|(index, _)| index)
        .filter(|index| *index < series.values.len())
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

/// Mean over all policies; what a Raspberry Pi's firmware says counts for more than the kernel.
fn claimed_khz(record: &Record, part: Window) -> Option<f64> {
    let mean_of = |channel: &record::Channel| {
        let readings = gauge(record, channel, part);
        let scale = if channel.unit == Unit::Hertz {
            0.001
        } else {
            1.0
        };
        mean(
            &readings
                .iter()
                .map(|r| r.value as f64 * scale)
                .collect::<Vec<_>>(),
        )
    };
    if let Some(firmware) = view::firmware_clock_channel(record) {
        return mean_of(firmware);
    }
    let policies = view::channels_of(record, "policy", ".claimed");
    mean(&policies.filter_map(mean_of).collect::<Vec<_>>())
}

fn temperature(record: &Record, window: Window, steady: Window) -> Option<[f64; 3]> {
    let channel = view::soc_temperature(record)?;
    let celsius = |part: Window| {
        let readings = gauge(record, channel, part).into_iter();
        readings
            .map(|reading| reading.value as f64 / 1000.0)
            .collect::<Vec<_>>()
    };
    let all = celsius(window);
    let max = all.iter().copied().reduce(f64::max)?;
    Some([*all.first()?, max, mean(&celsius(steady))?])
}

fn fits(
    record: &Record,
    window: Window,
    throttle: Option<&Throttle>,
) -> (Option<PowerFit>, Option<StepFit>) {
    let Some(channel) = view::soc_temperature(record) else {
        return (None, None);
    };
    let cooling = waits(record).find(|(step, _)| step.variant == "cool-down");
    let end_ms = cooling.map_or(window.end_ms, |(step, _)| step.window.end_ms);
    let whole = Window { end_ms, ..window };
    let power = view::power_mw(record, whole);
    let moments = |part: Window| -> Vec<Moment> {
        let readings = gauge(record, channel, part).into_iter();
        let moment = |reading: view::Reading| Moment {
            at_s: reading.at_ms as f64 / 1000.0,
            celsius: reading.value as f64 / 1000.0,
            watts: at(&power, reading.at_ms).unwrap_or(0.0) / 1000.0,
        };
        readings.map(moment).collect()
    };
    let is_known = |moment: &Moment| at(&power, (moment.at_s * 1000.0).round() as i64).is_some();
    let until = throttle.map_or(window.end_ms, |throttle| {
        window.start_ms + throttle.after_ms
    });
    let warming = moments(Window {
        end_ms: until,
        ..window
    });
    let cooling = moments(Window {
        start_ms: window.end_ms,
        end_ms,
        ..window
    });
    let cooled = fit_steps(&[&cooling]).map(|fit| fit.tau_s);
    let power_fit = (!power.is_empty())
        .then(|| fit_power(longest(&moments(whole), is_known), cooled))
        .flatten();
    let step_fit = power_fit
        .is_none()
        .then(|| fit_steps(&[&warming, &cooling]))
        .flatten();
    (power_fit, step_fit)
}

/// Meters are read every second or two; what lies further from a reading is not known. A meter that
/// goes away must not stand still in the model.
const POWER_MS_MAX: i64 = 3_000;

/// The value at a moment, on the straight line between the readings around it: meters are read less
/// often than temperatures. None where there is no reading near.
fn at(readings: &[(i64, f64)], at_ms: i64) -> Option<f64> {
    let after = readings.partition_point(|(at, _)| *at < at_ms);
    let before = after.checked_sub(1).map(|at| readings[at]);
    let is_near = |(at, _): &(i64, f64)| (at - at_ms).abs() <= POWER_MS_MAX;
    match (
        before.filter(is_near),
        readings.get(after).copied().filter(is_near),
    ) {
        (Some((t0, v0)), Some((t1, v1))) => {
            let share = (at_ms - t0) as f64 / (t1 - t0).max(1) as f64;
            Some(v0 + share * (v1 - v0))
        }
        (Some((_, value)), None) | (None, Some((_, value))) => Some(value),
        (None, None) => None,
    }
}

/// The longest stretch of moments that all are so.
fn longest(moments: &[Moment], is_so: impl Fn(&Moment) -> bool) -> &[Moment] {
    let stretches = moments.split(|moment| !is_so(moment));
    stretches.max_by_key(|stretch| stretch.len()).unwrap_or(&[])
}

#[cfg(test)]
mod tests;
