//! HTML pages of results: verdict, causes, timeline, figures.
//!
//! The page of a Record is one file: it loads no resources and is complete without its script. Several results become
//! a comparison or a site; plots also exist as separate files.
//!
//! A section is one file and one row of [`SECTIONS`]; a section without content is omitted.

#![forbid(unsafe_code)]

mod answers;
mod card;
mod causes;
mod clocks;
mod core_to_core;
mod document;
mod draw;
mod energy;
mod figures;
mod identification;
mod ledger;
mod live;
mod machine;
mod memory;
mod method;
mod neighbours;
mod order;
mod pictures;
mod rank;
mod raster;
mod repetitions;
mod result_row;
mod settings;
mod several;
pub mod site;
mod storage;
mod style;
mod summary;
mod timeline;

pub use document::SiteElements;
pub use identification::{identification, name as identified_name};
pub use live::{live, live_event};
pub use pictures::{CARD, Drawing};
pub use several::{comparison, comparison_within, ranking, results, trends};

use compare::reference::Reference;
use compare::{Ranking, rank_for_people};
use document::{Part, document, document_within};
use draw::Plot;
use explain::Narrative;
use facts::{Explained, Explanation, Facts};
use maud::Markup;
use rules::Report;

/// Input of a page and its pictures: a result with its place among the known ones.
pub struct Subject<'a> {
    pub(crate) facts: &'a Facts<'a>,
    pub(crate) explained: &'a Explanation,
    pub(crate) ranking: Ranking,
    pub(crate) narrative: Narrative,
}

/// A section of the page.
pub(crate) struct Section {
    /// Anchor, in kebab-case.
    pub(crate) id: &'static str,
    /// Heading.
    pub(crate) title: &'static str,
    /// Content below the heading; `None` if the Record has no data for it.
    pub(crate) body: fn(&Subject<'_>) -> Option<Markup>,
    /// Plots, which are also available as files.
    pub(crate) plots: fn(&Subject<'_>) -> Vec<Plot>,
    /// True for details, which are folded.
    pub(crate) is_folded: bool,
}

impl Section {
    /// Section without plots.
    pub(crate) const fn of(id: &'static str, title: &'static str, body: fn(&Subject<'_>) -> Option<Markup>) -> Self {
        Self { id, title, body, plots: |_| Vec::new(), is_folded: false }
    }

    /// Folded section without plots.
    pub(crate) const fn folded(
        id: &'static str,
        title: &'static str,
        body: fn(&Subject<'_>) -> Option<Markup>,
    ) -> Self {
        Self { is_folded: true, ..Self::of(id, title, body) }
    }
}

/// All sections in page order.
const SECTIONS: &[Section] = &[
    timeline::SECTION,
    energy::SECTION,
    neighbours::SECTION,
    summary::SECTION,
    answers::SECTION,
    causes::SECTION,
    rank::SECTION,
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

/// The page as a report.
pub static REPORT: Report = Report {
    id: "html",
    about: "HTML page with verdict, causes, timeline, plots and figures.",
    ..Report::lines(|facts, explained, known, _| Subject::new(facts, explained, known).page())
};

/// Renders a Record as an HTML file, ranked among the known results. Names and texts of the Record are escaped and cut
/// to a maximum length.
pub fn page(explained: &Explained<'_>, known: &Reference) -> String {
    Subject::of(explained, known).page()
}

/// Renders the same page for a site.
pub fn page_within(around: &SiteElements, explained: &Explained<'_>, known: &Reference) -> String {
    let subject = Subject::of(explained, known);
    document_within(around, &summary::name(subject.facts), &summary::top(&subject), &parts(&subject), NOTHING)
}

const NOTHING: &str = "This result holds no measurements, samples or findings.";

fn parts(subject: &Subject<'_>) -> Vec<Part> {
    let made = SECTIONS.iter().filter_map(|section| {
        let body = (section.body)(subject)?;
        Some(Part { is_folded: section.is_folded, ..Part::of(section.id, section.title, body) })
    });
    made.collect()
}

/// Style shared by all pages.
pub fn style() -> String {
    style::of_page()
}

/// Script of every page, for callers that embed pages and permit scripts by hash.
pub fn script() -> &'static str {
    document::PLOTS.text
}

/// Content security policy of a result page, as in its head, for callers that serve it.
pub fn policy() -> String {
    document::policy(Some(&document::PLOTS))
}

/// Card of a result, for link previews, and all of its plots.
pub fn drawings(explained: &Explained<'_>, known: &Reference) -> Vec<Drawing> {
    Subject::of(explained, known).drawings()
}

impl<'a> Subject<'a> {
    /// A result among the known results, for callers that need its page and its pictures.
    pub fn of(explained: &'a Explained<'_>, known: &Reference) -> Self {
        Self::new(&explained.facts, &explained.assessment, known)
    }

    /// As [`page`].
    pub fn page(&self) -> String {
        document(&summary::name(self.facts), &summary::top(self), &parts(self), NOTHING)
    }

    /// As [`drawings`].
    pub fn drawings(&self) -> Vec<Drawing> {
        pictures::drawings(self)
    }

    /// Subject with names for people.
    fn new(facts: &'a Facts<'a>, explained: &'a Explanation, known: &Reference) -> Self {
        let facts = facts.for_people();
        let ranking = rank_for_people(facts, explained, known);
        Self { facts, explained, ranking, narrative: Narrative::of(facts, explained) }
    }
}

#[cfg(test)]
mod tests;
