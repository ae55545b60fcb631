//! A limit that a figure must keep against a baseline: `sevenzip-multi < baseline - 5 %` names what is a failure.
//!
//! The noise of both decides. What it can hide is neither kept nor broken.

use super::{LeftOut, Side, compare};
use facts::figures::FigureKey;
use facts::number::with_unit;
use facts::stats::median;
use facts::view::spread_percent;
use facts::{Explained, Verdict};
use std::collections::BTreeSet;
use std::str::FromStr;

/// Two standard deviations: one difference in twenty is that large by chance.
const DEVIATIONS: f64 = 2.0;

/// What fails: a figure on one side of the baseline, by so many percent.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// As it was given.
    pub text: String,
    figure: String,
    /// True if the figure must not be below it, false if not above.
    is_lower: bool,
    /// Distance from the baseline in percent, with its sign.
    distance_percent: f64,
}

/// What became of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LimitOutcome {
    /// The figure keeps it, whatever the noise.
    Kept,
    /// Not enough to tell.
    Unknown,
    /// The figure breaks it, whatever the noise.
    Broken,
}

/// The answer to a limit.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitAnswer {
    /// The limit as it was given.
    pub limit: String,
    /// What became of it.
    pub outcome: LimitOutcome,
    /// Why, in one sentence.
    pub sentence: String,
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no limit; write it as 'sevenzip-multi < baseline - 5 %'.");
        let (figure, is_lower, rest) = match (text.split_once('<'), text.split_once('>')) {
            (Some((figure, rest)), None) => (figure, true, rest),
            (None, Some((figure, rest))) => (figure, false, rest),
            _ => return Err(wrong()),
        };
        let distance: String = rest.trim().strip_prefix("baseline").ok_or_else(wrong)?.split_whitespace().collect();
        let distance_percent = match distance.strip_suffix('%') {
            Some(number) if number.starts_with(['+', '-']) => number.parse::<f64>().map_err(|_| wrong())?,
            None if distance.is_empty() => 0.0,
            _ => return Err(wrong()),
        };
        let figure = figure.trim().to_ascii_lowercase();
        if figure.is_empty() || !distance_percent.is_finite() {
            return Err(wrong());
        }
        Ok(Self { text: text.trim().to_owned(), figure, is_lower, distance_percent })
    }
}

/// One baseline against the result.
struct Pair {
    title: String,
    unit: String,
    value: f64,
    baseline: f64,
    noise_percent: f64,
}

impl Limit {
    /// Name of a figure in a limit: `sevenzip-multi`, `memory-libc-copy`.
    pub fn name(key: &FigureKey) -> String {
        let words = key.as_str().split(' ').map(|word| word.split('@').next().unwrap_or_default());
        words.collect::<Vec<_>>().join("-").to_ascii_lowercase()
    }

    /// Compares a result with the median of the valid baselines. A figure of several core types is judged by the worst of them.
    ///
    /// # Errors
    /// One sentence: no main figure of the result or the baselines has this name.
    pub fn answer(&self, result: &Explained<'_>, baselines: &[Side<'_>]) -> Result<LimitAnswer, String> {
        let all = || baselines.iter().map(|side| side.explained).chain([result]);
        let names = all().flat_map(|explained| explained.facts.figures()).filter(|figure| figure.is_main);
        let mut names: Vec<String> = names.map(|figure| Self::name(&figure.key)).collect();
        names.sort();
        names.dedup();
        if !names.contains(&self.figure) {
            return Err(format!("No figure is named {:?}; the figures are: {}.", self.figure, names.join(", ")));
        }
        if result.assessment.verdict == Verdict::Invalid {
            return Ok(self.said(LimitOutcome::Unknown, "Not enough to tell: the result is invalid.".to_owned()));
        }
        // The list of left-out figures names them by title, or by workload and method.
        let figures = all().flat_map(|explained| explained.facts.figures());
        let figures = figures.filter(|figure| Self::name(&figure.key) == self.figure);
        let titles: BTreeSet<String> =
            figures.flat_map(|figure| [figure.key.title(), figure.key.workload_at_method().to_owned()]).collect();
        let baselines = baselines.iter().filter(|side| side.explained.assessment.verdict != Verdict::Invalid);
        let mut rows: Vec<(String, Vec<Pair>)> = Vec::new();
        let mut left_out: Option<LeftOut> = None;
        for baseline in baselines {
            let sides = [baseline.clone(), Side { name: "result".to_owned(), explained: result }];
            let comparison = compare(&sides);
            for line in comparison.lines.iter().filter(|line| Self::name(&line.key) == self.figure) {
                let (Some(Some(known)), Some(Some(value))) = (line.values.first(), line.values.get(1)) else {
                    continue;
                };
                let Some(Some(difference)) = line.differences.get(1) else { continue };
                let cores = if line.cores.is_empty() { String::new() } else { format!(" ({})", line.cores.join(", ")) };
                let title = line.title.clone() + &cores;
                let (unit, noise_percent) = (line.unit.clone(), difference.noise_percent);
                let pair = Pair { title: title.clone(), unit, value: *value, baseline: *known, noise_percent };
                match rows.iter_mut().find(|(known, _)| *known == title) {
                    Some((_, pairs)) => pairs.push(pair),
                    None => rows.push((title, vec![pair])),
                }
            }
            let is_of_figure = |left: &LeftOut| titles.iter().any(|title| left.what.starts_with(title.as_str()));
            left_out = left_out.or(comparison.left_out.into_iter().find(is_of_figure));
        }
        let answers = rows.iter().filter_map(|(_, pairs)| self.of_pairs(pairs));
        let worst = answers.reduce(|worst, next| if next.outcome > worst.outcome { next } else { worst });
        Ok(worst.unwrap_or_else(|| {
            let why = left_out.map_or_else(String::new, |left| format!(": {}", left.why.trim_end_matches('.')));
            self.said(
                LimitOutcome::Unknown,
                format!("Not enough to tell: the baseline and the result have no comparable {}{why}.", self.figure),
            )
        }))
    }

    fn of_pairs(&self, pairs: &[Pair]) -> Option<LimitAnswer> {
        let first = pairs.first()?;
        let baselines: Vec<f64> = pairs.iter().map(|pair| pair.baseline).collect();
        let baseline = median(&baselines)?;
        let change_percent = 100.0 * (first.value / baseline - 1.0);
        let among = spread_percent(&baselines).filter(|_| pairs.len() > 1).unwrap_or(0.0) / DEVIATIONS;
        let noise_percent = pairs.iter().map(|pair| pair.noise_percent).fold(among, f64::max);
        // How far the figure is on the good side of the limit.
        let sign = if self.is_lower { 1.0 } else { -1.0 };
        let margin_percent = sign * (change_percent - self.distance_percent);
        let outcome = match margin_percent {
            margin if margin + noise_percent < 0.0 => LimitOutcome::Broken,
            margin if margin - noise_percent >= 0.0 => LimitOutcome::Kept,
            _ => LimitOutcome::Unknown,
        };
        let values = format!(
            "{} is {}, {change_percent:+.1} % from the baseline ({}), within {noise_percent:.1} % of noise",
            first.title,
            with_unit(first.value, &first.unit),
            with_unit(baseline, &first.unit),
        );
        let sentence = match outcome {
            LimitOutcome::Kept | LimitOutcome::Broken => format!("{values}."),
            LimitOutcome::Unknown => {
                format!("Not enough to tell: {values}; repeat the run, or give more results as the baseline.")
            }
        };
        Some(self.said(outcome, sentence))
    }

    fn said(&self, outcome: LimitOutcome, sentence: String) -> LimitAnswer {
        LimitAnswer { limit: self.text.clone(), outcome, sentence }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{own_run, with_scores};

    #[test]
    fn limits_are_read() {
        let limit = |text: &str| text.parse::<Limit>().ok().map(|l| (l.figure, l.is_lower, l.distance_percent));
        for (text, expected) in [
            ("sevenzip-multi < baseline - 5 %", Some(("sevenzip-multi", true, -5.0))),
            ("Memory-latency-ramlat-64M>baseline+12.5%", Some(("memory-latency-ramlat-64m", false, 12.5))),
            ("clock-cold < baseline", Some(("clock-cold", true, 0.0))),
            ("sevenzip-multi < 5000", None),
            ("sevenzip-multi < baseline 5 %", None),
            ("sevenzip-multi < baseline - 5", None),
            ("< baseline", None),
            ("a < b > baseline", None),
        ] {
            let expected = expected.map(|(figure, is_lower, percent)| (figure.to_owned(), is_lower, percent));
            assert_eq!(limit(text), expected, "{text}");
        }
    }

    #[test]
    fn noise_of_both_decides() {
        let check = |limit: &str, mips: u32, expected| {
            let known = explain::explain(with_scores(own_run(), 1420, &[5000, 5000, 5000]));
            let result = explain::explain(with_scores(own_run(), 1420, &[mips, mips, mips]));
            let baseline = [Side { name: "baseline".into(), explained: &known }];
            let answer = limit.parse::<Limit>().unwrap().answer(&result, &baseline);
            assert_eq!(answer.map(|answer| answer.outcome).ok(), expected, "{limit} {mips}");
        };
        let limit = "sevenzip-multi < baseline - 5 %";
        check(limit, 5000, Some(LimitOutcome::Kept));
        check(limit, 4800, Some(LimitOutcome::Unknown));
        check(limit, 4700, Some(LimitOutcome::Unknown));
        check(limit, 4000, Some(LimitOutcome::Broken));
        check("sevenzip-multi > baseline + 5 %", 6000, Some(LimitOutcome::Broken));
        check("sevenzip-mutli < baseline - 5 %", 4000, None);
    }
}
