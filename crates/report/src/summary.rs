//! Report: the summary line of main figures, as used in lists of results.

use explain::results::summary::{has_line, line};
use rules::Report;

pub(super) const REPORT: Report = Report {
    id: "summary",
    about: "Summary line with the main figures, as used in result lists.",
    fits: has_line,
    ..Report::of(|facts, explained| line(facts, explained).map_or_else(String::new, |line| format!("{line}\n")))
};
