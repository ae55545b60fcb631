//! Input of reports: a Record with readable names, and its assessment.

use crate::{Renderer, Report};
use facts::lines::{COLUMNS, narrowed};
use facts::{Explained, Explanation, Facts};

impl Report {
    /// Renders text. Names are short and on one line for people, and unchanged for programs.
    pub fn text(&self, explained: &Explained<'_>) -> String {
        self.text_in(explained, COLUMNS)
    }

    /// As [`Report::text`], with lines of at most this many columns for a terminal.
    pub fn text_in(&self, explained: &Explained<'_>, columns: usize) -> String {
        let facts = if self.for_programs { &explained.facts } else { explained.facts.for_people() };
        self.rendered(facts, &explained.assessment, columns)
    }

    /// Renders text with the names of the Record unchanged.
    pub fn render(&self, explained: &Explained<'_>) -> String {
        self.rendered(&explained.facts, &explained.assessment, COLUMNS)
    }

    fn rendered(&self, facts: &Facts<'_>, explained: &Explanation, columns: usize) -> String {
        match self.made {
            Renderer::Text(render) => render(facts, explained),
            Renderer::Lines(render) => render(facts, explained, columns),
            Renderer::Part(subject, render) => {
                let findings = explained.findings.iter().filter(|finding| crate::is_about(finding, subject));
                narrowed(&render(facts, &findings.cloned().collect::<Vec<_>>()), columns)
            }
            Renderer::Plot(draw) => draw(facts).map_or_else(String::new, |picture| picture.svg()),
        }
    }
}
