//! Published tables, and simulations of the interval's coverage.

use super::*;
use crate::Total;

#[test]
fn medians() {
    for (values, expected) in
        [(&[][..], None), (&[3.0], Some(3.0)), (&[3.0, 1.0], Some(2.0)), (&[9.0, 1.0, 2.0], Some(2.0))]
    {
        assert_eq!(median(values), expected, "{values:?}");
    }
}

#[test]
fn deviation_from_the_median() {
    // Worked example of the Wikipedia article "Median absolute deviation".
    let values = [1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0];
    assert_eq!(median_absolute_deviation(&values), Some(1.0));
}

/// Ranks of the exact interval of the median at 95 % by the binomial table with p = 1/2 of Conover,
/// *Practical Nonparametric Statistics* (1999), table A3; coverages are 1 - 2 P(X < rank).
const RANKS: &[(u32, u32, f64)] = &[
    (6, 1, 96.875),
    (7, 1, 98.438),
    (8, 1, 99.219),
    (9, 2, 96.094),
    (10, 2, 97.852),
    (11, 2, 98.828),
    (12, 3, 96.143),
    (13, 3, 97.754),
    (14, 3, 98.706),
    (15, 4, 96.484),
    (16, 4, 97.873),
    (17, 5, 95.096),
    (18, 5, 96.912),
    (19, 5, 98.079),
    (20, 6, 95.861),
    (25, 8, 95.671),
];

#[test]
fn interval_of_the_median_has_the_published_ranks() {
    for (n, rank, coverage) in RANKS {
        let values: Vec<f64> = (1..=*n).map(f64::from).collect();
        let interval = median_interval(&values, 95.0).unwrap();
        let expected = (f64::from(*rank), f64::from(n + 1 - rank));
        assert_eq!((interval.low, interval.high), expected, "n = {n}");
        assert!((interval.coverage_percent - coverage).abs() < 0.001, "{n}");
    }
    assert_eq!(median_interval(&[1.0, 2.0, 3.0, 4.0, 5.0], 95.0), None);
    assert_eq!(median_interval(&[], 95.0), None);
}

#[test]
fn interval_of_a_long_series() {
    // For many values the ranks follow the normal approximation: 2500 -+ 1.96 * 25.
    let values: Vec<f64> = (1..=2500).map(f64::from).collect();
    let interval = median_interval(&values, 95.0).unwrap();
    assert_eq!((interval.low, interval.high), (1201.0, 1300.0));
}

#[test]
fn two_modes_stay_two() {
    let low_high = [1.0, 1.01, 2.0, 1.0, 2.01, 1.02, 2.0, 1.01];
    let repeated = Repeated::of("x", "s", &low_high, StopReason::Times).unwrap();
    let medians: Vec<(u32, f64)> = repeated.groups.iter().map(|g| (g.n, g.median)).collect();
    assert_eq!(medians, [(5, 1.01), (3, 2.0)]);
    assert_eq!((repeated.figure(), repeated.min, repeated.max), (1.01, 1.0, 2.01));
    let one = [1.0, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07];
    assert_eq!(two_groups(&one), None);
    let outlier = [1.0, 1.01, 1.0, 1.02, 1.01, 1.0, 1.01, 2.0];
    assert_eq!(two_groups(&outlier), None, "one slow run is no mode");
    assert_eq!(two_groups(&low_high[..7]), None);
}

#[test]
fn drift_detection() {
    // Cox and Stuart: with 8 pairs all of one sign, 2 / 2^8 = 0.8 %.
    let rising: Vec<f64> = (0..16).map(f64::from).collect();
    assert!(drifts(&rising));
    assert!(!drifts(&rising[..14]), "seven pairs cannot tell at 1 %");
    let falling: Vec<f64> = rising.iter().map(|value| -value).collect();
    assert!(drifts(&falling));
    let swinging: Vec<f64> = (0..40).map(|i| f64::from(i % 3)).collect();
    assert!(!drifts(&swinging));
    assert!(!drifts(&[1.0; 40]) && !drifts(&[]));
}

#[test]
fn stopping_rule() {
    let rule = StoppingRule::new(20, Duration::from_secs(5));
    let narrow = [100.0, 100.1, 100.2, 99.9, 100.0, 100.1, 100.0, 100.1];
    let wide = [100.0, 110.0, 120.0, 90.0, 100.0, 101.0, 95.0];
    let modes = [1.0, 2.0].repeat(11);
    let (short, long) = (Duration::from_secs(1), Duration::from_secs(5));
    for (values, elapsed, expected) in [
        (&narrow[..7], short, Some(StopReason::Narrow)),
        (&narrow[..6], short, None),
        (&narrow[..8], short, None),
        (&wide[..], short, None),
        (&wide[..], long, Some(StopReason::Time)),
        (&[1.0; 20], short, Some(StopReason::Times)),
        (&[1.0; 15], short, Some(StopReason::Narrow)),
        (&modes[..], short, Some(StopReason::Narrow)),
        (&[], long, Some(StopReason::Time)),
    ] {
        assert_eq!(rule.ended(values, elapsed), expected, "{values:?}");
    }
    let looks: Vec<usize> = (0..110).filter(|n| is_look(*n)).collect();
    assert_eq!(looks, [7, 10, 15, 22, 33, 49, 73, 109]);
}

/// Pseudorandom numbers, the same in every run (xorshift, Marsaglia 2003).
struct Chance(u64);

impl Chance {
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Skewed like run times: never faster than the machine, sometimes much slower.
    fn exponential(&mut self) -> f64 {
        -(1.0 - self.uniform()).ln()
    }
}

/// Repeats a measurement until the rule ends it, two thousand times, and returns how often the interval contained the
/// true median, in percent. `level` is the true time of the machine at a repetition; the noise is skewed with median 0.
fn coverage_percent(seed: u64, noise: f64, level: impl Fn(&mut Chance) -> Vec<f64>) -> f64 {
    const TRIALS: u32 = 2000;
    let rule = StoppingRule::new(100, Duration::from_secs(600));
    let mut chance = Chance(seed);
    let mut held = 0;
    for _ in 0..TRIALS {
        let levels = level(&mut chance);
        let mut values = Vec::new();
        let ended = loop {
            let skewed = chance.exponential() - std::f64::consts::LN_2;
            values.push(levels[values.len()] + noise * skewed);
            if let Some(ended) = rule.ended(&values, Duration::ZERO) {
                break ended;
            }
        };
        let truth = median_of_mixture(&levels[..values.len()], noise);
        let repeated = Repeated::of("x", "s", &values, ended).unwrap();
        let held_by = |group: &Group| {
            let interval = group.interval.unwrap();
            (interval.low..=interval.high).contains(&truth)
        };
        held += u32::from(repeated.groups.iter().any(held_by));
    }
    100.0 * f64::from(held) / f64::from(TRIALS)
}

/// Median over the time of measuring: the mean of all distribution functions is one half.
fn median_of_mixture(levels: &[f64], noise: f64) -> f64 {
    let below = |x: f64| {
        let one = |level: &f64| {
            let z = (x - level) / noise + std::f64::consts::LN_2;
            if z > 0.0 { 1.0 - (-z).exp() } else { 0.0 }
        };
        levels.iter().map(one).total::<f64>() / levels.len() as f64
    };
    let (mut low, mut high) = (0.0, 10.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if below(middle) < 0.5 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[test]
fn after_stopping_early_95_percent_are_left() {
    for (seed, noise) in [(1, 0.002), (2, 0.005), (3, 0.01), (4, 0.02), (5, 0.05)] {
        let still = coverage_percent(seed, noise, |_| vec![1.0; 100]);
        assert!(still >= 95.0, "skew {noise}: {still} %");
    }
}

#[test]
fn coverage_with_drift() {
    for (seed, noise) in [(11, 0.002), (12, 0.01), (13, 0.03)] {
        let rising = |_: &mut Chance| (0..100).map(|i| 1.0 + 0.001 * f64::from(i)).collect();
        let found = coverage_percent(seed, noise, rising);
        assert!(found >= 95.0, "drift next to skew {noise}: {found} %");
        let wandering = |chance: &mut Chance| {
            let mut level = 1.0;
            let mut step = |_| {
                level += 0.004 * (chance.uniform() - 0.5);
                level
            };
            (0..100).map(&mut step).collect()
        };
        let found = coverage_percent(seed, noise, wandering);
        assert!(found >= 95.0, "wander next to skew {noise}: {found} %");
    }
}

#[test]
fn a_number_that_is_read_and_written_again_keeps_every_digit() {
    for text in ["31.245270191439438", "0.1", "7e-10", "122.416294033786585"] {
        let number: f64 = serde_json::from_str(text).unwrap();
        assert_eq!(number, text.parse::<f64>().unwrap(), "{text}");
    }
}
