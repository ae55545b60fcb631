//! Pages that are made from originals, in a worker.

use crate::pages::{self, Link};
use ::record::Record;
use compare::reference::Reference;
use compare::{Side, compare, text};
use explain::Document;
use facts::Explanation;
use serde::{Deserialize, Serialize};

/// A page that is made from originals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum View {
    /// A result for people, with its short name.
    Result(String),
    /// All sections and plots of a result.
    Whole,
    /// Findings of a result, in JSON.
    Findings,
    /// Results side by side, with their short names.
    Compared(Vec<String>),
}

impl View {
    /// Makes it from its Records.
    pub(super) fn of(&self, records: &[Record]) -> Vec<u8> {
        let explained: Vec<Explanation> = match self {
            Self::Findings => Vec::new(),
            _ => records.iter().map(explain::explain).collect(),
        };
        let one = records.first().zip(explained.first());
        match self {
            Self::Result(name) => one.map(|(record, explained)| pages::result(name, record, explained)),
            Self::Whole => one.map(|(record, explained)| page::page(record, explained, Reference::builtin())),
            Self::Findings => records.first().map(|record| {
                let findings = serde_json::to_value(Document::explained(record).1).unwrap_or_default();
                // Names of a Record may contain control sequences of a terminal.
                facts::harmless(&format!("{findings}\n")).into_owned()
            }),
            Self::Compared(names) => Some(compared(names, records, &explained)),
        }
        .unwrap_or_default()
        .into_bytes()
    }
}

fn compared(names: &[String], records: &[Record], explained: &[Explanation]) -> String {
    let all = || names.iter().zip(records);
    let sides: Vec<Side<'_>> = all()
        .zip(explained)
        .map(|((name, record), explained)| Side { name: name.clone(), record, explained })
        .collect();
    let links: Vec<Link> = all()
        .map(|(name, record)| Link {
            to: format!("/r/{name}"),
            words: record.machine.name().cloned().unwrap_or_else(|| name.clone()),
        })
        .collect();
    pages::compared(&links, &text(&compare(&sides)))
}
