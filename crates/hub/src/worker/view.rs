//! Pages made from originals, in a worker.

use crate::pages::{self, Link, PageContext};
use ::record::Record;
use compare::reference::{Reference, parse};
use compare::{Side, compare};
use explain::Document;
use facts::{Explained, Facts};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum View {
    /// Page of a result.
    Result(PageContext),
    /// Picture of a result for link previews.
    Card(PageContext),
    /// Findings of a result, in JSON.
    Findings,
    /// Results side by side, with their slugs.
    Compared(Vec<String>),
}

impl PageContext {
    fn known(&self) -> Reference {
        Reference::builtin_and(parse(&self.references).unwrap_or_default())
    }
}

impl View {
    /// Renders the view of its Records.
    pub(super) fn of(&self, records: &[Record]) -> Vec<u8> {
        let explained: Vec<Explained<'_>> = records.iter().map(explain::explain).collect();
        let one = explained.first();
        match self {
            Self::Result(context) => one.map(|explained| pages::result(context, explained, &context.known())),
            Self::Card(context) => {
                return one.and_then(|explained| card(explained, &context.known())).unwrap_or_default();
            }
            Self::Findings => one.map(|explained| {
                let findings =
                    serde_json::to_value(Document::of(&explained.facts, &explained.assessment)).unwrap_or_default();
                // Names in a Record may contain control sequences of a terminal.
                facts::harmless(&format!("{findings}\n")).into_owned()
            }),
            Self::Compared(names) => Some(compared(names, &explained)),
        }
        .unwrap_or_default()
        .into_bytes()
    }
}

fn card(explained: &Explained<'_>, known: &Reference) -> Option<Vec<u8>> {
    let drawings = page::drawings(explained, known);
    drawings.into_iter().find(|drawing| drawing.name == page::CARD)?.png().ok()
}

fn compared(names: &[String], explained: &[Explained<'_>]) -> String {
    let all = || names.iter().zip(explained);
    // Kernel and day tell two results of one board apart.
    let label = |name: &String, facts: &Facts<'_>| {
        let day = facts.run.started.known().and_then(|utc_ms| facts::utc(*utc_ms, "%Y-%m-%d"));
        let kernel = facts.machine.kernel_release.known().map(|release| format!("Linux {release}"));
        [kernel, day, Some(name.clone())].into_iter().flatten().collect::<Vec<_>>().join(", ")
    };
    let sides: Vec<Side<'_>> =
        all().map(|(name, explained)| Side { name: label(name, &explained.facts), explained }).collect();
    let links: Vec<Link> = all()
        .map(|(name, explained)| Link { to: format!("/r/{name}"), words: label(name, &explained.facts) })
        .collect();
    pages::compared(&links, &compare(&sides))
}
