//! Lists: results, names, boards by stability.

use super::markup::{Link, Page, day, escape};
use crate::counts::Named;
use crate::names::Kind;
use crate::query;
use crate::sorts::SORTS;
use std::fmt::Write;

/// Headings of the cells that every result has.
const HEADINGS: [&str; 10] =
    ["Device", "Clock", "Kernel", "Distribution", "7-zip multi", "7-zip single", "AES", "memcpy", "memset", "kH/s"];

/// Filters that the form has a field for.
const FIELDS: [&str; 3] = ["q", "verdict", "sort"];

/// A table of results with its filters; `next` is the address of the page after it.
pub(crate) fn table(
    title: &str,
    page: &query::Page,
    filters: &[(&str, Option<&str>)],
    next: Option<&str>,
    total: i64,
) -> String {
    let mut out = Page::new(title);
    out.add(&form(filters));
    let mut rows = String::new();
    for row in &page.rows {
        let mut cells = String::new();
        for (at, cell) in row.cells.iter().enumerate().take(HEADINGS.len()) {
            let words = match at {
                0 => {
                    let link = Link { to: format!("/r/{}", row.slug), words: cell.clone() }.html();
                    let name = escape(cell);
                    format!(
                        "<input type=\"checkbox\" name=\"id\" value=\"{}\" aria-label=\"Compare {name}\"> {link}",
                        row.slug
                    )
                }
                _ => escape(cell),
            };
            let class = if at >= 4 { " class=\"n\"" } else { "" };
            let _ = write!(cells, "<td{class}>{words}</td>");
        }
        let word = row.died_in.as_ref().map_or_else(|| row.verdict.clone(), |step| format!("died during {step}"));
        let _ = writeln!(
            rows,
            "<tr class=\"{}\">{cells}<td>{}</td><td>{}</td></tr>",
            escape(&row.verdict),
            escape(&word),
            row.started_utc_ms.map_or_else(|| format!("sent {}", day(row.listed_utc_ms)), day)
        );
    }
    let headings: String =
        HEADINGS.iter().chain(&["Verdict", "Date"]).map(|one| format!("<th scope=\"col\">{one}</th>")).collect();
    let compare = if page.rows.len() < 2 { "" } else { "<p><button>Compare 2 to 5 of them</button></p>\n" };
    out.add(&format!(
        "<form method=\"get\" action=\"/compare\"><div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr>{headings}</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n{compare}</form>\n"
    ));
    if page.rows.is_empty() {
        out.add("<p>No results.</p>\n");
    }
    if let Some(next) = next {
        out.add(&format!("<p><a rel=\"next\" href=\"{}\">Next page</a></p>\n", escape(next)));
    }
    out.add(&format!("<p>{} on this hub.</p>\n", facts::how_many(total as usize, "result")));
    out.end()
}

fn form(filters: &[(&str, Option<&str>)]) -> String {
    let value = |name: &str| filters.iter().find(|(of, _)| *of == name).and_then(|(_, value)| *value).unwrap_or("");
    let option = |name: &str, word: &str, words: &str| {
        let chosen = if value(name) == word { " selected" } else { "" };
        format!("<option value=\"{}\"{chosen}>{}</option>", escape(word), escape(words))
    };
    let verdicts: String = ["", "valid", "degraded", "invalid"]
        .map(|word| option("verdict", word, if word.is_empty() { "any verdict" } else { word }))
        .concat();
    let sorts: String = SORTS.iter().map(|sort| option("sort", sort.column, sort.heading)).collect();
    // What a link chose stays chosen.
    let kept: String = filters
        .iter()
        .filter(|(name, value)| !FIELDS.contains(name) && value.is_some_and(|value| !value.is_empty()))
        .map(|(name, _)| format!("<input type=\"hidden\" name=\"{name}\" value=\"{}\">", escape(value(name))))
        .collect();
    format!(
        "<form method=\"get\">{kept}<label>Search <input name=\"q\" value=\"{}\"></label> \
         <label>Verdict <select name=\"verdict\">{verdicts}</select></label> \
         <label>Sort by <select name=\"sort\">{}{sorts}</select></label> <button>Show</button></form>\n",
        escape(value("q")),
        option("sort", "", "newest")
    )
}

/// All names of a kind.
pub(crate) fn names(kind: Kind, names: &[Named]) -> String {
    let title = match kind {
        Kind::Board => "Boards",
        Kind::Soc => "SoCs",
        Kind::Core => "Core types",
        Kind::Cores => "Combinations of core types",
        Kind::Kernel => "Kernels",
        Kind::Distribution => "Distributions",
    };
    let mut out = Page::new(title);
    let mut rows = String::new();
    for name in names {
        let to = match kind {
            Kind::Board | Kind::Soc | Kind::Core => format!("/{}/{}", kind.word(), name.slug),
            _ => format!("/?{}={}", kind.word(), name.slug),
        };
        let link = Link { to, words: name.words.clone() }.html();
        let _ = writeln!(rows, "<tr><td>{link}</td><td class=\"n\">{}</td></tr>", name.count);
    }
    out.add(&format!(
        "<table>\n<thead><tr><th scope=\"col\">Name</th><th scope=\"col\">Results</th></tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table>\n"
    ));
    out.end()
}

/// Boards by how often a run died on them.
pub(crate) fn stability(boards: &[Named]) -> String {
    let mut out = Page::new("Stability");
    let mut died: Vec<&Named> = boards.iter().filter(|board| board.died > 0).collect();
    died.sort_by(|a, b| (b.died * a.count).cmp(&(a.died * b.count)).then_with(|| a.words.cmp(&b.words)));
    let mut rows = String::new();
    for board in died {
        let link = Link { to: format!("/board/{}?died=1", board.slug), words: board.words.clone() }.html();
        let share = 100.0 * board.died as f64 / board.count.max(1) as f64;
        let _ = writeln!(
            rows,
            "<tr><td>{link}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{share:.1} %</td></tr>",
            board.died, board.count
        );
    }
    if rows.is_empty() {
        out.add("<p>No run died.</p>\n");
        return out.end();
    }
    out.add(&format!(
        "<table>\n<thead><tr><th scope=\"col\">Board</th><th scope=\"col\">Died</th><th scope=\"col\">Results</th>\
         <th scope=\"col\">Share</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    ));
    out.end()
}
