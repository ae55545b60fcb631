//! The results that a reader has opened: each with its page and reports, several in a table, side by side, over time.

use explain::compare::{Side, compare};
use explain::reference::Reference;
use explain::report::{self, REPORTS};
use explain::results::{Row, USUAL_ORDER, sort};
use explain::trend::{Sample, trends};
use explain::{Explanation, Place, any_file};
use record::Record;
use serde_json::{Value, json};

/// More places of one finding are not listed.
const PLACES_MAX: usize = 6;

/// A result that could be read.
struct Opened {
    /// Its file.
    name: String,
    record: Record,
    explained: Explanation,
}

/// The results that a reader has opened, in the order in which they were.
#[derive(Default)]
pub struct Results {
    opened: Vec<Opened>,
}

/// What is shown of several results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// All as a table.
    Table,
    /// Side by side.
    Comparison,
    /// By date.
    Trends,
}

impl Selection {
    /// The selection with this word: `table`, `compare` or `trend`.
    pub fn find(word: &str) -> Option<Self> {
        match word {
            "table" => Some(Self::Table),
            "compare" => Some(Self::Comparison),
            "trend" => Some(Self::Trends),
            _ => None,
        }
    }
}

impl Results {
    /// Reads a file of any supported kind and keeps its result; what to list of it: `name`, `board`, `verdict`, and
    /// `findings`, each with its `sentence`, its `severity` and the `lines` of the text that it stands on.
    ///
    /// # Errors
    /// One sentence: the file has no result.
    pub fn open(&mut self, name: &str, bytes: Vec<u8>) -> Result<Value, String> {
        let record = any_file::read(bytes, record::VALUES_MAX).map_err(|why| format!("{name}: {why}."))?;
        let explained = Explanation::of(&record);
        let opened = Opened { name: name.to_owned(), record, explained };
        let listed = opened.listed();
        self.opened.push(opened);
        Ok(listed)
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.opened.clear();
    }

    /// The page of a result, the same as that of `sbc-bench report FILE --html`.
    pub fn page(&self, index: usize) -> Option<String> {
        let opened = self.opened.get(index)?;
        Some(page::page(&opened.record, &opened.explained, Reference::builtin()))
    }

    /// A report of a result by its id, the same as that of `sbc-bench report FILE --format ID`.
    pub fn report(&self, index: usize, id: &str) -> Option<String> {
        let opened = self.opened.get(index)?;
        let report = REPORTS.iter().find(|report| report.id == id && report.is_of(&opened.record))?;
        Some(report.text(&opened.record, &opened.explained))
    }

    /// The card of a result as SVG: a picture of 1200 x 630 with board, verdict, figures and the clock over time.
    pub fn card(&self, index: usize) -> Option<String> {
        let opened = self.opened.get(index)?;
        let drawings = page::drawings(&opened.record, &opened.explained, Reference::builtin());
        drawings.into_iter().find(|drawing| drawing.name == "card").map(|drawing| drawing.svg)
    }

    /// The page of several results, the same as those of `sbc-bench results`, `compare` and `trend`.
    pub fn several(&self, selection: Selection, indices: &[usize]) -> String {
        let chosen: Vec<&Opened> = indices.iter().filter_map(|index| self.opened.get(*index)).collect();
        match selection {
            Selection::Table => page::results(&rows(&chosen)),
            Selection::Comparison => {
                let sides: Vec<Side<'_>> = chosen
                    .iter()
                    .map(|one| Side { name: one.name.clone(), record: &one.record, explained: &one.explained })
                    .collect();
                page::comparison(&compare(&sides))
            }
            Selection::Trends => {
                let samples: Vec<Sample<'_>> = chosen
                    .iter()
                    .map(|one| Sample { name: one.name.clone(), record: &one.record, verdict: one.explained.verdict })
                    .collect();
                page::trends(&trends(&samples))
            }
        }
    }
}

/// Rows of the table, without runs that were resumed and are complete in another file.
fn rows(chosen: &[&Opened]) -> Vec<Row> {
    let is_part = |one: &Opened| chosen.iter().any(|other| one.record.run.is_part_of(&other.record.run));
    let whole = chosen.iter().filter(|one| !is_part(one));
    let mut rows: Vec<Row> = whole.map(|one| Row::of(&one.record, &one.explained, &one.name)).collect();
    let _ = sort(&mut rows, USUAL_ORDER);
    rows
}

impl Opened {
    fn listed(&self) -> Value {
        let record = report::for_people(&self.record);
        let machine = &record.machine;
        let board = machine.name().or(machine.soc.known()).map_or("Unknown board".into(), |name| explain::plain(name));
        let findings: Vec<Value> =
            self.explained.in_order().into_iter().map(|(finding, _)| self.finding(finding)).collect();
        json!({
            "name": explain::plain(&self.name),
            "board": board,
            "verdict": if record.run.is_monitoring() { "watched".to_owned() } else { self.explained.verdict.to_string() },
            "findings": findings,
        })
    }

    fn finding(&self, finding: &explain::Finding) -> Value {
        let mut lines: Vec<u32> = finding.places.iter().filter_map(|place| self.line(place)).collect();
        lines.sort_unstable();
        lines.dedup();
        lines.truncate(PLACES_MAX);
        json!({ "sentence": explain::harmless(&finding.sentence()), "severity": finding.severity, "lines": lines })
    }

    /// The line of a log's text at a place.
    fn line(&self, place: &Place) -> Option<u32> {
        match place {
            Place::Line(number) => Some(*number),
            Place::Step(index) => self.record.steps.get(*index)?.line,
            Place::KernelMessage(index) => self.record.kernel_messages.known()?.get(*index)?.line,
            Place::Samples { .. } | Place::Setting(_) | Place::Field(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = include_str!("../../explain/tests/composed/0.9.72-hot.txt");
    const RECORD: &str = include_str!("../../explain/tests/own/two-policies.json");

    fn opened() -> Results {
        let mut results = Results::default();
        results.open("hot.txt", LOG.into()).unwrap();
        results.open("two-policies.json", RECORD.into()).unwrap();
        results
    }

    #[test]
    fn lines_of_findings_are_lines_of_the_text() {
        let listed = Results::default().open("hot.txt", LOG.into()).unwrap();
        let count = LOG.lines().count() as u64;
        let lines = listed["findings"].as_array().unwrap().iter().flat_map(|one| one["lines"].as_array().unwrap());
        let lines: Vec<u64> = lines.map(|line| line.as_u64().unwrap()).collect();
        assert!(!lines.is_empty() && lines.iter().all(|line| (1..=count).contains(line)), "{lines:?}");
        assert_eq!(listed["verdict"], "degraded");
    }

    #[test]
    fn pages_are_those_of_the_program() {
        let results = opened();
        let record = explain::logs::read(LOG);
        let page = page::page(&record, &Explanation::of(&record), Reference::builtin());
        assert_eq!(results.page(0), Some(page));
        assert!(results.report(1, "markdown").unwrap().starts_with('#'));
        assert!(results.several(Selection::Table, &[0, 1]).contains("hot.txt"));
        assert!(results.several(Selection::Comparison, &[0, 1]).contains("Comparison of 2 results"));
        assert!(results.report(0, "findings-json").unwrap().starts_with('{'));
        assert!(results.card(0).unwrap().starts_with("<svg"));
    }

    #[test]
    fn what_is_not_there_is_none() {
        let mut results = opened();
        assert_eq!((results.page(2), results.report(0, "no such report")), (None, None));
        assert!(results.several(Selection::Trends, &[7]).contains("No result has a date."));
        assert_eq!(results.open("x\u{1b}[2J", vec![0xff; 9]).unwrap_err().lines().count(), 1);
        results.clear();
        assert_eq!(results.page(0), None);
    }
}
