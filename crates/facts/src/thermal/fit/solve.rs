//! Least squares of the thermal model: the time constant by search, the rest at once.

use super::sure::{Column, Place, half_widths};
use super::{Estimate, Moment};
use record::Total;

/// Time constants that boards have, in seconds: a bare chip to a large heatsink without a fan.
pub(super) const TAU_S: (f64, f64) = (0.3, 3000.0);
/// Number of grid points. The squares may have several minima, so a grid search precedes the search within its best
/// cell.
const GRID: usize = 60;
/// Steps of the golden section within a cell: to 1e-4 of it.
const SECTIONS: usize = 18;
/// Largest delay of meters and thermometers after a change of load, in seconds; earlier readings do not count. A short
/// phase loses at most this share.
const LAG_S: f64 = 2.0;
const LAG_SHARE: f64 = 0.1;
/// Step of the logarithm of the time constant for its derivative.
const TAU_CHANGE: f64 = 0.01;

/// Known power.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Measured power: all phases share one temperature without power and one resistance.
    Power,
    /// Constant power in each phase: each has its own final temperature.
    Steps,
}

/// Phases in the order of the solver.
pub(super) struct Solver<'a> {
    phases: &'a [&'a [Moment]],
    kind: Kind,
}

/// Result of least squares.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Solution {
    /// Temperature without power in °C and resistance in K per W; zero where power is not known.
    pub(super) shared: [f64; 2],
    /// Limit that the temperature of each phase approaches, in °C; empty if power is known.
    pub(super) ends: Vec<f64>,
    /// Sum of squared residuals.
    pub(super) squares: f64,
}

/// One equation: coefficients of the temperature without power, of the resistance and of the first temperature, and the
/// reading.
#[derive(Debug, Clone, Copy)]
struct Row {
    ambient: f64,
    power: f64,
    decay: f64,
    celsius: f64,
}

impl<'a> Solver<'a> {
    pub(super) fn new(phases: &'a [&'a [Moment]], kind: Kind) -> Self {
        Self { phases, kind }
    }

    /// The best solution; then time constant, resistance and temperature without power with intervals. The last two
    /// are zero where power is not known.
    pub(super) fn estimates(&self) -> Option<(Solution, [Estimate; 3])> {
        let (tau_s, best) = self.search((TAU_S.0.ln(), TAU_S.1.ln()), GRID)?;
        let mut places = Vec::new();
        let mut left = Vec::new();
        let mut columns: Vec<Column> = Vec::new();
        let mut shared: [Column; 3] = Default::default();
        for (phase, moments) in self.phases.iter().enumerate() {
            let rows = counted(moments, tau_s);
            let model = self.model(&best, phase, &rows);
            let before = places.len();
            let place = |moment: &&Moment| Place { phase, at_s: moment.at_s };
            places.extend(moments.iter().filter(|moment| counts(moments, moment)).map(|m| place(&m)));
            left.extend(rows.iter().map(|row| row.celsius - model.of(row)));
            let own = |of: fn(&Row) -> f64| -> Column {
                let zeros = std::iter::repeat_n(0.0, before);
                zeros.chain(rows.iter().map(of)).collect()
            };
            columns.push(own(|row| row.decay));
            match self.kind {
                Kind::Steps => columns.push(own(|row| row.ambient)),
                Kind::Power => {
                    shared[0].extend(rows.iter().map(|row| row.ambient));
                    shared[1].extend(rows.iter().map(|row| row.power));
                }
            }
            let changed = |by: f64| counted(moments, tau_s * by.exp());
            let pairs = changed(TAU_CHANGE).into_iter().zip(changed(-TAU_CHANGE));
            let slope = |(more, less)| (model.of(&more) - model.of(&less)) / (2.0 * TAU_CHANGE);
            shared[2].extend(pairs.map(slope));
        }
        columns.extend(shared.into_iter().filter(|column| !column.is_empty()));
        let count = left.len();
        columns.iter_mut().for_each(|column| column.resize(count, 0.0));
        let figures = if self.kind == Kind::Power { 3 } else { 1 };
        let halves = half_widths(&columns, figures, &left, &places, tau_s)?;
        let around = |value: f64, half: Option<&f64>| {
            let half = half.copied().unwrap_or_default();
            Estimate { value, low: value - half, high: value + half }
        };
        let known = figures == 3;
        let [ambient, resistance] = best.shared;
        let log = around(tau_s.ln(), halves.last());
        let tau = Estimate { value: tau_s, low: log.low.exp(), high: log.high.exp() };
        let resistance = around(resistance, halves.get(1).filter(|_| known));
        let ambient = around(ambient, halves.first().filter(|_| known));
        Some((best, [tau, resistance, ambient]))
    }

    /// The solution in one phase, with the best first temperature.
    fn model(&self, solution: &Solution, phase: usize, rows: &[Row]) -> Model {
        let [mut end, resistance] = solution.shared;
        if self.kind == Kind::Steps {
            end = solution.ends.get(phase).copied().unwrap_or_default();
        }
        let mut model = Model { end, resistance, first: 0.0 };
        let own: f64 = rows.iter().map(|row| row.decay * row.decay).total();
        let over = rows.iter().map(|row| row.decay * (row.celsius - model.of(row)));
        let over: f64 = over.total();
        if own > 1e-12 {
            model.first = over / own;
        }
        model
    }

    /// The time constant that leaves least over, and the solution at it.
    fn search(&self, (low, high): (f64, f64), grid: usize) -> Option<(f64, Solution)> {
        let solve = |log: f64| self.solve(log.exp());
        let squares = |log: f64| solve(log).map_or(f64::MAX, |solution| solution.squares);
        let at = |index: usize| low + (high - low) * index as f64 / grid as f64;
        let tried = (0..=grid).map(|index| (index, squares(at(index))));
        let (best, _) = tried.min_by(|a, b| a.1.total_cmp(&b.1))?;
        let (mut left, mut right) = (at(best.saturating_sub(1)), at((best + 1).min(grid)));
        // Golden section: each step needs one new point.
        let ratio = (5_f64.sqrt() - 1.0) / 2.0;
        let place = |log: f64| (log, squares(log));
        let mut a = place(right - ratio * (right - left));
        let mut b = place(left + ratio * (right - left));
        for _ in 0..SECTIONS {
            if a.1 < b.1 {
                (right, b) = (b.0, a);
                a = place(right - ratio * (right - left));
            } else {
                (left, a) = (a.0, b);
                b = place(left + ratio * (right - left));
            }
        }
        let log = f64::midpoint(left, right);
        Some((log.exp(), solve(log)?))
    }

    /// Solution at one time constant. The first temperature of each phase is eliminated by making all columns
    /// orthogonal to its own.
    fn solve(&self, tau: f64) -> Option<Solution> {
        let mut solution = Solution { shared: [0.0; 2], ends: Vec::new(), squares: 0.0 };
        let mut sums = Sums::default();
        for phase in self.phases {
            let mut rows = counted(phase, tau);
            without_first(&mut rows);
            let own = Sums::of(&rows);
            match self.kind {
                Kind::Power => sums.add(&own),
                Kind::Steps => {
                    let end = own.at / positive(own.aa)?;
                    solution.ends.push(end);
                    solution.squares += (own.tt - end * own.at).max(0.0);
                }
            }
        }
        if self.kind == Kind::Power {
            let determinant = positive(sums.aa * sums.pp - sums.ap * sums.ap)?;
            let ambient = (sums.at * sums.pp - sums.pt * sums.ap) / determinant;
            let resistance = (sums.pt * sums.aa - sums.at * sums.ap) / determinant;
            solution.shared = [ambient, resistance];
            solution.squares = (sums.tt - ambient * sums.at - resistance * sums.pt).max(0.0);
        }
        Some(solution)
    }
}

fn positive(value: f64) -> Option<f64> {
    (value > 1e-9).then_some(value)
}

struct Model {
    /// Temperature without power, or where the phase was heading to.
    end: f64,
    resistance: f64,
    first: f64,
}

impl Model {
    fn of(&self, row: &Row) -> f64 {
        self.end * row.ambient + self.resistance * row.power + self.first * row.decay
    }
}

/// True for a reading that no lag of a meter or thermometer can have spoiled.
fn counts(moments: &[Moment], moment: &Moment) -> bool {
    let lag_s = LAG_S.min(LAG_SHARE * super::duration_s(moments));
    let from_s = moments.first().map_or(0.0, |first| first.at_s + lag_s);
    moment.at_s >= from_s
}

/// `T = T_0 (1 - decay) + R x + T_first decay`, with x the power as the capacity smooths it, for the readings
/// that count.
fn counted(moments: &[Moment], tau: f64) -> Vec<Row> {
    let (mut smoothed, mut decay) = (0.0, 1.0);
    let mut last = moments.first().copied();
    let row = |moment: &Moment| {
        let before = last.replace(*moment).unwrap_or(*moment);
        let keep = (-(moment.at_s - before.at_s) / tau).exp();
        // Power may have changed anywhere between the two readings: halfway is right on average.
        let watts = f64::midpoint(before.watts, moment.watts);
        smoothed = smoothed * keep + (1.0 - keep) * watts;
        decay *= keep;
        counts(moments, moment).then_some(Row { ambient: 1.0 - decay, power: smoothed, decay, celsius: moment.celsius })
    };
    moments.iter().filter_map(row).collect()
}

/// Makes every column orthogonal to the first temperature of the phase.
fn without_first(rows: &mut [Row]) {
    let with_decay = |of: fn(&Row) -> f64| -> f64 { rows.iter().map(|row| row.decay * of(row)).total() };
    let own = with_decay(|row| row.decay);
    if own < 1e-12 {
        return;
    }
    let shares =
        [with_decay(|row| row.ambient) / own, with_decay(|row| row.power) / own, with_decay(|row| row.celsius) / own];
    for row in rows {
        row.ambient -= shares[0] * row.decay;
        row.power -= shares[1] * row.decay;
        row.celsius -= shares[2] * row.decay;
    }
}

/// Sums of products of the columns: a is temperature without power, p power, t the reading.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    aa: f64,
    ap: f64,
    pp: f64,
    at: f64,
    pt: f64,
    tt: f64,
}

impl Sums {
    fn of(rows: &[Row]) -> Self {
        let mut sums = Self::default();
        for row in rows {
            sums.aa += row.ambient * row.ambient;
            sums.ap += row.ambient * row.power;
            sums.pp += row.power * row.power;
            sums.at += row.ambient * row.celsius;
            sums.pt += row.power * row.celsius;
            sums.tt += row.celsius * row.celsius;
        }
        sums
    }

    fn add(&mut self, other: &Self) {
        self.aa += other.aa;
        self.ap += other.ap;
        self.pp += other.pp;
        self.at += other.at;
        self.pt += other.pt;
        self.tt += other.tt;
    }
}
