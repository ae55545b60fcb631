//! Report: verdict, main results, causes and findings as JSON, for programs.

use explain::Document;
use facts::Explanation;
use record::Record;
use rules::Report;

pub(super) const REPORT: Report = Report {
    id: "findings-json",
    about: "Verdict, main results, causes and findings with evidence, as JSON.",
    for_programs: true,
    ..Report::of(render)
};

fn render(record: &Record, explained: &Explanation) -> String {
    let mut text = serde_json::to_string_pretty(&Document::of(record, explained)).unwrap_or_default();
    text.push('\n');
    text
}
