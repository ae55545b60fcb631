//! Report: every figure as comma-separated values with all digits, for spreadsheets and scripts.

use facts::Facts;
use facts::sheet::{Sheet, comparable, raw};
use rules::Report;

pub(super) const REPORT: Report = Report {
    id: "csv",
    about: "Every figure with all digits, unit and comparability, as CSV.",
    fits: |facts| !facts.figures().is_empty(),
    ..Report::of(|record, _explained| csv(record))
};

fn csv(facts: &Facts<'_>) -> String {
    let columns = [
        "key",
        "figure",
        "core_type",
        "cpus",
        "value",
        "unit",
        "better",
        "repetitions",
        "sd_percent",
        "is_main",
        "comparable",
    ];
    let mut sheet = Sheet::new(columns.map(|column| (column, false)));
    for figure in facts.figures() {
        let core = figure.core.as_ref();
        sheet.row([
            figure.key.as_str().to_owned(),
            figure.name(),
            core.and_then(|core| core.core_type.clone()).unwrap_or_default(),
            core.map_or_else(String::new, |core| record::cpu_list(&core.cpus)),
            raw(Some(figure.value)),
            figure.unit.clone(),
            if figure.higher_is_better { "higher" } else { "lower" }.to_owned(),
            figure.repetitions.to_string(),
            raw(figure.spread_percent),
            figure.is_main.to_string(),
            comparable(figure.not_comparable.as_deref()),
        ]);
    }
    sheet.csv()
}
