//! Report: the Record itself as JSON; turns a text log into data.

use crate::Explanation;
use crate::tables::Report;
use record::Record;

pub(super) const REPORT: Report = Report {
    id: "record",
    about: "Result file (JSON), also from a text log.",
    for_programs: true,
    ..Report::of(render)
};

fn render(record: &Record, _explained: &Explanation) -> String {
    let mut text = serde_json::to_string(record).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_report_round_trip() {
        let record = crate::test_support::own_run();
        let text = render(&record, &Explanation::of(&record));
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
    }
}
