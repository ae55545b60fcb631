//! Report: a result in Markdown, for reviews, forums and issue trackers: verdict, machine, table of main figures,
//! causes, folded notes.

use compare::neighbours;
use compare::reference::Reference;
use explain::Narrative;
use facts::number::number;
use facts::plain::markdown;
use facts::sheet::{Sheet, comparable, list};
use facts::view::ScoreEnergy;
use facts::{Explanation, Facts};
use record::{Machine, Record, Source};
use rules::Report;
use std::fmt::Write;

pub(super) const REPORT: Report = Report {
    id: "markdown",
    about: "Verdict, main figures, causes and notes in Markdown, for reviews and issue trackers.",
    ..Report::lines(|facts, explained, known, _| render(facts, explained, known))
};

/// Width of the chart.
const CHART_COLUMNS: usize = 78;

fn render(facts: &Facts<'_>, explained: &Explanation, known: &Reference) -> String {
    let mut text = format!("## {}\n\n", board(&facts.machine));
    let told = Narrative::of(facts, explained);
    let first = if facts.run.is_monitoring() { explain::watched::watched(facts) } else { told.verdict.clone() };
    let _ = writeln!(text, "**{}**", markdown(&first));
    let neighbours = neighbours(facts, explained, known);
    let place = neighbours.as_ref().map(|found| found.sentence());
    for sentence in told.answers.iter().chain(&told.ledgers).chain(&place) {
        let _ = writeln!(text, "{}", markdown(sentence));
    }
    text.push_str(&neighbours.map_or_else(String::new, |found| found.chart_markdown(CHART_COLUMNS)));
    let _ = writeln!(text, "\n{}", measured_on(facts));
    text.push_str(&main_figures(facts));
    text.push_str(&energy(facts));
    let sentences = |findings: Vec<usize>| findings.into_iter().map(|index| explained.findings[index].sentence());
    text.push_str(&list("### Causes", sentences(explained.diagnoses.iter().map(|cause| cause.root).collect())));
    let notes = explained.answers.iter().chain(&explained.notes).copied().collect();
    let notes = list("<details><summary>Notes</summary>", sentences(notes));
    if !notes.is_empty() {
        let _ = write!(text, "{notes}\n</details>\n");
    }
    text.trim_end().to_owned() + "\n"
}

/// Power and energy score by score; empty without a source.
fn energy(facts: &Facts<'_>) -> String {
    let Ok(energy) = facts.energy() else { return String::new() };
    let mut sheet = Sheet::new(ScoreEnergy::HEADINGS.map(|heading| (heading, heading != "Step")));
    facts.score_energies().iter().for_each(|score| sheet.row(score.cells()));
    let sentence = markdown(&format!("Energy, by {}.", energy.sentence()));
    let others: String = energy.other_words().iter().map(|other| format!("\n{}\n", markdown(other))).collect();
    if sheet.is_empty() { String::new() } else { format!("\n{sentence}\n\n{}{others}", sheet.markdown()) }
}

/// Name of the board, or of its SoC.
pub(super) fn board(machine: &Machine) -> String {
    let name = facts::machine_name(machine).or(machine.soc.known());
    name.map_or_else(|| "Unknown board".to_owned(), |name| markdown(name))
}

/// SoC, kernel, distribution, date and program on one line.
pub(super) fn measured_on(record: &Record) -> String {
    let machine = &record.machine;
    let program = match &record.source {
        Source::Run { version, .. } => format!("sbc-bench {version}"),
        Source::Log(log) => format!("log of sbc-bench {}", log.version).trim_end().to_owned(),
    };
    let parts = [
        machine.soc.known().cloned(),
        machine.kernel_release.known().map(|release| format!("Linux {release}")),
        machine.distribution.known().cloned(),
        explain::monitor::day(record),
        Some(program),
    ];
    let parts: Vec<String> =
        parts.into_iter().flatten().map(|part| markdown(&part)).filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
}

fn main_figures(facts: &Facts<'_>) -> String {
    let columns =
        [("Figure", false), ("Value", true), ("Unit", false), ("Standard deviation", true), ("Comparable", false)];
    let mut sheet = Sheet::new(columns);
    for figure in facts.figures().iter().filter(|figure| figure.is_main) {
        let spread = figure.spread_percent.map_or_else(|| "-".to_owned(), |spread| format!("{spread:.1} %"));
        let comparable = comparable(figure.not_comparable.as_deref());
        sheet.row([figure.name(), number(figure.value, &figure.unit), figure.unit.clone(), spread, comparable]);
    }
    if sheet.is_empty() { String::new() } else { format!("\n{}", sheet.markdown()) }
}
