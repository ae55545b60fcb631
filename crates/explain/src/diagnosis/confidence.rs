//! Confidence of a diagnosis: several independent sources raise it, contradicting findings lower it.

use facts::Finding;
use record::StableSort;

/// Bounds of the confidence of a diagnosis, in percent.
const RANGE_PERCENT: std::ops::RangeInclusive<f64> = 5.0..=99.0;
/// Weight of contradicting findings, relative to their own confidence.
const AGAINST: f64 = 0.5;

/// Confidence in percent. Findings that share a witness count once, with the highest confidence.
pub(super) fn percent<'a>(evidence: &[&'a Finding], against: impl Iterator<Item = &'a Finding>) -> u8 {
    let mut doubt = 1.0;
    let mut counted: Vec<&Finding> = Vec::new();
    let mut by_confidence = evidence.to_vec();
    by_confidence.stable_sort_by_key(|finding| std::cmp::Reverse(finding.confidence_percent));
    for finding in by_confidence {
        let shares = |known: &&Finding| {
            let names_none = known.by.is_empty() && finding.by.is_empty();
            known.by.iter().any(|witness| finding.by.contains(witness)) || names_none && known.rule == finding.rule
        };
        if !counted.iter().any(shares) {
            doubt *= 1.0 - f64::from(finding.confidence_percent) / 100.0;
            counted.push(finding);
        }
    }
    let kept: f64 = against.map(|finding| 1.0 - AGAINST * f64::from(finding.confidence_percent) / 100.0).product();
    let percent = 100.0 * (1.0 - doubt) * kept;
    percent.clamp(*RANGE_PERCENT.start(), *RANGE_PERCENT.end()).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::{EvidenceSource, Severity};
    use record::RuleId;

    #[test]
    fn evidence_of_one_witness_counts_once() {
        let finding =
            |rule: &'static str, sure| Finding::new(RuleId::own(rule), Severity::Degraded, "So.").confidence(sure);
        let check = |evidence: &[Finding], against: &[Finding], expected: u8| {
            let evidence: Vec<&Finding> = evidence.iter().collect();
            assert_eq!(percent(&evidence, against.iter()), expected);
        };
        check(&[finding("a", 80)], &[], 80);
        check(&[finding("a", 80), finding("b", 50)], &[], 90);
        check(&[finding("a", 80), finding("a", 50)], &[], 80);
        let by_scores = |rule| finding(rule, 80).seen_by(EvidenceSource::Scores);
        check(&[by_scores("a"), by_scores("b")], &[], 80);
        check(&[finding("a", 100)], &[], 99);
        check(&[finding("a", 80)], &[finding("b", 50)], 60);
        check(&[], &[], 5);
    }
}
