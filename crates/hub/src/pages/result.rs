//! One result, several side by side, the feed, the badge.

use super::markup::{Link, Page, escape};
use crate::derive::headline;
use crate::originals::hash;
use crate::query::Listed;
use facts::{Explained, Severity};
use rules::plots;
use std::fmt::Write;

/// One result: the paragraph at the top, findings, plots, the text report.
pub(crate) fn result(slug: &str, explained: &Explained<'_>) -> String {
    let Explained { facts, assessment } = explained;
    let title = facts.machine.name().map_or("Result", String::as_str);
    let mut out = Page::new(&facts::plain(title));
    out.add(&format!("<p>{}</p>\n", escape(&headline(explained))));
    let links = [
        (format!("/r/{slug}/page"), "All sections and plots"),
        (format!("/r/{slug}/trend"), "Trend of this machine"),
        (format!("/compare?id={slug}"), "Compare"),
        (format!("/api/results/{slug}/original"), "Original"),
        (format!("/api/results/{slug}/findings"), "Findings (JSON)"),
        (format!("/badge/{slug}.svg"), "Badge"),
    ];
    let links = links.map(|(to, words)| Link { to, words: words.to_owned() }.html());
    out.add(&format!("<p>{}</p>\n", links.join(" | ")));
    if !assessment.findings.is_empty() {
        out.add("<ul>\n");
        for finding in &assessment.findings {
            let (begin, end) = match finding.severity {
                Severity::Invalid => ("<strong>", "</strong>"),
                Severity::Degraded | Severity::Info => ("", ""),
            };
            out.add(&format!("<li>{begin}{}{end}</li>\n", escape(&finding.sentence())));
        }
        out.add("</ul>\n");
    }
    for (_, plot) in plots(facts) {
        out.add(&format!("<figure>\n{}</figure>\n", plot.svg()));
    }
    // A review of a machine is what was asked of it; the scores that it may have follow.
    for shown in ["review", "text"].into_iter().filter_map(report::find).filter(|shown| (shown.fits)(facts)) {
        out.add(&format!("<pre tabindex=\"0\">\n{}</pre>\n", escape(&shown.text(explained))));
    }
    out.end()
}

/// Results side by side, as the program prints them.
pub(crate) fn compared(links: &[Link], text: &str) -> String {
    let mut out = Page::new("Comparison");
    let items: String = links.iter().map(|link| format!("<li>{}</li>\n", link.html())).collect();
    out.add(&format!("<ol>\n{items}</ol>\n<pre tabindex=\"0\">\n{}</pre>\n", escape(text)));
    out.end()
}

/// Asks which results are to be compared; these are chosen already.
pub(crate) fn choose_compared(ids: &[&str]) -> String {
    let mut out = Page::new("Compare");
    out.add(&format!(
        "<form method=\"get\"><label>Short names of 2 to 5 results (the last part of their address), or mark them in a list \
         <input name=\"id\" size=\"70\" value=\"{}\"></label> <button>Compare</button></form>\n",
        escape(&ids.join(" "))
    ));
    out.end()
}

/// Identifier for an entry without a public address. It depends only on the path, so that feed readers recognise it (RFC
/// 9562, 5.8).
fn urn(words: &str) -> String {
    let digits = hash(words.as_bytes());
    let parts = [&digits[..8], &digits[8..12], &digits[13..16], &digits[17..20], &digits[20..32]];
    format!("urn:uuid:{}-{}-8{}-8{}-{}", parts[0], parts[1], parts[2], parts[3], parts[4])
}

/// The newest results (RFC 4287). Without a public address links are relative: the `Host` of a request is not trusted,
/// because caches serve the same answer to others.
pub(crate) fn feed(rows: &[Listed], public_url: &str) -> String {
    let id = |path: &str| if public_url.is_empty() { urn(path) } else { format!("{public_url}{path}") };
    let moment = |utc_ms: i64| {
        let moment = jiff::Timestamp::from_millisecond(utc_ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    };
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <title>sbc-bench results</title>\n<id>{2}</id>\n<link href=\"{0}/\"/>\n<author><name>sbc-bench</name></author>\n\
         <updated>{1}</updated>\n",
        escape(public_url),
        moment(rows.first().map_or(0, |row| row.listed_utc_ms)),
        escape(&id("/"))
    );
    for row in rows {
        let title = row.cells.first().map_or("Result", String::as_str);
        let _ = writeln!(
            out,
            "<entry><title>{}</title><id>{1}</id><link href=\"{2}/r/{3}\"/><updated>{4}</updated>\
             <summary>{5}</summary></entry>",
            escape(&facts::plain(title)),
            escape(&id(&format!("/r/{}", row.slug))),
            escape(public_url),
            row.slug,
            moment(row.listed_utc_ms),
            escape(&facts::plain(&row.headline))
        );
    }
    out + "</feed>\n"
}

/// A badge: the score, on the colour of its verdict.
pub(crate) fn badge(score: &str, verdict: &str) -> String {
    let colour = match verdict {
        "valid" => "#2e7d32",
        "degraded" => "#b26a00",
        _ => "#b3261e",
    };
    let score = escape(&facts::plain(score));
    // Letters of 11 px are about 7 px wide.
    let width = 14 + 7 * score.chars().count();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"20\" role=\"img\" aria-label=\"sbc-bench: {score}\">\
         <title>sbc-bench: {score}</title><rect width=\"75\" height=\"20\" fill=\"#444\"/><rect x=\"75\" width=\"{width}\" \
         height=\"20\" fill=\"{colour}\"/><g fill=\"#fff\" font-family=\"Verdana,sans-serif\" font-size=\"11\">\
         <text x=\"7\" y=\"14\">sbc-bench</text><text x=\"82\" y=\"14\">{score}</text></g></svg>\n",
        75 + width
    )
}
