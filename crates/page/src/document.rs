//! Skeleton of every page: head, navigation, sections, footer.

use crate::style;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Inline script of a page. The page's policy lists its hash, so that no other text of the page can run.
pub(crate) struct Script {
    pub(crate) text: &'static str,
    /// SHA-256 of the text in Base64.
    hash: &'static str,
    /// True if it reads the event stream of the page's server; other scripts open no connections.
    follows: bool,
}

/// Pointer for plots over time: on every page of results.
pub(crate) const PLOTS: Script =
    Script { text: include_str!("script.js"), hash: "NrePOW3csjSfXEILxXH1UwzIzAbdupSg7Kw41PObZOo=", follows: false };
/// Filters, sorts and compares rows of a table.
pub(crate) const TABLE: Script = Script {
    text: include_str!("site/index.js"),
    hash: "rLi/xkYrLDL/4Hlh8h+3eOiK5duP4gVOs+cwaZcPuyc=",
    follows: false,
};
/// Updates the page of a monitor from the event stream of the server.
pub(crate) const LIVE: Script =
    Script { text: include_str!("live.js"), hash: "ppGaDe3IVOsMTy3j8Ea3ZwNv0pcNp6hfAC5jGtR6EHk=", follows: true };

/// Prohibits loading of any resource.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Section with content.
pub(crate) struct Part {
    /// Anchor, in kebab-case.
    pub(crate) id: &'static str,
    /// Heading.
    pub(crate) title: &'static str,
    /// Content.
    pub(crate) body: Markup,
    /// True if only the heading is shown until the reader opens it.
    pub(crate) is_folded: bool,
}

impl Part {
    /// Part that is shown.
    pub(crate) const fn of(id: &'static str, title: &'static str, body: Markup) -> Self {
        Self { id, title, body, is_folded: false }
    }
}

/// Page of one or several results; `nothing` is the text of a page without parts.
pub(crate) fn document(name: &str, top: &Markup, parts: &[Part], nothing: &str) -> String {
    let foot = "This file loads nothing from the network.";
    Frame { name, head: html! {}, style: "", top, parts, nothing, foot, script: Some(&PLOTS) }.page()
}

/// The same page on the site of a caller.
pub(crate) fn document_within(
    around: &SiteElements,
    name: &str,
    top: &Markup,
    parts: &[Part],
    nothing: &str,
) -> String {
    let top = html! { (around.above) (top) };
    let foot = "It loads nothing from other sites.";
    Frame { name, head: around.head.clone(), style: "", top: &top, parts, nothing, foot, script: Some(&PLOTS) }.page()
}

/// Elements of a site around a page.
#[derive(Debug, Clone, Default)]
pub struct SiteElements {
    /// Additional elements of the head.
    pub head: Markup,
    /// Content above the name: links to other pages.
    pub above: Markup,
}

/// Content security policy of a page with this script.
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

/// Parts of a page.
pub(crate) struct Frame<'a> {
    /// Title.
    pub(crate) name: &'a str,
    /// Additional elements of the head.
    pub(crate) head: Markup,
    /// Additional style rules.
    pub(crate) style: &'static str,
    /// Content above the sections.
    pub(crate) top: &'a Markup,
    pub(crate) parts: &'a [Part],
    /// Text of a page without parts.
    pub(crate) nothing: &'a str,
    /// Last sentence.
    pub(crate) foot: &'a str,
    pub(crate) script: Option<&'a Script>,
}

impl Frame<'_> {
    /// Renders the page as text.
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
                            ul { @for part in self.parts.iter().filter(|part| !part.is_folded) { li { a href={ "#" (part.id) } { (part.title) } } } }
                        }
                    }
                    main id="main" {
                        @for part in self.parts {
                            section id=(part.id) aria-labelledby={ (part.id) "-title" } {
                                @let heading = html! { h2 id={ (part.id) "-title" } { (part.title) } };
                                @if part.is_folded { details { summary { (heading) } (part.body) } } @else { (heading) (part.body) }
                            }
                        }
                        @if self.parts.is_empty() { p { (self.nothing) } }
                    }
                    footer {
                        p { "Made by sbc-bench " (env!("CARGO_PKG_VERSION")) ". " (self.foot) }
                        p { (compare::reference::SOURCE) }
                    }
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
