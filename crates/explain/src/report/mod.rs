//! The table of reports. One report is one file: a Record and its findings in, text out.

mod core_use;
mod efficiency_csv;
mod headline;
mod html;
mod json;
mod log;
mod more_scores;
mod names;
mod plots;
mod record;
mod review;
pub(crate) mod summary;
pub(crate) mod terminal;
pub mod watched;

pub use headline::headline;

pub use json::findings_json;

use crate::Finding;
use crate::foreign::in_lines;
use crate::questions::{clock, core_to_core, memory};
use ::record::Record;

/// A way to write a Record.
pub struct Report {
    /// Kebab-case name, unique.
    pub id: &'static str,
    /// One sentence on what it is for.
    pub about: &'static str,
    /// Makes the text; [`Report::text`] is what is to be called.
    pub render: fn(&Record, &[Finding]) -> String,
}

impl Report {
    /// The text. For people names are as short as people can read them and on one line, for programs they are whole.
    pub fn text(&self, record: &Record, findings: &[Finding]) -> String {
        match self.id {
            "findings-json" | "record" => (self.render)(record, findings),
            _ => {
                let record = in_lines(record);
                (self.render)(&names::short(&record), findings)
            }
        }
    }
}

/// All reports, sorted by id.
pub const REPORTS: &[Report] = &[
    clock::REPORT,
    core_to_core::REPORT,
    core_use::REPORT,
    efficiency_csv::REPORT,
    json::REPORT,
    html::REPORT,
    log::REPORT,
    memory::REPORT,
    plots::CORES,
    plots::EFFICIENCY,
    plots::ELASTICITY,
    plots::THERMAL,
    record::REPORT,
    review::REPORT,
    summary::REPORT,
    terminal::REPORT,
];

/// The report with this id.
pub fn find(id: &str) -> Option<&'static Report> {
    REPORTS.iter().find(|report| report.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(REPORTS.windows(2).all(|pair| pair[0].id < pair[1].id));
        for report in REPORTS {
            assert!(report.id.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", report.id);
            assert!(report.about.ends_with('.'), "{}", report.id);
            assert_eq!(find(report.id).map(|found| found.about), Some(report.about));
        }
    }
}
