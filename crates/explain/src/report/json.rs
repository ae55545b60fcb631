//! Report: the findings with all their values as JSON, for programs.

use crate::tables::Report;
use crate::{Diagnosis, Explanation, figures, rules};
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

/// Diagnoses with the rules of their findings; numbers are places in the list of findings.
fn diagnoses(explained: &Explanation) -> Value {
    let object = |diagnosis: &Diagnosis| {
        let root = &explained.findings[diagnosis.root];
        json!({
            "cause": diagnosis.cause,
            "severity": diagnosis.severity,
            "confidence_percent": diagnosis.confidence_percent,
            "holds_for": diagnosis.holds_for,
            "sentence": root.sentence(),
            "remedy": rules::remedy(root.rule),
            "root": diagnosis.root,
            "evidence": diagnosis.evidence,
            "consequences": diagnosis.consequences,
            "contradicts": diagnosis.contradicts,
        })
    };
    explained.diagnoses.iter().map(object).collect()
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
        "scores": explained.scores,
        "diagnoses": diagnoses(explained),
        "headline": crate::report::headline(record, &figures, explained),
        "summary": super::summary::line(record, &figures, explained),
        "findings": list,
    })
}
