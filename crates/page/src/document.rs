//! The skeleton of every page: head, navigation, sections, foot.

use crate::style;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// A script within a page. It runs because the page names its hash: no other text of the page can.
pub(crate) struct Script {
    pub(crate) text: &'static str,
    /// SHA-256 of the text in Base64.
    hash: &'static str,
    /// True if it follows a stream of the server that the page comes from; others connect to nothing.
    follows: bool,
}

/// Plots over time follow the pointer: the script of every page of results.
pub(crate) const PLOTS: Script =
    Script { text: include_str!("script.js"), hash: "G/aUL1oWSYxPGXvoegVY8Kn7cA+ACF4dBx4f5uqgveE=", follows: false };
/// A table is filtered, sorted and compared.
pub(crate) const TABLE: Script = Script {
    text: include_str!("site/index.js"),
    hash: "Gf3GfGVbSw96BO2E+I47FyfrixHRnq6eglkx6bYh4vc=",
    follows: false,
};
/// A monitor shows what goes on: it follows a stream of the server that the page comes from.
pub(crate) const LIVE: Script =
    Script { text: include_str!("live.js"), hash: "Oop/uUIw/cI4nkM2mqTVkKpH6/H9exfecMFZJvvHIg0=", follows: true };

/// Nothing may be loaded, from anywhere.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// A section that has something to show.
pub(crate) struct Part {
    /// Its anchor, kebab-case.
    pub(crate) id: &'static str,
    /// Its heading.
    pub(crate) title: &'static str,
    /// What stands below it.
    pub(crate) body: Markup,
}

/// A whole page of one result or several; `nothing` is said where it has no part.
pub(crate) fn document(name: &str, top: &Markup, parts: &[Part], nothing: &str) -> String {
    let foot = "This file loads nothing from the network.";
    Frame { name, head: html! {}, style: "", top, parts, nothing, foot, script: Some(&PLOTS) }.page()
}

/// What a page with this script allows itself.
pub(crate) fn policy(script: Option<&Script>) -> String {
    let script = script.map_or_else(
        || "'none'".to_owned(),
        |script| {
            let stream = if script.follows { "; connect-src 'self'" } else { "" };
            format!("'sha256-{}'{stream}", script.hash)
        },
    );
    format!("{POLICY}; script-src {script}")
}

/// What a page is made of.
pub(crate) struct Frame<'a> {
    /// Its title.
    pub(crate) name: &'a str,
    /// What its head has besides the usual.
    pub(crate) head: Markup,
    /// Rules besides the usual.
    pub(crate) style: &'static str,
    /// What stands above its sections.
    pub(crate) top: &'a Markup,
    pub(crate) parts: &'a [Part],
    /// What is said where it has no part.
    pub(crate) nothing: &'a str,
    /// The last sentence.
    pub(crate) foot: &'a str,
    pub(crate) script: Option<&'a Script>,
}

impl Frame<'_> {
    /// The page as text.
    pub(crate) fn page(&self) -> String {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(PreEscaped(policy(self.script)));
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="generator" content={ "sbc-bench " (env!("CARGO_PKG_VERSION")) };
                    title { (self.name) ": sbc-bench" }
                    (self.head)
                    style { (PreEscaped(style::of_page())) (PreEscaped(self.style)) }
                }
                body {
                    a.skip href="#main" { "To the results" }
                    header { (self.top) }
                    @if self.parts.len() > 1 {
                        nav aria-label="Sections" {
                            ul { @for part in self.parts { li { a href={ "#" (part.id) } { (part.title) } } } }
                        }
                    }
                    main id="main" {
                        @for part in self.parts {
                            section id=(part.id) aria-labelledby={ (part.id) "-title" } {
                                h2 id={ (part.id) "-title" } { (part.title) }
                                (part.body)
                            }
                        }
                        @if self.parts.is_empty() { p { (self.nothing) } }
                    }
                    footer { p { "Made by sbc-bench " (env!("CARGO_PKG_VERSION")) ". " (self.foot) } }
                    @if let Some(script) = self.script { script { (PreEscaped(script.text)) } }
                }
            }
        }
        .into_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest, Sha256};

    #[test]
    fn policy_names_the_hashes_of_the_scripts() {
        for script in [PLOTS, TABLE, LIVE] {
            assert_eq!(script.hash, STANDARD.encode(Sha256::digest(script.text)), "put the right one into this file");
        }
    }
}
