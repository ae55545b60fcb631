//! The skeleton of the page: head, navigation, sections, foot.

use crate::{SECTIONS, Subject, top};
use maud::{DOCTYPE, PreEscaped, html};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Nothing may be loaded, from anywhere.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; \
                      base-uri 'none'; form-action 'none'";

pub(crate) fn document(subject: &Subject<'_>) -> String {
    let made = SECTIONS.iter().filter_map(|section| Some((section, (section.body)(subject)?)));
    let sections: Vec<_> = made.collect();
    let name = top::name(subject.record);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "sbc-bench " (env!("CARGO_PKG_VERSION")) };
                title { (name) ": sbc-bench" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { "To the results" }
                header { (top::top(subject)) }
                @if !sections.is_empty() {
                    nav aria-label="Sections" {
                        ul { @for (section, _) in &sections { li { a href={ "#" (section.id) } { (section.title) } } } }
                    }
                }
                main id="main" {
                    @for (section, body) in &sections {
                        section id=(section.id) aria-labelledby={ (section.id) "-title" } {
                            h2 id={ (section.id) "-title" } { (section.title) }
                            (body)
                        }
                    }
                    @if sections.is_empty() { p { "This result holds no measurements, samples or findings." } }
                }
                footer { p { "Made by sbc-bench " (env!("CARGO_PKG_VERSION")) ". This file loads nothing from the network." } }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
    .into_string()
}
