//! A Record in the words of a report: names as its readers can read them, and the findings that belong to it.

use crate::foreign::in_lines;
use crate::tables::{Made, Report};
use crate::{Explanation, names, rules};
use record::Record;
use std::borrow::Cow;

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
