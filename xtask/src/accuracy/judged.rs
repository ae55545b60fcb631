//! Logs that experts judged sentence by sentence: verdicts, causes, shares and words against their labels.
//!
//! The labels are in `crates/report/tests/judged.tsv`, and for logs of this repository in
//! `crates/explain/tests/made/judged.tsv`.

use super::{Judgement, Row};
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

/// Rows of the judged logs of a corpus, and of those of this repository.
pub(super) fn rows(corpus: Option<&Path>) -> Result<Vec<Row>> {
    let mut rows = judge("logs made for tests", &labels("crates/explain/tests/made/judged.tsv")?, |log| {
        std::fs::read_to_string(workspace::root().join(format!("crates/explain/tests/made/{log}.txt")))
    })?;
    if let Some(corpus) = corpus {
        rows.extend(judge("judged logs", &labels("crates/report/tests/judged.tsv")?, |log| {
            let of = |part: &str| std::fs::read(corpus.join(part).join("results").join(format!("{log}.txt")));
            Ok(String::from_utf8_lossy(&of("more").or_else(|_| of("open"))?).into_owned())
        })?);
    }
    Ok(rows)
}

fn judge(corpus: &str, labels: &[Label], text_of: impl Fn(&str) -> std::io::Result<String>) -> Result<Vec<Row>> {
    let row = |what: &str| Row::new(format!("{corpus}: {what}"));
    let (mut verdicts, mut causes, mut shares) = (row("verdicts"), row("causes"), row("shares"));
    let (mut said, mut unsaid) = (row("sentences to be said"), row("false or misleading words"));
    let report = report::find("text").context("no report named text")?;
    for label in labels {
        let log = &label.log;
        let record = logs::read(&text_of(log).with_context(|| log.clone())?);
        let explained = explain::explain(&record);
        let explanation = &explained.assessment;
        let verdict = explanation.verdict.to_string();
        verdicts.add(match explanation.verdict {
            _ if label.verdicts.contains(&verdict) => Judgement::Right,
            Verdict::Unproven => Judgement::Refused,
            _ => Judgement::Wrong(format!("{log}: {verdict} instead of {}", label.verdicts.join(" or "))),
        });
        for expected in &label.causes {
            if expected.is_certain && expected.cause != ALL {
                let is_unknown = |found: &Diagnosis| found.cause == Cause::NotVisible;
                causes.add(if explanation.diagnoses.iter().any(|found| expected.is(found)) {
                    Judgement::Right
                } else if explanation.diagnoses.iter().any(is_unknown) {
                    Judgement::Refused
                } else {
                    Judgement::Missing
                });
            }
            for (score, bounds) in &expected.scores {
                if let Some(bounds) = bounds {
                    shares.add(expected.judge_share(log, explanation, score, *bounds));
                }
            }
        }
        for diagnosis in explanation.diagnoses.iter().filter(|diagnosis| explanation.is_of_main(diagnosis)) {
            if !label.causes.iter().any(|expected| expected.cause == diagnosis.cause.as_str()) {
                causes.add(Judgement::Wrong(format!("{log}: {}", diagnosis.cause.as_str())));
            }
        }
        // Line breaks are irrelevant.
        let text = report
            .text(&explained, compare::reference::Reference::builtin)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        for words in &label.says {
            said.add(if text.contains(words) { Judgement::Right } else { Judgement::Missing });
        }
        for words in label.false_words.iter().chain(&label.misleading_words) {
            let is_said = text.contains(words);
            unsaid.add(if is_said { Judgement::Wrong(format!("{log}: {words}")) } else { Judgement::Right });
        }
    }
    Ok(vec![verdicts, causes, shares, said, unsaid])
}
