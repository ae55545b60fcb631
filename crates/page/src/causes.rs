//! Section: causes of lower scores, each with related findings, then notes.

use crate::{Section, Subject};
use facts::{Diagnosis, Severity};
use maud::{Markup, html};

pub(crate) const SECTION: Section = Section::of("causes", "Causes and notes", body);

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let explained = subject.explained;
    if explained.findings.is_empty() {
        return None;
    }
    let causes = explained.diagnoses.iter().enumerate().filter(|(_, diagnosis)| !diagnosis.is_minor());
    // The notes begin with the minor causes, to which other sections link.
    let minor: Vec<&Diagnosis> = explained.worst_first().into_iter().filter(|diagnosis| diagnosis.is_minor()).collect();
    let index_of = |at: usize| {
        let diagnosis = minor.get(at)?;
        explained.diagnoses.iter().position(|other| other.root == diagnosis.root)
    };
    let notes = &subject.narrative.notes;
    Some(html! {
        @for (index, diagnosis) in causes { (cause(subject, index, diagnosis)) }
        @if !notes.is_empty() {
            h3 { "Notes" }
            ul.notes {
                @for (at, note) in notes.iter().enumerate() {
                    li id=[index_of(at).map(|index| format!("cause-{index}"))] { (facts::harmless(note)) }
                }
            }
        }
    })
}

fn cause(subject: &Subject<'_>, index: usize, diagnosis: &Diagnosis) -> Markup {
    let findings = &subject.explained.findings;
    let root = &findings[diagnosis.root];
    let listed = |title: &'static str, indices: &[usize]| {
        let sentences: Vec<String> = indices.iter().map(|index| findings[*index].sentence()).collect();
        html! {
            @if !sentences.is_empty() {
                p { (title) ":" }
                ul.notes { @for sentence in sentences { li { (facts::harmless(&sentence)) } } }
            }
        }
    };
    let holds_for: Vec<&str> = diagnosis.holds_for.iter().map(facts::view::ScoreKey::words).collect();
    html! {
        div.cause.grave[diagnosis.severity == Severity::Invalid] id={ "cause-" (index) } {
            p { strong { (facts::harmless(&root.sentence())) } }
            @if !holds_for.is_empty() { p.soft { "Holds for " (holds_for.join(", ")) "; " (diagnosis.confidence_percent) " % confidence." } }
            (listed("Evidence", &diagnosis.evidence))
            (listed("Consequences", &diagnosis.consequences))
            (listed("Against it", &diagnosis.contradicts))
            p { "Remedy: " (explain::remedy(subject.facts, subject.explained, diagnosis)) }
            @if root.span.is_some() { p { a href={ "#over-time-cause-" (index) } { "Show it over time" } } }
        }
    }
}
