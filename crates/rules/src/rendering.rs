//! Input of reports: a Record with readable names, and its assessment.

use crate::{Renderer, Report};
use facts::{Explained, Explanation, Facts};

impl Report {
    /// Renders text. Names are short and on one line for people, and unchanged for programs.
    pub fn text(&self, explained: &Explained<'_>) -> String {
        let facts = if self.for_programs { &explained.facts } else { explained.facts.for_people() };
        self.rendered(facts, &explained.assessment)
    }

    /// Renders text with the names of the Record unchanged.
    pub fn render(&self, explained: &Explained<'_>) -> String {
        self.rendered(&explained.facts, &explained.assessment)
    }

    fn rendered(&self, facts: &Facts<'_>, explained: &Explanation) -> String {
        match self.made {
            Renderer::Text(render) => render(facts, explained),
            Renderer::Part(subject, render) => {
                let findings = explained.findings.iter().filter(|finding| crate::is_about(finding, subject));
                render(facts, &findings.cloned().collect::<Vec<_>>())
            }
            Renderer::Plot(draw) => draw(facts).map_or_else(String::new, |picture| picture.svg()),
        }
    }
}
