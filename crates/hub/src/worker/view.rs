//! Pages that are made from originals, in a worker.

use crate::pages::{self, Link};
use ::record::Record;
use compare::reference::Reference;
use compare::{Side, compare, text};
use explain::Document;
use facts::Explained;
use facts::lines::COLUMNS;
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
        let explained: Vec<Explained<'_>> = records.iter().map(explain::explain).collect();
        let one = explained.first();
        match self {
            Self::Result(name) => one.map(|explained| pages::result(name, explained)),
            Self::Whole => one.map(|explained| page::page(explained, Reference::builtin())),
            Self::Findings => one.map(|explained| {
                let findings =
                    serde_json::to_value(Document::of(&explained.facts, &explained.assessment)).unwrap_or_default();
                // Names of a Record may contain control sequences of a terminal.
                facts::harmless(&format!("{findings}\n")).into_owned()
            }),
            Self::Compared(names) => Some(compared(names, &explained)),
        }
        .unwrap_or_default()
        .into_bytes()
    }
}

fn compared(names: &[String], explained: &[Explained<'_>]) -> String {
    let all = || names.iter().zip(explained);
    let sides: Vec<Side<'_>> = all().map(|(name, explained)| Side { name: name.clone(), explained }).collect();
    let links: Vec<Link> = all()
        .map(|(name, explained)| Link {
            to: format!("/r/{name}"),
            words: facts::machine_name(&explained.facts.machine).cloned().unwrap_or_else(|| name.clone()),
        })
        .collect();
    pages::compared(&links, &text(&compare(&sides), COLUMNS))
}
