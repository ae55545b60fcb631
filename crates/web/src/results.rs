//! Results and machines that a reader has opened, with their pages and reports; several results as a table, as a
//! comparison, and over time.

use crate::machines::IdentifiedMachine;
use compare::reference::Reference;
use compare::trend::{Sample, trends};
use compare::{Side, compare};
use explain::results::{Row, USUAL_ORDER, sort};
use facts::{Explained, Place};
use logs::any_file::{self, UnreadableReason};
use report::REPORTS;
use serde_json::{Value, json};

/// Maximum number of listed places per finding.
const PLACES_MAX: usize = 6;

/// Content of an opened file.
enum OpenFile {
    Result(Box<ResultFile>),
    Machine(Box<IdentifiedMachine>),
}

/// Result with its explanation.
struct ResultFile {
    /// File name.
    name: String,
    explained: Explained<'static>,
}

/// Opened results and machines, in order.
#[derive(Default)]
pub struct Results {
    opened: Vec<OpenFile>,
}

/// Page of several results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// Table of all results.
    Table,
    /// Comparison.
    Comparison,
    /// By date.
    Trends,
}

impl Selection {
    /// Selection by word: `table`, `compare` or `trend`.
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
    /// Reads a file of any supported kind and keeps its result, or the machine of a snapshot or of `/proc/cpuinfo`.
    /// Returns the entry for the list: `name`, `board`, `verdict`, `is_result`, the formats in `saves`, and `findings`,
    /// each with its `sentence`, `severity` and the `lines` of the text as evidence.
    ///
    /// # Errors
    /// A sentence: the file has neither.
    pub fn open(&mut self, name: &str, bytes: Vec<u8>) -> Result<Value, String> {
        let opened = read(name, bytes).map_err(|why| format!("{name}: {why}."))?;
        let listed = match &opened {
            OpenFile::Result(result) => result.listed(),
            OpenFile::Machine(machine) => machine.listed(name),
        };
        self.opened.push(opened);
        Ok(listed)
    }

    /// Removes all results.
    pub fn clear(&mut self) {
        self.opened.clear();
    }

    /// Page of a result, as from `sbc-bench explain FILE --html`, or of a machine.
    pub fn page(&self, index: usize) -> Option<String> {
        Some(match self.opened.get(index)? {
            OpenFile::Result(one) => page::page(&one.explained, Reference::builtin()),
            OpenFile::Machine(machine) => machine.page(),
        })
    }

    /// Report of a result by its id, as from `sbc-bench explain FILE --format ID`; for a machine `text` and `json`, as
    /// from `sbc-bench inspect identify`.
    pub fn report(&self, index: usize, id: &str) -> Option<String> {
        match self.opened.get(index)? {
            OpenFile::Result(one) => {
                let report = REPORTS.iter().find(|report| report.id == id && report.is_of(&one.explained.facts))?;
                Some(report.text(&one.explained, Reference::builtin))
            }
            OpenFile::Machine(machine) => machine.report(id),
        }
    }

    /// Card of a result as SVG: a picture of 1200 x 630 with board, verdict, figures and the clock over time.
    pub fn card(&self, index: usize) -> Option<String> {
        let one = self.result(index)?;
        let drawings = page::drawings(&one.explained, Reference::builtin());
        drawings.into_iter().find(|drawing| drawing.name == "card").map(|drawing| drawing.svg)
    }

    /// Page of several results, as from `sbc-bench results`, `compare` and `trend`; machines are ignored.
    pub fn several(&self, selection: Selection, indices: &[usize]) -> String {
        let chosen: Vec<&ResultFile> = indices.iter().filter_map(|index| self.result(*index)).collect();
        match selection {
            Selection::Table => page::results(&rows(&chosen)),
            Selection::Comparison => {
                let sides: Vec<Side<'_>> =
                    chosen.iter().map(|one| Side { name: one.name.clone(), explained: &one.explained }).collect();
                page::comparison(&compare(&sides))
            }
            Selection::Trends => {
                let samples: Vec<Sample<'_>> = chosen
                    .iter()
                    .map(|one| Sample {
                        name: one.name.clone(),
                        facts: &one.explained.facts,
                        verdict: one.explained.assessment.verdict,
                    })
                    .collect();
                page::trends(&trends(&samples))
            }
        }
    }

    fn result(&self, index: usize) -> Option<&ResultFile> {
        match self.opened.get(index)? {
            OpenFile::Result(result) => Some(result),
            OpenFile::Machine(_) => None,
        }
    }
}

/// Reads the content of a file; an error states why it cannot be read.
fn read(name: &str, bytes: Vec<u8>) -> Result<OpenFile, String> {
    if let Some(machine) = IdentifiedMachine::of_snapshot(name, &bytes).map_err(|why| why.to_string())? {
        return Ok(OpenFile::Machine(Box::new(machine)));
    }
    match any_file::read(bytes, record::VALUES_MAX) {
        Ok(record) => {
            let explained = explain::explain(record);
            Ok(OpenFile::Result(Box::new(ResultFile { name: name.to_owned(), explained })))
        }
        Err(UnreadableReason::NoResults(text)) => match IdentifiedMachine::of_cpuinfo(&text) {
            Some(machine) => Ok(OpenFile::Machine(Box::new(machine))),
            None => Err("no results: no sbc-bench log, result file, snapshot or /proc/cpuinfo".to_owned()),
        },
        Err(why) => Err(why.to_string()),
    }
}

/// Rows of the table, without interrupted runs that another file completes.
fn rows(chosen: &[&ResultFile]) -> Vec<Row> {
    let is_part =
        |one: &ResultFile| chosen.iter().any(|other| one.explained.facts.run.is_part_of(&other.explained.facts.run));
    let whole = chosen.iter().filter(|one| !is_part(one));
    let mut rows: Vec<Row> = whole.map(|one| Row::of(&one.explained, &one.name)).collect();
    let _ = sort(&mut rows, USUAL_ORDER);
    rows
}

impl ResultFile {
    fn listed(&self) -> Value {
        let record = self.explained.facts.for_people();
        let machine = &record.machine;
        let board = facts::machine_name(machine)
            .or(machine.soc.known())
            .map_or("Unknown board".into(), |name| facts::plain(name));
        let findings: Vec<Value> =
            self.explained.assessment.in_order().into_iter().map(|(finding, _)| self.finding(finding)).collect();
        json!({
            "name": facts::plain(&self.name),
            "board": board,
            "verdict": if record.run.is_monitoring() { "watched".to_owned() } else { self.explained.assessment.verdict.to_string() },
            "is_result": true,
            "saves": ["html", "markdown", "text", "json", "png"],
            "findings": findings,
        })
    }

    fn finding(&self, finding: &facts::Finding) -> Value {
        let mut lines: Vec<u32> = finding.places.iter().filter_map(|place| self.line(place)).collect();
        lines.sort_unstable();
        lines.dedup();
        lines.truncate(PLACES_MAX);
        json!({ "sentence": facts::harmless(&finding.sentence()), "severity": finding.severity, "lines": lines })
    }

    /// Line number of a place in a log's text.
    fn line(&self, place: &Place) -> Option<u32> {
        match place {
            Place::Line(number) => Some(*number),
            Place::Step(index) => self.explained.facts.steps.get(*index)?.line,
            Place::KernelMessage(index) => self.explained.facts.kernel_messages.known()?.get(*index)?.line,
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
        let record = logs::read(LOG);
        let page = page::page(&explain::explain(&record), Reference::builtin());
        assert_eq!(results.page(0), Some(page));
        assert!(results.report(1, "markdown").unwrap().starts_with('#'));
        assert!(results.several(Selection::Table, &[0, 1]).contains("hot.txt"));
        assert!(results.several(Selection::Comparison, &[0, 1]).contains("Comparison of 2 results"));
        assert!(results.report(0, "findings-json").unwrap().starts_with('{'));
        assert!(results.card(0).unwrap().starts_with("<svg"));
    }

    #[test]
    fn verdict_and_place_are_one_everywhere() {
        const LOGS: [(&str, &str); 9] = [
            ("hot", LOG),
            ("swapping", include_str!("../../explain/tests/composed/0.7.9-swapping.txt")),
            ("one CPU", include_str!("../../explain/tests/composed/0.9.35-one-cpu.txt")),
            ("x86", include_str!("../../explain/tests/composed/0.9.37-extensive-x86.txt")),
            ("Raspberry Pi", include_str!("../../explain/tests/composed/0.9.72-raspberry-pi.txt")),
            ("no temperature", include_str!("../../explain/tests/composed/0.9.13-no-temperature.txt")),
            ("RISC-V", include_str!("../../explain/tests/composed/0.9.61-riscv-out-of-memory.txt")),
            ("unsteady", include_str!("../../explain/tests/composed/0.9.70-unsteady.txt")),
            ("first version", include_str!("../../explain/tests/composed/before-0.4.txt")),
        ];
        // Lines of a picture and of a terminal end elsewhere.
        let letters = |text: &str| {
            let text = text.replace("&amp;", "&").replace("&quot;", "\"").replace("&gt;", ">").replace("&lt;", "<");
            text.replace('\\', "").split_whitespace().collect::<String>()
        };
        let mut with_place = 0;
        for (name, text) in LOGS {
            let mut results = Results::default();
            results.open("one.txt", text.into()).unwrap();
            let record = logs::read(text);
            let explained = explain::explain(&record);
            let verdict = explain::Narrative::of(&explained.facts, &explained.assessment).verdict;
            let charts = compare::neighbours(&explained.facts, &explained.assessment, Reference::builtin());
            with_place += usize::from(charts.is_some());
            let place = charts.as_ref().map(compare::Neighbours::sentence);
            let reports =
                ["text", "markdown", "forum", "github-summary"].map(|id| (id, results.report(0, id).unwrap()));
            let ranking = compare::rank(&explained, Reference::builtin());
            let ranking = ("compare", verdict.clone() + &compare::ranking_text(&ranking, 80, compare::Detail::Summary));
            for (surface, text) in reports.into_iter().chain([("page", results.page(0).unwrap()), ranking]) {
                let text = letters(&text);
                for sentence in [Some(&verdict), place.as_ref()].into_iter().flatten() {
                    assert!(text.contains(&letters(sentence)), "{name}, {surface}: no {sentence}");
                }
                assert!(place.is_some() || !text.contains("knownboards"), "{name}, {surface}: a place");
            }
            let document: Value = serde_json::from_str(&results.report(0, "findings-json").unwrap()).unwrap();
            assert_eq!(document["verdict_sentence"], verdict.as_str(), "{name}");
            let card = letters(&texts_of_picture(&results.card(0).unwrap()));
            let first = verdict.split_inclusive(". ").next().unwrap_or_default().to_owned();
            for sentence in [Some(&first), place.as_ref()].into_iter().flatten() {
                assert!(card.contains(&letters(sentence)), "{name}: no {sentence} on {card}");
            }
        }
        assert!(with_place > 6, "{with_place}");
    }

    /// Texts of an SVG in their order.
    fn texts_of_picture(svg: &str) -> String {
        let texts = svg.split("<text ").skip(1).filter_map(|text| text.split_once('>')?.1.split_once("</text>"));
        texts.map(|(text, _)| text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn machines_are_no_results() {
        let mut results = opened();
        let listed = results.open("pi.board", b"# A board.\n== /proc/device-tree/model\nPi\n".to_vec()).unwrap();
        assert_eq!((&listed["is_result"], &listed["verdict"]), (&false.into(), &"SoC unknown".into()));
        results.open("pasted.txt", b"processor : 0\nCPU implementer : 0x41\nCPU part : 0xd08\n".to_vec()).unwrap();
        assert!(results.page(2).unwrap().contains("the snapshot pi.board"));
        assert!(results.page(3).unwrap().contains("Cortex-A72"));
        assert!(results.report(3, "json").unwrap().contains("only /proc/cpuinfo was given"));
        assert!(
            results.report(2, "json").unwrap().contains("only running code shows it; these are the files of a machine")
        );
        let hostile = "== /proc/sys/kernel/osrelease\n6.1\u{9b}31m\n";
        results.open("hostile.board", hostile.into()).unwrap();
        assert!(results.report(4, "json").unwrap().contains("6.1\u{fffd}31m"));
        assert_eq!((results.card(2), results.report(2, "markdown")), (None, None));
        assert_eq!(results.several(Selection::Table, &[0, 2]), results.several(Selection::Table, &[0]));
    }

    #[test]
    fn absent_results_are_none() {
        let mut results = opened();
        assert_eq!((results.page(2), results.report(0, "no such report")), (None, None));
        assert!(results.several(Selection::Trends, &[7]).contains("No result has a date."));
        assert_eq!(
            results.open("a.board", b"== /a\nx\\y\n".to_vec()).unwrap_err(),
            r#"a.board: line 2 contains unexpected text "x\\y"."#
        );
        assert_eq!(results.open("x\u{1b}[2J", vec![0xff; 9]).unwrap_err().lines().count(), 1);
        results.clear();
        assert_eq!(results.page(0), None);
    }
}
