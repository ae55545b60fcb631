//! The skeleton of every page: head, navigation, sections, foot.

use crate::style;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The script of every page.
pub(crate) const SCRIPT: &str = include_str!("script.js");

/// Nothing may be loaded, from anywhere.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; \
                      base-uri 'none'; form-action 'none'";

/// A section that has something to show.
pub(crate) struct Part {
    /// Its anchor, kebab-case.
    pub(crate) id: &'static str,
    /// Its heading.
    pub(crate) title: &'static str,
    /// What stands below it.
    pub(crate) body: Markup,
}

/// A whole page; `nothing` is said where it has no part.
pub(crate) fn document(name: &str, top: &Markup, parts: &[Part], nothing: &str) -> String {
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
                style { (PreEscaped(style::of_page())) }
            }
            body {
                a.skip href="#main" { "To the results" }
                header { (top) }
                @if parts.len() > 1 {
                    nav aria-label="Sections" {
                        ul { @for part in parts { li { a href={ "#" (part.id) } { (part.title) } } } }
                    }
                }
                main id="main" {
                    @for part in parts {
                        section id=(part.id) aria-labelledby={ (part.id) "-title" } {
                            h2 id={ (part.id) "-title" } { (part.title) }
                            (part.body)
                        }
                    }
                    @if parts.is_empty() { p { (nothing) } }
                }
                footer { p { "Made by sbc-bench " (env!("CARGO_PKG_VERSION")) ". This file loads nothing from the network." } }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
    .into_string()
}
