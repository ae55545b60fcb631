//! Readings of one power source over a run, and the energy of a window with its interval.
//!
//! The interval covers the delay of the source, whether it reads a moment or a mean, changes of power between readings, and
//! the resolution. It does not include the gain error of a meter.

use super::power::{PowerSource, energy_channel};
use super::samples::{gauge, is_log, whole_run};
use super::step_energy::StepEnergy;
use super::unread_power::unread_variance;
use crate::Facts;
use crate::stats::{Line, mean, median, standard_deviation};
use record::{Channel, ChannelId, MeterChannel, MeterOutput, Unit, Window};

/// Readings of a source.
pub(super) struct PowerSeries<'a> {
    facts: &'a Facts<'a>,
    counter: Option<&'a Channel>,
    /// Time in milliseconds and power in milliwatts.
    pub(super) readings: Vec<(i64, f64)>,
    /// Usual time between readings.
    pub(super) period_ms: f64,
    /// Step of the last digit.
    pub(super) resolution_mw: f64,
    /// Shortest and longest delay of the readings.
    pub(super) late_ms: (f64, f64),
}

/// A step with fewer readings has no energy.
const READINGS_MIN: usize = 3;
/// Number of usual reading intervals without a reading that make a gap, and its minimum.
const GAP_PERIODS: f64 = 3.0;
const GAP_MS_MIN: f64 = 1_000.0;
/// Maximum ratio of two successive readings: idle and full load differ by up to 40.
const JUMP_MAX: f64 = 100.0;
/// Half the width of a 95 % interval in standard deviations.
const SIGMAS: f64 = 1.96;
/// Ratio of the width of a one-sided 95 % interval to that of half a two-sided one.
const ONE_TAIL: f64 = 1.645 / SIGMAS;
/// Standard deviation of a rounding error in steps of the last digit, `1 / sqrt(12)`.
const ROUNDING: f64 = 0.289;
/// Smallest change of steadily rising or falling power that is reported, as a share of the mean: a mean is called known at
/// this precision.
const DRIFT_MIN: f64 = 0.02;
/// Minimum correlation of power and time of a drift: power that steps once has 0.87.
const DRIFT_CORRELATION_MIN: f64 = 0.9;
/// Longest delay that is looked for.
const DELAY_MS_MAX: i64 = 6_000;
const DELAY_MS_STEP: usize = 50;
/// Minimum number of readings for an estimate of the delay.
const DELAY_READINGS_MAX: usize = 20_000;
/// Minimum correlation of power and CPU use for a delay, and its minimum distance from other delays.
const CORRELATION_MIN: f64 = 0.7;
const CORRELATION_PEAK: f64 = 0.03;
/// Smaller differences of correlations are noise: readings and rows are coarser than the steps of the delay.
const CORRELATION_SAME: f64 = 1e-3;
/// Share by which the power around a suspend may differ from that of the idle machine: drivers work then.
const AWAKE_SHARE: f64 = 0.5;
/// CPU use of an idle machine, in percent.
const IDLE_PERCENT_MAX: f64 = 10.0;
/// Share above which counter and integral of one meter contradict each other.
const DISAGREE_MIN: f64 = 0.2;

/// Joules, and the ends of their interval.
#[derive(Clone, Copy)]
struct Joules {
    low: f64,
    high: f64,
}

impl Joules {
    fn width(self) -> f64 {
        self.high - self.low
    }

    fn middle(self) -> f64 {
        f64::midpoint(self.low, self.high)
    }
}

impl<'a> PowerSeries<'a> {
    pub(super) fn of(facts: &'a Facts<'a>, source: &PowerSource) -> Self {
        let readings = source.readings(facts, whole_run());
        let apart: Vec<f64> = readings.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].0) as f64).collect();
        let period_ms = median(&apart).unwrap_or(0.0);
        let resolution_mw = resolution_mw(&readings, milliampere_mw(facts, source));
        let row_ms = facts.samples.usual_interval_ms() as f64;
        let answer_ms = answer_ms(facts, source);
        let late_ms = match delay_ms(facts, &readings) {
            // A mean since the last reading appears late by half that time; the error is another quarter.
            Some((least, most)) => ((least - 0.75 * period_ms).max(0.0), most + 0.25 * period_ms),
            // The bash program reads rails while it prints a row; the row at the end of a step is the first of the next.
            None if is_log(facts) && !source.is_whole() => (-1.0, -1.0),
            None => (0.0, period_ms + row_ms + answer_ms),
        };
        let counter = energy_channel(facts, source);
        Self { facts, counter, readings, period_ms, resolution_mw, late_ms }
    }

    /// Mean power while the CPUs were idle, without what readings still show of a load before.
    pub(super) fn idle_mw(&self) -> Option<f64> {
        let (busy, rows) = (self.facts.busy_percent_at(), &self.facts.samples.at_ms);
        let is_idle = |at_ms: i64| {
            let from = rows.partition_point(|row| (*row as f64) < at_ms as f64 - self.late_ms.1 - self.period_ms);
            let to = rows.partition_point(|row| *row <= at_ms);
            let known = || busy.get(from..to).unwrap_or_default().iter().flatten();
            known().next().is_some() && known().all(|busy| *busy <= IDLE_PERCENT_MAX)
        };
        let idle = self.readings.iter().filter(|(at_ms, _)| is_idle(*at_ms));
        let idle: Vec<f64> = idle.map(|(_, mw)| *mw).filter(|mw| *mw > 0.0).collect();
        mean(&idle).filter(|_| idle.len() >= READINGS_MIN)
    }

    /// Power and energy of a window, or why they are not known.
    pub(super) fn measured(&self, step: usize, window: Window) -> Result<StepEnergy, String> {
        let late = f64::midpoint(self.late_ms.0, self.late_ms.1);
        let (from, to) = (window.start_ms as f64 + late, window.end_ms as f64 + late);
        let first = self.readings.partition_point(|(at_ms, _)| *at_ms as f64 <= from);
        let end = self.readings.partition_point(|(at_ms, _)| *at_ms as f64 <= to);
        let inside = self.readings.get(first..end).unwrap_or_default();
        self.gap(inside, (from, to))?;
        if inside.len() < READINGS_MIN {
            let seconds = (to - from) / 1000.0;
            return Err(format!("too few readings ({}) in {seconds:.1} s", inside.len()));
        }
        jump(inside)?;
        self.stuck(first, end)?;
        let beside = |place: Option<usize>| self.readings.get(place?).map(|(_, mw)| *mw).filter(|mw| *mw > 0.0);
        let (at_start, at_end) = (inside[1].1, inside[inside.len() - 2].1);
        let (before, after) = (beside(first.checked_sub(1)), beside(Some(end)));
        let edges = [before.unwrap_or(at_start) - at_start, after.unwrap_or(at_end) - at_end, at_end - at_start];
        let edge_mw = edges.iter().map(|mw| mw.abs()).fold(0.0, f64::max);
        let (mut joules, drift_mj) = self.integral(inside, window, (from, to), edge_mw);
        let counted = self.counted(window, (from, to), (at_start, at_end), drift_mj);
        if let Some(counted) = counted {
            let (middle, other) = (counted.middle(), joules.middle());
            let is_apart = counted.low > joules.high || joules.low > counted.high;
            if is_apart && (middle - other).abs() > DISAGREE_MIN * middle.max(other) {
                return Err(format!("its energy counter adds up to {middle:.1} J, and its power to {other:.1} J"));
            }
        }
        let is_counted = counted.is_some_and(|counted| counted.width() < joules.width());
        joules = counted.filter(|_| is_counted).unwrap_or(joules);
        let values = || inside.iter().map(|(_, mw)| *mw);
        Ok(StepEnergy {
            step,
            mean_mw: 1e6 * joules.middle() / (to - from).max(1.0),
            peak_mw: values().fold(f64::MIN, f64::max),
            least_mw: values().fold(f64::MAX, f64::min),
            joules: joules.middle(),
            joules_low: joules.low.max(0.0),
            joules_high: joules.high,
            joules_above_idle: None,
            drift_mw: drift(self.core(inside, window)),
            is_counted,
            readings: inside.len(),
        })
    }

    /// Readings within an interval, without its start.
    fn within(&self, (from, to): (f64, f64)) -> &[(i64, f64)] {
        let until = |limit: f64| self.readings.partition_point(|(at_ms, _)| *at_ms as f64 <= limit);
        self.readings.get(until(from)..until(to)).unwrap_or_default()
    }

    /// Energy of an interval in microjoules, with each reading as the mean since the one before, and as the power of
    /// its moment.
    fn sums(&self, ends: (f64, f64)) -> [f64; 2] {
        let readings = self.within(ends);
        let mut sums = [0.0; 2];
        let (mut last, mut middle) = (ends.0, ends.0);
        for (place, (at_ms, mw)) in readings.iter().enumerate() {
            let at_ms = *at_ms as f64;
            let next = readings.get(place + 1).map(|(next_ms, _)| *next_ms as f64);
            sums[0] += mw * (if next.is_some() { at_ms } else { ends.1 } - last);
            let until = next.map_or(ends.1, |next| f64::midpoint(at_ms, next));
            sums[1] += mw * (until - middle);
            (last, middle) = (at_ms, until);
        }
        sums
    }

    /// Energy of the time that is certainly within the step, extended by its first and last power to the mean delay: exact for
    /// a steady load. Combined with the sum over the whole time, which includes changes at both ends.
    ///
    /// The second number is the part of the interval that no counter makes smaller, in millijoules.
    fn integral(&self, inside: &[(i64, f64)], window: Window, ends: (f64, f64), edge_mw: f64) -> (Joules, f64) {
        let (start, end) = (window.start_ms as f64, window.end_ms as f64);
        let (period_s, unsure_s) = (self.period_ms / 1000.0, (self.late_ms.1 - self.late_ms.0) / 2000.0);
        let sure = self.sure(window);
        let is_long = self.within(sure).len() >= READINGS_MIN;
        let core = self.core(inside, window);
        let mw: Vec<f64> = core.iter().map(|(_, mw)| *mw).collect();
        let mut sums = self.sums(ends).to_vec();
        let mut drift_mj = unsure_s * (mw[mw.len() - 1] - mw[0]).abs();
        if is_long {
            let rest = self.rest(window, (mw[0], mw[mw.len() - 1]));
            sums.extend(self.sums(sure).map(|sum| sum + rest));
        } else {
            drift_mj += (unsure_s + period_s / 2.0) * edge_mw;
        }
        // Change of the power within the uncertain time at both ends.
        let unsure_ms = 2000.0 * unsure_s + self.period_ms;
        let (first, last) = (core[0].0 as f64 + unsure_ms, core[core.len() - 1].0 as f64 - unsure_ms);
        let range = |is_there: &dyn Fn(usize, f64) -> bool| {
            let there = core.iter().enumerate().filter(|(place, (at_ms, _))| is_there(*place, *at_ms as f64));
            let (low, high) =
                there.fold((f64::MAX, f64::MIN), |(low, high), (_, (_, mw))| (low.min(*mw), high.max(*mw)));
            high - low
        };
        let moved_mw = range(&|place, at_ms| place < 2 || at_ms <= first)
            .max(range(&|place, at_ms| place + 2 >= core.len() || at_ms >= last));
        drift_mj += (unsure_s + period_s / 2.0) * moved_mw;
        let noise_mj = SIGMAS * (1.0 + 2.0 / mw.len() as f64) * period_s * unread_variance(&mw).sqrt();
        let root = (mw.len() as f64).sqrt();
        let is_dithered = standard_deviation(&mw).is_some_and(|deviation| deviation > self.resolution_mw / 2.0);
        let (rounding_mj, fixed_mj) = if is_dithered {
            (SIGMAS * ROUNDING * self.resolution_mw * period_s * root, 0.0)
        } else {
            (0.0, self.resolution_mw / 2.0 * (end - start) / 1000.0)
        };
        let [low, high] =
            [f64::min, f64::max].map(|pick| sums.iter().copied().reduce(pick).unwrap_or_default() / 1000.0);
        let other_mj = noise_mj.hypot(rounding_mj).hypot(drift_mj);
        // One of the sums is right, but which is unknown: beyond it there is one tail of the other errors.
        let around = other_mj.max((high - low) / 2.0 + ONE_TAIL * other_mj) + fixed_mj;
        let middle = f64::midpoint(low, high);
        (Joules { low: (middle - around) / 1000.0, high: (middle + around) / 1000.0 }, drift_mj)
    }

    /// Power while the machine slept within a window: what the energy counter of the meter grew by, without what the machine
    /// drew awake around it.
    pub(super) fn asleep(&self, step: usize, window: Window, asleep_ms: f64) -> Result<StepEnergy, String> {
        const AWAKE: &str =
            "nothing reads a meter while the machine sleeps; use one that adds up energy, or a second machine";
        let channel = self.counter.ok_or(AWAKE)?;
        let readings = gauge(self.facts, channel, whole_run());
        let next = readings.partition_point(|reading| reading.at_ms < window.end_ms);
        let before = readings.iter().rfind(|reading| reading.at_ms <= window.start_ms);
        let (Some(before), Some(after), Some(idle_mw)) = (before, readings.get(next), self.idle_mw()) else {
            return Err(AWAKE.to_owned());
        };
        let quantum = divisor(channel.values.iter().flatten().map(|value| value.unsigned_abs())) as f64;
        let awake_uj = idle_mw * (after.at_ms - before.at_ms) as f64;
        let around = quantum + AWAKE_SHARE * awake_uj;
        let slept_uj = (after.value - before.value) as f64 - awake_uj;
        if asleep_ms <= 0.0 || slept_uj <= around {
            return Err("the energy counter of the meter is too coarse for this time asleep".to_owned());
        }
        let mean_mw = slept_uj / asleep_ms;
        Ok(StepEnergy {
            step,
            mean_mw,
            peak_mw: mean_mw,
            least_mw: mean_mw,
            joules: slept_uj / 1e6,
            joules_low: (slept_uj - around) / 1e6,
            joules_high: (slept_uj + around) / 1e6,
            joules_above_idle: None,
            drift_mw: None,
            is_counted: true,
            readings: 0,
        })
    }

    /// Readings that certainly belong to the window alone, or all if those are too few.
    fn core<'r>(&'r self, inside: &'r [(i64, f64)], window: Window) -> &'r [(i64, f64)] {
        Some(self.within(self.sure(window))).filter(|sure| sure.len() >= READINGS_MIN).unwrap_or(inside)
    }

    /// Time whose readings certainly belong to the window alone.
    fn sure(&self, window: Window) -> (f64, f64) {
        (window.start_ms as f64 + self.late_ms.1 + self.period_ms, window.end_ms as f64 + self.late_ms.0)
    }

    /// Energy of the window outside of [`Self::sure`] in microjoules, by the power at both ends and the mean delay.
    fn rest(&self, window: Window, (first_mw, last_mw): (f64, f64)) -> f64 {
        let (sure, late) = (self.sure(window), f64::midpoint(self.late_ms.0, self.late_ms.1));
        first_mw * (sure.0 - window.start_ms as f64 - late) + last_mw * (window.end_ms as f64 + late - sure.1)
    }

    /// Growth of the energy counter plus the power at both ends; `None` if the counter fell or stood still.
    fn counted(&self, window: Window, ends: (f64, f64), levels: (f64, f64), drift_mj: f64) -> Option<Joules> {
        let channel = self.counter?;
        let growth = |(from, to): (f64, f64)| {
            let window = Window { start_ms: from.ceil() as i64, end_ms: to.floor() as i64, ..Window::default() };
            let inside = gauge(self.facts, channel, window);
            let (first, last) = (inside.first()?, inside.last()?);
            let is_ascending = inside.windows(2).all(|pair| pair[0].value <= pair[1].value);
            let growth = last.value.checked_sub(first.value).filter(|growth| *growth > 0 && is_ascending)?;
            let edges = levels.0 * (first.at_ms as f64 - from) + levels.1 * (to - last.at_ms as f64);
            Some(growth as f64 + edges)
        };
        let rest = self.rest(window, levels);
        let whole = growth(ends)?;
        let core = growth(self.sure(window)).map_or(whole, |core| core + rest);
        let quantum = divisor(channel.values.iter().flatten().map(|value| value.unsigned_abs())) as f64;
        let around = quantum + 1000.0 * drift_mj;
        Some(Joules { low: (whole.min(core) - around) / 1e6, high: (whole.max(core) + around) / 1e6 })
    }

    /// A time without readings is a gap, with the reason that the sampler has for it.
    fn gap(&self, inside: &[(i64, f64)], (from, to): (f64, f64)) -> Result<(), String> {
        let longest = (GAP_PERIODS * self.period_ms).max(GAP_MS_MIN);
        let mut last_ms = from;
        for at_ms in inside.iter().map(|(at_ms, _)| *at_ms as f64).chain([to]) {
            if at_ms - last_ms > longest {
                let gaps = self.facts.power_source().iter().flat_map(|source| source.gaps(self.facts));
                let mut own = gaps.filter(|gap| (last_ms - self.period_ms..=to).contains(&(gap.at_ms as f64)));
                let why = own.next().map_or_else(String::new, |gap| format!(": {}", gap.missing));
                return Err(format!("no reading for {:.1} s{why}", (at_ms - last_ms) / 1000.0));
            }
            last_ms = at_ms;
        }
        Ok(())
    }

    /// The same reading under load and at rest, in either order, is stale.
    fn stuck(&self, first: usize, end: usize) -> Result<(), String> {
        let same = |place: usize| self.readings[place].1 == self.readings[place - 1].1;
        let mut start = (1..=first).rev().find(|place| !same(*place)).unwrap_or(0);
        while start < end {
            let stop = (start + 1..self.readings.len()).find(|place| !same(*place)).unwrap_or(self.readings.len());
            let ends = [start, stop - 1].map(|place| self.readings[place].0);
            if stop - start >= 2 * READINGS_MIN && self.saw_rest_and_load(ends) {
                let seconds = (ends[1] - ends[0]) as f64 / 1000.0;
                return Err(format!("the same reading for {seconds:.0} s, at rest and under load"));
            }
            start = stop;
        }
        Ok(())
    }

    /// True if the CPUs were idle for longer than the delay in this time, and busy too.
    fn saw_rest_and_load(&self, [from, to]: [i64; 2]) -> bool {
        let rows = self.facts.samples.at_ms.iter().zip(self.facts.busy_percent_at());
        let then: Vec<f64> =
            rows.filter(|(at_ms, _)| (from..=to).contains(at_ms)).filter_map(|(_, busy)| *busy).collect();
        let row_ms = self.facts.samples.usual_interval_ms().max(1) as f64;
        let needed = READINGS_MIN as f64 + (self.late_ms.1 + self.period_ms) / row_ms;
        let count = |is: &dyn Fn(f64) -> bool| then.iter().filter(|busy| is(**busy)).count() as f64;
        count(&|busy| busy <= IDLE_PERCENT_MAX) >= needed && count(&|busy| busy >= 75.0) >= needed
    }
}

/// Step of the last digit: the greatest common divisor of all readings. With few distinct readings it is too large;
/// then a power of ten, or the step of a current in milliamperes from which meters compute power.
fn resolution_mw(readings: &[(i64, f64)], milliampere_mw: f64) -> f64 {
    let microwatts = || readings.iter().map(|(_, mw)| (mw * 1000.0).round().max(0.0) as u64).filter(|uw| *uw > 0);
    let mut step = divisor(microwatts());
    let first = microwatts().next();
    let second = microwatts().find(|uw| Some(*uw) != first);
    let third = microwatts().find(|uw| ![first, second].contains(&Some(*uw)));
    let has_many = microwatts().any(|uw| ![first, second, third].contains(&Some(uw)));
    if !has_many && step > 0 {
        let tens = (0..9).map(|power| 10_u64.pow(power)).filter(|tens| step.is_multiple_of(*tens));
        step = step.min(tens.max().unwrap_or(1).max((milliampere_mw * 1000.0) as u64));
    }
    step as f64 / 1000.0
}

/// Power of one milliampere at the voltage of the same source; zero if unknown.
fn milliampere_mw(facts: &Facts<'_>, source: &PowerSource) -> f64 {
    let is_voltage =
        |channel: &&Channel| channel.unit == Unit::Millivolts && channel.id.is_of_same_chip(source.id(facts));
    let voltage = facts.samples.channels.iter().find(is_voltage);
    let millivolts = voltage.and_then(|channel| channel.values.iter().flatten().max());
    millivolts.map_or(0.0, |millivolts| (*millivolts).max(0) as f64 / 1000.0)
}

fn divisor(values: impl Iterator<Item = u64>) -> u64 {
    values.fold(0, |mut a, mut b| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    })
}

/// Power at the first and at the last reading by the line through all, if they lie on it and differ enough.
fn drift(readings: &[(i64, f64)]) -> Option<(f64, f64)> {
    let (start_ms, end_ms) = (readings.first()?.0, readings.last()?.0);
    let elapsed_ms = |at_ms: i64| (at_ms - start_ms) as f64;
    let points: Vec<(f64, f64)> = readings.iter().map(|(at_ms, mw)| (elapsed_ms(*at_ms), *mw)).collect();
    let line = Line::through(&points).filter(|line| line.correlation.abs() >= DRIFT_CORRELATION_MIN)?;
    let change_mw = line.slope * elapsed_ms(end_ms);
    let middle_mw = line.offset + change_mw / 2.0;
    (change_mw.abs() > DRIFT_MIN * middle_mw && points.len() > READINGS_MIN)
        .then_some((line.offset, line.offset + change_mw))
}

/// An impossible reading invalidates the energy of its step.
fn jump(inside: &[(i64, f64)]) -> Result<(), String> {
    if let Some((_, mw)) = inside.iter().find(|(_, mw)| *mw <= 0.0) {
        return Err(format!("a reading of {:.2} W while the machine ran", mw / 1000.0));
    }
    let is_jump = |pair: &&[(i64, f64)]| {
        let ratio = pair[1].1 / pair[0].1;
        !(1.0 / JUMP_MAX..=JUMP_MAX).contains(&ratio)
    };
    match inside.windows(2).find(is_jump) {
        None => Ok(()),
        Some(pair) => Err(format!("readings jump from {:.3} W to {:.3} W", pair[0].1 / 1000.0, pair[1].1 / 1000.0)),
    }
}

/// Longest time within which a meter answered.
fn answer_ms(facts: &Facts<'_>, source: &PowerSource) -> f64 {
    let ChannelId::Meter(output, _) = source.id(facts) else { return 0.0 };
    let delay = ChannelId::Meter(MeterOutput::of(output.meter, None), MeterChannel::Delay);
    let channel = facts.samples.channel(&delay);
    let longest = channel.and_then(|channel| channel.values.iter().flatten().max());
    longest.map_or(0.0, |ms| *ms as f64)
}

/// By how much power follows the use of the CPUs, in milliseconds: the delays with the highest correlation, if they stand
/// out.
fn delay_ms(facts: &Facts<'_>, readings: &[(i64, f64)]) -> Option<(f64, f64)> {
    let busy: Vec<(i64, f64)> = {
        let rows = facts.samples.at_ms.iter().zip(facts.busy_percent_at());
        rows.filter_map(|(at_ms, busy)| Some((*at_ms, (*busy)?))).collect()
    };
    let correlation = |delay: i64| {
        let pairs = readings.iter().take(DELAY_READINGS_MAX).filter_map(|(at_ms, mw)| {
            // A row has the use since the row before.
            let row = busy.partition_point(|(row_ms, _)| *row_ms < at_ms.saturating_sub(delay));
            Some((busy.get(row)?.1, *mw))
        });
        Some(Line::through(&pairs.collect::<Vec<_>>())?.correlation)
    };
    let of = |from: i64, to: i64, step: usize| {
        let delays = (from.max(0)..=to).step_by(step);
        delays.filter_map(|delay| Some((delay, correlation(delay)?))).collect::<Vec<(i64, f64)>>()
    };
    let coarse = of(0, DELAY_MS_MAX, 5 * DELAY_MS_STEP);
    let (near, _) = *coarse.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let around = 12 * DELAY_MS_STEP as i64;
    let fine = of(near - around, near + around, DELAY_MS_STEP);
    let best = fine.iter().map(|(_, correlation)| *correlation).fold(f64::MIN, f64::max);
    let least = coarse.iter().map(|(_, correlation)| *correlation).fold(f64::MAX, f64::min);
    let is_best = |known: &&(i64, f64)| known.1 >= best - CORRELATION_SAME;
    let (first, last) = (fine.iter().find(is_best)?.0, fine.iter().rev().find(is_best)?.0);
    let stands_out = best >= CORRELATION_MIN && best - least >= CORRELATION_PEAK;
    let step = DELAY_MS_STEP as f64;
    stands_out.then_some((first as f64 - step, last as f64 + step))
}
