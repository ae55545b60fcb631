//! The table for a terminal: as many columns as fit, the most wanted first.

use super::{Row, Table};
use facts::lines::{listed, padded, width, wrapped};
use facts::plain::plain;
use std::fmt::Write;

/// A column of the table.
struct Column {
    heading: &'static str,
    cell: fn(&Row) -> Option<String>,
    /// Right-aligned numbers.
    is_number: bool,
    /// Minimum and maximum width of text.
    width: (usize, usize),
    /// Paths are shortened at their start.
    keeps_end: bool,
    /// The highest number goes first where there is too little room.
    rank: u8,
    /// Meaning of the number.
    unit: &'static str,
}

const TEXT: Column =
    Column { heading: "", cell: |_| None, is_number: false, width: (8, 14), keeps_end: false, rank: 0, unit: "" };
const NUMBER: Column = Column { is_number: true, width: (4, 14), ..TEXT };

const COLUMNS: [Column; 15] = [
    Column { heading: "board", cell: board, width: (14, 32), rank: 0, ..TEXT },
    Column { heading: "SoC", cell: soc, width: (9, 24), rank: 2, ..TEXT },
    Column { heading: "date", cell: |row| row.day.clone(), width: (10, 10), rank: 3, ..TEXT },
    Column {
        heading: "MHz",
        cell: |row| row.clock_khz.map(|khz| facts::finding::mhz(khz).to_string()),
        rank: 6,
        ..NUMBER
    },
    Column { heading: "7z all", cell: |row| cell(row, 4), rank: 1, unit: "7-zip in MIPS", ..NUMBER },
    Column { heading: "7z one", cell: |row| cell(row, 5), rank: 7, unit: "7-zip in MIPS", ..NUMBER },
    Column { heading: "max°C", cell: celsius, rank: 4, ..NUMBER },
    Column { heading: "maxW", cell: watts, rank: 5, ..NUMBER },
    Column { heading: "memcpy", cell: |row| cell(row, 7), rank: 8, unit: "memcpy and memset in MB/s", ..NUMBER },
    Column { heading: "memset", cell: |row| cell(row, 8), rank: 9, unit: "memcpy and memset in MB/s", ..NUMBER },
    Column { heading: "AES", cell: |row| cell(row, 6), rank: 10, unit: "AES-256-CBC in kB/s", ..NUMBER },
    Column { heading: "MIPS/W", cell: work, rank: 11, unit: "7-zip per watt, with the place of the meter", ..NUMBER },
    Column { heading: "kH/s", cell: |row| cell(row, 9), rank: 13, ..NUMBER },
    Column { heading: "verdict", cell: verdict, width: (8, 8), rank: 0, ..TEXT },
    Column { heading: "file", cell: |row| Some(row.file.clone()), width: (12, 60), keeps_end: true, rank: 12, ..TEXT },
];

/// Name of the board, else of its file, so that no row is anonymous.
fn board(row: &Row) -> Option<String> {
    let file = || row.file.rsplit('/').next().unwrap_or_default();
    Some(row.board().unwrap_or_else(file).to_owned())
}

fn cell(row: &Row, column: usize) -> Option<String> {
    Some(row.cells[column].clone()).filter(|cell| cell != "-")
}

/// Without its vendor, where it is known by its number: `RK3588`, `Atom x5-Z8350`.
fn soc(row: &Row) -> Option<String> {
    let name = row.soc.as_ref()?.replace("(R)", "").replace("(TM)", "");
    Some(name.split_once(' ').map_or(name.as_str(), |(_, part)| part).to_owned())
}

fn celsius(row: &Row) -> Option<String> {
    row.millicelsius_max.map(|millicelsius| format!("{:.1}", millicelsius as f64 / 1000.0))
}

fn watts(row: &Row) -> Option<String> {
    let power = row.power_max?;
    let mark = if power.is_whole { "" } else { "~" };
    Some(format!("{mark}{:.1}", power.mw / 1000.0))
}

/// `1190 wall`: only numbers of the same place can be compared.
fn work(row: &Row) -> Option<String> {
    let mips_per_watt = row.number("sevenzip_multi_mips_per_watt")?;
    Some(format!("{} {}", facts::number(mips_per_watt, "MIPS/W"), row.word("power_measured_at")?))
}

fn verdict(row: &Row) -> Option<String> {
    Some(row.died_in.as_ref().map_or_else(|| row.verdict.to_string(), |_| "died".to_owned()))
}

/// One formatted column.
struct TextColumn<'a> {
    column: &'a Column,
    cells: Vec<String>,
    width: usize,
}

/// The table in the columns of a terminal. A column in which no result has a value is left out; one for which there is
/// no room is named below the table.
pub(super) fn text(table: &Table<'_>) -> String {
    let shown = |column| {
        let cells: Vec<Option<String>> = table.rows.iter().map(column_cell(column)).collect();
        let has_values = cells.iter().any(Option::is_some);
        let cells: Vec<String> = cells.into_iter().map(|cell| cell.map_or("-".into(), |cell| plain(&cell))).collect();
        let widest = cells.iter().map(|cell| width(cell)).max().unwrap_or(0);
        let width = widest.min(column.width.1).max(width(column.heading));
        has_values.then_some(TextColumn { column, cells, width })
    };
    let mut all: Vec<TextColumn> = COLUMNS.iter().filter_map(shown).collect();
    let mut omitted = Vec::new();
    while !fits(&mut all, table.columns) && all.len() > 1 {
        let last = all.iter().enumerate().max_by_key(|(_, shown)| shown.column.rank).map_or(0, |(at, _)| at);
        omitted.push(all.remove(last).column.heading.to_owned());
    }
    let mut text = line(&all, |shown| shown.column.heading);
    for row in 0..table.rows.len() {
        text.push_str(&line(&all, |shown| &shown.cells[row]));
    }
    text + &legend(&all, omitted)
}

fn column_cell(column: &Column) -> impl Fn(&Row) -> Option<String> {
    let cell = column.cell;
    move |row| cell(row).filter(|cell| !cell.trim().is_empty())
}

/// Narrows text columns until rows fit; false if they cannot.
fn fits(all: &mut [TextColumn], columns: usize) -> bool {
    loop {
        let width = all.iter().map(|shown| shown.width + 1).fold(0, usize::saturating_add).saturating_sub(1);
        if width <= columns {
            return true;
        }
        let is_wide = |shown: &&mut TextColumn| !shown.column.is_number && shown.width > shown.column.width.0;
        let Some(widest) = all.iter_mut().filter(is_wide).max_by_key(|shown| shown.width) else { return false };
        widest.width -= 1;
    }
}

fn line<'a>(all: &'a [TextColumn], cell: impl Fn(&'a TextColumn<'a>) -> &'a str) -> String {
    let mut text = String::new();
    for shown in all {
        let cell = cut(cell(shown), shown.width, shown.column.keeps_end);
        let blanks = " ".repeat(shown.width.saturating_sub(width(&cell)));
        let _ = if shown.column.is_number { write!(text, "{blanks}{cell} ") } else { write!(text, "{cell}{blanks} ") };
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// The beginning or the end of a text that is too long.
fn cut(text: &str, columns: usize, keeps_end: bool) -> String {
    let room = columns.saturating_sub(1);
    let mut ends = text.char_indices().map(|(at, _)| &text[at..]).skip(text.chars().count().saturating_sub(room));
    match ends.find(|end| width(end) <= room) {
        _ if width(text) <= columns => text.to_owned(),
        Some(end) if keeps_end => format!("…{end}"),
        _ => padded(text, room) + "…",
    }
}

/// Legend of the numbers, and missing columns.
fn legend(all: &[TextColumn], omitted: Vec<String>) -> String {
    let mut sentences: Vec<String> = Vec::new();
    let mut units: Vec<String> = Vec::new();
    for shown in all.iter().filter(|shown| !shown.column.unit.is_empty()) {
        if units.last().is_none_or(|last| last != shown.column.unit) {
            units.push(shown.column.unit.to_owned());
        }
    }
    if !units.is_empty() {
        sentences.push(format!("{}.", listed(&units)));
    }
    if all.iter().any(|shown| shown.column.is_number && shown.cells.iter().any(|cell| cell.starts_with('~'))) {
        sentences.push("`~`: not comparable with the others.".to_owned());
    }
    if all.iter().any(|shown| shown.cells.iter().any(|cell| cell.starts_with('≈'))) {
        sentences.push("`≈`: estimated for 7-zip 16.02.".to_owned());
    }
    if !omitted.is_empty() {
        let headings = listed(&omitted);
        sentences.push(format!("No room for {headings}: use a wider terminal or another --format."));
    }
    if sentences.is_empty() { String::new() } else { format!("\n{}\n", wrapped(&sentences.join(" "), 0)) }
}
