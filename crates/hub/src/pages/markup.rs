//! Frame of every page. `maud` escapes text, and the frame replaces control characters.

use maud::{DOCTYPE, Markup, PreEscaped, html};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// Address on this site, made of slugs.
    pub(crate) to: String,
    pub(crate) words: String,
}

impl Link {
    pub(crate) fn html(&self) -> Markup {
        html! { a href=(self.to) { (self.words) } }
    }
}

const STYLE: &str = "body{font-family:sans-serif;max-width:76em;margin:1em auto;padding:0 1em;color:#222;background:#fff}\
    nav a{margin-right:1em}table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid #ccc;padding:.25em .5em;\
    text-align:left;vertical-align:top}td.n,th.n{text-align:right}td.n{white-space:nowrap}.strip{stroke:#3366cc;fill:#3366cc}\
    .strip text{stroke:none;fill:currentColor;font-size:11px}tr.degraded,tr.unproven{background:#fff3cd}\
    tr.invalid{background:#f8d7da}pre{overflow-x:auto;background:#f4f4f4;padding:.5em}.wide{overflow-x:auto}\
    h1,p,li,td a{overflow-wrap:anywhere}.wide td:first-child{min-width:12em}\
    svg{max-width:100%;height:auto}form{margin:1em 0}input,select{max-width:100%;box-sizing:border-box}\
    @media(max-width:40em){table.cards thead{display:none}table.cards tr,table.cards td{display:block}\
    table.cards tr{margin:.6em 0;border:1px solid #ccc}table.cards td{border:0;padding:.1em .5em}\
    table.cards td.n{text-align:left}table.cards td[data-label]::before{content:attr(data-label)\": \";font-weight:bold}}\
    @media(prefers-color-scheme:dark){body{background:#111;color:#ddd}a{color:#8bf}tr.degraded,tr.unproven{background:#443a10}\
    tr.invalid{background:#4a1a20}pre{background:#222}}";

/// Links to the pages of the site.
pub(crate) fn site_links() -> Markup {
    let links = [
        ("/", "Results of sbc-bench"),
        ("/names/board", "Boards"),
        ("/names/soc", "SoCs"),
        ("/names/core", "Core types"),
        ("/compare", "Compare"),
        ("/stability", "Stability"),
        ("/feed.atom", "Feed"),
    ];
    html! { p.site { @for (to, words) in links { a href=(to) { (words) } " " } } }
}

pub(crate) fn page(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { (title) " - sbc-bench" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                nav { (site_links()) }
                main { h1 { (title) } (body) }
                footer { p { (compare::reference::SOURCE) } }
            }
        }
    };
    facts::harmless(&page.0).into_owned()
}

/// Day in UTC.
pub(crate) fn day(utc_ms: i64) -> String {
    let moment = jiff::Timestamp::from_millisecond(utc_ms);
    moment.map_or_else(|_| "unknown".to_owned(), |moment| moment.strftime("%Y-%m-%d").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_stays_text() {
        let link = Link { to: "/board/\"><b>".into(), words: "<i>".into() };
        assert_eq!(link.html().0, "<a href=\"/board/&quot;&gt;&lt;b&gt;\">&lt;i&gt;</a>");
        let page = super::super::notice("<title>", "</p>\u{1b}\u{202e}");
        assert!(!page.contains("<title><") && page.contains("&lt;/p&gt;\u{fffd}\u{fffd}"), "{page}");
    }
}
