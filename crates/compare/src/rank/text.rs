//! Rankings as text for a terminal.

use super::super::text::{Detail, cut, invalid, left_out, more, under_heading};
use super::{Entry, Placement, Ranking};
use facts::Verdict;
use facts::change::signed_percent;
use facts::figures::Core;
use facts::lines::wrapped_at;
use facts::number::number;
use facts::text_table::TextTable;
use record::StableSort;
use std::fmt::Write;

/// Meaning of columns.
const COLUMNS: [(&str, &str); 4] = [
    (
        "range",
        "median and range of nine in ten boards with this SoC (of fewer than eight: the lowest and the highest; where fewer than \
         three are known: of this core type at this clock)",
    ),
    ("SoC", "place among boards with this SoC"),
    ("per MHz", "against the median of other cores of this type at the same clock"),
    ("all", "place among all boards"),
];

/// Neighbours and answer, with places of all figures if wanted, in lines of at most `columns` columns.
pub fn ranking_text(ranking: &Ranking, columns: usize, detail: Detail) -> String {
    let board = ranking.board.as_deref().unwrap_or("This machine");
    let mut text = match ranking.verdict {
        Verdict::Valid => String::new(),
        Verdict::Unproven => "Nothing here shows whether this result is valid.".to_owned(),
        Verdict::Degraded => "This result is degraded: below what this machine can do.".to_owned(),
        Verdict::Invalid => invalid("This result", &ranking.invalid_because),
    };
    if !text.is_empty() {
        text = wrapped_at(&text, 0, columns) + "\n\n";
    }
    let soc = match &ranking.soc {
        Some(soc) => format!(" ({})", cut(soc)),
        None => String::new(),
    };
    let heading = format!("{}{soc} compared with known results:", cut(board));
    let _ = writeln!(text, "{}\n", wrapped_at(&heading, 0, columns));
    if let Some(neighbours) = ranking.neighbours.first() {
        let chart = neighbours.chart(columns.min(CHART_COLUMNS)).join("\n");
        let _ = writeln!(text, "{}\n\n{chart}\n", wrapped_at(&neighbours.sentence(), 0, columns));
    }
    let _ = writeln!(text, "{}", wrapped_at(&ranking.answer.sentence, 0, columns));
    if detail == Detail::Summary {
        return text + &more("Places of all figures");
    }
    text.push_str(&places_text(ranking, columns));
    text.push_str(&left_out(&ranking.left_out, columns));
    text
}

/// Maximum width of a chart.
pub(super) const CHART_COLUMNS: usize = 78;

/// Places of all figures.
fn places_text(ranking: &Ranking, columns: usize) -> String {
    let mut text = "\n".to_owned();
    if ranking.entries.is_empty() {
        text.push_str("   No comparable figures.\n");
    } else {
        if !ranking.others_with_soc.is_empty() {
            let _ = writeln!(
                text,
                "{}\n",
                wrapped_at(&format!("Others with this SoC: {}.", ranking.others_with_soc.join(", ")), 0, columns)
            );
        }
        let table = rows(ranking);
        let meanings = COLUMNS.iter().filter(|(heading, _)| table.has(heading));
        let meanings: Vec<String> = meanings.map(|(heading, meaning)| format!("{heading}: {meaning}")).collect();
        let estimated_mark =
            if ranking.entries.iter().any(|entry| entry.estimated.is_some()) { "; `≈`: estimated" } else { "" };
        let meanings = format!("Columns: {}{estimated_mark}.", meanings.join("; "));
        let _ = writeln!(text, "{}\n", wrapped_at(&meanings, 0, columns));
        text.push_str(&table.text(columns));
        text.push_str(&estimated(ranking, columns));
    }
    text
}

fn rows(ranking: &Ranking) -> TextTable {
    let header = ["", "this", "median", "range", "SoC", "per MHz", "all"];
    let mut table = TextTable::new(header.map(str::to_owned).to_vec());
    let mut heading = String::new();
    // Groups the cores of each figure.
    let place = |entry: &&Entry| ranking.entries.iter().position(|first| first.figure.key == entry.figure.key);
    let mut entries: Vec<&Entry> = ranking.entries.iter().collect();
    entries.stable_sort_by_key(place);
    for entry in entries {
        let core = entry.figure.core.as_ref().map_or_else(|| "all CPUs".to_owned(), Core::label);
        under_heading(&mut table, &mut heading, (&entry.title, &entry.figure.unit), Some(&core), cells(entry));
    }
    table
}

fn cells(entry: &Entry) -> Vec<String> {
    let dash = || "-".to_owned();
    let per_mhz = entry.same_core_type.as_ref();
    let unit = &entry.figure.unit;
    let range = || entry.expected.map(|range| format!("{}-{}", number(range.low, unit), number(range.high, unit)));
    let range = entry.extremes.as_ref().map(|extremes| extremes.words(unit)).or_else(range);
    vec![
        entry.value_words(),
        entry.median_words().unwrap_or_else(dash),
        range.unwrap_or_else(dash),
        entry.same_soc.as_ref().map_or_else(dash, placement),
        per_mhz.map_or_else(dash, |standing| signed_percent(standing.change_percent, 0)),
        placement(&entry.all),
    ]
}

/// `3/12`; `3-5/12` for an estimated value.
fn placement(standing: &Placement) -> String {
    if standing.rank == standing.rank_worst {
        format!("{}/{}", standing.rank, standing.of)
    } else {
        format!("{}-{}/{}", standing.rank, standing.rank_worst, standing.of)
    }
}

fn estimated(ranking: &Ranking, columns: usize) -> String {
    let mut text = String::new();
    for entry in &ranking.entries {
        if let Some(words) = &entry.estimated {
            let _ = writeln!(text, "{}", wrapped_at(&format!("   {}: {words}.", entry.figure.name()), 6, columns));
        }
    }
    if text.is_empty() { text } else { format!("\nEstimated, with 90 % intervals:\n{text}") }
}
