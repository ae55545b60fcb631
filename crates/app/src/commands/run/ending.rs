//! The end of a standard run on a terminal, which fits one screen. The log and `--details` have the rest.

use compare::Neighbours;
use explain::diagnosis::narrative::Narrative;
use facts::figures::main::headlines;
use facts::lines::{COLUMNS, padded, width, wrapped_at};
use facts::{Explained, Facts, view};
use record::End;
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
/// Columns of the name of a command.
const NAME_COLUMNS: usize = 8;
/// Columns of a figure; a line has up to two.
const FIGURE_COLUMNS: usize = 39;

/// Renders board, verdict, main figures, neighbours, temperature and commands, then the sentences in `last`. The chart uses
/// the remaining lines; without room, the neighbours and then the losses are left out. An interrupted run has no verdict and no
/// commands: the last sentence tells how to continue it.
pub(super) fn ending(
    explained: &Explained<'_>,
    chart: Option<Neighbours>,
    file: Option<&Path>,
    last: &[String],
    columns: usize,
) -> String {
    let (facts, told) = (explained.facts.in_lines(), Narrative::of(explained.facts.in_lines(), &explained.assessment));
    let is_finished = facts.run.end == End::Finished;
    let board = facts::machine_name(&facts.machine).cloned().unwrap_or("Unknown board".into());
    let mut head = vec![padded(&facts::plain(&board), columns).trim_end().to_owned()];
    let mut losses = Vec::new();
    if is_finished {
        head.extend(paragraph(&told.verdict, columns));
        losses.extend(told.ledgers.first().into_iter().flat_map(|ledger| paragraph(ledger, columns)));
    }
    let mut end = Vec::new();
    section(&mut end, figures(facts, columns));
    let figures = std::mem::take(&mut end);
    end.push(temperature(facts));
    section(&mut end, file.filter(|_| is_finished).map(|file| commands(file, columns)).unwrap_or_default());
    end.extend(last.iter().flat_map(|sentence| paragraph(sentence, columns)));
    let left = |parts: &[&[String]]| {
        let used: usize = parts.iter().map(|part| rows(part, columns)).sum();
        LINES_MAX.saturating_sub(used)
    };
    let mut place = Vec::new();
    if let Some(chart) = chart.filter(|_| is_finished) {
        section(&mut place, paragraph(&chart.sentence(), columns));
        if left(&[&head, &losses, &figures, &end]) < rows(&place, columns) {
            place.clear();
        }
        let room = left(&[&head, &losses, &figures, &place, &end]);
        if !place.is_empty() && room >= BARS_MIN {
            place.extend(nearest(chart, room.min(BARS_MAX)).chart(columns.min(CHART_COLUMNS)));
        }
    }
    if left(&[&head, &figures, &place, &end]) < rows(&losses, columns) {
        losses.clear();
    }
    [head, losses, figures, place, end].concat().join("\n") + "\n"
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

/// Next commands, with the name of the result file. A command that is too wide continues on a second line behind a backslash.
fn commands(file: &Path, columns: usize) -> Vec<String> {
    let file = file.display().to_string();
    let page = ["--html", "run.html", "--card", "run.png"];
    let next: [(&str, &str, &[&str]); 3] =
        [("Page", "explain", &page), ("Compare", "compare", &[]), ("Share", "share", &[])];
    let lines = next.into_iter().flat_map(|(what, verb, options)| {
        let words = |words: &[&str]| command_line(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        let (whole, options) = (words(&[&["sbc-bench", verb, &file], options].concat()), words(options));
        let indent = " ".repeat(NAME_COLUMNS);
        let line = format!("{what:<NAME_COLUMNS$}{whole}");
        if width(&line) <= columns {
            return vec![line];
        }
        vec![
            format!("{what:<NAME_COLUMNS$}sbc-bench {verb} \\"),
            format!("{indent}{} {options}", words(&[&file])).trim_end().to_owned(),
        ]
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use compare::Bar;
    use record::{BusyProcess, Fact, Gate, Record};
    use testkit::records::{own_run, with_scores};

    fn chart(names: &str) -> Neighbours {
        let bar = |name: String, value: f64, is_this| Bar { name, value, interval: None, results: 1, is_this };
        let mut bars: Vec<Bar> =
            (0..9).map(|index| bar(format!("{names} {index}"), f64::from(9000 - index), false)).collect();
        bars.insert(7, bar("this board".to_owned(), 5349.0, true));
        Neighbours {
            figure: "7-zip on all CPUs".into(),
            unit: "MIPS".to_owned(),
            higher_is_better: true,
            place: 8,
            of: 10,
            better: Some((format!("{names} 6"), 8994.0)),
            worse: Some((format!("{names} 7"), 8993.0)),
            familiar: Vec::new(),
            bars,
        }
    }

    fn check(record: &Record, names: &str, file: &str, columns: usize, bars_min: usize) {
        let last = [
            format!("Log: {0}.log, result file: {0}", file),
            "For the evidence, check the log, or use `sbc-bench explain --details`.".to_owned(),
        ];
        let text = ending(&explain::explain(record), Some(chart(names)), Some(Path::new(file)), &last, columns);
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        assert!(rows(&lines, columns) <= LINES_MAX, "{text}");
        assert!(text.matches("##").count() >= bars_min, "{text}");
        let joined = text.replace("\\\n        ", "");
        for expected in ["7-zip, all CPUs 5349 MIPS", &format!("sbc-bench compare {file}\n")] {
            assert!(joined.contains(expected), "{expected}: {text}");
        }
    }

    #[test]
    fn screen_has_24_lines() {
        let record = with_scores(own_run(), 1420, &[5345, 5370, 5331]);
        check(&record, "Board", "/var/log/sbc-bench.json", 80, 5);
        check(&record, "Board", "/home/someone/.local/state/sbc-bench/runs/2026-11-28-120000.json", 80, 3);
        check(&record, "Board", "run.json", 60, 3);
    }

    /// Every paragraph is cut, every command has two lines, and every main figure is measured.
    #[test]
    fn longest_screen_has_24_lines() {
        let mut record = with_scores(own_run(), 1420, &[5345, 5370, 5331]);
        record.machine.board = Fact::Known("A board with a name ".repeat(20));
        record.run.end = End::Finished;
        record.gate = Fact::Known(Gate {
            forced: true,
            busy_hundredths_percent: 9000,
            busiest: vec![BusyProcess { pid: 7, name: "n".repeat(15), hundredths_percent: 9000 }; 5],
            ..Gate::default()
        });
        let file = format!("/home/someone/{}.json", "directory/".repeat(5));
        check(&record, &"A very long name of a board ".repeat(4), &file, 80, 0);
    }

    #[test]
    fn interrupted_run_ends_with_its_figures_and_sentence() {
        let mut record = with_scores(own_run(), 1420, &[5345]);
        record.run.end = End::Interrupted { signal: 2 };
        let last = ["Interrupted; 2 measured steps in run.json. Use `sbc-bench --resume` to continue it.".to_owned()];
        let text = ending(&explain::explain(&record), Some(chart("Board")), Some(Path::new("run.json")), &last, 80);
        assert!(text.contains("5345 MIPS") && text.replace('\n', " ").trim_end().ends_with(&last[0]), "{text}");
        for word in ["invalid", "Remedy", "sbc-bench share", "##"] {
            assert!(!text.contains(word), "{text}");
        }
    }
}
