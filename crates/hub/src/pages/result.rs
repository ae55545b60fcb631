//! Pages of one result and of several side by side, the feed, the badge.

use super::markup::{Link, page as whole_page, site_links};
use crate::originals::hash;
use crate::query::ListRow;
use compare::Comparison;
use compare::reference::Reference;
use facts::{Explained, markup};
use maud::html;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Maximum length of a description in link previews, in characters.
const DESCRIPTION_MAX: usize = 300;

/// Parts of a result page that are not in its original.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageContext {
    pub slug: String,
    /// Address of the hub; empty if unknown.
    pub public_url: String,
    /// Stored headline, for link previews.
    pub headline: String,
    /// Reference data of listed results of the hub.
    pub references: String,
}

/// The stored headline of a result, and its place among the known boards of its page.
fn about(headline: &str, explained: &Explained<'_>, known: &Reference) -> String {
    match compare::neighbours(&explained.facts, &explained.assessment, known) {
        Some(neighbours) => format!("{headline} {}", neighbours.sentence()),
        None => headline.to_owned(),
    }
}

/// Shortens a text for link previews at the end of a word.
fn description(text: &str) -> String {
    let short = facts::shortened(&facts::plain(text), DESCRIPTION_MAX);
    match short.strip_suffix('…').and_then(|cut| cut.rsplit_once(' ')) {
        Some((words, _)) => format!("{words} …"),
        None => short,
    }
}

/// Page of a result: the page of `sbc-bench explain --html`, ranked among the results of this hub too, with links to the site
/// and metadata for link previews.
pub(crate) fn result(context: &PageContext, explained: &Explained<'_>, known: &Reference) -> String {
    let PageContext { slug, public_url, headline, .. } = context;
    let facts = &explained.facts;
    let title = facts::plain(facts::machine_name(&facts.machine).map_or("Result", String::as_str));
    let about = description(&about(headline, explained, known));
    let own = [
        (format!("/r/{slug}/trend"), "Trend of this machine"),
        (format!("/compare?id={slug}"), "Compare"),
        (format!("/api/results/{slug}/original"), "Original"),
        (format!("/api/results/{slug}/findings"), "Findings (JSON)"),
        (format!("/badge/{slug}.svg"), "Badge"),
    ];
    let property = |name: &str, content: &str| html! { meta property=(name) content=(content); };
    let head = html! {
        meta name="description" content=(about);
        (property("og:type", "article"))
        (property("og:site_name", "sbc-bench"))
        (property("og:title", &title))
        (property("og:description", &about))
        // Previews need absolute addresses. The host of a request is not trusted, because caches serve one answer to
        // others.
        @if !public_url.is_empty() {
            (property("og:url", &format!("{public_url}/r/{slug}")))
            (property("og:image", &format!("{public_url}/r/{slug}/card.png")))
            meta name="twitter:card" content="summary_large_image";
            link rel="canonical" href={ (public_url) "/r/" (slug) };
        }
    };
    // The page has no part for what only a review reports.
    let review = report::find("review").filter(|shown| (shown.fits)(facts));
    let above = html! {
        (site_links())
        p.soft { @for (at, (to, words)) in own.iter().enumerate() { @if at > 0 { " | " } a href=(to) { (words) } } }
        @if let Some(shown) = review { pre tabindex="0" { "\n" (facts::harmless(&shown.text(explained, || known))) } }
    };
    facts::harmless(&page::page_within(&page::SiteElements { head, above }, explained, known)).into_owned()
}

pub(crate) fn compared(links: &[Link], comparison: &Comparison) -> String {
    let above = html! {
        (site_links())
        ol { @for link in links { li { (link.html()) } } }
    };
    facts::harmless(&page::comparison_within(
        &page::SiteElements { above, ..page::SiteElements::default() },
        comparison,
    ))
    .into_owned()
}

/// Form that asks for the results to compare; `ids` are filled in.
pub(crate) fn choose_compared(ids: &[&str]) -> String {
    let body = html! {
        form method="get" {
            label {
                "Short names of 2 to 5 results (the last part of their address), or mark them in a list "
                input name="id" size="70" value=(ids.join(" "));
            }
            " " button { "Compare" }
        }
    };
    whole_page("Compare", &body)
}

/// Identifier of an entry without a public address. It depends only on the path, so that feed readers recognise it (RFC
/// 9562, 5.8).
fn urn(words: &str) -> String {
    let digits = hash(words.as_bytes());
    let parts = [&digits[..8], &digits[8..12], &digits[13..16], &digits[17..20], &digits[20..32]];
    format!("urn:uuid:{}-{}-8{}-8{}-{}", parts[0], parts[1], parts[2], parts[3], parts[4])
}

/// The newest results (RFC 4287). Without a public address links are relative: the `Host` of a request is not trusted,
/// because caches serve the same answer to others.
pub(crate) fn feed(rows: &[ListRow], public_url: &str) -> String {
    let id = |path: &str| if public_url.is_empty() { urn(path) } else { format!("{public_url}{path}") };
    let moment = |utc_ms: i64| {
        let moment = jiff::Timestamp::from_millisecond(utc_ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    };
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <title>sbc-bench results</title>\n<id>{2}</id>\n<link href=\"{0}/\"/>\n<author><name>sbc-bench</name></author>\n\
         <updated>{1}</updated>\n",
        markup(public_url),
        moment(rows.first().map_or(0, |row| row.listed_utc_ms)),
        markup(&id("/"))
    );
    for row in rows {
        let title = row.cells.first().map_or("Result", String::as_str);
        let _ = writeln!(
            out,
            "<entry><title>{}</title><id>{1}</id><link href=\"{2}/r/{3}\"/><updated>{4}</updated>\
             <summary>{5}</summary></entry>",
            markup(&facts::plain(title)),
            markup(&id(&format!("/r/{}", row.slug))),
            markup(public_url),
            row.slug,
            moment(row.listed_utc_ms),
            markup(&facts::plain(&row.headline))
        );
    }
    out + "</feed>\n"
}

/// Badge with the score, in the colour of its verdict.
pub(crate) fn badge(score: &str, verdict: &str) -> String {
    let colour = match verdict {
        "valid" => "#2e7d32",
        "degraded" | "unproven" => "#b26a00",
        _ => "#b3261e",
    };
    let score = facts::plain(score);
    // Letters of 11 px are about 7 px wide.
    let width = 14 + 7 * facts::lines::width(&score);
    let score = markup(&score);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"20\" role=\"img\" aria-label=\"sbc-bench: {score}\">\
         <title>sbc-bench: {score}</title><rect width=\"75\" height=\"20\" fill=\"#444\"/><rect x=\"75\" width=\"{width}\" \
         height=\"20\" fill=\"{colour}\"/><g fill=\"#fff\" font-family=\"Verdana,sans-serif\" font-size=\"11\">\
         <text x=\"7\" y=\"14\">sbc-bench</text><text x=\"82\" y=\"14\">{score}</text></g></svg>\n",
        75 + width
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use compare::reference::Row;
    use record::{Fact, Record};
    use testkit::records::{own_run, with_scores};

    /// A page is ranked among the results that the hub has today; the stored headline is older than some of them.
    #[test]
    fn description_names_the_neighbours_of_its_page() {
        let run = |board: &str, mips: u32| -> Record {
            let mut record = with_scores(own_run(), 1420, &[mips; 3]);
            record.machine.board = Fact::Known(board.to_owned());
            record
        };
        let other = explain::explain(run("Acme X1", 5344));
        let known = Reference::builtin_and(vec![Row::of(&other.facts, &other.assessment, "x1")]);
        let explained = explain::explain(run("Acme X2", 5345));
        let context = PageContext {
            slug: "abc".into(),
            public_url: String::new(),
            headline: "Results are valid.".into(),
            references: String::new(),
        };
        let page = result(&context, &explained, &known);
        let places = page.split("Acme X1 (5344 MIPS) in 7-zip on all CPUs, ").skip(1);
        let places: Vec<&str> = places.filter_map(|rest| rest.split(" known boards").next()).collect();
        // Two descriptions, and the section.
        assert!(places.len() == 3 && places.iter().all(|place| *place == places[0]), "{places:?}: {page}");
    }
}
