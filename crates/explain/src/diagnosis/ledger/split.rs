//! Splits losses into the parts of a ledger, in tenths of a percent that add up.

use super::CauseLoss;
use super::score::Score;
use facts::view::ScoreKey;
use facts::{Basis, ExpectedScore, Ledger, Part, Points, Tenths, rounded_to_sum};
use record::{Fact, StableSort, Total};

/// Expected value: the reached value plus the loss by each cause; at least the best repetition.
pub(super) fn expected(
    score: &Score<'_>,
    losses: &[CauseLoss],
    best: Option<f64>,
    same_cpu: Option<f64>,
) -> ExpectedScore {
    let rate = score.rate();
    let product = |factor: fn(&CauseLoss) -> f64| losses.iter().map(factor).fold(1.0, |all, one| all * one);
    let by_parts = rate / product(|taken| taken.loss.factor);
    let (low, high) = (rate / product(|taken| taken.loss.high), rate / product(|taken| taken.loss.low));
    let best = best.unwrap_or(0.0);
    let (value, basis) = match same_cpu {
        _ if best > by_parts => (best, Basis::BestRun),
        Some(same) => (same, Basis::SameCpu),
        _ if by_parts > rate => (by_parts, Basis::Parts),
        _ => (rate, Basis::AsReached),
    };
    let ends = [low, high.max(value)].map(|rate| score.of_rate(rate));
    ExpectedScore { value: score.of_rate(value), low: ends[0].min(ends[1]), high: ends[0].max(ends[1]), basis }
}

/// Ledger of a score with these losses; without an expected value it has no parts.
pub(super) fn ledger(
    key: ScoreKey,
    score: &Score<'_>,
    expected: Fact<ExpectedScore>,
    losses: Vec<CauseLoss>,
) -> Ledger {
    let value = expected.known().map_or(score.figure.value, |expected| expected.value);
    let kept = (score.rate() / score.of_rate(value)).clamp(0.0, 1.0);
    let (lost_percent, all) = (100.0 * (1.0 - kept), -kept.ln());
    let share = |factor: f64| if all > 0.0 { lost_percent * -factor.ln() / all } else { 0.0 };
    let mut exact: Vec<f64> = losses.iter().map(|taken| share(taken.loss.factor)).collect();
    exact.push((lost_percent - exact.iter().total::<f64>()).max(0.0));
    let tenths: Vec<f64> = exact.iter().map(|percent| 10.0 * percent).collect();
    let mut tenths = rounded_to_sum(&tenths);
    let unexplained = Tenths(tenths.pop().unwrap_or(0));
    let told = losses.into_iter().zip(tenths).zip(exact);
    let (told, negligible): (Vec<_>, Vec<_>) = told.partition(|((_, tenths), _)| *tenths > 0);
    let negligible = negligible.into_iter().map(|((taken, _), _)| taken.diagnosis).collect();
    let parts = told.into_iter().map(|((taken, tenths), exact)| part(taken, Tenths(tenths), exact));
    let mut parts: Vec<Part> = parts.collect();
    parts.stable_sort_by_key(|part| std::cmp::Reverse(part.points.percent));
    let unexplained = Points { percent: unexplained, low: unexplained, high: unexplained, at_most: false };
    Ledger {
        score: key,
        unit: score.figure.unit.clone(),
        reached: score.figure.value,
        repetitions: score.runs.len(),
        expected,
        parts,
        unexplained,
        negligible,
    }
}

/// Part of a ledger; its bounds are those of the factor, in points.
fn part(taken: CauseLoss, percent: Tenths, exact: f64) -> Part {
    let loss = taken.loss;
    let per_log = exact / -loss.factor.ln();
    let end = |factor: f64| Tenths::of_percent((per_log * -factor.ln()).max(0.0));
    let (low, high) = (end(loss.high).min(percent), end(loss.low).max(percent));
    let built_up = taken.kept_of_first.map(|kept| Tenths::of_percent((per_log * -kept.ln()).max(0.0)).min(percent));
    Part {
        diagnosis: taken.diagnosis,
        cause: taken.cause,
        factor: loss.factor,
        points: Points { percent, low, high, at_most: loss.at_most },
        built_up: built_up.filter(|built_up| built_up.0 > 0),
        method: loss.method,
        by: loss.by,
    }
}
