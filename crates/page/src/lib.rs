//! The page of a Record: one HTML file with the verdict, its causes, the run over time and all figures. It loads
//! nothing, and is whole without its script. Pages of several results, and plots as files of their own.
//!
//! A section is one file and one row of [`SECTIONS`]; one that has nothing to show is left out.

#![forbid(unsafe_code)]

mod among;
mod answers;
mod card;
mod causes;
mod clocks;
mod core_to_core;
mod document;
mod draw;
mod figures;
mod identification;
mod ledger;
mod live;
mod machine;
mod memory;
mod method;
mod order;
mod pictures;
mod raster;
mod repetitions;
mod settings;
mod several;
pub mod site;
mod storage;
mod style;
mod timeline;
mod top;

pub use identification::{identification, name as identified_name};
pub use live::{live, live_event};
pub use pictures::{CARD, Drawing};
pub use several::{comparison, ranking, results, trends};

use document::{Part, document};
use draw::Plot;
use explain::Report;
use explain::compare::{Ranking, rank_for_people};
use explain::reference::Reference;
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
    /// Its plots, which are files as well.
    pub(crate) plots: fn(&Subject<'_>) -> Vec<Plot>,
}

impl Section {
    /// A section without plots.
    pub(crate) const fn of(id: &'static str, title: &'static str, body: fn(&Subject<'_>) -> Option<Markup>) -> Self {
        Self { id, title, body, plots: |_| Vec::new() }
    }
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
    let record = &explain::for_people(record);
    let subject = Subject::of(record, explained, known);
    let made = SECTIONS
        .iter()
        .filter_map(|section| Some(Part { id: section.id, title: section.title, body: (section.body)(&subject)? }));
    let parts: Vec<Part> = made.collect();
    let nothing = "This result holds no measurements, samples or findings.";
    document(&top::name(record), &top::top(&subject), &parts, nothing)
}

/// The style that all pages have in common.
pub fn style() -> String {
    style::of_page()
}

/// The script of every page, for who frames pages and allows scripts by their hash.
pub fn script() -> &'static str {
    document::PLOTS.text
}

/// What a page of a result allows itself, as it says in its own head: for who serves it.
pub fn policy() -> String {
    document::policy(Some(&document::PLOTS))
}

/// The card of a result, a picture for links to it, and every plot that it has.
pub fn drawings(record: &Record, explained: &Explanation, known: &Reference) -> Vec<Drawing> {
    pictures::drawings(&Subject::of(&explain::for_people(record), explained, known))
}

impl<'a> Subject<'a> {
    /// Of a Record that was made ready for people.
    fn of(record: &'a Record, explained: &'a Explanation, known: &Reference) -> Self {
        let ranking = rank_for_people(record, explained, known);
        Self { record, explained, figures: explain::figures(record), ranking }
    }
}

#[cfg(test)]
mod tests;
