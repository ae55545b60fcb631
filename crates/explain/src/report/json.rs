//! Report: the findings with all their values as JSON, for programs.

use crate::tables::Report;
use crate::{Explanation, figures};
use record::Record;
use serde_json::{Value, json};

pub(super) const REPORT: Report = Report {
    id: "findings-json",
    about: "Verdict and findings with values and evidence, as JSON.",
    for_programs: true,
    ..Report::of(render)
};

fn render(record: &Record, explained: &Explanation) -> String {
    let mut text = serde_json::to_string_pretty(&findings_json(record, explained)).unwrap_or_default();
    text.push('\n');
    text
}

/// The report as an object, to be one of several.
pub fn findings_json(record: &Record, explained: &Explanation) -> Value {
    let figures = figures(record);
    let list: Vec<_> = explained
        .findings
        .iter()
        .map(|finding| {
            let mut object = serde_json::to_value(finding).unwrap_or_default();
            object["sentence"] = finding.sentence().into();
            object
        })
        .collect();
    json!({
        "verdict": explained.verdict,
        "headline": crate::report::headline(record, &figures, explained),
        "summary": super::summary::line(record, &figures, explained),
        "findings": list,
    })
}
