//! Limits of a figure relative to a baseline: `sevenzip-multi < baseline - 5 %` is the condition of a failure.
//!
//! A difference within the noise of both values neither keeps nor breaks a limit.

use super::{Line, NamedBoard, Omission, Side, compare, noise_percent};
use crate::reference::Row;
use facts::figures::{Figure, FigureKey};
use facts::number::with_unit;
use facts::stats::median;
use facts::view::spread_percent;
use facts::{Explained, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

/// Two standard deviations: one difference in twenty is that large by chance.
const DEVIATIONS: f64 = 2.0;

/// Condition of a failure: figure, side of the baseline, and distance from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// Text of the limit.
    pub text: String,
    figure: String,
    /// True if lower values fail, false if higher ones do.
    is_lower: bool,
    /// Distance from the baseline in percent, with its sign.
    distance_percent: f64,
}

/// Outcome of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LimitOutcome {
    /// Kept beyond the noise.
    Kept,
    /// Within the noise, or no comparable baseline.
    Unknown,
    /// Broken beyond the noise.
    Broken,
}

/// Answer to a limit.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitAnswer {
    /// Text of the limit.
    pub limit: String,
    /// Outcome.
    pub outcome: LimitOutcome,
    /// Reason in one sentence.
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

/// Figure of the result and of one baseline.
struct Pair {
    /// Name of the figure in a limit.
    name: String,
    title: String,
    unit: String,
    value: f64,
    baseline: f64,
    noise_percent: f64,
}

/// Comparison of a result with its baselines, for any number of limits.
pub struct Baselines<'a> {
    result: &'a Explained<'a>,
    /// Main figures of all results: name in a limit, title, and workload and method.
    figures: BTreeSet<(String, String, String)>,
    pairs: Vec<Pair>,
    left_out: Vec<Omission>,
}

impl<'a> Baselines<'a> {
    /// Compares with the valid ones of these results.
    pub fn of_results(result: &'a Explained<'a>, baselines: &[Side<'_>]) -> Self {
        let mut all = Self::without(result);
        for baseline in baselines {
            all.add_figures(baseline.explained.facts.figures());
            if baseline.explained.assessment.verdict == Verdict::Invalid {
                continue;
            }
            let comparison = compare(&[baseline.clone(), Side { name: "result".to_owned(), explained: result }]);
            all.pairs.extend(comparison.lines.iter().filter_map(pair));
            all.left_out.extend(comparison.left_out);
        }
        all
    }

    /// Compares with the rows of boards of the same name, for example of a hub.
    pub fn of_rows(result: &'a Explained<'a>, rows: &[Row]) -> Self {
        let mut all = Self::without(result);
        let own = Row::of(&result.facts, &result.assessment, "");
        let board = |row: &Row| row.board.as_deref().map(|board| NamedBoard::of(board).key);
        let is_baseline = |row: &&Row| {
            row.verdict != Verdict::Invalid
                && board(row).is_some()
                && board(row) == board(&own)
                && !row.is_same_result(&own)
        };
        for row in rows.iter().filter(is_baseline) {
            let comparable =
                result.facts.figures().iter().filter(|figure| figure.is_main && figure.not_comparable.is_none());
            all.pairs.extend(comparable.filter_map(|figure| {
                let cluster = figure.core.as_ref().map(|core| core.cluster);
                let known = row.figure(&figure.key, cluster).filter(|known| known.comparable && known.sound)?;
                Some(Pair {
                    name: Limit::name(&figure.key),
                    title: figure.name(),
                    unit: figure.unit.clone(),
                    value: figure.value,
                    baseline: known.value,
                    noise_percent: noise_percent(figure, figure),
                })
            }));
        }
        all
    }

    fn without(result: &'a Explained<'a>) -> Self {
        let mut all = Self { result, figures: BTreeSet::new(), pairs: Vec::new(), left_out: Vec::new() };
        all.add_figures(result.facts.figures());
        all
    }

    fn add_figures(&mut self, figures: &[Figure]) {
        let of_key = |key: &FigureKey| (Limit::name(key), key.title(), key.workload_at_method().to_owned());
        let main = figures.iter().filter(|figure| figure.is_main);
        self.figures.extend(main.map(|figure| of_key(&figure.key)));
    }

    /// Compares the result with the median of the valid baselines. Of several core types, the worst one decides.
    ///
    /// # Errors
    /// A sentence if no main figure of the result or a baseline has this name.
    pub fn answer(&self, limit: &Limit) -> Result<LimitAnswer, String> {
        let named: Vec<_> = self.figures.iter().filter(|(name, ..)| *name == limit.figure).collect();
        if named.is_empty() {
            let names: BTreeSet<&str> = self.figures.iter().map(|(name, ..)| name.as_str()).collect();
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            return Err(format!("No figure is named {:?}; the figures are: {names}.", limit.figure));
        }
        if self.result.assessment.verdict == Verdict::Invalid {
            return Ok(
                limit.with_outcome(LimitOutcome::Unknown, "Not enough to tell: the result is invalid.".to_owned())
            );
        }
        let mut rows: BTreeMap<&str, Vec<&Pair>> = BTreeMap::new();
        for pair in self.pairs.iter().filter(|pair| pair.name == limit.figure) {
            rows.entry(&pair.title).or_default().push(pair);
        }
        let answers = rows.values().filter_map(|pairs| limit.of_pairs(pairs));
        let worst = answers.reduce(|worst, next| if next.outcome > worst.outcome { next } else { worst });
        // The list of left-out figures has titles, or workloads with their methods.
        let is_of_figure = |left: &&Omission| {
            named.iter().any(|(_, title, workload)| left.what.starts_with(title) || left.what.starts_with(workload))
        };
        Ok(worst.unwrap_or_else(|| {
            let left_out = self.left_out.iter().find(is_of_figure);
            let why = left_out.map_or_else(String::new, |left| format!(": {}", left.why.trim_end_matches('.')));
            limit.with_outcome(
                LimitOutcome::Unknown,
                format!("Not enough to tell: the baseline and the result have no comparable {}{why}.", limit.figure),
            )
        }))
    }
}

/// The values of a line that both results have.
fn pair(line: &Line) -> Option<Pair> {
    let value = |index: usize| line.values.get(index).copied().flatten();
    Some(Pair {
        name: Limit::name(&line.key),
        title: line.name(),
        unit: line.unit.clone(),
        value: value(1)?,
        baseline: value(0)?,
        noise_percent: line.differences.get(1)?.as_ref()?.noise_percent,
    })
}

impl Limit {
    /// Name of a figure in a limit: `sevenzip-multi`, `memory-libc-copy`.
    pub fn name(key: &FigureKey) -> String {
        let words = key.as_str().split(' ').map(|word| word.split('@').next().unwrap_or_default());
        words.collect::<Vec<_>>().join("-").to_ascii_lowercase()
    }

    fn of_pairs(&self, pairs: &[&Pair]) -> Option<LimitAnswer> {
        let first = pairs.first()?;
        let baselines: Vec<f64> = pairs.iter().map(|pair| pair.baseline).collect();
        let baseline = median(&baselines)?;
        let change_percent = 100.0 * (first.value / baseline - 1.0);
        let among = spread_percent(&baselines).filter(|_| pairs.len() > 1).unwrap_or(0.0) / DEVIATIONS;
        let noise_percent = pairs.iter().map(|pair| pair.noise_percent).fold(among, f64::max);
        // Distance on the good side of the limit.
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
        Some(self.with_outcome(outcome, sentence))
    }

    fn with_outcome(&self, outcome: LimitOutcome, sentence: String) -> LimitAnswer {
        LimitAnswer { limit: self.text.clone(), outcome, sentence }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{own_run, with_scores};
    use record::Fact;

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
            let mut board = own_run();
            board.machine.board = Fact::Known("Some board".into());
            let known = explain::explain(with_scores(board.clone(), 1420, &[5001, 5001, 5001]));
            let result = explain::explain(with_scores(board, 1420, &[mips, mips, mips]));
            let baseline = [Side { name: "baseline".into(), explained: &known }];
            let limit = limit.parse::<Limit>().unwrap();
            let outcome = |baselines: Baselines<'_>| baselines.answer(&limit).map(|answer| answer.outcome).ok();
            assert_eq!(outcome(Baselines::of_results(&result, &baseline)), expected, "{} {mips}", limit.text);
            // Rows have no spread of repetitions.
            let mut row = Row::of(&known.facts, &known.assessment, "");
            assert_eq!(
                outcome(Baselines::of_rows(&result, std::slice::from_ref(&row))),
                expected,
                "{} {mips}",
                limit.text
            );
            row.board = Some("Another board".to_owned());
            let of_others = outcome(Baselines::of_rows(&result, &[row]));
            assert_eq!(of_others, expected.map(|_| LimitOutcome::Unknown), "{} {mips}", limit.text);
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
