//! Logs that experts judged sentence by sentence: verdicts, causes, shares and words against their labels.
//!
//! The labels are in `crates/report/tests/judged.tsv`, and for logs of this repository in
//! `crates/explain/tests/made/judged.tsv`.

use super::{Judgement, Subject, Table};
use crate::workspace;
use anyhow::{Context, Result};
use facts::{Cause, Diagnosis, Explanation, Ledger, Verdict};
use std::path::Path;

/// Labels of one log.
struct Label {
    log: String,
    verdicts: Vec<String>,
    causes: Vec<ExpectedCause>,
    says: Vec<String>,
    false_words: Vec<String>,
    misleading_words: Vec<String>,
}

/// Label of a cause.
struct ExpectedCause {
    /// Id of the cause; [`ALL`] for the whole loss.
    cause: String,
    /// Scores with the bounds of the share in percent, if the log supports them.
    scores: Vec<(String, Option<(f64, f64)>)>,
    /// Whether an explanation must name it.
    is_certain: bool,
}

/// Id that stands for all causes together.
const ALL: &str = "all";

impl ExpectedCause {
    /// Parses `?heat: sevenzip-multi 2..8, cpuminer`.
    fn parse(text: &str) -> Result<Self> {
        let (cause, scores) = text.split_once(": ").with_context(|| text.to_owned())?;
        let score = |score: &str| {
            let (name, bounds) = score.split_once(' ').unwrap_or((score, ""));
            let bounds = bounds.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
            (name.to_owned(), bounds)
        };
        Ok(Self {
            cause: cause.trim_start_matches('?').to_owned(),
            scores: scores.split(", ").map(score).collect(),
            is_certain: !cause.starts_with('?'),
        })
    }

    /// Whether a diagnosis has this cause and applies to all scores of the label.
    fn is(&self, diagnosis: &Diagnosis) -> bool {
        let holds_for = |(score, _): &(String, _)| diagnosis.holds_for.iter().any(|known| known.as_str() == score);
        diagnosis.cause.as_str() == self.cause && self.scores.iter().all(holds_for)
    }

    /// Judges the share of a score: refused if the ledger has no expected value.
    fn judge_share(&self, log: &str, explanation: &Explanation, score: &str, bounds: (f64, f64)) -> Judgement {
        let ledger = explanation.ledgers.iter().find(|ledger| ledger.score.as_str() == score);
        let Some(ledger) = ledger.filter(|ledger| ledger.expected.known().is_some()) else {
            return Judgement::Refused;
        };
        let own = |ledger: &Ledger| {
            let part = ledger.parts.iter().find(|part| part.cause.as_str() == self.cause);
            part.map_or(0.0, |part| part.points.percent.as_percent())
        };
        let percent = if self.cause == ALL { ledger.lost().as_percent() } else { own(ledger) };
        if (bounds.0..=bounds.1).contains(&percent) {
            Judgement::Right
        } else {
            let (low, high) = bounds;
            Judgement::Wrong(format!("{log}: {} took {percent} % of {score} instead of {low} to {high} %", self.cause))
        }
    }
}

fn labels(path: &str) -> Result<Vec<Label>> {
    let text = std::fs::read_to_string(workspace::root().join(path)).with_context(|| path.to_owned())?;
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let [log, verdicts, causes, says, false_words, misleading_words] = cells[..] else {
                anyhow::bail!("{path}: 6 columns: {line}");
            };
            let words = |cell: &str| match cell {
                "-" => Vec::new(),
                words => words.split("; ").map(str::to_owned).collect(),
            };
            Ok(Label {
                log: log.to_owned(),
                verdicts: verdicts.split(',').map(str::to_owned).collect(),
                causes: words(causes).iter().map(|cause| ExpectedCause::parse(cause)).collect::<Result<_>>()?,
                says: words(says),
                false_words: words(false_words),
                misleading_words: words(misleading_words),
            })
        })
        .collect()
}

/// Adds the judged logs of a corpus, and those of this repository.
pub(super) fn check(corpus: Option<&Path>, table: &mut Table) -> Result<()> {
    for label in labels("crates/explain/tests/made/judged.tsv")? {
        let file = workspace::root().join(format!("crates/explain/tests/made/{}.txt", label.log));
        judge("logs made for tests", &label, &std::fs::read_to_string(&file)?, table);
    }
    let Some(corpus) = corpus else { return Ok(()) };
    for label in labels("crates/report/tests/judged.tsv")? {
        let of = |part: &str| std::fs::read(corpus.join(part).join("results").join(format!("{}.txt", label.log)));
        let text = of("more").or_else(|_| of("open")).with_context(|| label.log.clone())?;
        judge("judged logs", &label, &String::from_utf8_lossy(&text), table);
    }
    Ok(())
}

fn judge(corpus: &str, label: &Label, text: &str, table: &mut Table) {
    let mut add = |what: &str, judgement| table.add(&format!("{corpus}: {what}"), judgement);
    let log = &label.log;
    let subject = Subject::of((log.clone(), text.to_owned()));
    let explanation = &subject.explained.assessment;
    let verdict = explanation.verdict.to_string();
    let judgement = match explanation.verdict {
        _ if label.verdicts.contains(&verdict) => Judgement::Right,
        Verdict::Unproven => Judgement::Refused,
        _ => Judgement::Wrong(format!("{log}: {verdict} instead of {}", label.verdicts.join(" or "))),
    };
    add("verdicts", judgement);
    for expected in &label.causes {
        if expected.is_certain && expected.cause != ALL {
            let is_unknown = |found: &Diagnosis| found.cause == Cause::NotVisible;
            let judgement = if explanation.diagnoses.iter().any(|found| expected.is(found)) {
                Judgement::Right
            } else if explanation.diagnoses.iter().any(is_unknown) {
                Judgement::Refused
            } else {
                Judgement::Missing
            };
            add("causes", judgement);
        }
        for (score, bounds) in &expected.scores {
            if let Some(bounds) = bounds {
                add("shares", expected.judge_share(log, explanation, score, *bounds));
            }
        }
    }
    for diagnosis in explanation.diagnoses.iter().filter(|diagnosis| explanation.is_of_main(diagnosis)) {
        if !label.causes.iter().any(|expected| expected.cause == diagnosis.cause.as_str()) {
            add("causes", Judgement::Wrong(format!("{log}: {}", diagnosis.cause.as_str())));
        }
    }
    // Line breaks are irrelevant.
    for words in &label.says {
        add("sentences to be said", if subject.said.contains(words) { Judgement::Right } else { Judgement::Missing });
    }
    for words in label.false_words.iter().chain(&label.misleading_words) {
        let is_said = subject.said.contains(words);
        let judgement = if is_said { Judgement::Wrong(format!("{log}: {words}")) } else { Judgement::Right };
        add("false or misleading words", judgement);
    }
}
