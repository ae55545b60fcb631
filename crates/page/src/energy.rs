//! Section: power and energy of every score, below the power over time.

use crate::draw::table::{cell, table, text};
use crate::{Section, Subject};
use facts::view::ScoreEnergy;
use maud::{Markup, html};

pub(crate) const SECTION: Section = Section::of("energy", "Energy", body);

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let energy = subject.facts.energy().as_ref().ok()?;
    let scores = subject.facts.score_energies();
    let row = |score: &ScoreEnergy| score.cells().map(|words| cell(facts::plain(&words))).to_vec();
    let rows: Vec<_> = scores.iter().map(row).collect();
    let others = energy.other_words();
    Some(html! {
        p { "Measured by " (facts::plain(&energy.sentence())) "." }
        @if !rows.is_empty() { (table("", &ScoreEnergy::HEADINGS.map(text), &rows)) }
        @if !others.is_empty() {
            ul.notes { @for other in &others { li { (facts::plain(other)) } } }
        }
    })
}
