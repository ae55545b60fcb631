//! The word over each score, and over the run: that of the scores which it was made for.

use super::graph::Graph;
use facts::{Facts, Finding, ScoreVerdict, Severity, Verdict};

/// The word over the run and over each score.
pub(super) fn of(facts: &Facts<'_>, findings: &[Finding], graph: &Graph) -> (Verdict, Vec<ScoreVerdict>) {
    let indexed = facts.scores().iter().enumerate();
    let scores: Vec<ScoreVerdict> = indexed
        .map(|(index, score)| {
            let because = graph.diagnoses.iter().enumerate().filter(|(_, found)| found.holds_for.contains(&score.key));
            let because: Vec<usize> = because.map(|(index, _)| index).collect();
            let severity = severity(findings, graph, &because, index);
            ScoreVerdict { score: score.key.clone(), is_main: score.is_main, verdict: Verdict::of(severity), because }
        })
        .collect();
    let main = scores.iter().filter(|score| score.is_main).map(|score| score.verdict);
    let answers = graph.answers.iter().map(|index| Verdict::of(findings[*index].severity));
    let verdict = if scores.is_empty() {
        // Without scores, findings apply to the whole run.
        findings.iter().map(|finding| Verdict::of(finding.severity)).max()
    } else {
        main.chain(answers).max()
    };
    (verdict.unwrap_or(Verdict::Valid), scores)
}

/// How much the worst of these diagnoses harms a score: by what names the cause there, or follows from it there.
fn severity(findings: &[Finding], graph: &Graph, diagnoses: &[usize], score: usize) -> Severity {
    let harm = diagnoses.iter().flat_map(|index| {
        let found = &graph.diagnoses[*index];
        let shows = std::iter::once(&found.root).chain(&found.evidence);
        let follows = found.consequences.iter().filter(|index| graph.situated[**index].names_them);
        shows.chain(follows)
    });
    let here = harm.filter(|index| graph.situated[**index].scores.contains(&score));
    here.map(|index| findings[*index].severity).max().unwrap_or(Severity::Info)
}
