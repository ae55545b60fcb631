//! The page of a Record: one HTML file with the verdict, its causes, the run over time and all figures. It loads
//! nothing, and is whole without its script.
//!
//! A section is one file and one row of [`SECTIONS`]; one that has nothing to show is left out.

#![forbid(unsafe_code)]

mod among;
mod answers;
mod causes;
mod clocks;
mod core_to_core;
mod document;
mod draw;
mod figures;
mod ledger;
mod machine;
mod memory;
mod method;
mod order;
mod repetitions;
mod settings;
mod storage;
mod timeline;
mod top;

use explain::compare::{Ranking, rank};
use explain::reference::Reference;
use explain::report::Report;
use explain::{Explanation, Figure};
use maud::Markup;
use record::Record;

/// What a page is of.
pub(crate) struct Subject<'a> {
    pub(crate) record: &'a Record,
    pub(crate) explained: &'a Explanation,
    pub(crate) figures: Vec<Figure>,
    pub(crate) ranking: Ranking,
}

/// One section of the page.
pub(crate) struct Section {
    /// Its anchor, kebab-case.
    pub(crate) id: &'static str,
    /// Its heading.
    pub(crate) title: &'static str,
    /// What stands below the heading, where the Record has it.
    pub(crate) body: fn(&Subject<'_>) -> Option<Markup>,
}

/// All sections in the order of the page.
const SECTIONS: &[Section] = &[
    among::SECTION,
    ledger::SECTION,
    causes::SECTION,
    answers::SECTION,
    timeline::SECTION,
    clocks::SECTION,
    repetitions::SECTION,
    memory::LATENCY,
    memory::BANDWIDTH,
    core_to_core::SECTION,
    settings::SECTION,
    machine::SECTION,
    storage::SECTION,
    figures::SECTION,
    method::SECTION,
];

/// The page as one of the reports.
pub static REPORT: Report = Report {
    id: "html",
    about: "HTML page with verdict, causes, timeline, plots and figures.",
    ..Report::of(|record, explained| page(record, explained, Reference::builtin()))
};

/// The page of a Record as a whole HTML file, with its place among the known results. Names and texts of the Record are
/// escaped; those that are endless are cut.
pub fn page(record: &Record, explained: &Explanation, known: &Reference) -> String {
    let record = &explain::report::for_people(record);
    let ranking = rank(record, explained, known);
    let subject = Subject { record, explained, figures: explain::figures(record), ranking };
    document::document(&subject)
}

#[cfg(test)]
mod tests;
