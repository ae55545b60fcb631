//! Cost of performance: every OPP of every set of cores with clock, score, temperature and power; the most efficient
//! OPP, and anomalies. Pure.

pub mod anomaly;
mod csv;
mod plot;
mod rule;
mod text;

pub use anomaly::Anomaly;
pub use csv::csv;
pub(crate) use text::sentence;
pub use text::text;

use crate::tables::Answer;
use anomaly::{OppFigures, anomalies};
use facts::Facts;
use facts::stats::{mean, median};
use facts::view::{self, gauge, step_score};
use record::statistics::median_interval;
use record::{
    Channel, ChannelId, Mode, Outcome, QuestionId, Record, SetClock, Step, StepMeasurement, Variant, Window, WorkloadId,
};

/// The answer to it.
pub(super) const ANSWER: Answer =
    Answer { id: QuestionId::Efficiency, text, reports: &[csv::REPORT], plots: &[plot::PLOT], rules: &[rule::RULE] };

/// Power and temperature without load.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Idle {
    /// Mean power in milliwatts.
    pub milliwatts: Option<f64>,
    /// Temperature at the end, in °C.
    pub celsius: Option<f64>,
}

/// One set of cores at all OPPs.
#[derive(Debug, Clone, PartialEq)]
pub struct OppWalk {
    /// The set.
    pub cpus: Vec<u32>,
    /// Unit of the score.
    pub unit: String,
    /// The OPPs, lowest first.
    pub points: Vec<Point>,
    /// Index of the OPP at which a unit of work costs least, the idle machine around it included.
    pub sweet_spot: Option<usize>,
    /// Anomalies with the index of the OPP.
    pub anomalies: Vec<(usize, Anomaly)>,
}

/// One OPP of one set.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Requested clock in kHz.
    pub opp_khz: u32,
    /// Clock that was measured, in kHz.
    pub measured_khz: Option<u32>,
    /// Clock reported by a Raspberry Pi's firmware, in kHz.
    pub firmware_khz: Option<f64>,
    /// Median score.
    pub score: f64,
    /// Number of values behind it.
    pub values: usize,
    /// Half the width of the median's interval, as a share of it; none of fewer than six values.
    pub half_width: Option<f64>,
    /// Temperature at its end, in °C.
    pub celsius: Option<f64>,
    /// Mean power of the whole machine, in milliwatts.
    pub milliwatts: Option<f64>,
    /// Time that it took, in milliseconds.
    pub elapsed_ms: i64,
}

impl Point {
    /// Energy per unit of work: power over score, in mJ for each MB/s or MIPS sustained for a second.
    pub fn energy(&self) -> Option<f64> {
        (self.score > 0.0).then_some(self.milliwatts? / self.score)
    }
}

/// Power and temperature of the idle machine.
pub fn idle(facts: &Facts<'_>) -> Idle {
    let is_idle = |step: &&Step| step.workload == WorkloadId::Wait && step.variant == Variant::IDLE;
    let Some(step) = facts.steps.iter().find(is_idle) else { return Idle::default() };
    // Meters that average still show the previous load.
    let settled = Window { start_ms: step.window.start_ms + step.window.elapsed_ms() / 4, ..step.window };
    let end = match &step.outcome {
        Outcome::Done(StepMeasurement::Wait(wait)) => wait.end_millicelsius.known().copied(),
        _ => None,
    };
    Idle { milliwatts: view::mean_power_mw(facts, settled), celsius: end.map(|value| value as f64 / 1000.0) }
}

/// Every set of cores that was walked, in order.
pub fn walks(facts: &Facts<'_>) -> Vec<OppWalk> {
    if facts.run.mode != Mode::Efficiency {
        return Vec::new();
    }
    let mut sets: Vec<Vec<u32>> = Vec::new();
    for step in &facts.steps {
        let is_walked = step.set_clock.is_some() && !sets.contains(&step.cpus);
        if is_walked && step_score(step).is_some() {
            sets.push(step.cpus.clone());
        }
    }
    let idle = idle(facts);
    sets.into_iter().filter_map(|cpus| walk(facts, cpus, &idle)).collect()
}

fn walk(facts: &Facts<'_>, cpus: Vec<u32>, idle: &Idle) -> Option<OppWalk> {
    let own: Vec<&Step> = facts.steps.iter().filter(|step| step.set_clock.is_some() && step.cpus == cpus).collect();
    let mut opps: Vec<u32> = own.iter().filter_map(|step| khz(step)).collect();
    opps.sort_unstable();
    opps.dedup();
    let mut unit = String::new();
    let (mut points, mut figures) = (Vec::new(), Vec::new());
    let soc = facts.soc_temperature();
    for opp_khz in opps {
        let steps: Vec<&Step> = own.iter().copied().filter(|step| khz(step) == Some(opp_khz)).collect();
        let Some((point, opp)) = point(facts, soc, &steps, opp_khz, idle) else { continue };
        unit = steps.iter().find_map(|step| step_score(step)).map_or(unit, |score| score.unit);
        points.push(point);
        figures.push(opp);
    }
    let costs = || points.iter().enumerate().filter_map(|(at, point)| Some((at, point.energy()?)));
    let sweet_spot = costs().min_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at);
    Some(OppWalk {
        cpus,
        unit,
        sweet_spot: sweet_spot.filter(|_| costs().count() > 1),
        anomalies: anomalies(&figures),
        points,
    })
    .filter(|walk| !walk.points.is_empty())
}

fn khz(step: &Step) -> Option<u32> {
    match step.set_clock? {
        SetClock::Khz(khz) => Some(khz),
        SetClock::SharePercent(_) => None,
    }
}

/// Settling time of meters and governors after a change.
const SETTLES_MS: i64 = 500;

fn point(
    facts: &Facts<'_>,
    soc: Option<&Channel>,
    steps: &[&Step],
    opp_khz: u32,
    idle: &Idle,
) -> Option<(Point, OppFigures)> {
    let loads: Vec<&Step> = steps.iter().copied().filter(|step| step_score(step).is_some()).collect();
    let values: Vec<f64> = loads.iter().flat_map(|step| values(step)).collect();
    let score = median(&values)?;
    let (first, last) = (loads.first()?, loads.last()?);
    let window = Window { start_ms: (first.window.start_ms + SETTLES_MS).min(last.window.end_ms), ..last.window };
    let clock = steps.iter().find_map(|step| match &step.outcome {
        Outcome::Done(StepMeasurement::Clock(clocks)) => view::point_clock(facts, 0, clocks.points.first()?),
        _ => None,
    });
    let milliwatts = milliwatts(facts, &loads, window);
    let temperature = soc.and_then(|channel| gauge(facts, channel, window).last().copied());
    let firmware = view::firmware_clock_channel(facts);
    let firmware_khz = firmware.and_then(|channel| {
        let readings = gauge(facts, channel, window);
        let khz: Vec<f64> = readings.iter().map(|reading| reading.value as f64 / 1000.0).collect();
        mean(&khz)
    });
    let begin_ms = steps.first().map_or(window.start_ms, |step| step.window.start_ms);
    let point = Point {
        opp_khz,
        measured_khz: clock.as_ref().map(|clock| clock.measured_khz),
        firmware_khz,
        score,
        values: values.len(),
        half_width: median_interval(&values, 95.0).map(|interval| interval.half_width(score)),
        celsius: temperature.map(|reading| reading.value as f64 / 1000.0),
        milliwatts,
        elapsed_ms: window.end_ms - begin_ms,
    };
    let net_mw = milliwatts.zip(idle.milliwatts).map(|(all, idle)| all - idle);
    let opp = OppFigures {
        opp_khz,
        measured: clock.map(|clock| (clock.measured_khz, clock.tolerance_percent(1.0))),
        score,
        net_mw,
        is_limited: is_limited(facts, first, window, opp_khz),
    };
    Some((point, opp))
}

/// All repetitions: 7-zip reports one value per pass, the built-in workload one per turn.
fn values(step: &Step) -> Vec<f64> {
    match &step.outcome {
        Outcome::Done(StepMeasurement::Series(series)) => series.values.clone(),
        Outcome::Done(StepMeasurement::Compression(passes)) if !step.repeated.is_empty() => passes.rows_mips(),
        _ => step_score(step).map(|score| score.value).into_iter().collect(),
    }
}

/// Power during the work. A score that is a median of many turns belongs to the power of a typical moment: between the
/// parts of a point, when texts are generated and threads wait, power is lower.
fn milliwatts(facts: &Facts<'_>, loads: &[&Step], window: Window) -> Option<f64> {
    let is_series = |step: &&Step| matches!(step.outcome, Outcome::Done(StepMeasurement::Series(_)));
    if !loads.iter().all(is_series) {
        return view::mean_power_mw(facts, window);
    }
    let power = facts.power_mw(&window);
    median(&power.iter().map(|(_, mw)| *mw).collect::<Vec<_>>())
}

/// A limit below the OPP in several samples has another cause than the OPP sweep.
fn is_limited(record: &Record, step: &Step, window: Window, opp_khz: u32) -> bool {
    let policies = record.machine.policies.iter();
    let mut own = policies.filter(|policy| policy.cpus.iter().any(|cpu| step.cpus.contains(cpu)));
    own.any(|policy| {
        // A slower cluster of a mixed set runs at its own highest clock.
        let top = policy.clock_khz_max.known().copied().unwrap_or(opp_khz);
        let wanted = i64::from(opp_khz.min(top));
        let Some(channel) = record.samples.channel(&ChannelId::limit_max(policy.policy)) else { return false };
        let readings = gauge(record, channel, window);
        let reached = readings.iter().map(|reading| reading.value).max() >= Some(wanted);
        let low = readings.iter().filter(|reading| reading.value < wanted).count();
        reached && low >= 2
    })
}

#[cfg(test)]
mod tests;
