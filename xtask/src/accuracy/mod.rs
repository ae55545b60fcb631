//! `cargo xtask accuracy`: how often the program reads, names and judges as an expert would, over logs, reviews, cases of
//! public reports and virtual boards.
//!
//! Every row counts answers that are right, wrong, missing and refused. The corpus is not part of this repository;
//! `SBC_BENCH_CORPUS` names another place.

mod cases;
mod drawn;
mod falsified;
mod findings;
mod judged;
mod machines;
mod numbers;
mod planted;
mod removed_sections;
mod sentences;
mod texts;

use crate::corpus::corpus;
use anyhow::{Context, Result, anyhow, ensure};
use compare::reference::Reference;
use compare::{Ranking, rank};
use facts::Explained;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

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
    /// The wrong answers.
    examples: Vec<String>,
}

/// Judgement of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Judgement {
    Right,
    /// Defect.
    Wrong(String),
    Missing,
    Refused,
}

/// Maximum number of wrong answers that a row prints.
const EXAMPLES_MAX: usize = 6;

/// The rows in the order of their first answers.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Row>,
}

impl Table {
    fn row(&mut self, name: &str) -> &mut Row {
        let at = self.rows.iter().position(|row| row.name == name).unwrap_or_else(|| {
            self.rows.push(Row { name: name.to_owned(), ..Row::default() });
            self.rows.len() - 1
        });
        &mut self.rows[at]
    }

    fn add(&mut self, name: &str, judgement: Judgement) {
        let row = self.row(name);
        match judgement {
            Judgement::Right => row.right += 1,
            Judgement::Refused => row.refused += 1,
            Judgement::Missing => row.missing += 1,
            Judgement::Wrong(example) => {
                row.wrong += 1;
                row.examples.push(example);
            }
        }
    }

    /// Right without a defect.
    fn add_defect(&mut self, name: &str, defect: Option<String>) {
        self.add(name, defect.map_or(Judgement::Right, Judgement::Wrong));
    }

    fn join(&mut self, other: Self) {
        for other in other.rows {
            let row = self.row(&other.name);
            row.right += other.right;
            row.wrong += other.wrong;
            row.missing += other.missing;
            row.refused += other.refused;
            row.examples.extend(other.examples);
        }
    }
}

/// A text of the corpus or of this repository, read and explained once for all checks.
pub(super) struct Subject {
    name: String,
    text: String,
    explained: Explained<'static>,
    ranking: Ranking,
    /// The text report, and the same on one line.
    report: String,
    said: String,
}

impl Subject {
    fn of((name, text): (String, String)) -> Self {
        let explained = explain::explain(logs::read(&text));
        let ranking = rank(&explained, Reference::builtin());
        let report = report::find("text")
            .map_or_else(String::new, |report| report.text(&explained, compare::reference::Reference::builtin));
        let said = report.split_whitespace().collect::<Vec<_>>().join(" ");
        Self { name, text, explained, ranking, report, said }
    }
}

/// Checks every text, on all CPUs.
fn walk(folder: Option<&Path>, table: &mut Table) -> Result<()> {
    let texts = Mutex::new(texts::all(folder)?);
    let work = || {
        let mut table = Table::default();
        loop {
            let next = texts.lock().ok().and_then(|mut texts| texts.pop());
            let Some(text) = next else { return table };
            let subject = Subject::of(text);
            sentences::check(&subject, &mut table);
            numbers::check(&subject, &mut table);
            if folder.is_some() {
                planted::check(&subject, &mut table);
            }
        }
    };
    std::thread::scope(|scope| {
        let cpus = std::thread::available_parallelism()?.get();
        let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, work).context("a thread");
        for thread in (0..cpus).map(spawn).collect::<Result<Vec<_>>>()? {
            table.join(thread.join().map_err(|_| anyhow!("a check panicked"))?);
        }
        Ok(())
    })
}

/// Input of the rows.
struct Corpus {
    /// Folder of logs; some rows need none.
    folder: Option<PathBuf>,
    /// Takes every n-th text for rows over all forms of a text; 0 for none of these rows.
    step: usize,
}

/// Makes some of the rows.
type Group = fn(&Corpus, &mut Table) -> Result<()>;

/// Groups of rows of similar duration.
const GROUPS: [Group; 4] = [
    |corpus, table| {
        let Some(folder) = &corpus.folder else { return Ok(()) };
        machines::check(folder, table)?;
        cases::check(&folder.with_file_name("cases"), table)
    },
    |corpus, table| match &corpus.folder {
        Some(folder) if corpus.step > 0 => texts::check(folder, corpus.step, table),
        _ => Ok(()),
    },
    |corpus, table| {
        judged::check(corpus.folder.as_deref(), table)?;
        drawn::check(table);
        corpus.folder.as_ref().map_or(Ok(()), |folder| findings::check(folder, table))
    },
    |corpus, table| walk(corpus.folder.as_deref(), table),
];

/// Known counts of rows over the whole corpus: wrong, missing and refused. Every other row has no wrong answer.
const KNOWN: &[(&str, [usize; 3])] = &[
    ("models of device trees", [0, 1, 5]),
    ("cases: SoCs", [0, 0, 2]),
    ("half clock, same scores", [1, 0, 0]),
    ("kernel overhead of 25 % in all repetitions", [0, 0, 26]),
    ("I/O wait of 20 % in two repetitions", [0, 0, 11]),
    ("a CPU offline after the first repetition", [0, 0, 5]),
    ("published findings", [0, 1, 0]),
    ("virtual boards: shares, two faults", [0, 0, 8]),
    ("virtual boards: shares, two that wait", [0, 0, 93]),
    ("comparison: DRAM at half rate", [0, 6, 0]),
    ("comparison: one cluster capped", [0, 2, 0]),
    ("comparison: one memory channel", [1, 7, 1]),
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
            format!("{}: {counts}\n{}", row.name, examples(row).join("\n"))
        })
        .collect()
}

/// Prints the table over every `step`-th text, and fails if wrong answers rose.
pub(super) fn main(step: usize) -> Result<()> {
    let folder = Some(corpus().context("no corpus; name its folder with SBC_BENCH_CORPUS")?);
    let corpus = Corpus { folder, step };
    let mut table = Table::default();
    for group in GROUPS {
        group(&corpus, &mut table)?;
    }
    print(&table.rows);
    let risen = risen(&table.rows);
    ensure!(risen.is_empty(), "more than known:\n{}", risen.join("\n"));
    Ok(())
}

/// Prints the rows of falsified logs alone.
pub(super) fn main_falsified() -> Result<()> {
    let corpus = corpus().context("no corpus; name its folder with SBC_BENCH_CORPUS")?;
    let mut table = Table::default();
    texts::check_falsified(&texts::texts(&corpus, 1)?, &mut table);
    print(&table.rows);
    Ok(())
}

/// The wrong answers that are printed.
fn examples(row: &Row) -> &[String] {
    &row.examples[..row.examples.len().min(EXAMPLES_MAX)]
}

fn print(rows: &[Row]) {
    println!("{:56} {:>6} {:>6} {:>8} {:>8}", "", "right", "wrong", "missing", "refused");
    for row in rows {
        println!("{:56} {:>6} {:>6} {:>8} {:>8}", row.name, row.right, row.wrong, row.missing, row.refused);
        for example in examples(row) {
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
        let mut table = Table::default();
        group(&Corpus { folder, step: 60 }, &mut table).unwrap();
        assert_eq!(risen(&table.rows), [""; 0]);
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
    fn sentences_numbers_and_comparisons() {
        check(GROUPS[3]);
    }
}
