//! The verdict in one sentence, and one sentence for each ledger.

use facts::lines::{capitalised, listed};
use facts::view::ScoreKey;
use facts::{Cause, Diagnosis, Explanation, Ledger, Part, ScoreVerdict, Tenths, Verdict, number};
use record::{Fact, StableSort, report_words};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Maximum number of scores named.
const NAMES_MAX: usize = 3;

/// Verdict in one sentence.
pub(super) struct VerdictSentence {
    pub text: String,
    /// Whether the text contains the sentence of the deficit.
    pub has_deficit: bool,
}

/// Verdict over the main scores with reasons, the largest loss first.
pub(super) fn verdict(explained: &Explanation) -> VerdictSentence {
    let text = match explained.verdict {
        Verdict::Valid => valid(explained),
        Verdict::Unproven => unproven(explained),
        Verdict::Degraded => return degraded(explained),
        Verdict::Invalid => match reasons(explained, |_| true) {
            reasons if reasons.is_empty() => format!("{}.", report_words::INVALID),
            reasons => format!("{}: {}.", report_words::INVALID, reasons.join("; ")),
        },
    };
    VerdictSentence { text, has_deficit: false }
}

/// Diagnoses that explain the verdict over the main scores, in words.
fn reasons(explained: &Explanation, is_wanted: impl Fn(&Diagnosis) -> bool) -> Vec<String> {
    let main = explained.worst_first().into_iter().filter(|diagnosis| explained.is_of_main(diagnosis));
    let (worst, others): (Vec<&Diagnosis>, Vec<&Diagnosis>) =
        main.partition(|diagnosis| Verdict::of(diagnosis.severity) == explained.verdict);
    // A missing repetition is reported as a lost score. Remarks do not explain the verdict.
    let of_score = |diagnosis: &&Diagnosis| explained.explains_a_worst_score(diagnosis);
    let worst = if worst.is_empty() { others.into_iter().filter(of_score).collect() } else { worst };
    worst.into_iter().filter(|diagnosis| is_wanted(diagnosis)).map(|diagnosis| reason(explained, diagnosis)).collect()
}

fn degraded(explained: &Explanation) -> VerdictSentence {
    let losses = losses(explained);
    let known = explained.deficit.as_ref().filter(|deficit| deficit.cause.is_some());
    let others = reasons(explained, |diagnosis| {
        let is_sized = losses.iter().any(|loss| loss.words == diagnosis.cause.words());
        let mut parts = explained.ledgers.iter().flat_map(|ledger| &ledger.parts);
        let is_small = diagnosis.cause == Cause::NotVisible || parts.any(|part| part.cause == diagnosis.cause);
        // Beside a deficit with a cause, a loss of less than 1 % is no reason.
        losses.is_empty() && known.is_none() || !is_sized && !is_small
    });
    let parts: Vec<String> = losses.iter().map(Loss::clause).chain(others).collect();
    let deficit = known.filter(|deficit| deficit.is_news || parts.is_empty()).map(|deficit| deficit.sentence.as_str());
    let but = match (parts.is_empty(), deficit) {
        (true, Some(sentence)) => lower_first(sentence),
        (true, None) => "below what this machine can do.".to_owned(),
        (false, deficit) => {
            let below = if losses.is_empty() { "below what this machine can do: " } else { "" };
            let more = deficit.map_or_else(String::new, |sentence| format!(" {}", capitalised(sentence)));
            format!("{below}{}.{more}", parts.join("; "))
        }
    };
    VerdictSentence { text: format!("{}{but}", report_words::DEGRADED), has_deficit: deficit.is_some() }
}

/// Lowers the first letter, except in names of figures.
fn lower_first(sentence: &str) -> String {
    let first = sentence.split(' ').next().unwrap_or_default();
    let is_word = first.chars().skip(1).all(char::is_lowercase);
    if is_word { sentence[..1].to_lowercase() + &sentence[1..] } else { sentence.to_owned() }
}

/// Loss of main scores by one cause.
struct Loss {
    words: &'static str,
    /// Loss in whole percent, whether it is an upper bound, and score; the largest first.
    of: Vec<(i64, bool, String)>,
}

impl Loss {
    /// `heat took 44 % of 7-zip on all CPUs and 20 % of cpuminer`.
    fn clause(&self) -> String {
        let of = self.of.iter().map(|(percent, at_most, score)| {
            let at_most = if *at_most { "at most " } else { "" };
            format!("{at_most}{percent} % of {score}")
        });
        format!("{} took {}", self.words, listed(&of.collect::<Vec<_>>()))
    }
}

/// Losses of degraded main scores of at least 1 %, as in their ledgers, the largest first.
fn losses(explained: &Explanation) -> Vec<Loss> {
    const LEAST: Tenths = Tenths(10);
    let mut losses: Vec<Loss> = Vec::new();
    let degraded = explained.scores.iter().filter(|score| score.is_main && score.verdict == Verdict::Degraded);
    for ledger in degraded.filter_map(|score| explained.ledger(&score.score)) {
        let whole = ledger.whole_percents();
        let unseen = (Cause::NotVisible.words(), ledger.unexplained, whole.unexplained);
        let parts = ledger.parts.iter().zip(whole.parts);
        let parts = parts.map(|(part, percent)| (part.cause.words(), part.points, percent));
        for (words, points, percent) in parts.chain([unseen]).filter(|(_, points, _)| points.percent >= LEAST) {
            let at_most = points.at_most;
            let loss = (percent, at_most, ledger.score.words().to_owned());
            match losses.iter_mut().find(|known| known.words == words) {
                Some(known) => known.of.push(loss),
                None => losses.push(Loss { words, of: vec![loss] }),
            }
        }
    }
    losses.iter_mut().for_each(|loss| loss.of.stable_sort_by_key(|(percent, ..)| Reverse(*percent)));
    losses.stable_sort_by_key(|loss| Reverse(loss.of[0].0));
    losses
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

/// Sentence about missing evidence of the main scores.
fn unproven(explained: &Explanation) -> String {
    let is_unproven = |score: &&ScoreVerdict| score.is_main && score.verdict == Verdict::Unproven;
    let scores: Vec<&ScoreVerdict> = explained.scores.iter().filter(is_unproven).collect();
    let mut lacks: Vec<&str> = scores.iter().filter_map(|score| score.lacks).collect();
    lacks.dedup();
    let is_all = scores.len() == explained.scores.iter().filter(|score| score.is_main).count();
    let verb = if scores.len() == 1 { " is" } else { " are" };
    let what =
        if is_all { "these results are".to_owned() } else { names(scores.iter().map(|score| &score.score)) + verb };
    format!(
        "{}{what} valid: {}.",
        report_words::UNPROVEN,
        listed(&lacks.iter().map(|lack| (*lack).to_owned()).collect::<Vec<_>>())
    )
}

/// Sentence for valid main scores, with other scores that are not valid.
fn valid(explained: &Explanation) -> String {
    let worst = explained.scores.iter().map(|score| score.verdict).max().unwrap_or(Verdict::Valid);
    if worst <= Verdict::Unproven {
        return report_words::VALID.to_owned();
    }
    let others: Vec<&ScoreVerdict> =
        explained.scores.iter().filter(|score| score.verdict > Verdict::Unproven).collect();
    let because: BTreeSet<usize> = others.iter().flat_map(|score| score.because.iter().copied()).collect();
    let harms = because.into_iter().map(|index| &explained.diagnoses[index]);
    let causes: Vec<&str> = harms.map(|diagnosis| diagnosis.cause.words()).collect();
    let names = names(others.iter().map(|score| &score.score));
    let verb = if others.len() == 1 { "is" } else { "are" };
    let is_measured =
        |score: &&ScoreVerdict| explained.ledger(&score.score).is_some_and(|ledger| ledger.lost() > Tenths(0));
    let what = match worst {
        Verdict::Invalid => format!("{verb} not valid"),
        _ if others.iter().any(is_measured) => format!("{verb} below what this machine can do"),
        // A disturbance whose effect is unknown.
        _ => "may be below what this machine can do".to_owned(),
    };
    format!("{}{names} {what}: {}.", report_words::MAIN_VALID, causes.join(", "))
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
    // "took" appears once.
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
            // Estimates have three digits.
            let about = rounded(expected.value);
            format!("{name}: {reached} of about {about} {unit}; {}.", parts.join("; "))
        }
        Fact::Missing { missing } => {
            format!("{name}: {reached} {unit}; what it should have been is unknown: {missing}.")
        }
    })
}

/// Sentence about a minor diagnosis with its largest loss: `Heat took 0.5 % of 7-zip on all CPUs.`
pub(super) fn minor(explained: &Explanation, diagnosis: &Diagnosis) -> String {
    let points = |ledger: &Ledger| {
        let own = ledger.parts.iter().find(|part| explained.diagnoses.get(part.diagnosis) == Some(diagnosis));
        own.map_or(Tenths(0), |part| part.points.percent)
    };
    let ledgers = diagnosis.holds_for.iter().filter_map(|score| explained.ledger(score));
    let Some((points, ledger)) = ledgers.map(|ledger| (points(ledger), ledger)).max_by_key(|(points, _)| *points)
    else {
        return String::new();
    };
    let (percent, score) = (points.as_percent(), ledger.score.words());
    match diagnosis.cause {
        // Its finding states how the runs differ.
        Cause::NotVisible => String::new(),
        _ if points == Tenths(0) => {
            format!("{} took less than 0.1 % of {score}.", capitalised(diagnosis.cause.words()))
        }
        _ => format!("{} took {percent:.1} % of {score}.", capitalised(diagnosis.cause.words())),
    }
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

/// Rounds an estimate to three digits.
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
