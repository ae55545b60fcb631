//! Input of reports: a Record with readable names, and its assessment.

use crate::{Made, Report};
use facts::{Explanation, for_people};
use record::Record;

impl Report {
    /// Renders text. Names are short and on one line for people, and unchanged for programs.
    pub fn text(&self, record: &Record, explained: &Explanation) -> String {
        if self.for_programs { self.render(record, explained) } else { self.render(&for_people(record), explained) }
    }

    /// Renders text with the names of the Record unchanged.
    pub fn render(&self, record: &Record, explained: &Explanation) -> String {
        match self.made {
            Made::Text(render) => render(record, explained),
            Made::Part(subject, render) => {
                let findings = explained.findings.iter().filter(|finding| crate::is_about(finding, subject));
                render(record, &findings.cloned().collect::<Vec<_>>())
            }
            Made::Plot(draw) => draw(record).map_or_else(String::new, |picture| picture.svg()),
        }
    }
}
