//! Shape of a line of the results list: `| board | clock | kernel | distribution | 7-zip | 7-zip, one core | AES | memcpy |
//! memset | kH/s | link |`.

use super::text;

/// Cells of a row, without empty ones at the ends.
pub(super) fn cells(text: &str) -> Vec<&str> {
    let inner = text.trim().trim_start_matches('|').trim_end();
    let mut cells: Vec<&str> = inner.split('|').map(str::trim).collect();
    while cells.last().is_some_and(|cell| cell.is_empty()) {
        cells.pop();
    }
    cells
}

/// True for a row with a clock and at least three scores.
pub(super) fn is_row(text: &str) -> bool {
    if text.len() > 2000 || text.bytes().filter(|byte| *byte == b'|').count() < 8 {
        return false;
    }
    let cells = cells(text);
    let numbers = cells.iter().skip(4).filter(|cell| number(cell).is_some()).count();
    cells.len() >= 9 && is_clock(cells[1]) && numbers >= 3
}

fn is_clock(cell: &str) -> bool {
    let cell = plain(cell);
    cell.contains("MHz") || cell.contains("cpufreq") || cell.starts_with('~') || number(&cell).is_some()
}

/// True if the row names this board.
pub(super) fn is_of(text: &str, name: &str) -> bool {
    let words = |text: &str| text.split_whitespace().map(str::to_ascii_lowercase).collect::<Vec<_>>();
    let cells = cells(text);
    cells.first().is_some_and(|cell| {
        let (cell, name) = (words(&plain(cell)), words(name));
        cell == name || cell.starts_with(&name) || name.starts_with(&cell)
    })
}

/// Text of a cell without Markdown: `[ROCK 5B](4jfZ.txt)` is `ROCK 5B`.
pub(super) fn plain(cell: &str) -> String {
    let linked = cell.strip_prefix('[').and_then(|rest| rest.split_once("]("));
    linked.map_or(cell, |(name, _)| name).replace(['*', '`'], "").trim().to_owned()
}

pub(super) fn number(cell: &str) -> Option<f64> {
    text::decimal(&plain(cell)).filter(|value| *value > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_of_rows() {
        let row = "| [Radxa ROCK 5B](x) | 1 MHz | 5 | d | 1 | 2 | 3 | 4 | 5 | 6 |";
        assert!(is_of(row, "Radxa  ROCK 5B") && is_of(row, "Radxa ROCK 5B Rev 1") && !is_of(row, "Radxa ROCK 5A"));
    }
}
