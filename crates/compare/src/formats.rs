//! Comparisons as CSV with one row per value, and as Markdown.

use super::{CauseOfSeveral, Comparison, Difference, Line, labels, left_out_lines};
use facts::plain::markdown;
use facts::sheet::{Sheet, comparable, list, raw};
use std::fmt::Write;

/// One row per figure and result, then one per omitted figure, with the reason.
pub fn csv(comparison: &Comparison) -> String {
    let columns = [
        "key",
        "figure",
        "core_types",
        "unit",
        "result",
        "board",
        "verdict",
        "value",
        "change_percent",
        "noise_percent",
        "is_real",
        "word",
        "estimated",
        "comparable",
    ];
    let mut sheet = Sheet::new(columns.map(|column| (column, false)));
    for line in &comparison.lines {
        let values = line.values.iter().zip(&line.differences).zip(&comparison.sides).zip(&line.estimated);
        for (((value, difference), side), estimated) in values.filter(|(((value, _), _), _)| value.is_some()) {
            let of = |number: fn(&Difference) -> f64| raw(difference.as_ref().map(number));
            sheet.row([
                line.key.as_str().to_owned(),
                line.title.clone(),
                line.cores.join(" | "),
                line.unit.clone(),
                side.name.clone(),
                side.board.clone().unwrap_or_default(),
                side.verdict.to_string(),
                raw(*value),
                of(|difference| difference.change_percent),
                of(|difference| difference.noise_percent),
                difference.as_ref().map_or_else(String::new, |difference| difference.is_real.to_string()),
                difference.as_ref().map_or("", |difference| difference.word).to_owned(),
                estimated.clone().unwrap_or_default(),
                comparable(None),
            ]);
        }
    }
    for one in &comparison.left_out {
        sheet.left_out(&[(1, &one.what)], &one.why);
    }
    sheet.csv()
}

/// Speeds, results, figures, likely causes, differing settings, and omitted figures.
pub fn markdown_text(comparison: &Comparison) -> String {
    let sentences = comparison.sentences.iter().map(|sentence| markdown(sentence) + "\n\n");
    let mut text: String = sentences.collect();
    for (letter, side) in labels().zip(&comparison.sides) {
        let board = side.board.as_deref().map_or_else(|| "unknown board".into(), markdown);
        let _ = writeln!(
            text,
            "* **{letter}**: {board}, {}, `{}`",
            side.verdict,
            facts::plain(&side.name).replace('`', "'")
        );
        for why in &side.invalid_because {
            let _ = writeln!(text, "  * {}", markdown(why));
        }
    }
    let main: Vec<&Line> = comparison.main_lines().collect();
    if !main.is_empty() {
        let letters = labels().take(comparison.sides.len()).enumerate();
        let values = letters.flat_map(|(index, letter)| {
            let change = (index > 0).then(|| ("Change".to_owned(), true));
            [Some((letter, true)), change].into_iter().flatten()
        });
        let mut sheet =
            Sheet::new([("Figure".to_owned(), false), ("Unit".to_owned(), false)].into_iter().chain(values));
        main.iter().for_each(|line| sheet.row(cells(line)));
        let _ = write!(text, "\n{}", sheet.markdown());
        text.push_str("\nEach change is against the first result that has the figure.\n");
    }
    let told = |(letter, line, words): (String, &Line, &str)| format!("{letter}, {}: {words}", line.title);
    text.push_str(&list("### Likely causes", comparison.causes().iter().map(CauseOfSeveral::sentence)));
    text.push_str(&list("### Estimated (≈)", comparison.estimates().map(told)));
    let settings = comparison.settings.iter().map(|setting| {
        let values: Vec<&str> = setting.values.iter().map(|value| value.as_deref().unwrap_or("-")).collect();
        format!("{}: {}", setting.name, values.join(" | "))
    });
    text.push_str(&list("### Settings that differ", settings));
    text.push_str(&list("### Not compared", left_out_lines(&comparison.left_out).into_iter()));
    text
}

fn cells(line: &Line) -> Vec<String> {
    let mut cells = vec![line.name(), line.unit.clone()];
    for (index, difference) in line.differences.iter().enumerate() {
        cells.push(line.value_words(index));
        if index > 0 {
            cells.push(difference.as_ref().map_or_else(|| "-".to_owned(), |difference| line.change_words(difference)));
        }
    }
    cells
}
