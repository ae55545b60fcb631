//! Input of reports: a Record with readable names, its assessment, and the known results.

use crate::{Renderer, Report};
use compare::reference::Reference;
use facts::Explained;
use facts::lines::{COLUMNS, narrowed};

impl Report {
    /// Renders text. Names are short and on one line for people, and unchanged for programs. Only reports that place the
    /// result among the known ones ask for them.
    pub fn text<'k>(&self, explained: &Explained<'_>, known: impl FnOnce() -> &'k Reference) -> String {
        self.text_in(explained, known, COLUMNS)
    }

    /// As [`Report::text`], with lines of at most this many columns for a terminal.
    pub fn text_in<'k>(
        &self,
        explained: &Explained<'_>,
        known: impl FnOnce() -> &'k Reference,
        columns: usize,
    ) -> String {
        let facts = if self.for_programs { &explained.facts } else { explained.facts.for_people() };
        let assessment = &explained.assessment;
        match self.made {
            Renderer::Text(render) => render(facts, assessment),
            Renderer::Lines(render) => render(facts, assessment, known(), columns),
            Renderer::Part(subject, render) => {
                let findings = assessment.findings.iter().filter(|finding| crate::is_about(finding, subject));
                narrowed(&render(facts, &findings.cloned().collect::<Vec<_>>()), columns)
            }
            Renderer::Plot(draw) => draw(facts).unwrap_or_default(),
        }
    }
}
