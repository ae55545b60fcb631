//! Least squares of the thermal model: the time constant by search, the rest at once, and intervals
//! by leaving out one block of moments after the other.

use super::{Estimate, Moment};

/// Time constants that boards have, in seconds: a bare chip to a large heatsink without a fan.
pub(super) const TAU_S: (f64, f64) = (0.3, 3000.0);
/// First a grid, as the squares can have more than one dent, then a search within its best cell.
const GRID: usize = 60;
/// Steps of the golden section within a cell: to 1e-4 of it.
const SECTIONS: usize = 18;
/// Blocks of moments in each phase that are left out one after the other. Neighbouring readings of a
/// thermometer err alike, so that single ones would promise too much.
const BLOCKS: usize = 5;
/// Meters and thermometers may lag so long behind a change of load, in seconds; readings until then do
/// not count. Of a short phase no more than this share is given up.
const LAG_S: f64 = 2.0;
const LAG_SHARE: f64 = 0.1;
/// So many standard errors hold 95 % of Student's distribution with as many degrees of freedom as two
/// phases have blocks.
const STUDENT: f64 = 2.26;

/// What is known of the power.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It is measured: all phases share one temperature without power and one resistance.
    Power,
    /// It is constant in each phase: each has an end of its own.
    Steps,
}

/// The phases as the solver goes through them.
pub(super) struct Solver<'a> {
    phases: &'a [&'a [Moment]],
    kind: Kind,
}

/// What least squares give, and what they leave over.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Solution {
    /// Temperature without power in °C and resistance in K per W; zero where power is not known.
    pub(super) shared: [f64; 2],
    /// Where each phase was heading to, in °C; empty where power is known.
    pub(super) ends: Vec<f64>,
    /// Sum of the squares that are left over.
    pub(super) squares: f64,
}

/// One equation: weight, coefficients of temperature without power, resistance and first temperature,
/// and the reading.
#[derive(Debug, Clone, Copy)]
struct Row {
    weight: f64,
    ambient: f64,
    power: f64,
    decay: f64,
    celsius: f64,
}

impl<'a> Solver<'a> {
    pub(super) fn new(phases: &'a [&'a [Moment]], kind: Kind) -> Self {
        Self { phases, kind }
    }

    /// The best solution; then time constant, resistance and temperature without power with intervals.
    pub(super) fn estimates(&self) -> Option<(Solution, [Estimate; 3])> {
        let (tau_s, best) = self.search(None, (TAU_S.0.ln(), TAU_S.1.ln()), GRID)?;
        // Near the best one, as a block less moves it little or shows that nothing is known.
        let near = (tau_s.ln() - 1.0, tau_s.ln() + 1.0);
        let figures = |tau: f64, of: &Solution| [tau.ln(), of.shared[1], of.shared[0]];
        let blocks = self.phases.len() * BLOCKS;
        let mut left_out = Vec::with_capacity(blocks);
        for block in 0..blocks {
            let (tau, solution) = self.search(Some(block), near, 6)?;
            left_out.push(figures(tau, &solution));
        }
        let whole = figures(tau_s, &best);
        let [tau, resistance, ambient] = [0, 1, 2].map(|index| {
            let values: Vec<f64> = left_out.iter().map(|all| all[index]).collect();
            interval(whole[index], &values)
        });
        let tau = Estimate {
            value: tau.value.exp(),
            low: tau.low.exp(),
            high: tau.high.exp(),
        };
        Some((best, [tau, resistance, ambient]))
    }

    /// The time constant that leaves least over, and the solution at it.
    fn search(
        &self,
        left_out: Option<usize>,
        (low, high): (f64, f64),
        grid: usize,
    ) -> Option<(f64, Solution)> {
        let solve = |log: f64| self.solve(log.exp(), left_out);
        let squares = |log: f64| solve(log).map_or(f64::MAX, |solution| solution.squares);
        let at = |index: usize| low + (high - low) * index as f64 / grid as f64;
        let tried = (0..=grid).map(|index| (index, squares(at(index))));
        let (best, _) = tried.min_by(|a, b| a.1.total_cmp(&b.1))?;
        let (mut left, mut right) = (at(best.saturating_sub(1)), at((best + 1).min(grid)));
        // Golden section: each step needs one new place, as the other is kept.
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

    /// The solution at one time constant, without one block. The first temperature of each phase is no
    /// figure of interest: all columns are made orthogonal to its own, and it is gone.
    fn solve(&self, tau: f64, left_out: Option<usize>) -> Option<Solution> {
        let mut solution = Solution {
            shared: [0.0; 2],
            ends: Vec::new(),
            squares: 0.0,
        };
        let mut sums = Sums::default();
        for (index, phase) in self.phases.iter().enumerate() {
            let own_block = left_out.and_then(|block| block.checked_sub(index * BLOCKS));
            let mut rows = rows(phase, tau, own_block.filter(|block| *block < BLOCKS));
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

/// `T = T_0 (1 - decay) + R x + T_first decay`, with x the power as the capacity smooths it.
fn rows(moments: &[Moment], tau: f64, left_out: Option<usize>) -> Vec<Row> {
    let (mut smoothed, mut decay) = (0.0, 1.0);
    let mut last = moments.first().copied();
    let lag_s = LAG_S.min(LAG_SHARE * super::duration_s(moments));
    let from_s = moments.first().map_or(0.0, |first| first.at_s + lag_s);
    let row = |(index, moment): (usize, &Moment)| {
        let before = last.replace(*moment).unwrap_or(*moment);
        let keep = (-(moment.at_s - before.at_s) / tau).exp();
        // Power may have changed anywhere between the two readings: halfway is right on average.
        let watts = f64::midpoint(before.watts, moment.watts);
        smoothed = smoothed * keep + (1.0 - keep) * watts;
        decay *= keep;
        let is_left_out = left_out == Some(index * BLOCKS / moments.len());
        let counts = !is_left_out && moment.at_s >= from_s;
        Row {
            weight: if counts { 1.0 } else { 0.0 },
            ambient: 1.0 - decay,
            power: smoothed,
            decay,
            celsius: moment.celsius,
        }
    };
    moments.iter().enumerate().map(row).collect()
}

/// Takes out of every column what the first temperature of the phase explains.
fn without_first(rows: &mut [Row]) {
    let with_decay = |of: fn(&Row) -> f64| -> f64 {
        rows.iter()
            .map(|row| row.weight * row.decay * of(row))
            .sum()
    };
    let own = with_decay(|row| row.decay);
    if own < 1e-12 {
        return;
    }
    let shares = [
        with_decay(|row| row.ambient) / own,
        with_decay(|row| row.power) / own,
        with_decay(|row| row.celsius) / own,
    ];
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
        for row in rows.iter().filter(|row| row.weight > 0.0) {
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

/// The interval by the jackknife over blocks (Tukey 1958).
fn interval(value: f64, left_out: &[f64]) -> Estimate {
    let count = left_out.len() as f64;
    let mean = left_out.iter().sum::<f64>() / count;
    let squares: f64 = left_out.iter().map(|one| (one - mean).powi(2)).sum();
    let half = STUDENT * (squares * (count - 1.0) / count).sqrt();
    Estimate {
        value,
        low: value - half,
        high: value + half,
    }
}
