//! Rows of tables of results: the columns of `results`, with the file of each result, or a link to its page and bars in the
//! cells of scores.

use compare::NamedBoard;
use explain::results::{COLUMNS, Row};
use facts::Verdict;
use maud::{Markup, html};
use record::StableSort;
use std::collections::BTreeSet;

/// Columns from this index on are numbers.
pub(crate) const FIRST_NUMBER: usize = 4;

/// Column of the distribution.
const DISTRIBUTION: usize = 3;

/// Number of cells with scores.
pub(crate) const SCORES: usize = COLUMNS.len() - FIRST_NUMBER;

/// Scores at which the bars of a table are full.
pub(crate) struct BarScale(pub(crate) [Option<f64>; SCORES]);

impl BarScale {
    /// Scale of these rows. A few servers would leave nothing of the bars of all others: those of the best tenth are full.
    pub(crate) fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Self {
        let mut columns: [Vec<f64>; SCORES] = Default::default();
        for row in rows {
            for (index, column) in columns.iter_mut().enumerate() {
                column.extend(drawn(row, index));
            }
        }
        Self(columns.map(|mut column| {
            column.stable_sort_by(|a, b| b.total_cmp(a));
            column.get(column.len() / 10).copied()
        }))
    }

    /// Length of the bar of a score in percent of its cell.
    fn percent(&self, row: &Row, index: usize) -> Option<f64> {
        let full = self.0[index]?;
        Some((100.0 * drawn(row, index)? / full).min(100.0).round())
    }
}

/// A score that has a bar: not those of invalid results, nor those that cannot be compared.
fn drawn(row: &Row, index: usize) -> Option<f64> {
    let is_comparable = row.verdict != Verdict::Invalid && !row.cells[FIRST_NUMBER + index].starts_with('~');
    row.figures[index].filter(|value| is_comparable && *value > 0.0)
}

/// Cells of a row as people read them: boards without their revision, distributions without what follows from their version.
pub(crate) fn cells(row: &Row) -> Vec<String> {
    let mut cells: Vec<String> = row.cells.iter().map(|cell| facts::plain(cell)).collect();
    cells[0] = facts::plain(&row.board().map_or_else(|| "not reported".to_owned(), |board| NamedBoard::of(board).name));
    cells[DISTRIBUTION] = short_distribution(&cells[DISTRIBUTION]);
    cells
}

/// `Debian 12 arm64` for `Debian GNU/Linux 12 (bookworm) arm64`.
pub(crate) fn short_distribution(name: &str) -> String {
    let words =
        name.split_whitespace().filter(|word| !(*word == "GNU/Linux" || *word == "LTS" || word.starts_with('(')));
    // `amd64/x86_64/amd64`: firmware, kernel and programs, often of one architecture.
    let unlike = |word: &str| {
        let mut known = BTreeSet::new();
        word.split('/').filter(|part| known.insert(*part)).collect::<Vec<_>>().join("/")
    };
    words.map(unlike).collect::<Vec<_>>().join(" ")
}

fn class_of(column: usize) -> Option<&'static str> {
    (column >= FIRST_NUMBER).then_some("number")
}

/// Header row. Tables of linked rows have no column of files.
pub(crate) fn head(is_linked: bool) -> Markup {
    html! {
        tr {
            @for (column, heading) in COLUMNS.iter().enumerate() { th class=[class_of(column)] scope="col" { (heading) } }
            th scope="col" { "Verdict" } @if !is_linked { th scope="col" { "File" } }
        }
    }
}

/// Verdict as a coloured word.
pub(crate) fn verdict(verdict: Verdict) -> Markup {
    html! { span.(verdict.to_string()) { b { (verdict.to_string()) } } }
}

/// Row of a result; one with a page has a link to it, and bars.
pub(crate) fn row(row: &Row, linked: Option<(String, &BarScale)>) -> Markup {
    let cells = cells(row);
    let bar = |column: usize| {
        let (_, scale) = linked.as_ref()?;
        let percent = scale.percent(row, column.checked_sub(FIRST_NUMBER)?)?;
        Some(format!("--w:{percent}"))
    };
    html! {
        tr class=[(row.verdict == Verdict::Invalid).then_some("invalid")] {
            th.name scope="row" { @if let Some((page, _)) = &linked { a href=(page) { (cells[0]) } } @else { (cells[0]) } }
            @for (column, cell) in cells.iter().enumerate().skip(1) {
                td class=[class_of(column)] data-label=(COLUMNS[column]) style=[bar(column)] { (cell) }
            }
            td data-label="Verdict" {
                (verdict(row.verdict))
                @if let Some(step) = &row.died_in { ", died during " (facts::plain(step)) }
            }
            @if linked.is_none() { td data-label="File" { (facts::plain(&row.file)) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::short_distribution;

    #[test]
    fn distributions_are_short() {
        for (name, expected) in [
            ("Debian GNU/Linux 12 (bookworm) arm64", "Debian 12 arm64"),
            ("Ubuntu 16.04.4 LTS armhf", "Ubuntu 16.04.4 armhf"),
            ("Ubuntu 22.04.2 LTS amd64/x86_64/amd64", "Ubuntu 22.04.2 amd64/x86_64"),
            ("Arch Linux ARM", "Arch Linux ARM"),
            ("-", "-"),
        ] {
            assert_eq!(short_distribution(name), expected);
        }
    }
}
