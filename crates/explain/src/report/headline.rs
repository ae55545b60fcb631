//! The paragraph at the top of a report: scores, the overall word, and why, in plain language.

use crate::figures::main::memory_mb_per_s;
use crate::rules::{self, Role};
use crate::stats::mean;
use crate::view::{self, spread_percent};
use crate::{Explanation, Figure, Finding, Quantity, Share, Verdict};
use record::{MemoryOperation, Record, Variant, WorkloadId};

/// Findings that are told in the paragraph; the others are listed below it.
const REASONS_MAX: usize = 3;
/// More programs than this are told below the paragraph.
const PROGRAMS_MAX: usize = 2;

/// One paragraph for the top of a report.
pub fn headline(record: &Record, figures: &[Figure], explained: &Explanation) -> String {
    let of_role = |role| {
        let findings = explained.findings.iter();
        findings.filter(move |finding| rules::role(finding) == role)
    };
    let answers = of_role(Role::Answer);
    let mut sentences: Vec<String> = answers.map(Finding::sentence).collect();
    if record.machine.emulated_by().is_some() {
        sentences.clear();
    } else if sentences.is_empty() {
        sentences.push(scores(record, figures));
    }
    let word = explained.verdict;
    sentences.push(match word {
        Verdict::Valid => valid(explained),
        Verdict::Degraded => "Results are genuine but below what this machine can do (degraded).".into(),
        Verdict::Invalid => "Results are invalid; do not use them.".into(),
    });
    let reasons = reasons(explained);
    sentences.extend(reasons.iter().take(REASONS_MAX).map(|finding| reason(finding)));
    if reasons.len() > REASONS_MAX {
        let more = reasons.len() - REASONS_MAX;
        let word = if more == 1 { "reason" } else { "reasons" };
        sentences.push(format!("{more} more {word} below."));
    }
    if word == Verdict::Valid {
        sentences.extend(of_role(Role::GoodNews).map(Finding::sentence));
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences.join(" ")
}

/// The main scores are valid; others may not be.
fn valid(explained: &Explanation) -> String {
    let held_back = explained.scores.iter().filter(|score| score.verdict > Verdict::Valid);
    let names: Vec<&str> = held_back.map(|score| score.score.words()).collect();
    match names.is_empty() {
        true => "Results are valid.".into(),
        false => format!("Results are valid, except {}:", names.join(", ")),
    }
}

/// What held the run back: what names each cause, the worst first, then the largest share of the score.
fn reasons(explained: &Explanation) -> Vec<&Finding> {
    let roots = explained.worst_first().into_iter().map(|diagnosis| &explained.findings[diagnosis.root]);
    let mut reasons: Vec<&Finding> = roots.collect();
    reasons.sort_by(|a, b| {
        let explained = |finding: &Finding| finding.explains_percent.map_or(0.0, Share::as_percent);
        b.severity.cmp(&a.severity).then(explained(b).total_cmp(&explained(a)))
    });
    reasons
}

fn reason(finding: &Finding) -> String {
    match finding.explains_percent {
        Some(share) if share.as_percent() >= 1.0 => {
            let share = Quantity::Share(share);
            let sentence = finding.sentence();
            let sentence = sentence.trim_end_matches('.');
            format!("{sentence} (costs about {share} of the score).")
        }
        _ => finding.sentence(),
    }
}

/// The main scores in one sentence; nothing if there are none.
fn scores(record: &Record, figures: &[Figure]) -> String {
    let mut parts = Vec::new();
    let totals: Vec<f64> = view::multi_totals(record).iter().map(|(_, mips)| *mips).collect();
    let is_lzma = view::compressions(record).next().is_some_and(|(_, step, _)| step.workload == WorkloadId::Lzma);
    let name = match is_lzma {
        true => WorkloadId::Lzma,
        false => WorkloadId::SevenZip,
    };
    if let Some(score) = mean(&totals) {
        let runs = match totals.len() {
            1 => "1 run".to_owned(),
            n => {
                let spread = Quantity::Percent(spread_percent(&totals).unwrap_or(0.0));
                format!("{n} runs, spread {spread}")
            }
        };
        parts.push(format!("{} on all CPUs {} ({runs})", name.label(), Quantity::Mips(score)));
    }
    let single = view::compressions(record)
        .filter(|(_, step, _)| step.variant == Variant::SINGLE)
        .map(|(_, _, done)| done.total_mips)
        .max();
    if let Some(score) = single {
        parts.push(format!("single-threaded {}", Quantity::Mips(score.into())));
    }
    for (operation, name) in [(MemoryOperation::Copy, "copy"), (MemoryOperation::Fill, "fill")] {
        if let Some(rate) = memory_mb_per_s(record, figures, operation) {
            parts.push(format!("memory {name} {rate} MB/s"));
        }
    }
    let programs = view::programs(record);
    let told = programs.iter().take(PROGRAMS_MAX);
    let told = told.map(|program| format!("{}: {}", program.name, program.words()));
    let has_own = !parts.is_empty();
    parts.extend(told);
    match parts.is_empty() {
        true => String::new(),
        // The name of a program is written as it is.
        false if !has_own => format!("{}.", parts.join(", ")),
        false => format!("{}.", capitalised(&parts.join(", "))),
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures;
    use crate::test_support::{own_run, point, with_clocks, with_scores};

    #[test]
    fn headline_of_valid_run() {
        let mut record = with_clocks(own_run(), Variant::COLD, vec![point(0, 1_800_000, 1_799_000)]);
        record = with_scores(record, 1420, &[5345, 5370, 5331]);
        assert_eq!(
            headline(&record, &figures(&record), &Explanation::of(&record)),
            "7-zip on all CPUs 5349 MIPS (3 runs, spread 0.7 %), single-threaded 1420 MIPS. Results are valid. \
             Measured clocks match the advertised ones (largest deviation -0.1 %). Throttling cannot be detected: no \
             clocks, cooling devices or throttle counters available."
        );
    }

    #[test]
    fn headline_reasons_are_sorted() {
        // Rules that name four causes.
        let ids = ["clock-below-claim", "thermal-throttling", "governor", "started-busy"];
        let held_back = |(id, percent): (&str, f64)| {
            let rule = rules::of_runs().find(|rule| rule.id.as_str() == id).unwrap();
            Finding::new(rule.id, crate::Severity::Degraded, "{what} held it back.")
                .with("what", Quantity::Text(format!("Cause {percent}")))
                .explains(Some(percent))
        };
        let findings = ids.into_iter().zip([2.0, 17.0, 5.0, 1.5]).map(held_back).collect::<Vec<_>>();
        assert_eq!(
            headline(&own_run(), &[], &Explanation::with(findings.to_vec())),
            "Results are genuine but below what this machine can do (degraded). Cause 17 held it back (costs about 17 \
             % of the score). Cause 5 held it back (costs about 5.0 % of the score). Cause 2 held it back (costs about \
             2.0 % of the score). 1 more reason below."
        );
    }
}
