//! Report: a post for a forum, in Markdown: board, verdict, main figures, place among known boards with a chart as text.

use crate::markdown::{board, measured_on};
use compare::neighbours;
use compare::reference::Reference;
use explain::Narrative;
use facts::figures::main::headlines;
use facts::plain::markdown;
use facts::view::ScoreEnergy;
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
    let power = power(facts).filter(|_| explained.verdict != Verdict::Invalid);
    let lines = [Some(verdict), Some(figures.join(" · ")), power, place];
    let lines = lines.into_iter().flatten().filter(|line| !line.is_empty()).map(|line| markdown(&line));
    let first = format!("**{}** ({})", board(&facts.machine), measured_on(facts));
    let lines: Vec<String> = std::iter::once(first).chain(lines).collect();
    let chart = neighbours.map_or_else(String::new, |found| found.chart_markdown(CHART_COLUMNS));
    lines.join(LINE_END) + "\n" + &chart
}

/// Mean power, energy and work per energy of the main scores, with what measured them; `None` without a source.
fn power(facts: &Facts<'_>) -> Option<String> {
    let energy = facts.energy().as_ref().ok()?;
    let is_main = |energy: &ScoreEnergy| facts.scores().iter().any(|score| score.is_main && score.key == energy.key);
    let scores = facts.score_energies().iter().filter(|score| is_main(score) && score.median.is_ok());
    let words = scores.map(|score| {
        let [name, mean, _, joules, _, work] = score.cells();
        format!("{name} {mean}, {joules}, {work}").trim_end_matches(", -").to_owned()
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| format!("Power, by {}: {}", energy.source.words(), words.join(" · ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{ChannelId, MeterChannel, Unit, Variant, WorkloadId};
    use testkit::records::{compression, gauge_channel, with_step};

    #[test]
    fn post_has_power_of_the_main_scores() {
        let power: Vec<i64> = (0..90).map(|row| 5_000 + row % 3).collect();
        let record = with_step(own_run(), WorkloadId::SevenZip, Variant::MULTI, &[], (10.0, 40.0), compression(5345));
        let record = gauge_channel(record, ChannelId::meter(MeterChannel::Power), Unit::Milliwatts, &power);
        let text = crate::find(REPORT.id).unwrap().text(&explain::explain(&record), Reference::builtin);
        assert!(text.contains("Power, by ") && text.contains("7-zip on all CPUs 5.00 W, "), "{text}");
    }

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
