//! The end of a standard run on a terminal, which fits one screen. The log and `--details` have the rest.

use compare::Neighbours;
use explain::diagnosis::narrative::Narrative;
use facts::figures::main::headlines;
use facts::lines::{COLUMNS, padded, width, wrapped_at};
use facts::{Explained, Facts, view};
use std::path::Path;
use workloads::job::definition::command_line;

/// Lines of a terminal of 24, without the prompt.
const LINES_MAX: usize = 23;
/// Maximum width of a paragraph over all its lines; the log has the whole text.
const PARAGRAPH_COLUMNS_MAX: usize = 3 * COLUMNS;
/// Widest chart.
const CHART_COLUMNS: usize = 78;
/// Marks a paragraph that was cut.
const MORE: &str = " ...";
/// A chart with fewer bars shows nothing.
const BARS_MIN: usize = 3;
const BARS_MAX: usize = 6;
/// Columns of a figure; a line has up to two.
const FIGURE_COLUMNS: usize = 39;

/// Renders board, verdict, main figures, neighbours, temperature and commands, then the sentences in `last`. The chart uses
/// the remaining lines.
pub(super) fn ending(
    explained: &Explained<'_>,
    chart: Option<Neighbours>,
    file: Option<&Path>,
    last: &[String],
    columns: usize,
) -> String {
    let (facts, told) = (explained.facts.in_lines(), Narrative::of(explained.facts.in_lines(), &explained.assessment));
    let mut lines = vec![facts::plain(&facts::machine_name(&facts.machine).cloned().unwrap_or("Unknown board".into()))];
    lines.extend(paragraph(&told.verdict, columns));
    lines.extend(told.ledgers.first().into_iter().flat_map(|ledger| paragraph(ledger, columns)));
    section(&mut lines, figures(facts, columns));
    let mut end = vec![temperature(facts)];
    section(&mut end, file.map(commands).unwrap_or_default());
    end.extend(last.iter().flat_map(|sentence| paragraph(sentence, columns)));
    if let Some(chart) = chart {
        section(&mut lines, paragraph(&chart.sentence(), columns));
        let left = LINES_MAX.saturating_sub(rows(&lines, columns) + rows(&end, columns));
        if left >= BARS_MIN {
            lines.extend(nearest(chart, left.min(BARS_MAX)).chart(columns.min(CHART_COLUMNS)));
        }
    }
    lines.extend(end);
    lines.join("\n") + "\n"
}

/// Adds lines below a blank one.
fn section(lines: &mut Vec<String>, section: Vec<String>) {
    if !section.is_empty() {
        lines.push(String::new());
        lines.extend(section);
    }
}

fn paragraph(sentence: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = wrapped_at(sentence, 0, columns).lines().map(str::to_owned).collect();
    let lines_max = PARAGRAPH_COLUMNS_MAX / columns;
    if lines.len() > lines_max {
        lines.truncate(lines_max);
        lines
            .last_mut()
            .into_iter()
            .for_each(|line| *line = padded(line, columns - MORE.len()).trim_end().to_owned() + MORE);
    }
    lines
}

/// Rows that these lines take on a terminal.
fn rows(lines: &[String], columns: usize) -> usize {
    lines.iter().map(|line| width(line).div_ceil(columns.max(1)).max(1)).sum()
}

/// Reduces the chart to this board and the nearest others.
fn nearest(mut chart: Neighbours, bars: usize) -> Neighbours {
    let this = chart.bars.iter().position(|bar| bar.is_this).unwrap_or(0);
    let first = this.saturating_sub(bars / 2).min(chart.bars.len().saturating_sub(bars));
    chart.bars = chart.bars.into_iter().skip(first).take(bars).collect();
    chart
}

/// Measured main figures, two per line where there is room.
fn figures(facts: &Facts<'_>, columns: usize) -> Vec<String> {
    let cells = headlines(facts).into_iter().map(|(name, value)| format!("{name:<16}{value}"));
    let cells: Vec<String> = cells.collect();
    let line = |pair: &[String]| format!("   {:<FIGURE_COLUMNS$}{}", pair[0], pair[1..].concat());
    let in_a_line = if columns < 2 * FIGURE_COLUMNS { 1 } else { 2 };
    cells.chunks(in_a_line).map(|pair| line(pair).trim_end().to_owned()).collect()
}

fn temperature(facts: &Facts<'_>) -> String {
    match facts.heat(&view::whole_run()) {
        Some(heat) => format!("Highest temperature {:.1} °C.", heat.millicelsius_max as f64 / 1000.0),
        None => "Temperature not measured.".to_owned(),
    }
}

/// Next commands, with the name of the result file.
fn commands(file: &Path) -> Vec<String> {
    let command = |words: &[&str]| command_line(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
    let file = file.display().to_string();
    [
        ("Page", command(&["sbc-bench", "explain", &file, "--html", "run.html", "--card", "run.png"])),
        ("Compare", command(&["sbc-bench", "compare", &file])),
        ("Share", command(&["sbc-bench", "share", &file])),
    ]
    .map(|(what, command)| format!("{what:<7} {command}"))
    .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use compare::Bar;
    use testkit::records::{own_run, with_scores};

    fn check(file: &str, columns: usize, bars_min: usize) {
        let record = with_scores(own_run(), 1420, &[5345, 5370, 5331]);
        let last = ["Log: /var/log/sbc-bench.log, result file: /var/log/sbc-bench.json".to_owned()];
        let bar = |name: String, value: f64, is_this| Bar { name, value, interval: None, results: 1, is_this };
        let mut bars: Vec<Bar> =
            (0..9).map(|index| bar(format!("Board {index}"), f64::from(9000 - index), false)).collect();
        bars.insert(7, bar("this board".to_owned(), 5349.0, true));
        let chart = Neighbours {
            figure: "7-zip on all CPUs".into(),
            unit: "MIPS".to_owned(),
            higher_is_better: true,
            place: 8,
            of: 10,
            better: Some(("Board 6".to_owned(), 8994.0)),
            worse: Some(("Board 7".to_owned(), 8993.0)),
            familiar: Vec::new(),
            bars,
        };
        let text = ending(&explain::explain(&record), Some(chart), Some(Path::new(file)), &last, columns);
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        assert!(rows(&lines, columns) <= LINES_MAX, "{text}");
        assert!(text.matches("##").count() >= bars_min, "{text}");
        for expected in ["7-zip, all CPUs 5349 MIPS", "   this board", &format!("sbc-bench compare {file}\n")] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }

    #[test]
    fn screen_has_24_lines() {
        check("/var/log/sbc-bench.json", 80, 5);
        check("/home/someone/.local/state/sbc-bench/runs/2026-11-28-120000.json", 80, 3);
        check("run.json", 60, 3);
    }
}
