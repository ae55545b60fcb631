//! `cargo xtask accuracy`: how often the program reads, names and judges as an expert would, over logs, reviews, cases of
//! public reports and virtual boards.
//!
//! Every row counts answers that are right, wrong, missing and refused. The corpus is no part of this repository;
//! `SBC_BENCH_CORPUS` names another place.

mod cases;
mod drawn;
mod falsified;
mod findings;
mod judged;
mod machines;
mod numbers;
mod planted;
mod sentences;
mod texts;

use crate::corpus::corpus;
use anyhow::{Context, Result, ensure};
use std::path::PathBuf;

/// Counts of one kind of question.
#[derive(Debug, Default, Clone)]
pub(super) struct Row {
    /// Question, and corpus.
    name: String,
    right: usize,
    wrong: usize,
    missing: usize,
    /// Answers that name no cause, no value or several candidates.
    refused: usize,
    /// The first wrong answers.
    examples: Vec<String>,
}

/// Judgement of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Judgement {
    Right,
    /// What is wrong.
    Wrong(String),
    Missing,
    Refused,
}

/// Maximum number of wrong answers that a row prints.
const EXAMPLES_MAX: usize = 6;

impl Row {
    fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    fn add(&mut self, judgement: Judgement) {
        match judgement {
            Judgement::Right => self.right += 1,
            Judgement::Refused => self.refused += 1,
            Judgement::Missing => self.missing += 1,
            Judgement::Wrong(example) => {
                self.wrong += 1;
                if self.examples.len() < EXAMPLES_MAX {
                    self.examples.push(example);
                }
            }
        }
    }
}

/// Input of the rows.
struct Corpus {
    /// Folder of logs; some rows need none.
    folder: Option<PathBuf>,
    /// Takes every n-th text for rows over all forms of a text; 0 for none of these rows.
    step: usize,
}

/// Makes some of the rows.
type Group = fn(&Corpus) -> Result<Vec<Row>>;

/// Groups of rows of similar duration.
const GROUPS: [Group; 5] = [
    |corpus| {
        let Some(folder) = &corpus.folder else { return Ok(Vec::new()) };
        let mut rows = machines::rows(folder)?;
        rows.extend(cases::rows(&folder.with_file_name("cases"))?);
        Ok(rows)
    },
    |corpus| match &corpus.folder {
        Some(folder) if corpus.step > 0 => texts::rows(folder, corpus.step),
        _ => Ok(Vec::new()),
    },
    |corpus| {
        let mut rows = judged::rows(corpus.folder.as_deref())?;
        if let Some(folder) = &corpus.folder {
            rows.push(findings::row(folder)?);
        }
        rows.extend(drawn::rows());
        Ok(rows)
    },
    |corpus| {
        let texts = texts::all(corpus.folder.as_deref())?;
        let mut rows = sentences::rows(texts.iter().map(|(name, text)| (name.as_str(), text.as_str())));
        rows.push(numbers::row(texts.iter().map(|(name, text)| (name.as_str(), text.as_str()))));
        Ok(rows)
    },
    |corpus| {
        let Some(folder) = &corpus.folder else { return Ok(Vec::new()) };
        let texts = texts::all(Some(folder))?;
        Ok(planted::rows(texts.iter().map(|(name, text)| (name.as_str(), text.as_str()))))
    },
];

/// Known counts of rows over the whole corpus: wrong, missing and refused. Every other row has no wrong answer.
const KNOWN: &[(&str, [usize; 3])] = &[
    ("models of device trees", [5, 1, 4]),
    ("cases: SoCs", [0, 0, 2]),
    ("half clock, same scores", [1, 0, 0]),
    ("judged logs: causes", [0, 0, 0]),
    ("judged logs: shares", [0, 0, 0]),
    ("judged logs: sentences to be said", [0, 0, 0]),
    ("logs made for tests: causes", [0, 0, 0]),
    ("logs made for tests: sentences to be said", [0, 0, 0]),
    ("published findings", [0, 1, 0]),
    ("virtual boards: shares, two faults", [0, 0, 8]),
    ("virtual boards: shares, two that wait", [0, 0, 93]),
    ("comparison: DRAM at half rate", [3, 6, 0]),
    ("comparison: one cluster capped", [0, 2, 0]),
    ("comparison: 32-bit userland", [0, 0, 0]),
    ("comparison: kernel without OPPs", [0, 0, 0]),
    ("comparison: one memory channel", [5, 7, 1]),
];

/// Rows with more wrong, missing or refused answers than are known.
fn risen(rows: &[Row]) -> Vec<String> {
    let known = |row: &Row| KNOWN.iter().find(|(name, _)| *name == row.name).map(|(_, counts)| *counts);
    let is_risen = |row: &&Row| match known(row) {
        Some([wrong, missing, refused]) => row.wrong > wrong || row.missing > missing || row.refused > refused,
        None => row.wrong > 0,
    };
    let risen = rows.iter().filter(is_risen);
    risen
        .map(|row| {
            let counts = format!("{} wrong, {} missing, {} refused", row.wrong, row.missing, row.refused);
            format!("{}: {counts}\n{}", row.name, row.examples.join("\n"))
        })
        .collect()
}

/// Prints the table over every `step`-th text, and fails if wrong answers rose.
pub(super) fn main(step: usize) -> Result<()> {
    let folder = Some(corpus().context("no corpus; name its folder with SBC_BENCH_CORPUS")?);
    let corpus = Corpus { folder, step };
    let mut rows = Vec::new();
    for group in GROUPS {
        rows.extend(group(&corpus)?);
    }
    print(&rows);
    let risen = risen(&rows);
    ensure!(risen.is_empty(), "more than known:\n{}", risen.join("\n"));
    Ok(())
}

/// Prints the rows of falsified logs alone.
pub(super) fn main_falsified() -> Result<()> {
    let corpus = corpus().context("no corpus; name its folder with SBC_BENCH_CORPUS")?;
    print(&texts::falsified_rows(&corpus)?);
    Ok(())
}

fn print(rows: &[Row]) {
    println!("{:56} {:>6} {:>6} {:>8} {:>8}", "", "right", "wrong", "missing", "refused");
    for row in rows {
        println!("{:56} {:>6} {:>6} {:>8} {:>8}", row.name, row.right, row.wrong, row.missing, row.refused);
        for example in &row.examples {
            println!("    {example}");
        }
    }
    println!("{} wrong answers", rows.iter().map(|row| row.wrong).sum::<usize>());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(group: Group) {
        let folder = corpus();
        if folder.is_none() {
            testkit::excuse(testkit::Excuse::Corpus);
        }
        assert_eq!(risen(&group(&Corpus { folder, step: 60 }).unwrap()), [""; 0]);
    }

    #[test]
    fn machines_and_cases() {
        check(GROUPS[0]);
    }

    #[test]
    fn forms_of_texts_and_falsified_logs() {
        check(GROUPS[1]);
    }

    #[test]
    fn labels_and_virtual_boards() {
        check(GROUPS[2]);
    }

    #[test]
    fn sentences_and_numbers() {
        check(GROUPS[3]);
    }

    #[test]
    fn comparisons() {
        check(GROUPS[4]);
    }
}
