//! The table of reports. One report is one file: a Record and its findings in, text out.

mod csv;
mod json;
mod log;
mod machine_line;
mod markdown;
mod more_scores;
mod names;
mod record;
mod review;
pub(crate) mod summary;
mod systems;
pub(crate) mod terminal;
pub mod watched;

use crate::Explanation;
use crate::foreign::in_lines;
use crate::questions::{ANSWERS, all_plots};
use crate::rules;
pub use crate::tables::{Made, Report};
use ::record::Record;
use std::borrow::Cow;
use std::sync::LazyLock;

impl Report {
    /// The text. For people names are as short as people can read them and on one line, for programs they are whole.
    pub fn text(&self, record: &Record, explained: &Explanation) -> String {
        match self.for_programs {
            true => self.render(record, explained),
            false => self.render(&for_people(record), explained),
        }
    }

    /// The text with the names of the Record as they are.
    pub fn render(&self, record: &Record, explained: &Explanation) -> String {
        match self.made {
            Made::Text(render) => render(record, explained),
            Made::Part(subject, render) => {
                let findings = explained.findings.iter().filter(|finding| rules::is_about(finding, subject));
                render(record, &findings.cloned().collect::<Vec<_>>())
            }
            Made::Plot(draw) => draw(record).map_or_else(String::new, |picture| picture.svg()),
        }
    }
}

/// A Record as people read it: names are as short as people can read them, and on one line.
pub fn for_people(record: &Record) -> Cow<'_, Record> {
    match in_lines(record) {
        Cow::Borrowed(record) => names::short(record),
        Cow::Owned(record) => Cow::Owned(names::short(&record).into_owned()),
    }
}

/// The steps of which findings say that their scores are missing, by name.
fn steps_said(explained: &Explanation) -> Vec<String> {
    let missing = explained.findings.iter().filter(|finding| finding.rule == rules::STEPS_MISSING);
    missing.filter_map(|finding| finding.value("step")).map(ToString::to_string).collect()
}

/// All reports, sorted by id.
pub static REPORTS: LazyLock<Vec<Report>> = LazyLock::new(|| {
    let of_questions = ANSWERS.iter().flat_map(|answer| answer.reports).copied();
    let plots = all_plots().into_iter().map(|plot| plot.report());
    let mut reports: Vec<Report> = ROWS.iter().chain(systems::ROWS).copied().chain(of_questions).chain(plots).collect();
    reports.sort_by_key(|report| report.id);
    reports
});

/// Reports that tell of any Record.
const ROWS: &[Report] = &[
    csv::REPORT,
    json::REPORT,
    log::REPORT,
    markdown::REPORT,
    record::REPORT,
    review::REPORT,
    summary::REPORT,
    terminal::REPORT,
    terminal::DETAILS,
];

/// The report with this id.
pub fn find(id: &str) -> Option<&'static Report> {
    REPORTS.iter().find(|report| report.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::own_run;

    #[test]
    fn table_is_in_order() {
        assert!(REPORTS.windows(2).all(|pair| pair[0].id < pair[1].id));
        for report in REPORTS.iter() {
            assert!(report.id.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", report.id);
            assert!(report.about.ends_with('.'), "{}", report.id);
            let is_of_any = ROWS
                .iter()
                .chain(systems::ROWS)
                .any(|row| row.id == report.id && !["csv", "review", "summary"].contains(&row.id));
            assert_eq!(report.is_of(&own_run()), is_of_any, "{}", report.id);
            assert_eq!(find(report.id).map(|found| found.about), Some(report.about));
        }
    }
}
