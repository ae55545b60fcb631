//! Ledgers of all logs: their parts add up, and each diagnosis has at most one part. `cargo xtask accuracy` judges the
//! shares.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use crate::files;
use facts::Facts;
use facts::{EvidenceSource, Explanation, Ledger, Part, Tenths, Verdict};
use record::Record;
use std::collections::BTreeSet;

/// No score of a log has a larger unexplained loss, in percent.
const UNEXPLAINED_PERCENT: f64 = 10.0;

#[test]
fn ledgers_add_up() {
    let (mut degraded, mut all, mut unknown, mut unexplained) = (0, 0, 0, Vec::new());
    for (name, text) in files::texts(&files::folders()) {
        let record = logs::read(&text);
        let explained = explain::explain(&record);
        degraded += usize::from(explained.assessment.verdict == Verdict::Degraded);
        let scores: BTreeSet<&str> = explained.assessment.ledgers.iter().map(|ledger| ledger.score.as_str()).collect();
        assert_eq!(scores.len(), explained.assessment.ledgers.len(), "{name}: one ledger for each score");
        all += explained.assessment.ledgers.len();
        unknown += explained.assessment.ledgers.iter().filter(|ledger| ledger.expected.known().is_none()).count();
        told_alike(&name, &explained.assessment);
        for ledger in &explained.assessment.ledgers {
            let told = format!("{name}: {}", told(ledger));
            adds_up(&told, ledger);
            parts_are_sound(&told, &record, &explained.assessment, ledger);
            if ledger.unexplained.percent.as_percent() > UNEXPLAINED_PERCENT {
                unexplained.push(name.clone());
            }
        }
    }
    eprintln!("{all} ledgers add up, {unknown} of them without an expected value; {degraded} logs are degraded");
    assert_eq!(unexplained, [""; 0], "more than {UNEXPLAINED_PERCENT} % is unexplained");
}

fn adds_up(told: &str, ledger: &Ledger) {
    let Some(expected) = ledger.expected.known() else {
        assert!(ledger.parts.is_empty() && ledger.lost() == Tenths(0), "{told}");
        return;
    };
    let lost = 100.0 * (1.0 - (ledger.reached / expected.value).min(expected.value / ledger.reached));
    assert_eq!(ledger.lost(), Tenths::of_percent(lost), "{told}");
    assert!(expected.low <= expected.value && expected.value <= expected.high, "{told}");
    let whole = ledger.whole_percents();
    assert_eq!(whole.lost, whole.parts.iter().sum::<i64>() + whole.unexplained, "{told}");
    let factors: f64 = ledger.parts.iter().map(|part| part.factor).product();
    // Ledgers omit parts below 0.1 %.
    let left = 1.0 - ledger.unexplained.percent.as_percent() / 100.0;
    assert!(factors * left * expected.value <= ledger.reached.max(expected.value) * 1.003, "{told}");
}

/// The verdict has the numbers of the ledgers.
fn told_alike(name: &str, explained: &Explanation) {
    let sentence = explain::diagnosis::narrative::verdict_sentence(explained);
    let is_degraded = |ledger: &&Ledger| {
        let mut scores = explained.scores.iter().filter(|score| score.is_main && score.verdict == Verdict::Degraded);
        explained.verdict == Verdict::Degraded && scores.any(|score| score.score == ledger.score)
    };
    for ledger in explained.ledgers.iter().filter(is_degraded) {
        let parts = ledger.parts.iter().zip(ledger.whole_percents().parts);
        for (_, percent) in parts.filter(|(part, _)| part.points.percent >= Tenths(10)) {
            let words = format!("{percent} % of {}", ledger.score.words());
            assert!(sentence.contains(&words), "{name}: \"{words}\" is not in \"{sentence}\"");
        }
    }
}

fn parts_are_sound(told: &str, record: &Record, explained: &Explanation, ledger: &Ledger) {
    let diagnoses: BTreeSet<usize> = ledger.parts.iter().map(|part| part.diagnosis).collect();
    assert_eq!(diagnoses.len(), ledger.parts.len(), "{told}: a diagnosis stands twice");
    let doubted = Facts::of(record).doubted_columns().clone();
    for part in &ledger.parts {
        let diagnosis = &explained.diagnoses[part.diagnosis];
        assert!(diagnosis.cause == part.cause && diagnosis.holds_for.contains(&ledger.score), "{told}");
        let points = part.points;
        assert!(points.low <= points.percent && points.percent <= points.high, "{told}");
        assert!(part.built_up.is_none_or(|built_up| built_up <= points.percent), "{told}");
        assert!(!part.by.is_empty(), "{told}: nothing shows {:?}", part.cause);
        let is_doubted = |witness: &EvidenceSource| match witness {
            EvidenceSource::ClaimedClock(id) => doubted.iter().any(|column| column.channel == *id),
            _ => false,
        };
        assert!(!part.by.iter().any(is_doubted), "{told}: {:?}", part.by);
    }
}

/// A ledger in one line.
fn told(ledger: &Ledger) -> String {
    let part = |part: &Part| {
        let points = part.points;
        let at_most = if points.at_most { "at most " } else { "" };
        let built_up = part.built_up.map_or(String::new(), |built_up| format!(", {built_up} built up"));
        let (low, high) = (points.low, points.high);
        format!("{:?} by {:?} {at_most}{} ({low}..{high}{built_up})", part.cause, part.method, points.percent)
    };
    let parts: Vec<String> = ledger.parts.iter().map(part).collect();
    let expected = match ledger.expected.known() {
        Some(expected) => format!("{:.0} {:?}", expected.value, expected.basis),
        None => "unknown".to_owned(),
    };
    let (score, reached, unit) = (&ledger.score, ledger.reached, &ledger.unit);
    let unexplained = ledger.unexplained.percent;
    format!("{score} {reached:.1} {unit} of {expected}: {}; unexplained {unexplained}", parts.join(", "))
}
