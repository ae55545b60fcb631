//! All reports: those of `explain`, and the page.

use anyhow::Context;
use report::REPORTS;
use rules::Report;

/// All reports, sorted by id.
pub(super) fn all() -> Vec<&'static Report> {
    let mut all: Vec<&Report> = REPORTS.iter().chain([&page::REPORT]).collect();
    all.sort_by_key(|report| report.id);
    all
}

/// The report with this id.
///
/// # Errors
/// There is none; the sentence names those that there are.
pub(super) fn find(id: &str) -> anyhow::Result<&'static Report> {
    let all = all();
    let found = all.iter().find(|report| report.id == id).copied();
    found.with_context(|| {
        let known: Vec<&str> = all.iter().map(|report| report.id).collect();
        format!("Unknown report {id:?}; known reports: {}.", known.join(", "))
    })
}
