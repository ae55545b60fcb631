//! The thermal model of one resistance and one capacity, fitted to phases of a run. Pure.
//!
//! dT/dt = (T_0 + R P(t) - T) / tau. For a given tau the model is linear in its other parameters,
//! which least squares give at once; tau itself is searched where the squares are least. A board has
//! more than one time constant (chip, heatsink, case); this is the one that matters over the time
//! that was recorded, and the residual is the quality of the fit.
//!
//! Each phase has its own first temperature, so that earlier events, and meters and thermometers that
//! lag behind a change of load, do not affect other phases. One load determines little more than
//! T_0 + R P; only phases of different power separate the two parameters.

mod solve;
mod sure;

use record::{StableSort, Total};
use solve::{Kind, Solver};

/// Readings at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// Seconds since any start.
    pub at_s: f64,
    /// Degrees Celsius.
    pub celsius: f64,
    /// Power in watts; any constant where power is unknown and assumed constant.
    pub watts: f64,
}

/// A figure with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The figure itself.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The model with power known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerFit {
    /// Time constant in seconds, or the reason why it is unknown: a quick chip settles between two readings, but still
    /// shows its thermal resistance.
    pub tau_s: Result<Estimate, Reason>,
    /// Thermal resistance in K per W.
    pub k_per_w: Estimate,
    /// Temperature at which the meter would show 0 W: the ambient temperature, as far as the model holds and the zero
    /// of the meter is right.
    pub ambient_celsius: Estimate,
    /// Root mean square of the residuals, in K.
    pub residual_k: f64,
}

/// Model without power: phases of constant power, each with its own final temperature.
#[derive(Debug, Clone, PartialEq)]
pub struct StepFit {
    /// Time constant in seconds, common to all phases.
    pub tau_s: Estimate,
    /// Final temperature of each phase in °C; `None` for a phase with too little change.
    pub end_celsius: Vec<Option<f64>>,
    /// As in [`PowerFit`].
    pub residual_k: f64,
}

/// Reason why the data do not determine a figure, as the end of a sentence.
pub type Reason = &'static str;

/// Moments that a phase needs at least.
pub(super) const MOMENTS_MIN: usize = 8;
/// Temperature rise in K below which a fit is impossible.
const RISE_K_MIN: f64 = 2.0;
/// Change of power, as a share of its mean, below which the thermal resistance is unknown.
const POWER_SHARE_MIN: f64 = 0.1;
/// A model that leaves more than this share of what the temperature moved describes something else: a
/// fan that started, a thermometer of another chip.
const RESIDUAL_SHARE_MAX: f64 = 0.1;
/// Ratio of the ends of an interval above which a figure is unknown.
const INTERVAL_RATIO_MAX: f64 = 2.0;
/// Multiple of the longest phase above which a time constant is unknown.
const TAU_OF_PHASE_MAX: f64 = 2.0;

/// Fits the model with power to phases, of which at least two must differ in power.
///
/// # Errors
///
/// The reason why the data are insufficient.
pub fn fit_power(phases: &[&[Moment]]) -> Result<PowerFit, Reason> {
    let phases: Vec<&[Moment]> = phases.iter().copied().filter(is_long_enough).collect();
    if phases.len() < 2 {
        return Err("only one phase was recorded; heating and cooling are both needed");
    }
    let rise_k = spread(phases.iter().flat_map(|p| p.iter().map(|m| m.celsius)));
    if rise_k < RISE_K_MIN {
        return Err("the temperature hardly changed");
    }
    let means: Vec<f64> = phases.iter().map(|phase| mean_watts(phase)).collect();
    let mean = means.iter().total::<f64>() / means.len() as f64;
    if spread(means.iter().copied()) < POWER_SHARE_MIN * mean || mean <= 0.0 {
        return Err("power hardly differed between load and idle");
    }
    let solver = Solver::new(&phases, Kind::Power);
    let (best, [tau_s, k_per_w, ambient]) = solver.estimates().ok_or("the model does not fit")?;
    let residual_k = residual_k(&phases, best.squares, rise_k, tau_s)?;
    if k_per_w.low <= 0.0 || k_per_w.high > INTERVAL_RATIO_MAX * k_per_w.low {
        return Err("the phases are inconsistent or too short");
    }
    // The position of a reading within a step of the thermometer is unknown.
    let step_k = step_k(&phases);
    Ok(PowerFit {
        tau_s: known_tau(tau_s),
        k_per_w,
        ambient_celsius: Estimate { low: ambient.low - step_k / 2.0, high: ambient.high + step_k / 2.0, ..ambient },
        residual_k,
    })
}

/// Fits phases of constant power.
///
/// # Errors
///
/// The reason why the data are insufficient.
pub fn fit_steps(phases: &[&[Moment]]) -> Result<StepFit, Reason> {
    let moved = |phase: &&[Moment]| is_long_enough(phase) && spread(phase.iter().map(|m| m.celsius)) >= RISE_K_MIN;
    let used: Vec<&[Moment]> = phases.iter().copied().filter(moved).collect();
    if used.is_empty() {
        return Err("the temperature hardly changed");
    }
    let rise_k = used.iter().map(|phase| spread(phase.iter().map(|m| m.celsius)));
    let rise_k = rise_k.fold(0.0, f64::max);
    let solver = Solver::new(&used, Kind::Steps);
    let (best, [tau_s, ..]) = solver.estimates().ok_or("the model does not fit")?;
    let residual_k = residual_k(&used, best.squares, rise_k, tau_s)?;
    let mut ends = best.ends.into_iter();
    let end = |phase: &&[Moment]| moved(phase).then(|| ends.next()).flatten();
    Ok(StepFit { tau_s: known_tau(tau_s)?, end_celsius: phases.iter().map(end).collect(), residual_k })
}

/// Residual of the model in K, where the model holds.
fn residual_k(phases: &[&[Moment]], squares: f64, rise_k: f64, tau_s: Estimate) -> Result<f64, Reason> {
    let count: usize = phases.iter().map(|phase| phase.len()).total();
    let residual_k = (squares / count as f64).sqrt();
    if residual_k > (RESIDUAL_SHARE_MAX * rise_k).max(step_k(phases)) {
        return Err("the temperature does not follow a single RC model");
    }
    let longest_s = phases.iter().map(|phase| duration_s(phase)).fold(0.0, f64::max);
    if tau_s.value > TAU_OF_PHASE_MAX * longest_s {
        return Err("the recording is too short");
    }
    Ok(residual_k)
}

fn known_tau(tau_s: Estimate) -> Result<Estimate, Reason> {
    if tau_s.high > INTERVAL_RATIO_MAX * tau_s.low || tau_s.value < 1.1 * solve::TAU_S.0 {
        return Err("the readings do not determine the time constant");
    }
    Ok(tau_s)
}

fn is_long_enough(phase: &&[Moment]) -> bool {
    phase.len() >= MOMENTS_MIN
}

fn duration_s(phase: &[Moment]) -> f64 {
    match (phase.first(), phase.last()) {
        (Some(first), Some(last)) => last.at_s - first.at_s,
        _ => 0.0,
    }
}

fn mean_watts(phase: &[Moment]) -> f64 {
    phase.iter().map(|moment| moment.watts).total::<f64>() / phase.len().max(1) as f64
}

fn spread(values: impl Iterator<Item = f64>) -> f64 {
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    (high - low).max(0.0)
}

/// Resolution of a thermometer: the smallest difference between two of its readings, in K.
fn step_k(phases: &[&[Moment]]) -> f64 {
    let mut seen: Vec<f64> = phases.iter().flat_map(|p| p.iter().map(|m| m.celsius)).collect();
    seen.stable_sort_by(f64::total_cmp);
    let steps = seen.windows(2).map(|pair| pair[1] - pair[0]);
    let step = steps.filter(|step| *step > 1e-6).fold(f64::MAX, f64::min);
    if step == f64::MAX { 0.0 } else { step }
}

#[cfg(test)]
mod tests;
