//! Tables. A column without content is omitted; on a phone each row becomes a card with the names of its columns.

use super::wide;
use maud::{Markup, html};

/// Maximum length of the name of a column in each cell, for cards.
const LABEL_MAX: usize = 20;

/// A column: its name, and whether it holds numbers.
pub(crate) type Column<'a> = (&'a str, Kind);

/// Content of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Number,
}

impl Kind {
    /// Class of a cell; none for text, because large pages consist of tables.
    fn class(self) -> Option<&'static str> {
        (self == Self::Number).then_some("number")
    }
}

pub(crate) const fn text(name: &str) -> Column<'_> {
    (name, Kind::Text)
}

pub(crate) const fn number(name: &str) -> Column<'_> {
    (name, Kind::Number)
}

/// Cell of a text or a number.
pub(crate) fn cell(content: impl ToString) -> Markup {
    html! { (content.to_string()) }
}

/// Cell for a value that may be missing.
pub(crate) fn maybe(content: Option<impl ToString>) -> Markup {
    content.map_or_else(|| html! {}, cell)
}

fn is_missing(cell: &Markup) -> bool {
    matches!(cell.0.as_str(), "" | "-")
}

/// Renders rows below a caption; the first column names its row. Cells are empty if there is nothing to show.
pub(crate) fn table(caption: &str, columns: &[Column<'_>], rows: &[Vec<Markup>]) -> Markup {
    let is_empty = |at: usize| rows.iter().all(|row| row.get(at).is_none_or(is_missing));
    let shown: Vec<(usize, &Column<'_>)> = columns.iter().enumerate().filter(|(at, _)| !is_empty(*at)).collect();
    let body = html! {
        table.cards {
            @if !caption.is_empty() { caption { (caption) } }
            thead { tr { @for (_, (name, kind)) in &shown { th class=[kind.class()] scope="col" { (name) } } } }
            tbody {
                @for row in rows {
                    tr {
                        @for (at, (name, kind)) in &shown {
                            @let cell = row.get(*at).cloned().unwrap_or_else(|| html! {});
                            @if *at == 0 { th.name.number[*kind == Kind::Number] scope="row" { (cell) } }
                            @else if is_missing(&cell) { td class=[kind.class()] { "-" } }
                            @else { td class=[kind.class()] data-label=(facts::shortened(name, LABEL_MAX)) { (cell) } }
                        }
                    }
                }
            }
        }
    };
    wide(caption, &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_without_content_are_omitted() {
        let rows = [vec![cell("a"), cell("-"), cell(1)], vec![cell("b"), html! {}, maybe(None::<u32>)]];
        let html = table("t", &[text("Name"), text("Driver"), number("Count")], &rows).into_string();
        assert!(!html.contains("Driver"), "{html}");
        assert!(
            html.contains(r#"data-label="Count">1</td>"#) && html.contains(r#"<td class="number">-</td>"#),
            "{html}"
        );
    }
}
