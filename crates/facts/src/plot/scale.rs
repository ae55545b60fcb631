//! From values to places, and which values stand at an axis.

/// From a value to its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    from: (f64, f64),
    to: (f64, f64),
    is_log: bool,
}

impl Scale {
    /// Equal differences are equal lengths.
    pub fn linear(from: (f64, f64), to: (f64, f64)) -> Self {
        Self { from: wide(from), to, is_log: false }
    }

    /// Equal ratios are equal lengths. The values are above zero.
    pub fn logarithmic(from: (f64, f64), to: (f64, f64)) -> Self {
        let positive = |value: f64| value.max(f64::MIN_POSITIVE).ln();
        Self { from: wide((positive(from.0), positive(from.1))), to, is_log: true }
    }

    /// The place of a value.
    pub fn at(&self, value: f64) -> f64 {
        let value = if self.is_log { value.max(f64::MIN_POSITIVE).ln() } else { value };
        let share = (value - self.from.0) / (self.from.1 - self.from.0);
        self.to.0 + share * (self.to.1 - self.to.0)
    }

    /// Both ends as places.
    pub(super) fn places(&self) -> (f64, f64) {
        self.to
    }

    /// Both ends as values on a linear scale.
    pub fn ends(&self) -> (f64, f64) {
        self.from
    }
}

/// A range without length has no scale.
pub(super) fn wide((low, high): (f64, f64)) -> (f64, f64) {
    match high - low {
        length if length.is_finite() && length > 0.0 => (low, high),
        _ if low.is_finite() => (low - room(low), low + room(low)),
        _ => (0.0, 1.0),
    }
}

/// Margin on both sides of a single value, in proportion to it.
fn room(value: f64) -> f64 {
    (value.abs() / 20.0).max(1.0)
}

/// Round numbers over a range, whose ends they are: steps of 1, 2 or 5 times a power of ten.
pub fn linear_ticks((low, high): (f64, f64), wanted: usize) -> Vec<f64> {
    let (low, high) = wide((low, high));
    let rough = (high - low) / wanted.max(1) as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power);
    let step = steps.into_iter().find(|step| *step >= rough * 0.999).unwrap_or(10.0 * power);
    let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
    // Numbers so large that steps between them are lost have no ticks.
    if !step.is_finite() || first.abs().max(last.abs()) > 1e15 || last - first > 100.0 {
        return vec![low, high];
    }
    let count = (last - first) as usize;
    (0..=count).map(|index| (first + index as f64) * step).collect()
}

/// Ticks with their words, in as many decimals as the steps need.
pub fn named(ticks: &[f64]) -> Vec<(f64, String)> {
    let step = ticks.windows(2).map(|pair| pair[1] - pair[0]).next().unwrap_or(1.0);
    let decimals = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
    ticks.iter().map(|tick| (*tick, format!("{:.decimals$}", tick + 0.0))).collect()
}

/// Steps of an axis of time, in seconds.
const TIME_STEPS_S: [f64; 21] = [
    0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 10_800.0,
    21_600.0, 43_200.0, 86_400.0,
];

/// Moments at an axis of time in seconds, with their words.
pub fn time_ticks(range: (f64, f64), wanted: usize) -> Vec<(f64, String)> {
    moments(range, wanted).into_iter().map(|seconds| (seconds, clock_time(seconds))).collect()
}

fn moments((low, high): (f64, f64), wanted: usize) -> Vec<f64> {
    let (low, high) = wide((low, high));
    let rough = (high - low) / wanted.max(1) as f64;
    let days = (rough / 86_400.0).ceil() * 86_400.0;
    let step = TIME_STEPS_S.into_iter().find(|step| *step >= rough).unwrap_or(days);
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    if !(last - first).is_finite() || !(0.0..=100.0).contains(&(last - first)) {
        return Vec::new();
    }
    (0..=(last - first) as usize).map(|index| (first + index as f64) * step).collect()
}

/// A moment since the start of the run: `7.5 s`, `2:05`, `1:30:00`.
pub fn clock_time(seconds: f64) -> String {
    let sign = if seconds < -0.05 { "-" } else { "" };
    let tenths = (seconds.abs() * 10.0).round() as u64;
    let (whole, tenth) = (tenths / 10, tenths % 10);
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
    let tail = if tenth == 0 { String::new() } else { format!(".{tenth}") };
    match hours {
        0 => format!("{sign}{minutes}:{rest:02}{tail}"),
        hours => format!("{sign}{hours}:{minutes:02}:{rest:02}{tail}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_even_and_hold_the_range() {
        for (range, expected) in [
            ((0.0, 10.0), "0 2 4 6 8 10"),
            ((43.2, 79.9), "40 50 60 70 80"),
            ((0.61, 1.02), "0.6 0.7 0.8 0.9 1.0 1.1"),
            ((5.0, 5.0), "4.0 4.5 5.0 5.5 6.0"),
            ((1800.0, 1800.0), "1700 1750 1800 1850 1900"),
        ] {
            let ticks = linear_ticks(range, 5);
            let words: Vec<String> = named(&ticks).into_iter().map(|(_, words)| words).collect();
            assert_eq!(words.join(" "), expected, "{range:?}");
        }
        for wild in [(f64::NAN, 1.0), (0.0, f64::INFINITY), (-1e300, 1e300), (1e300, 1e300)] {
            assert!(linear_ticks(wild, 5).len() <= 102 && time_ticks(wild, 8).len() <= 102);
        }
    }

    #[test]
    fn moments_are_those_of_a_clock() {
        for (range, expected) in [
            ((0.0, 7.0), "0:00 0:01 0:02 0:03 0:04 0:05 0:06 0:07"),
            ((-3.0, 700.0), "0:00 2:00 4:00 6:00 8:00 10:00"),
            ((0.0, 86_400.0), "0:00 3:00:00 6:00:00 9:00:00 12:00:00 15:00:00 18:00:00 21:00:00 24:00:00"),
        ] {
            let words: Vec<String> = time_ticks(range, 8).into_iter().map(|(_, words)| words).collect();
            assert_eq!(words.join(" "), expected);
        }
        assert_eq!((clock_time(-65.5), clock_time(0.04)), ("-1:05.5".to_owned(), "0:00".to_owned()));
    }

    #[test]
    fn values_have_places() {
        let linear = Scale::linear((0.0, 10.0), (0.0, 100.0));
        let doubling = Scale::logarithmic((1.0, 16.0), (0.0, 100.0));
        assert_eq!((linear.at(5.0), doubling.at(4.0).round()), (50.0, 50.0));
        assert!(Scale::linear((3.0, 3.0), (0.0, 1.0)).at(3.0).is_finite());
    }
}
