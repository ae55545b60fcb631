//! Report: verdict, main results, causes and findings as JSON, for programs.

use explain::Document;
use facts::{Explanation, Facts};
use rules::Report;

pub(super) const REPORT: Report = Report {
    id: "findings-json",
    about: "Verdict, main results, causes and findings with evidence, as JSON.",
    for_programs: true,
    ..Report::of(render)
};

fn render(facts: &Facts<'_>, explained: &Explanation) -> String {
    let mut text = serde_json::to_string_pretty(&Document::of(facts, explained)).unwrap_or_default();
    text.push('\n');
    text
}
