//! Phases of a thermal test: readings while the machine idled, worked and cooled.

use super::Throttle;
use super::fit::{MOMENTS_MIN, Moment, PowerFit, Reason, StepFit, fit_power, fit_steps};
use super::waits;
use crate::{Facts, view};
use record::StableSort;
use record::{Step, Total, Variant};

/// Readings of one phase.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Phase {
    /// True while something heated.
    is_loaded: bool,
    /// Readings of the thermometer, with power where known.
    moments: Vec<(Moment, bool)>,
}

/// Maximum number of readings of a phase. More of them improve no figure, and take time on slow boards.
const MOMENTS_MAX: usize = 400;
/// Largest distance from a reading at which power is known; meters are read every second or two. A meter that
/// disappears must not stay constant in the model.
const POWER_MS_MAX: i64 = 3_000;

/// An idle phase that moved less than this, in K, stood still.
const STOOD_K: f64 = 2.0;

const NO_TEMPERATURE: Reason = "no temperature readings";
const NO_POWER: Reason = "no power readings";
const LOAD_ALONE: Reason =
    "only the load was recorded; without idle phases thermal resistance and ambient temperature cannot be separated";
const NOT_SETTLED: Reason = "idle was not recorded";

/// All phases of a thermal test in their order.
pub(super) fn phases(facts: &Facts<'_>, heated: &Step) -> Vec<Phase> {
    let waits = waits(facts).map(|(step, _)| (step, step.variant == Variant::HEATING));
    let mut steps: Vec<(&Step, bool)> = waits.chain([(heated, true)]).collect();
    steps.stable_sort_by_key(|(step, _)| step.window.start_ms);
    let phase = |(step, is_loaded): (&Step, bool)| Phase { is_loaded, moments: moments(facts, step) };
    steps.into_iter().map(phase).collect()
}

/// Power of a phase comes from readings of that phase only: interpolation across phases would start the power of a load
/// too early.
fn moments(facts: &Facts<'_>, step: &Step) -> Vec<(Moment, bool)> {
    let Some(channel) = facts.soc_temperature() else {
        return Vec::new();
    };
    let power = facts.power_mw(&step.window);
    let readings = view::temperatures(facts, channel, step.window).into_iter();
    let moment = |reading: view::Reading| {
        let watts = at(&power, reading.at_ms).map(|mw| mw / 1000.0);
        let moment = Moment {
            at_s: reading.at_ms as f64 / 1000.0,
            celsius: reading.value as f64 / 1000.0,
            watts: watts.unwrap_or(0.0),
        };
        (moment, watts.is_some())
    };
    readings.map(moment).collect()
}

/// The model with power.
pub(super) fn with_power(phases: &[Phase]) -> Result<PowerFit, Reason> {
    if phases.iter().all(|phase| phase.moments.is_empty()) {
        return Err(NO_TEMPERATURE);
    }
    let known: Vec<(bool, Vec<Moment>)> = phases
        .iter()
        .map(|phase| {
            let stretches = phase.moments.split(|(_, is_known)| !is_known);
            let longest = stretches.max_by_key(|stretch| stretch.len());
            (phase.is_loaded, thinned(longest.unwrap_or(&[])))
        })
        .filter(|(_, moments)| moments.len() >= MOMENTS_MIN)
        .collect();
    if known.is_empty() {
        return Err(NO_POWER);
    }
    if known.iter().all(|(is_loaded, _)| *is_loaded) {
        return Err(LOAD_ALONE);
    }
    let slices: Vec<&[Moment]> = known.iter().map(|(_, moments)| moments.as_slice()).collect();
    fit_power(&slices)
}

/// Model without power. A throttled load heats less, so it counts up to the throttling only.
pub(super) fn without_power(phases: &[Phase], throttle: Option<&Throttle>) -> Result<StepFit, Reason> {
    if phases.iter().all(|phase| phase.moments.is_empty()) {
        return Err(NO_TEMPERATURE);
    }
    let until_s = throttle.map_or(f64::MAX, |throttle| throttle.after_ms as f64 / 1000.0);
    let constant = |phase: &Phase| {
        let first_s = phase.moments.first().map_or(0.0, |(first, _)| first.at_s);
        let is_constant = |(moment, _): &&(Moment, bool)| !phase.is_loaded || moment.at_s - first_s < until_s;
        let constant: Vec<_> = phase.moments.iter().filter(is_constant).copied().collect();
        thinned(&constant)
    };
    let constant: Vec<Vec<Moment>> = phases.iter().map(constant).collect();
    let slices: Vec<&[Moment]> = constant.iter().map(Vec::as_slice).collect();
    fit_steps(&slices)
}

/// Temperature of the last part of the load above the final temperature of the last idle phase, or above its mean.
pub(super) fn above_idle_k(
    phases: &[Phase],
    fit: Option<&StepFit>,
    steady_celsius: Option<f64>,
) -> Result<f64, Reason> {
    let steady = steady_celsius.ok_or(NO_TEMPERATURE)?;
    let ends = |index: usize| fit.and_then(|fit| fit.end_celsius.get(index).copied().flatten());
    let idle = |(index, phase): (usize, &Phase)| {
        let quarter = &phase.moments[phase.moments.len() * 3 / 4..];
        let celsius: Vec<f64> = quarter.iter().map(|(moment, _)| moment.celsius).collect();
        let first = phase.moments.first()?.0.celsius;
        let stood = crate::stats::mean(&celsius).filter(|mean| (mean - first).abs() < STOOD_K);
        ends(index).or(stood)
    };
    let phases = phases.iter().enumerate().rev();
    let idle = phases.filter(|(_, phase)| !phase.is_loaded).find_map(idle);
    idle.map(|idle| steady - idle).ok_or(NOT_SETTLED)
}

/// Averages neighbouring readings and their power, to limit the number of moments of a phase.
fn thinned(moments: &[(Moment, bool)]) -> Vec<Moment> {
    let of = moments.len().div_ceil(MOMENTS_MAX).max(1);
    let one = |few: &[(Moment, bool)]| Moment {
        watts: few.iter().map(|(moment, _)| moment.watts).total::<f64>() / few.len() as f64,
        ..few[few.len() / 2].0
    };
    moments.chunks(of).map(one).collect()
}

/// Value at a moment, interpolated: meters are read less often than temperatures. `None` without a reading near it.
fn at(readings: &[(i64, f64)], at_ms: i64) -> Option<f64> {
    let after = readings.partition_point(|(at, _)| *at < at_ms);
    let before = after.checked_sub(1).map(|at| readings[at]);
    let is_near = |(at, _): &(i64, f64)| (at - at_ms).abs() <= POWER_MS_MAX;
    match (before.filter(is_near), readings.get(after).copied().filter(is_near)) {
        (Some((t0, v0)), Some((t1, v1))) => {
            let share = (at_ms - t0) as f64 / (t1 - t0).max(1) as f64;
            Some(v0 + share * (v1 - v0))
        }
        (Some((_, value)), None) | (None, Some((_, value))) => Some(value),
        (None, None) => None,
    }
}
