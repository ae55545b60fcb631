//! Section: the answer to the question of a run (heat, efficiency, sensitivity, A/B), with its plots.

use crate::{Section, Subject};
use maud::{Markup, PreEscaped, html};
use rules::ANSWERS;

pub(crate) const SECTION: Section = Section::of("answer", "What the run asked", body);

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let texts = ANSWERS.iter().map(|answer| (answer.text)(subject.facts));
    let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
    let plots = rules::plots(subject.facts);
    // A run that died has plots of its first seconds, but no answer.
    if texts.is_empty() {
        return None;
    }
    Some(html! {
        @for (name, plot) in plots {
            // The plot escapes its text when it is drawn.
            figure.paper id={ "plot-" (name) } tabindex="0" role="group" aria-label={ "Plot: " (name) } { (PreEscaped(plot)) }
        }
        @for text in texts { pre tabindex="0" { (facts::harmless(&text)) } }
    })
}
