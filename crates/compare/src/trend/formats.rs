//! Trends as CSV with one row per change, and as Markdown.

use super::{Change, Trend};
use facts::change::signed_percent;
use facts::how_many;
use facts::number::number;
use facts::plain::markdown;
use facts::sheet::{Sheet, comparable, list, raw};

/// One row per change, then one per omitted result, with the reason.
pub fn csv(trends: &[Trend]) -> String {
    let columns = [
        "machine",
        "figure",
        "unit",
        "last_before",
        "first_after",
        "date_after",
        "before",
        "after",
        "change_percent",
        "p",
        "word",
        "comparable",
    ];
    let mut sheet = Sheet::new(columns.map(|column| (column, false)));
    for trend in trends {
        for change in &trend.changes {
            let name = |index: usize| trend.results.get(index).map_or_else(String::new, |result| result.name.clone());
            sheet.row([
                trend.machine.clone(),
                change.figure.clone(),
                change.unit.clone(),
                name(change.last_before),
                name(change.first_after),
                trend.results.get(change.first_after).map_or_else(String::new, |result| result.date.clone()),
                raw(Some(change.before)),
                raw(Some(change.after)),
                raw(Some(change.change_percent)),
                raw(Some(change.p)),
                change.word.to_owned(),
                comparable(None),
            ]);
        }
        for one in &trend.left_out {
            sheet.left_out(&[(0, &trend.machine), (3, &one.what)], &one.why);
        }
    }
    sheet.csv()
}

/// Columns of a table of changes, and whether they hold numbers.
pub const COLUMNS: [(&str, bool); 8] = [
    ("Figure", false),
    ("Since", false),
    ("Before", true),
    ("After", true),
    ("Unit", false),
    ("Change", true),
    ("p", true),
    ("Settings that changed there", false),
];

/// Machines with their changes as tables.
pub fn markdown_text(trends: &[Trend]) -> String {
    let told = trends.iter().filter(|trend| trends.len() == 1 || !trend.is_only_short());
    let parts: Vec<String> = told.map(machine).collect();
    match trends.len() - parts.len() {
        0 => parts.join("\n"),
        short => parts.join("\n") + &format!("\n{} with too few results.\n", how_many(short, "machine")),
    }
}

fn machine(trend: &Trend) -> String {
    let mut text = format!("## {}\n\n", markdown(&trend.machine));
    match (trend.results.first(), trend.results.last()) {
        (Some(first), Some(last)) => text.push_str(&format!(
            "{} from {} to {}, {}, {}.\n",
            how_many(trend.results.len(), "result"),
            first.date,
            last.date,
            how_many(trend.figures, "figure"),
            how_many(trend.changes.len(), "change")
        )),
        _ => text.push_str("None of its results can be used.\n"),
    }
    if let Some(stability) = &trend.stability {
        text.push_str(&format!("\nStability: {}.\n", markdown(&stability.words())));
    }
    let mut sheet = Sheet::new(COLUMNS);
    trend.changes.iter().for_each(|change| sheet.row(trend.cells(change)));
    if !sheet.is_empty() {
        text.push_str(&format!("\n{}", sheet.markdown()));
    }
    text + &list("Skipped:", trend.left_out.iter().map(|one| format!("{}: {}", one.what, one.why)))
}

impl Trend {
    /// Cells of a change, in the order of [`COLUMNS`].
    pub fn cells(&self, change: &Change) -> [String; 8] {
        let since = self.results.get(change.first_after).map_or_else(String::new, |after| after.date.clone());
        let settings = change.settings.iter().map(|one| format!("{}: {} to {}", one.name, one.before, one.after));
        let settings: Vec<String> = settings.collect();
        [
            change.figure.clone(),
            since,
            number(change.before, &change.unit),
            number(change.after, &change.unit),
            change.unit.clone(),
            format!("{} {}", signed_percent(change.change_percent, 1), change.word),
            format!("{:.6}", change.p),
            if settings.is_empty() { "none known".to_owned() } else { settings.join("; ") },
        ]
    }
}
