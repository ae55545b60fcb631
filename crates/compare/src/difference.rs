//! Differences between two values of one figure, with the likely cause.

use facts::Cause;
use facts::figures::FigureKey;
use serde::Serialize;
use std::fmt::{Display, Formatter};

/// Difference between two values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// Difference in percent of the other value; negative if lower.
    pub change_percent: f64,
    /// Improvement in percent; negative if worse.
    pub gain_percent: f64,
    /// `better` or `worse`.
    pub word: &'static str,
    /// Maximum difference within noise, in percent.
    pub noise_percent: f64,
    /// True if the difference exceeds the noise.
    pub is_real: bool,
    /// The likely cause, if known; in one sentence as JSON.
    pub cause: Option<LikelyDifference>,
}

impl Difference {
    /// `1.7x slower`; `4.2 % slower` for less than a tenth, in percent of the first value.
    pub(super) fn relation(&self, key: &FigureKey) -> String {
        relative(self.factor(), self.change_percent.abs(), key)
    }

    /// Factor by which the other value is better.
    pub(super) fn factor(&self) -> f64 {
        let change = 1.0 + self.change_percent / 100.0;
        let is_higher_better = (self.change_percent > 0.0) == (self.gain_percent > 0.0);
        if is_higher_better { change } else { 1.0 / change }
    }
}

/// A factor in words, or the change of the value in percent for less than a tenth.
pub(super) fn relative(factor: f64, change_percent: f64, key: &FigureKey) -> String {
    let words = if key.is_power() { ["better", "worse"] } else { ["faster", "slower"] };
    let word = if factor >= 1.0 { words[0] } else { words[1] };
    match factor.max(1.0 / factor) {
        ratio if ratio >= 9.95 => format!("{ratio:.0}x {word}"),
        ratio if ratio >= 1.1 => format!("{ratio:.1}x {word}"),
        _ => format!("{change_percent:.1} % {word}"),
    }
}

/// Likely cause of one difference.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(into = "String")]
pub struct LikelyDifference {
    /// Cause.
    pub id: Cause,
    /// Cause and its evidence, the same for all figures that it explains.
    pub words: String,
    /// Its effect on this figure.
    pub detail: Option<String>,
}

impl Display for LikelyDifference {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match &self.detail {
            None => f.write_str(&self.words),
            Some(detail) => write!(f, "{}; {detail}.", self.words.trim_end_matches('.')),
        }
    }
}

impl From<LikelyDifference> for String {
    fn from(cause: LikelyDifference) -> Self {
        cause.to_string()
    }
}

/// `1.5 times`: a factor with two digits.
pub(crate) fn times(factor: f64) -> String {
    match factor {
        factor if factor >= 10.0 => format!("{factor:.0} times"),
        factor if factor >= 1.1 => format!("{factor:.1} times"),
        _ => format!("{factor:.2} times"),
    }
}
