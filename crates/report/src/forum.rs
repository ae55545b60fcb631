//! Report: a post for a forum, in Markdown: board, verdict, main figures, place among known boards with a chart as text.

use crate::markdown::{board, measured_on};
use compare::neighbours;
use compare::reference::Reference;
use explain::Narrative;
use facts::figures::main::headlines;
use facts::plain::markdown;
use facts::{Explanation, Facts, Verdict};
use rules::Report;

pub(super) const REPORT: Report = Report {
    id: "forum",
    about: "Post for a forum in Markdown: board, verdict, main figures, neighbours with a chart as text.",
    ..Report::lines(|facts, explained, known, _| render(facts, explained, known))
};

/// Two spaces end a line in every dialect of Markdown; some join lines without them.
const LINE_END: &str = "  \n";
/// Maximum width that forums show without scrolling on a phone.
const CHART_COLUMNS: usize = 56;

fn render(facts: &Facts<'_>, explained: &Explanation, known: &Reference) -> String {
    let told = Narrative::of(facts, explained);
    // Figures of an invalid result would be quoted without its verdict.
    let shown = headlines(facts).into_iter().filter(|_| explained.verdict != Verdict::Invalid);
    let figures: Vec<String> = shown.map(|(name, value)| format!("{name} {value}")).collect();
    let verdict = if facts.run.is_monitoring() { explain::watched::watched(facts) } else { told.verdict.clone() };
    let verdict = std::iter::once(verdict).chain(told.ledgers.first().cloned()).collect::<Vec<_>>().join(" ");
    let neighbours = neighbours(facts, explained, known);
    let place = neighbours.as_ref().map(|found| found.sentence());
    let lines = [Some(verdict), Some(figures.join(" · ")), place];
    let lines = lines.into_iter().flatten().filter(|line| !line.is_empty()).map(|line| markdown(&line));
    let first = format!("**{}** ({})", board(&facts.machine), measured_on(facts));
    let lines: Vec<String> = std::iter::once(first).chain(lines).collect();
    let chart = neighbours.map_or_else(String::new, |found| found.chart_markdown(CHART_COLUMNS));
    lines.join(LINE_END) + "\n" + &chart
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::records::{own_run, with_scores};

    #[test]
    fn post_has_a_line_for_each_fact() {
        let record = with_scores(own_run(), 1420, &[5345, 5370, 5331]);
        let text = crate::find(REPORT.id).unwrap().text(&explain::explain(&record), Reference::builtin);
        let expected = ["**", "Results ", "7-zip, all CPUs 5349 MIPS · "];
        assert_eq!(text.lines().count(), expected.len(), "{text}");
        for (line, expected) in text.lines().zip(expected) {
            assert!(line.starts_with(expected), "{expected}: {text}");
        }
    }
}
