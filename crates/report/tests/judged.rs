//! Compares `explain` with real logs that were judged sentence by sentence, and counts wrong verdicts, false sentences,
//! misleading sentences, and missing causes. `judged.tsv` has a row for each log; the counts may only improve. The logs
//! in `made` are judged in the same way; each was written for one kind of misjudgement, so that they also cover
//! machines without the corpus.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use crate::files;
use facts::Diagnosis;
use std::path::{Path, PathBuf};

/// Limits for a set of judged logs: minimum of right verdicts, maximum of the others.
struct Bounds {
    right_min: usize,
    /// Missing causes.
    missing_max: usize,
    /// False causes of a lower main score.
    no_causes_max: usize,
    false_max: usize,
    misleading_max: usize,
    unsaid_max: usize,
}

/// Row of `judged.tsv`.
struct Judgement {
    log: String,
    verdicts: Vec<String>,
    causes: Vec<ExpectedCause>,
    says: Vec<String>,
    false_words: Vec<String>,
    misleading_words: Vec<String>,
}

/// Cause in the judgement.
struct ExpectedCause {
    cause: String,
    scores: Vec<String>,
    /// True if it must be stated.
    is_certain: bool,
}

impl ExpectedCause {
    /// Parses `?heat: sevenzip-multi 2..8, cpuminer`.
    fn read(text: &str) -> Self {
        let (cause, scores) = text.split_once(": ").unwrap_or_else(|| panic!("{text}"));
        let score = |score: &str| score.split(' ').next().unwrap_or_default().to_owned();
        Self {
            cause: cause.trim_start_matches('?').to_owned(),
            scores: scores.split(", ").map(score).collect(),
            is_certain: !cause.starts_with('?'),
        }
    }

    /// True if a diagnosis names this cause for at least the scores in the judgement.
    fn is(&self, diagnosis: &Diagnosis) -> bool {
        let holds_for = |score: &String| diagnosis.holds_for.iter().any(|known| known.as_str() == score);
        name(diagnosis) == self.cause && self.scores.iter().all(holds_for)
    }
}

fn name(diagnosis: &Diagnosis) -> String {
    serde_json::to_value(diagnosis.cause).unwrap().as_str().unwrap().to_owned()
}

fn rows(table: &Path) -> Vec<Judgement> {
    let text = std::fs::read_to_string(table).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|row| {
        let cells: Vec<&str> = row.split('\t').collect();
        let [log, verdicts, causes, says, false_words, misleading_words] = cells[..] else {
            panic!("6 columns: {row}");
        };
        let words = |cell: &str| match cell {
            "-" => Vec::new(),
            words => words.split("; ").map(str::to_owned).collect(),
        };
        Judgement {
            log: log.to_owned(),
            verdicts: verdicts.split(',').map(str::to_owned).collect(),
            causes: words(causes).iter().map(|cause| ExpectedCause::read(cause)).collect(),
            says: words(says),
            false_words: words(false_words),
            misleading_words: words(misleading_words),
        }
    })
    .collect()
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

#[test]
fn judged_logs_are_told_as_their_judge_found_them() {
    let corpus = testkit::found!(files::corpus());
    let bounds =
        Bounds { right_min: 52, missing_max: 0, no_causes_max: 0, false_max: 0, misleading_max: 1, unsaid_max: 0 };
    judge(&rows(&tests().join("judged.tsv")), |name| files::log(&corpus, name), &bounds);
}

#[test]
fn made_logs_are_told_as_they_were_meant() {
    let folder = files::composed().with_file_name("made");
    let rows = rows(&folder.join("judged.tsv"));
    let texts = files::texts(&[folder]);
    assert!(texts.iter().map(|(name, _)| name.trim_end_matches(".txt")).eq(rows.iter().map(|row| row.log.as_str())));
    let text = |name: &str| {
        let found = texts.iter().find(|(known, _)| known.trim_end_matches(".txt") == name);
        found.map(|(_, text)| text.clone()).unwrap()
    };
    let bounds =
        Bounds { right_min: 10, missing_max: 0, no_causes_max: 0, false_max: 0, misleading_max: 0, unsaid_max: 0 };
    judge(&rows, text, &bounds);
}

fn judge(rows: &[Judgement], text_of: impl Fn(&str) -> String, bounds: &Bounds) {
    let report = report::find("text").unwrap();
    let (mut right, mut wrong) = (0, Vec::new());
    let (mut missing, mut no_causes) = (Vec::new(), Vec::new());
    let (mut false_words, mut misleading, mut unsaid) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        let record = logs::read(&text_of(&row.log));
        let explained = explain::explain(&record);
        let verdict = explained.assessment.verdict.to_string();
        if row.verdicts.contains(&verdict) {
            right += 1
        } else {
            wrong.push(format!("{} is {verdict}", row.log))
        }
        let is_told =
            |expected: &&ExpectedCause| explained.assessment.diagnoses.iter().any(|diagnosis| expected.is(diagnosis));
        let untold = row.causes.iter().filter(|expected| expected.is_certain && !is_told(expected));
        missing.extend(untold.map(|expected| format!("{}: {}", row.log, expected.cause)));
        let main = explained.assessment.diagnoses.iter().filter(|diagnosis| explained.assessment.is_of_main(diagnosis));
        let unknown = main.filter(|diagnosis| !row.causes.iter().any(|expected| expected.cause == name(diagnosis)));
        no_causes.extend(unknown.map(|diagnosis| format!("{}: {}", row.log, name(diagnosis))));
        let text = report.text(&explained);
        // Line breaks are irrelevant.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let found = |words: &&String| text.contains(words.as_str());
        let named = |words: &String| format!("{}: {words}", row.log);
        false_words.extend(row.false_words.iter().filter(found).map(named));
        misleading.extend(row.misleading_words.iter().filter(found).map(named));
        unsaid.extend(row.says.iter().filter(|words| !found(words)).map(named));
    }
    eprintln!("{right} of {} verdicts are right; not right: {}", rows.len(), wrong.join(", "));
    for (kind, list) in [("not told", &missing), ("told as a cause", &no_causes)] {
        eprintln!("{kind} ({}): {}", list.len(), list.join(", "));
    }
    for (kind, list) in [("false", &false_words), ("misleading", &misleading), ("not said", &unsaid)] {
        eprintln!("{kind} ({}):\n   {}", list.len(), list.join("\n   "));
    }
    assert!(right >= bounds.right_min, "{right} verdicts are right");
    assert!(missing.len() <= bounds.missing_max, "{} causes are not told", missing.len());
    assert!(no_causes.len() <= bounds.no_causes_max, "{} are no causes", no_causes.len());
    assert!(false_words.len() <= bounds.false_max, "{} are false", false_words.len());
    assert!(misleading.len() <= bounds.misleading_max, "{} mislead", misleading.len());
    assert!(unsaid.len() <= bounds.unsaid_max, "{} are not said", unsaid.len());
}
