//! Ledgers of all logs: what they print adds up, each diagnosis stands in them once, and what it took is what those who
//! read the logs computed.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use crate::files;
use facts::Facts;
use facts::{Cause, Explanation, Ledger, Part, Tenths, Verdict, Witness};
use record::Record;
use std::collections::BTreeSet;

/// Of all logs whose results are degraded, so many may have a score of which more than a tenth is unexplained.
const UNEXPLAINED_SHARE_MAX: f64 = 0.05;
const UNEXPLAINED_PERCENT: f64 = 10.0;
/// Those logs, and why nothing explains it there.
const UNEXPLAINED: &[(&str, &str)] = &[];

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
        for ledger in &explained.assessment.ledgers {
            let told = format!("{name}: {}", told(ledger));
            adds_up(&told, ledger);
            parts_are_sound(&told, &record, &explained.assessment, ledger);
            if ledger.unexplained.percent.as_percent() > UNEXPLAINED_PERCENT {
                unexplained.push(name.clone());
            }
        }
    }
    unexplained.dedup();
    eprintln!(
        "{all} ledgers add up, {unknown} of them do not know what to expect; {degraded} logs are degraded, and in {} a \
         score has more than {UNEXPLAINED_PERCENT} % unexplained: {unexplained:?}",
        unexplained.len()
    );
    let known: Vec<&str> = UNEXPLAINED.iter().map(|(name, _)| *name).collect();
    assert_eq!(unexplained, known, "more than {UNEXPLAINED_PERCENT} % is unexplained");
    assert!(unexplained.len() as f64 <= UNEXPLAINED_SHARE_MAX * f64::from(degraded as u32));
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
    // Parts of less than a tenth are in none.
    let left = 1.0 - ledger.unexplained.percent.as_percent() / 100.0;
    assert!(factors * left * expected.value <= ledger.reached.max(expected.value) * 1.003, "{told}");
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
        let is_doubted = |witness: &Witness| match witness {
            Witness::ClaimedClock(id) => doubted.iter().any(|column| column.channel == *id),
            _ => false,
        };
        assert!(!part.by.iter().any(is_doubted), "{told}: {:?}", part.by);
    }
}

/// What one cause took of a score, in percent, as computed by hand from the rows and runs of the log and of others with
/// the same SoC.
const SHARES: &[(&str, &str, Cause, f64)] = &[
    ("4E5J", "sevenzip-multi", Cause::PowerLimit, 12.0),
    ("4EcO", "sevenzip-multi", Cause::Heat, 33.0),
    ("4qpr", "sevenzip-multi", Cause::PowerLimit, 12.0),
    ("1ixL", "sevenzip-multi", Cause::Heat, 4.6),
    ("1iH0", "sevenzip-multi", Cause::LowVoltage, 35.0),
    ("1iH0", "sevenzip-multi", Cause::Heat, 12.0),
    ("1iI5", "sevenzip-multi", Cause::Heat, 5.2),
    ("1ism", "sevenzip-multi", Cause::Heat, 12.0),
    ("1lzP", "cpuminer", Cause::Heat, 4.3),
    // The clock shows what was taken; no sensor tells by what.
    ("Xd38a", "cpuminer", Cause::NotVisible, 5.6),
    ("3XTA", "sevenzip-multi", Cause::Heat, 36.0),
    ("88vb", "sevenzip-multi", Cause::PowerLimit, 5.0),
    ("4f3I", "sevenzip-multi", Cause::PowerLimit, 16.0),
    ("4hau", "sevenzip-multi", Cause::PowerLimit, 16.0),
    ("4pMk", "sevenzip-multi", Cause::Heat, 1.6),
    ("4hOp", "sevenzip-multi", Cause::Heat, 7.5),
    ("3QLN", "sevenzip-multi", Cause::FirmwareCap, 5.0),
    ("3Qve", "sevenzip-multi", Cause::FirmwareCap, 21.0),
    ("1kt2", "sevenzip-multi", Cause::FirmwareCap, 17.0),
    ("1MFf", "sevenzip-multi", Cause::Heat, 1.4),
    ("49kx", "sevenzip-multi", Cause::Heat, 3.6),
];
/// Nothing took anything of 7-zip here, though a column of clocks or a heat test says so.
const NOTHING_LOST: [&str; 5] = ["fcm1253", "4ax9", "1Rnj", "1lzP", "Xd38a"];
/// What both causes took together.
const SUMS: [(&str, f64); 1] = [("1iH0", 43.0)];
const POINTS_MAX: f64 = 3.0;

#[test]
fn shares_are_what_the_logs_support() {
    let corpus = testkit::found!(files::corpus());
    let ledger = |name: &str, score: &str| {
        let record = logs::read(&files::log(&corpus, name));
        let found =
            explain::explain(&record).assessment.ledgers.into_iter().find(|ledger| ledger.score.as_str() == score);
        found.unwrap_or_else(|| panic!("{name}: no ledger of {score}"))
    };
    let mut wrong = Vec::new();
    let mut check = |name: &str, found: f64, expected: f64, ledger: &Ledger| {
        if (found - expected).abs() > POINTS_MAX {
            wrong.push(format!("{name}: {found} instead of {expected}: {}", told(ledger)));
        }
    };
    for (name, score, cause, expected) in SHARES {
        let ledger = ledger(name, score);
        let part = ledger.parts.iter().find(|part| part.cause == *cause);
        check(name, part.map_or(0.0, |part| part.points.percent.as_percent()), *expected, &ledger);
    }
    for name in NOTHING_LOST {
        let ledger = ledger(name, "sevenzip-multi");
        assert_eq!(ledger.lost(), Tenths(0), "{}", told(&ledger));
    }
    for (name, expected) in SUMS {
        let ledger = ledger(name, "sevenzip-multi");
        check(name, ledger.lost().as_percent(), expected, &ledger);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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

/// All of them in words, for who changes how they are made: `SBC_BENCH_LEDGERS=1 cargo test --test integration ledger_corpus`.
#[test]
fn ledgers_can_be_read() {
    let wanted = std::env::var_os("SBC_BENCH_LEDGERS").is_some();
    for (name, text) in files::texts(&files::folders()).into_iter().filter(|_| wanted) {
        let explained = explain::explain(logs::read(&text));
        let diagnoses = explained.assessment.diagnoses.iter().map(|diagnosis| {
            let scores: Vec<&str> = diagnosis.holds_for.iter().map(|score| score.as_str()).collect();
            format!("{:?}[{}]", diagnosis.cause, scores.join(" "))
        });
        eprintln!("{name}: {} {}", explained.assessment.verdict, diagnoses.collect::<Vec<_>>().join(", "));
        explained.assessment.ledgers.iter().for_each(|ledger| eprintln!("    {}", told(ledger)));
    }
}
