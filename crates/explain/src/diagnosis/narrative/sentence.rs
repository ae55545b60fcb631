//! The verdict in one sentence, and one sentence for each ledger.

use facts::lines::listed;
use facts::view::ScoreKey;
use facts::{Diagnosis, Explanation, Ledger, Part, ScoreVerdict, Verdict, number};
use record::Fact;
use std::collections::BTreeSet;

/// More scores than this are counted, not named.
const NAMES_MAX: usize = 3;

/// The verdict over the main scores and why, in one sentence.
pub(super) fn verdict(explained: &Explanation) -> String {
    let main = explained.worst_first().into_iter().filter(|diagnosis| explained.is_of_main(diagnosis));
    // What only remarks on a main score is no reason of its verdict.
    let reasons = main.filter(|diagnosis| Verdict::of(diagnosis.severity) == explained.verdict);
    let reasons: Vec<String> = reasons.map(|diagnosis| reason(explained, diagnosis)).collect();
    let reasons = if reasons.is_empty() { ".".to_owned() } else { format!(": {}.", reasons.join("; ")) };
    match explained.verdict {
        Verdict::Valid => valid(explained),
        Verdict::Degraded => format!("Results are genuine but below what this machine can do{reasons}"),
        Verdict::Invalid => format!("Results are invalid; do not use them{reasons}"),
    }
}

/// `heat, in 7-zip on all CPUs`.
fn reason(explained: &Explanation, diagnosis: &Diagnosis) -> String {
    let words = diagnosis.cause.words();
    let scores = &diagnosis.holds_for;
    let is_all = scores.len() > 1 && scores.len() == explained.scores.len();
    match scores.as_slice() {
        [] => words.to_owned(),
        _ if is_all => format!("{words}, in all scores"),
        scores => format!("{words}, in {}", names(scores.iter())),
    }
}

/// The main scores are valid; others may not be.
fn valid(explained: &Explanation) -> String {
    let worst = explained.scores.iter().map(|score| score.verdict).max().unwrap_or(Verdict::Valid);
    if worst == Verdict::Valid {
        return "Results are valid.".to_owned();
    }
    let others: Vec<&ScoreVerdict> = explained.scores.iter().filter(|score| score.verdict > Verdict::Valid).collect();
    let because: BTreeSet<usize> = others.iter().flat_map(|score| score.because.iter().copied()).collect();
    let harms = because.into_iter().map(|index| &explained.diagnoses[index]);
    let causes: Vec<&str> = harms.map(|diagnosis| diagnosis.cause.words()).collect();
    let names = names(others.iter().map(|score| &score.score));
    let what = match worst {
        Verdict::Invalid => "is not",
        _ => "is below what this machine can do",
    };
    format!("Results are valid; only {names} {what}: {}.", causes.join(", "))
}

/// `7-zip on all CPUs, openssl and 3 more`.
fn names<'a>(scores: impl Iterator<Item = &'a ScoreKey>) -> String {
    let mut words: Vec<String> = scores.map(|score| score.words().to_owned()).collect();
    if words.len() > NAMES_MAX {
        let more = words.len() - NAMES_MAX + 1;
        words.truncate(NAMES_MAX - 1);
        words.push(format!("{more} more"));
    }
    listed(&words)
}

/// `7-zip on all CPUs: 14907 of about 18700 MIPS; heat took 20 % (13 of it built up over the three runs).` None if
/// nothing of it was lost.
pub(super) fn ledger(ledger: &Ledger) -> Option<String> {
    let whole = ledger.whole_percents();
    let told = ledger.parts.iter().zip(&whole.parts).filter(|(_, percent)| **percent > 0).enumerate();
    // "took" once is enough.
    let parts = told.map(|(index, (part, percent))| {
        lost(part, *percent, ledger.repetitions, if index == 0 { " took" } else { "" })
    });
    let mut parts: Vec<String> = parts.collect();
    if parts.is_empty() {
        return None;
    }
    let causes = parts.join(", ");
    parts = vec![causes];
    if whole.unexplained > 0 {
        parts.push(format!("{} % is unexplained", whole.unexplained));
    }
    let name = ledger.score.words();
    let (reached, unit) = (number(ledger.reached, &ledger.unit), &ledger.unit);
    Some(match &ledger.expected {
        Fact::Known(expected) => {
            // No more digits than are estimated.
            let about = rounded(expected.value);
            format!("{name}: {reached} of about {about} {unit}; {}.", parts.join("; "))
        }
        Fact::Missing { missing } => {
            format!("{name}: {reached} {unit}; what it should have been is unknown: {missing}.")
        }
    })
}

/// `heat took 20 % (13 of it built up over the three runs)`.
fn lost(part: &Part, percent: i64, repetitions: usize, verb: &str) -> String {
    const COUNTS: [&str; 4] = ["", "", "two ", "three "];
    let at_most = if part.points.at_most { "at most " } else { "" };
    let built_up = part.built_up.map(|points| points.as_percent().round() as i64).filter(|points| *points > 0);
    let count = COUNTS.get(repetitions).copied().unwrap_or_default();
    let built_up = match built_up {
        Some(points) if points >= percent => format!(" (built up over the {count}runs)"),
        Some(points) => format!(" ({points} of it built up over the {count}runs)"),
        None => String::new(),
    };
    format!("{}{verb} {at_most}{percent} %{built_up}", part.cause.words())
}

/// What is only an estimate, to three digits.
fn rounded(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return value;
    }
    let digits = 2 - value.log10().floor() as i32;
    match digits {
        ..=0 => (value / 10_f64.powi(-digits)).round() * 10_f64.powi(-digits),
        _ => (value * 10_f64.powi(digits)).round() / 10_f64.powi(digits),
    }
}
