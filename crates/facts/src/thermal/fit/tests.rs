//! Random simulated boards with the errors of real sensors, and what the fit finds of them.

use super::*;
use crate::test_support::Chance;
use proptest::prelude::*;

/// A simulated board and what watches it.
#[derive(Debug, Clone, Copy)]
struct Board {
    tau_s: f64,
    k_per_w: f64,
    ambient: f64,
    idle_w: f64,
    load_w: f64,
    /// Throttling temperature in °C. As in kernels, one step down or up every 0.1 s.
    trip: f64,
    /// Scatter of the thermometer in K, and its steps.
    noise_k: f64,
    step_k: f64,
    /// Reading interval of the thermometer, in s.
    refresh_s: f64,
    /// Offset, noise and delay of the meter.
    offset_w: f64,
    noise_w: f64,
    delay_s: f64,
    /// Scatter of the power between readings, in W: work in bursts.
    bursts_w: f64,
    /// Seconds of idling, load and cooling.
    phases_s: [f64; 3],
}

/// Interval of readings in seconds.
const SAMPLE_S: f64 = 0.5;
const STEP_S: f64 = 0.02;

impl Board {
    /// Constants from a wide range: credit cards to boxes, cellars to attics.
    fn random(chance: &mut Chance) -> Self {
        let mut between = |low: f64, high: f64| low + (high - low) * chance.uniform();
        let tau_s = between(3.0_f64.ln(), 60.0_f64.ln()).exp();
        let k_per_w = between(2.0, 16.0);
        let idle_w = between(0.8, 4.0);
        Self {
            tau_s,
            k_per_w,
            ambient: between(8.0, 38.0),
            idle_w,
            load_w: idle_w + between(18.0, 60.0) / k_per_w,
            trip: f64::MAX,
            noise_k: 0.0,
            step_k: 0.001,
            refresh_s: 0.0,
            offset_w: 0.0,
            noise_w: 0.0,
            delay_s: 0.0,
            bursts_w: 0.0,
            phases_s: [10.0, 5.0 * tau_s + 30.0, 2.0 * tau_s + 20.0],
        }
    }

    /// Readings of the three phases. The board is warm at first, from the clock pass.
    fn phases(&self, chance: &mut Chance) -> [Vec<Moment>; 3] {
        let mut noise = |k: f64| k * 3.46 * (chance.uniform() - 0.5);
        let mut celsius = self.ambient + self.k_per_w * (0.7 * self.idle_w + 0.3 * self.load_w);
        let (mut level, mut at_s, mut shown) = (0.0_f64, 0.0, celsius);
        let mut burst_w = 0.0;
        let (mut next_s, mut refresh_s, mut history) = (0.0, 0.0, Vec::new());
        let mut phases = [const { Vec::new() }; 3];
        for (phase, (moments, seconds)) in phases.iter_mut().zip(self.phases_s).enumerate() {
            for tick in 0..(seconds / STEP_S) as usize {
                if phase == 1 && tick % 5 == 0 {
                    level += if celsius >= self.trip { 1.0 } else { -1.0 };
                    level = level.clamp(0.0, 5.0);
                }
                let watts = match phase {
                    1 => self.idle_w + (self.load_w - self.idle_w) * (1.0 - 0.12 * level),
                    _ => self.idle_w,
                };
                // A burst lasts for some 50 ms; an idle board has fewer.
                let share = if phase == 1 { 1.0 } else { 0.2 };
                burst_w = 0.6 * burst_w + 0.8 * noise(self.bursts_w * share);
                let watts = watts + burst_w;
                let end = self.ambient + self.k_per_w * watts;
                celsius = end + (celsius - end) * (-STEP_S / self.tau_s).exp();
                at_s += STEP_S;
                history.push(watts);
                if at_s >= refresh_s {
                    refresh_s = at_s + self.refresh_s;
                    let read = celsius + noise(self.noise_k);
                    shown = (read / self.step_k).floor() * self.step_k;
                }
                if at_s >= next_s {
                    next_s = at_s + SAMPLE_S;
                    let then = history.len().saturating_sub(1 + (self.delay_s / STEP_S) as usize);
                    moments.push(Moment {
                        at_s,
                        celsius: shown,
                        watts: history[then] + self.offset_w + noise(self.noise_w),
                    });
                }
            }
        }
        phases
    }
}

fn fit(phases: &[Vec<Moment>; 3]) -> Result<PowerFit, Reason> {
    fit_power(&phases.each_ref().map(Vec::as_slice))
}

/// Checks that a figure is right within this percentage, and that its interval contains the truth or ends near it.
fn check(name: &str, found: Estimate, truth: f64, percent: f64, board: &Board) {
    let off = 100.0 * (found.value / truth - 1.0).abs();
    assert!(off < percent, "{name}: {found:?} instead of {truth}: {board:?}");
    let slack = truth * percent / 200.0;
    let holds = found.low - slack <= truth && truth <= found.high + slack;
    assert!(holds, "{name}: {found:?} does not hold {truth}: {board:?}");
}

/// Checks five random boards with one disturbance: each figure must be right within this percentage.
fn check_boards(spoil: fn(&mut Board), percent: f64) {
    let mut chance = Chance(20_261_122);
    for _ in 0..5 {
        let mut board = Board::random(&mut chance);
        spoil(&mut board);
        let fit = fit(&board.phases(&mut chance));
        let fit = fit.unwrap_or_else(|why| panic!("{why}: {board:?}"));
        check("K per W", fit.k_per_w, board.k_per_w, percent, &board);
        check("tau", fit.tau_s.unwrap(), board.tau_s, 2.0 * percent, &board);
        // The zero of the meter is indistinguishable from the ambient temperature.
        let at_zero_w = board.ambient - board.k_per_w * board.offset_w;
        let found = fit.ambient_celsius;
        let slack = percent / 100.0 * board.k_per_w * board.load_w;
        assert!((found.value - at_zero_w).abs() < slack, "{fit:?}: {board:?}");
    }
}

#[test]
fn constants_come_back() {
    check_boards(|_| (), 1.0);
}

#[test]
fn constants_come_back_through_noise() {
    check_boards(|board| (board.noise_k, board.noise_w) = (1.0, 0.2), 8.0);
}

#[test]
fn constants_come_back_through_whole_degrees() {
    check_boards(|board| board.step_k = 1.0, 4.0);
}

#[test]
fn constants_come_back_from_a_meter_with_an_offset() {
    check_boards(|board| board.offset_w = 1.5, 1.0);
}

#[test]
fn constants_come_back_from_a_meter_that_lags() {
    check_boards(|board| board.delay_s = 1.5, 8.0);
}

#[test]
fn constants_come_back_from_a_slow_thermometer() {
    check_boards(|board| board.refresh_s = 2.0, 8.0);
}

#[test]
fn constants_come_back_from_boards_that_throttle() {
    check_boards(|board| board.trip = board.ambient + board.k_per_w * (0.3 * board.idle_w + 0.7 * board.load_w), 4.0);
}

/// Number of boards with each figure within its interval: K per W, time constant, ambient temperature.
fn coverage(boards: usize, spoil: fn(&mut Board)) -> [usize; 3] {
    let mut chance = Chance(1_984);
    let mut held = [0; 3];
    for _ in 0..boards {
        let mut board = Board::random(&mut chance);
        board.phases_s = [6.0, 4.0 * board.tau_s, 2.2 * board.tau_s];
        spoil(&mut board);
        let fit = fit(&board.phases(&mut chance));
        let fit = fit.unwrap_or_else(|why| panic!("{why}: {board:?}"));
        let truths = [board.k_per_w, board.tau_s, board.ambient];
        let tau = fit.tau_s.unwrap();
        let found = [fit.k_per_w, tau, fit.ambient_celsius];
        for ((held, found), truth) in held.iter_mut().zip(found).zip(truths) {
            *held += usize::from(found.low <= truth && truth <= found.high);
        }
    }
    held
}

/// A 95 % interval contains the truth in at least 18 of 20 cases, and is not arbitrarily wide.
#[test]
fn intervals_cover_truth() {
    type Spoil = fn(&mut Board);
    let kinds: [(&str, Spoil); 5] = [
        ("scatter", |board| (board.noise_k, board.noise_w) = (0.5, 0.1)),
        ("steps", |board| board.step_k = 0.5),
        ("bursts", |board| board.bursts_w = 0.25),
        ("bursts and steps", |board| (board.bursts_w, board.step_k) = (0.15, 0.3)),
        ("throttled bursts", |board| {
            board.bursts_w = 0.15;
            board.trip = board.ambient + board.k_per_w * (0.3 * board.idle_w + 0.7 * board.load_w);
        }),
    ];
    const BOARDS: usize = 40;
    for (name, spoil) in kinds {
        let held = coverage(BOARDS, spoil);
        assert!(held.iter().all(|held| held * 10 >= BOARDS * 9), "{name}: {held:?}");
    }
}

/// Less than one time constant of cooling.
#[test]
fn short_phases_give_wider_intervals_or_nothing() {
    let mut chance = Chance(7);
    let mut told = 0;
    for _ in 0..40 {
        let mut board = Board::random(&mut chance);
        (board.noise_k, board.step_k) = (0.3, 0.5);
        let seconds = 0.1 + 0.6 * chance.uniform();
        board.phases_s = [5.0, 2.0 * board.tau_s, seconds * board.tau_s];
        let Ok(fit) = fit(&board.phases(&mut chance)) else {
            continue;
        };
        told += 1;
        let Estimate { low, high, .. } = fit.k_per_w;
        let slack = 0.1 * board.k_per_w;
        let holds = low - slack <= board.k_per_w && board.k_per_w <= high + slack;
        assert!(holds, "{fit:?}: {board:?}");
    }
    assert!(told > 0, "some can be told");
}

#[test]
fn time_constant_without_power() {
    let mut chance = Chance(42);
    for _ in 0..5 {
        let board = Board::random(&mut chance);
        let phases = board.phases(&mut chance);
        let fit = fit_steps(&phases.each_ref().map(Vec::as_slice)).unwrap();
        check("tau", fit.tau_s, board.tau_s, 3.0, &board);
        let end = board.ambient + board.k_per_w * board.idle_w;
        assert!((fit.end_celsius[2].unwrap() - end).abs() < 1.0, "{fit:?}: {board:?}");
    }
}

#[test]
fn undetermined_fit_is_refused() {
    let mut chance = Chance(3);
    let board = Board::random(&mut chance);
    let phases = board.phases(&mut chance);
    let all = phases.each_ref().map(Vec::as_slice);
    let changed = |change: fn(&mut Moment)| {
        let mut phases = phases.clone();
        phases.iter_mut().flatten().for_each(change);
        fit(&phases).unwrap_err()
    };
    for (why, expected) in [
        (fit_power(&[]).unwrap_err(), "only one phase"),
        (fit_power(&all[1..2]).unwrap_err(), "only one phase"),
        (changed(|moment| moment.celsius = 45.0), "hardly changed"),
        (changed(|moment| moment.watts = 5.0), "hardly differed"),
        (changed(|moment| moment.watts = 0.0), "hardly differed"),
        (changed(|moment| moment.watts = 12.0 - moment.watts), "inconsistent"),
        (fit_steps(&[]).unwrap_err(), "hardly changed"),
    ] {
        assert!(why.contains(expected), "{why} instead of {expected}");
    }
}

proptest! {
    #[test]
    fn fit_never_panics(values in prop::collection::vec((-50.0..150.0, 0.0..50.0), 0..60)) {
        let moment = |(index, (celsius, watts)): (usize, &(f64, f64))| Moment {
            at_s: index as f64 * 0.2,
            celsius: *celsius,
            watts: *watts,
        };
        let moments: Vec<Moment> = values.iter().enumerate().map(moment).collect();
        let (a, b) = moments.split_at(moments.len() / 2);
        let _ = fit_power(&[a, b]);
        let _ = fit_steps(&[a, b]);
    }
}
