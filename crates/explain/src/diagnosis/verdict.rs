//! Verdict over each score, and over the run: that of the scores for which it was made.

use super::evidence;
use super::graph::Graph;
use facts::{Diagnosis, Explanation, Facts, Finding, ScoreVerdict, Severity, Tenths, Verdict};

/// Smallest loss of a score that makes it degraded; 7-zip repeats within 1 % on an idle machine.
pub(super) const LOSS_MIN: Tenths = Tenths(20);

/// Verdict over each score by its diagnoses, whatever they cost.
pub(super) fn scores(facts: &Facts<'_>, findings: &[Finding], graph: &Graph) -> Vec<ScoreVerdict> {
    let indexed = facts.scores().iter().enumerate();
    let scores = indexed.map(|(index, score)| {
        let because = graph.diagnoses.iter().enumerate().filter(|(_, found)| found.holds_for.contains(&score.key));
        let because: Vec<usize> = because.map(|(index, _)| index).collect();
        let severity = severity(findings, graph, &because, index);
        let lacks = evidence::lacks(facts, score);
        let verdict = Verdict::of(severity);
        ScoreVerdict { score: score.key.clone(), is_main: score.is_main, verdict, because, lacks }
    });
    scores.collect()
}

/// Highest severity of these diagnoses for a score, by their evidence and by consequences for the score.
fn severity(findings: &[Finding], graph: &Graph, diagnoses: &[usize], score: usize) -> Severity {
    let harm = diagnoses.iter().flat_map(|index| {
        let found = &graph.diagnoses[*index];
        let shows = std::iter::once(&found.root).chain(&found.evidence);
        let follows = found.consequences.iter().filter(|index| graph.places[**index].names_them);
        shows.chain(follows)
    });
    let here = harm.filter(|index| graph.places[**index].scores.contains(&score));
    here.map(|index| findings[*index].severity).max().unwrap_or(Severity::Info)
}

/// Scores that lost less than [`LOSS_MIN`] are valid, and diagnoses that cost no score more are notes.
pub(super) fn weigh(explanation: &mut Explanation) {
    let small = explanation.scores.iter().map(|score| is_small(explanation, score));
    let small: Vec<bool> = small.collect();
    for (score, is_small) in explanation.scores.iter_mut().zip(small) {
        if is_small {
            score.verdict = Verdict::Valid;
        }
        if score.verdict == Verdict::Valid && score.lacks.is_some() {
            score.verdict = Verdict::Unproven;
        }
    }
    let lost: Vec<&ScoreVerdict> =
        explanation.scores.iter().filter(|score| score.verdict > Verdict::Unproven).collect();
    for diagnosis in &mut explanation.diagnoses {
        let costs = |score: &&ScoreVerdict| diagnosis.holds_for.contains(&score.score);
        if diagnosis.severity == Severity::Degraded && !diagnosis.holds_for.is_empty() && !lost.iter().any(costs) {
            diagnosis.severity = Severity::Info;
        }
    }
}

/// Valid scores that are lower than those of similar boards, for a cause that only the comparison shows, are degraded.
pub(super) fn weigh_deficit(explanation: &mut Explanation) {
    let Some(deficit) = explanation.deficit.as_ref().filter(|deficit| deficit.degrades()) else { return };
    for score in &mut explanation.scores {
        if score.verdict == Verdict::Valid && deficit.scores.contains(&score.score) {
            score.verdict = Verdict::Degraded;
        }
    }
}

/// Whether a score is degraded by a known, small loss only.
fn is_small(explanation: &Explanation, score: &ScoreVerdict) -> bool {
    let Some(ledger) = explanation.ledger(&score.score).filter(|ledger| ledger.expected.known().is_some()) else {
        return false;
    };
    let is_measured = |index: &usize| {
        let diagnosis: &Diagnosis = &explanation.diagnoses[*index];
        diagnosis.severity == Severity::Info || diagnosis.cause == facts::Cause::NotVisible || ledger.measures(*index)
    };
    score.verdict == Verdict::Degraded && score.because.iter().all(is_measured) && ledger.lost() < LOSS_MIN
}

/// Verdict over the run: that of its main scores, of its answers, and of a deficit relative to similar boards.
pub(super) fn of(explanation: &Explanation) -> Verdict {
    let findings = &explanation.findings;
    let main = explanation.scores.iter().filter(|score| score.is_main).map(|score| score.verdict);
    let answers = explanation.answers.iter().map(|index| Verdict::of(findings[*index].severity));
    let verdict = if explanation.scores.is_empty() {
        // Without scores, findings apply to the whole run.
        findings.iter().map(|finding| Verdict::of(finding.severity)).max()
    } else {
        main.chain(answers).max()
    };
    // A deficit without a cause does not contradict the run, and one of known causes is in the scores.
    let deficit = explanation.deficit.as_ref().filter(|deficit| deficit.degrades()).map(|_| Verdict::Degraded);
    verdict.max(deficit).unwrap_or(Verdict::Valid)
}
