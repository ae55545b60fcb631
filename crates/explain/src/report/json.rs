//! Report: the findings with all their values as JSON, for programs.

use crate::tables::Report;
use crate::{Finding, figures, verdict};
use record::Record;
use serde_json::{Value, json};

pub(super) const REPORT: Report = Report {
    id: "findings-json",
    about: "Verdict and findings with values and places as JSON.",
    for_programs: true,
    ..Report::of(render)
};

fn render(record: &Record, findings: &[Finding]) -> String {
    let mut text = serde_json::to_string_pretty(&findings_json(record, findings)).unwrap_or_default();
    text.push('\n');
    text
}

/// The report as an object, to be one of several.
pub fn findings_json(record: &Record, findings: &[Finding]) -> Value {
    let figures = figures(record);
    let list: Vec<_> = findings
        .iter()
        .map(|finding| {
            let mut object = serde_json::to_value(finding).unwrap_or_default();
            object["sentence"] = finding.sentence().into();
            object
        })
        .collect();
    json!({
        "verdict": verdict(findings),
        "headline": crate::report::headline(record, &figures, findings),
        "summary": super::summary::line(record, &figures, findings),
        "findings": list,
    })
}
