//! Round trip of a run through its text log: every figure, the verdict and the reasons are the same after reading the
//! log. Counters, gaps, windows of clock readings and repetitions of memory rows are only in the Record.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use crate::files::{folders, texts};
use facts::Facts;
use facts::Finding;
use facts::figures::FigureKey;
use record::{Record, WorkloadId};

/// Run on a synthetic board of two clusters, without samples.
const RUN: &str = include_str!("../../explain/tests/own/two-policies.json");
/// A row of a log has four digits.
const ROUNDING: f64 = 0.001;

fn through_log(record: &Record) -> Record {
    let log = report::find("log").unwrap();
    logs::read(&log.text(&explain::explain(record), compare::reference::Reference::builtin))
}

#[test]
fn figures_are_the_same() {
    let run: Record = serde_json::from_str(RUN).unwrap();
    let read = through_log(&run);
    let (expected, found) = (Facts::of(&run).figures().clone(), Facts::of(&read).figures().clone());
    let clocks = |key: &FigureKey| key.is_of(WorkloadId::Clock);
    let is_main = |figure: &&facts::Figure| !clocks(&figure.key);
    let expected: Vec<_> = expected.iter().filter(is_main).collect();
    assert!(expected.len() > 20, "{} figures", expected.len());
    for figure in expected {
        let same = found.iter().find(|other| {
            let place = |figure: &facts::Figure| figure.core.as_ref().map(|core| core.cluster);
            other.key == figure.key && place(other) == place(figure)
        });
        let same = same.unwrap_or_else(|| panic!("{} is lost", figure.name()));
        let distance = (same.value / figure.value - 1.0).abs();
        assert!(distance < ROUNDING, "{}: {} became {}", figure.name(), figure.value, same.value);
        assert_eq!(same.unit, figure.unit);
    }
}

#[test]
fn verdict_and_reasons_are_the_same() {
    let run: Record = serde_json::from_str(RUN).unwrap();
    let (expected, found) = (explain::explain(&run), explain::explain(through_log(&run)));
    let sentences = |findings: &[Finding]| -> Vec<String> { findings.iter().map(Finding::sentence).collect() };
    assert!(!expected.assessment.findings.is_empty());
    assert_eq!(sentences(&found.assessment.findings), sentences(&expected.assessment.findings));
    assert_eq!(found.assessment.verdict, expected.assessment.verdict);
}

#[test]
fn own_log_has_no_unread_line() {
    let run: Record = serde_json::from_str(RUN).unwrap();
    let read = through_log(&run);
    assert_eq!(read.run.end, record::End::Finished);
    let record::Source::Log(log) = &read.source else { panic!("{:?}", read.source) };
    assert_eq!(log.unread, []);
}

/// Data read from a log can be written as a log again; all table figures are preserved.
#[test]
fn own_log_round_trip() {
    let log = report::find("log").unwrap();
    let (mut all, mut lost) = (0, Vec::new());
    for (name, text) in texts(&folders()) {
        let read = logs::read(&text);
        let again = logs::read(&log.text(&explain::explain(&read), compare::reference::Reference::builtin));
        let found = Facts::of(&again).figures().clone();
        for figure in Facts::of(&read).figures() {
            let same = |other: &&facts::Figure| {
                let distance = (other.value / figure.value - 1.0).abs();
                other.key == figure.key && (distance < 0.002 || other.value == figure.value)
            };
            all += 1;
            // The classic monitoring rows have no column for power.
            let is_kept = figure.is_main && !figure.key.is_power();
            if is_kept && !found.iter().any(|other| same(&other)) {
                lost.push(format!("{name}: {} {}", figure.name(), figure.value));
            }
        }
    }
    eprintln!("{all} figures, {} lost", lost.len());
    assert!(all > 0 && lost.is_empty(), "{}", lost.join("\n"));
}
