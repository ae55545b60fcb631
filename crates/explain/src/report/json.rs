//! Report: the findings with all their values as JSON, for programs.

use super::Report;
use crate::{Finding, verdict};
use record::Record;
use serde_json::json;

pub(super) const REPORT: Report =
    Report { id: "findings-json", about: "Verdict and findings with values and places as JSON.", render };

fn render(record: &Record, findings: &[Finding]) -> String {
    let findings_json: Vec<_> = findings
        .iter()
        .map(|finding| {
            let mut object = serde_json::to_value(finding).unwrap_or_default();
            object["sentence"] = finding.sentence().into();
            object
        })
        .collect();
    let report = json!({
        "verdict": verdict(findings),
        "headline": crate::headline(record, findings),
        "summary": super::summary::line(record, findings),
        "findings": findings_json,
    });
    let mut text = serde_json::to_string_pretty(&report).unwrap_or_default();
    text.push('\n');
    text
}
