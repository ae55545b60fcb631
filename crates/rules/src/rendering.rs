//! A Record in the words of a report: names as its readers can read them, and the findings that belong to it.

use crate::{Made, Report};
use facts::Explanation;
use facts::for_people;
use record::Record;

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
                let findings = explained.findings.iter().filter(|finding| crate::is_about(finding, subject));
                render(record, &findings.cloned().collect::<Vec<_>>())
            }
            Made::Plot(draw) => draw(record).map_or_else(String::new, |picture| picture.svg()),
        }
    }
}
