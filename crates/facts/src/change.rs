//! Difference between two values in words, relative to the other value.
//!
//! 343.6 ns after 179.6 ns is 91 % more, whether more is better or not; 0.063 s after 0.053 s takes 19 % longer. All
//! differences of figures use this formula.

/// Units of time, whose lower values are less time.
const TIME_UNITS: [&str; 5] = ["s", "ms", "us", "µs", "ns"];

/// Two values of one figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Base of the comparison.
    pub from: f64,
    /// Compared value.
    pub to: f64,
    /// True if a higher value is better.
    pub higher_is_better: bool,
}

impl Change {
    /// Difference in percent of the other value; negative if lower. `None` if one of them is not a valid divisor.
    pub fn percent(&self) -> Option<f64> {
        (self.from > 0.0 && self.to > 0.0).then(|| 100.0 * (self.to / self.from - 1.0))
    }

    /// Gain in percent; negative if worse. For sorting and scores only: for times and latencies it is the gain in
    /// speed, which differs from the difference of the times.
    pub fn gain_percent(&self) -> Option<f64> {
        let speed = if self.higher_is_better { *self } else { Self { from: self.to, to: self.from, ..*self } };
        speed.percent()
    }

    /// `better` or `worse`.
    pub fn word(&self) -> &'static str {
        if (self.to > self.from) == self.higher_is_better { "better" } else { "worse" }
    }
}

/// `takes 19 % longer`, `is 25 % faster`, for a change of a score in percent of itself.
pub fn verb_phrase(percent: f64, unit: &str, higher_is_better: bool) -> String {
    let size = shown_percent(percent);
    match (higher_is_better, TIME_UNITS.contains(&unit)) {
        (true, _) => format!("is {size} {}", if percent < 0.0 { "slower" } else { "faster" }),
        (false, true) if percent < 0.0 => format!("takes {size} less time"),
        (false, true) => format!("takes {size} longer"),
        (false, false) if percent < 0.0 => format!("scores {size} lower (better)"),
        (false, false) => format!("scores {size} higher (worse)"),
    }
}

/// The size of a change: `5.0 %`, `91 %`.
fn shown_percent(percent: f64) -> String {
    let size = percent.abs();
    if size < 9.95 { format!("{size:.1} %") } else { format!("{size:.0} %") }
}

/// `+91.0 %`, `-5.0 %`, `0.0 %`: a change with its sign. A change that rounds to zero has no sign.
pub fn signed_percent(percent: f64, decimals: usize) -> String {
    match unsigned_zero(percent, decimals) {
        0.0 => format!("{:.decimals$} %", 0.0),
        percent => format!("{percent:+.decimals$} %"),
    }
}

/// The value, or 0 without a sign where it rounds to zero: text must not have `-0.0`.
pub fn unsigned_zero(value: f64, decimals: usize) -> f64 {
    let digits = format!("{value:.decimals$}");
    if digits.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) { value } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_more_or_less_of_themselves() {
        for (from, to, higher_is_better, percent, word) in [
            (179.6, 343.6, false, Some(91), "worse"),
            (343.6, 185.0, false, Some(-46), "better"),
            (1000.0, 1250.0, true, Some(25), "better"),
            (1250.0, 1000.0, true, Some(-20), "worse"),
            (0.0, 5.0, true, None, "better"),
        ] {
            let change = Change { from, to, higher_is_better };
            assert_eq!(change.percent().map(|percent| percent.round() as i32), percent, "{change:?}");
            assert_eq!(change.word(), word, "{change:?}");
        }
        let slower = Change { from: 0.053, to: 0.063, higher_is_better: false };
        assert_eq!(slower.gain_percent().map(|gain| gain.round() as i32), Some(-16));
    }

    #[test]
    fn verbs_tell_time_as_time() {
        for (percent, unit, higher_is_better, expected) in [
            (18.9, "s", false, "takes 19 % longer"),
            (-4.95, "ms", false, "takes 5.0 % less time"),
            (25.0, "MIPS", true, "is 25 % faster"),
            (-20.0, "MB/s", true, "is 20 % slower"),
            (9.97, "points", false, "scores 10 % higher (worse)"),
            (-3.0, "points", false, "scores 3.0 % lower (better)"),
        ] {
            assert_eq!(verb_phrase(percent, unit, higher_is_better), expected);
        }
    }

    #[test]
    fn nothing_has_no_sign() {
        for (percent, decimals, expected) in
            [(-0.04, 1, "0.0 %"), (0.0, 0, "0 %"), (-0.4, 0, "0 %"), (-0.06, 1, "-0.1 %"), (91.3, 0, "+91 %")]
        {
            assert_eq!(signed_percent(percent, decimals), expected);
        }
    }
}
