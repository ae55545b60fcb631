//! Rankings as CSV with one row per figure, and as Markdown.

use super::text::CHART_COLUMNS;
use super::{Entry, Placement, Range, Ranking};
use crate::left_out_lines;
use facts::figures::Core;
use facts::plain::markdown;
use facts::sheet::{Sheet, comparable, list, raw};

/// One row per figure, then one per omitted figure, with the reason.
pub fn ranking_csv(ranking: &Ranking) -> String {
    let columns = [
        "key",
        "figure",
        "core_type",
        "unit",
        "value",
        "is_estimated",
        "range_low",
        "range_median",
        "range_high",
        "soc_rank",
        "soc_rank_worst",
        "soc_of",
        "rank",
        "rank_worst",
        "of",
        "comparable",
    ];
    let mut sheet = Sheet::new(columns.map(|column| (column, false)));
    for entry in &ranking.entries {
        let range = |end: fn(&Range) -> f64| raw(entry.expected.as_ref().filter(|_| entry.extremes.is_none()).map(end));
        let soc =
            |part: fn(&Placement) -> usize| entry.same_soc.as_ref().map_or_else(String::new, |s| part(s).to_string());
        sheet.row([
            entry.figure.key.as_str().to_owned(),
            entry.title.clone(),
            entry.figure.core.as_ref().map_or_else(String::new, Core::label),
            entry.figure.unit.clone(),
            raw(Some(entry.figure.value)),
            entry.estimated.is_some().to_string(),
            range(|range| range.low),
            range(|range| range.median),
            range(|range| range.high),
            soc(|placement| placement.rank),
            soc(|placement| placement.rank_worst),
            soc(|placement| placement.of),
            entry.all.rank.to_string(),
            entry.all.rank_worst.to_string(),
            entry.all.of.to_string(),
            comparable(None),
        ]);
    }
    for one in &ranking.left_out {
        sheet.left_out(&[(1, &one.what)], &one.why);
    }
    sheet.csv()
}

/// Neighbours, answer, places, and omitted figures.
pub fn ranking_markdown(ranking: &Ranking) -> String {
    let board = ranking.board.as_deref().map_or_else(|| "This machine".into(), markdown);
    let neighbours = ranking.neighbours.first().map_or_else(String::new, |found| {
        format!("{}\n{}\n", markdown(&found.sentence()), found.chart_markdown(CHART_COLUMNS))
    });
    let answer = markdown(&ranking.answer.sentence);
    let mut text = format!("## {board} among known results\n\n{neighbours}{answer}\n");
    if let Some(why) = ranking.invalid_because.first() {
        text =
            format!("## {board} among known results\n\n**This result is invalid, do not use it:** {}\n", markdown(why));
    }
    let mut sheet = Sheet::new([
        ("Figure", false),
        ("This", true),
        ("Unit", false),
        ("Median", true),
        ("Range", true),
        ("Place with this SoC", true),
        ("Place of all", true),
    ]);
    ranking.entries.iter().for_each(|entry| sheet.row(entry.cells()));
    if !sheet.is_empty() {
        text.push_str(&format!("\n{}", sheet.markdown()));
    }
    text + &list("### Not compared", left_out_lines(&ranking.left_out).into_iter())
}

impl Entry {
    /// Figure, value, unit, median, range, and places with this SoC and of all; `-` for missing ones.
    pub fn cells(&self) -> [String; 7] {
        let core = self.figure.core.as_ref().map_or_else(String::new, |core| format!(" ({})", core.label()));
        let dash = || "-".to_owned();
        [
            format!("{}{core}", self.title),
            self.value_words(),
            self.figure.unit.clone(),
            self.median_words().unwrap_or_else(dash),
            self.range_words().unwrap_or_else(dash),
            self.same_soc.as_ref().map_or_else(dash, Placement::words),
            self.all.words(),
        ]
    }
}

impl Placement {
    /// `3 of 12`; `3 to 5 of 12` for an estimated value.
    pub fn words(&self) -> String {
        if self.rank == self.rank_worst {
            format!("{} of {}", self.rank, self.of)
        } else {
            format!("{} to {} of {}", self.rank, self.rank_worst, self.of)
        }
    }
}
