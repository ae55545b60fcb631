//! Report: derived values followed by the Record itself as JSON; converts a text log into data.

use explain::Document;
use facts::{Explanation, Facts};
use rules::Report;

pub(super) const REPORT: Report = Report {
    id: "record",
    about: "Result file (JSON), also from a text log.",
    for_programs: true,
    ..Report::of(render)
};

fn render(facts: &Facts<'_>, explained: &Explanation) -> String {
    Document::printed(facts, explained) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_report_round_trip() {
        let record = testkit::records::own_run();
        let text = REPORT.text(&explain::explain(&record), compare::reference::Reference::builtin);
        assert_eq!(::record::from_json(&text).unwrap(), record);
    }
}
