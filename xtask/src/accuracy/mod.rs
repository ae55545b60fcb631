//! `cargo xtask accuracy`: how often the program reads, names and judges as an expert would, over a corpus of real texts.
//!
//! Every row counts the answers that are right, less sure, wrong and missing. The corpus is no part of this repository;
//! `SBC_BENCH_CORPUS` names another place.

mod falsified;
mod machines;
mod texts;

use crate::corpus::corpus;
use anyhow::{Context, Result};

/// Counts of one kind of question.
#[derive(Debug, Default, Clone)]
pub(super) struct Row {
    /// What was asked.
    name: String,
    right: usize,
    /// Answers that say less than they could.
    less_sure: usize,
    wrong: usize,
    missing: usize,
    /// The first wrong answers.
    examples: Vec<String>,
}

/// An answer as an expert judges it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Judgement {
    Right,
    LessSure,
    /// What is wrong.
    Wrong(String),
    Missing,
}

/// Maximum number of wrong answers shown of a row.
const EXAMPLES_MAX: usize = 6;

impl Row {
    fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    fn add(&mut self, judgement: Judgement) {
        match judgement {
            Judgement::Right => self.right += 1,
            Judgement::LessSure => self.less_sure += 1,
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

/// Rows about machines, and about every `step`-th text; none of texts if it is 0.
fn rows(step: usize) -> Result<Vec<Row>> {
    let corpus = corpus().context("there is no corpus; SBC_BENCH_CORPUS can name its folder")?;
    let mut rows = machines::rows(&corpus)?;
    if step > 0 {
        rows.extend(texts::rows(&corpus, step)?);
    }
    Ok(rows)
}

/// Prints the table; `every` N takes each N-th text.
pub(super) fn main(step: usize) -> Result<()> {
    print(&rows(step)?);
    Ok(())
}

/// Prints the rows of falsified logs alone.
pub(super) fn main_falsified() -> Result<()> {
    let corpus = corpus().context("there is no corpus; SBC_BENCH_CORPUS can name its folder")?;
    print(&texts::falsified_rows(&corpus)?);
    Ok(())
}

fn print(rows: &[Row]) {
    println!("{:48} {:>7} {:>9} {:>6} {:>8}", "", "right", "less sure", "wrong", "missing");
    for row in rows {
        println!("{:48} {:>7} {:>9} {:>6} {:>8}", row.name, row.right, row.less_sure, row.wrong, row.missing);
        for example in &row.examples {
            println!("    {example}");
        }
    }
    println!("{} wrong answers", rows.iter().map(|row| row.wrong).sum::<usize>());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong answers that are known, by row, over all texts; every other row has none.
    const KNOWN: [(&str, usize); 4] = [
        ("models of device trees", 5),
        ("half clock, same scores", 3),
        ("95 degrees without a lower clock", 1),
        ("all repetitions 30 % lower by CPU use", 3),
    ];

    #[test]
    fn wrong_answers_do_not_rise() {
        if corpus().is_none() {
            return testkit::excuse(testkit::Excuse::Corpus);
        }
        for row in rows(60).unwrap() {
            let known = KNOWN.iter().find(|(name, _)| *name == row.name).map_or(0, |(_, count)| *count);
            assert!(row.wrong <= known, "{}: {} wrong\n{}", row.name, row.wrong, row.examples.join("\n"));
        }
    }
}
