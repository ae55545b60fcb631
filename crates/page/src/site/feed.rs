//! Files for feed readers and search engines: Atom (RFC 4287) and a sitemap (sitemaps.org). Both need absolute URLs.

use super::{Site, SiteResult, result_path};
use record::StableSort;
use std::fmt::Write;

/// Maximum number of entries in the feed, which lists only new results.
const ENTRIES_MAX: usize = 50;
/// Maximum number of addresses in a sitemap (sitemaps.org).
const ADDRESSES_MAX: usize = 50_000;

/// Feed of the newest results.
pub(super) fn atom(site: &Site<'_>, base: &str) -> String {
    let mut dated: Vec<(String, &SiteResult<'_>)> =
        site.results.iter().filter_map(|listed| Some((moment(listed.entry.started_ms?)?, listed))).collect();
    dated.stable_sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.page.cmp(b.1.page)));
    dated.truncate(ENTRIES_MAX);
    let base = escaped(base);
    let newest = dated.first().map_or("1970-01-01T00:00:00Z", |(moment, _)| moment.as_str());
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <title>Results of sbc-bench</title>\n<id>{base}</id>\n<link href=\"{base}index.html\"/>\n\
         <link rel=\"self\" href=\"{base}feed.atom\"/>\n<updated>{newest}</updated>\n<author><name>sbc-bench</name></author>\n"
    );
    for (moment, listed) in dated {
        let row = &listed.entry.row;
        let address = format!("{base}{}", result_path(listed.page));
        let title = format!("{}: {}", row.board().unwrap_or("Board not reported"), row.verdict);
        let (multi, single, memcpy) = (&row.cells[4], &row.cells[5], &row.cells[7]);
        let words = format!("Kernel {}, 7-zip multi {multi}, 7-zip single {single}, memcpy {memcpy}.", row.cells[2]);
        let _ = writeln!(
            text,
            "<entry><title>{}</title><id>{address}</id><link href=\"{address}\"/><updated>{moment}</updated><summary>{}</summary></entry>",
            escaped(&title),
            escaped(&words)
        );
    }
    text + "</feed>\n"
}

/// Sitemap of all pages.
pub(super) fn sitemap(site: &Site<'_>, base: &str) -> String {
    let results = site.results.iter().map(|listed| result_path(listed.page));
    let groups = site.groups().map(|group| group.path.clone());
    let all = ["index.html".to_owned(), "all.html".to_owned()].into_iter().chain(groups).chain(results);
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                    <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
        .to_owned();
    for path in all.take(ADDRESSES_MAX) {
        let _ = writeln!(text, "<url><loc>{}{path}</loc></url>", escaped(base));
    }
    text + "</urlset>\n"
}

/// Formats a time as RFC 3339; `None` if it is outside the calendar's range.
fn moment(utc_ms: i64) -> Option<String> {
    facts::utc(utc_ms, "%Y-%m-%dT%H:%M:%SZ")
}

/// Escapes untrusted text for XML content and attributes, on one line.
fn escaped(text: &str) -> String {
    facts::markup(&facts::plain(text))
}
