//! Rule: fewer-dictionaries. 7-zip ran with fewer or smaller dictionaries than usual, or another workload was reduced,
//! so its score differs.

use super::Rule;
use super::place::step_place;
use facts::{Facts, Finding, Quantity, Severity, view};
use record::{RuleId, Step};

pub(super) const RULE: Rule = Rule::new(RuleId::own("fewer-dictionaries"), check);

/// 7-zip's benchmark uses dictionaries of 4, 8, 16 and 32 MiB.
const DICTIONARY_LOG2_USUAL: u32 = 25;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let mut findings = not_comparable(facts);
    let of_7zip = view::compressions(facts).filter(|(_, step, _)| step.not_comparable.is_none());
    let smaller: Vec<(usize, u32)> = of_7zip
        .filter_map(|(index, _, done)| {
            let largest = done.compressing.iter().map(|row| row.dictionary_log2).max()?;
            (largest < DICTIONARY_LOG2_USUAL).then_some((index, largest))
        })
        .collect();
    if let Some((_, largest)) = smaller.iter().min_by_key(|(_, largest)| largest) {
        findings.push(
            Finding::new(
                RULE.id,
                Severity::Info,
                "7-zip used dictionaries up to {largest} instead of {usual} in {runs} runs for lack of memory; the \
                 score is not comparable.",
            )
            .confidence(98)
            .with("largest", mebibytes(*largest))
            .with("usual", mebibytes(DICTIONARY_LOG2_USUAL))
            .with("runs", Quantity::Count(smaller.len() as i64))
            .at_all(smaller.iter().map(|(index, _)| step_place(facts, *index))),
        );
    }
    findings
}

/// Unique pairs of workload and reason, for all variants of a workload.
fn not_comparable(facts: &Facts<'_>) -> Vec<Finding> {
    let mut found: Vec<(&Step, &str, Vec<usize>)> = Vec::new();
    for (index, step) in facts.steps.iter().enumerate() {
        let Some(reason) = step.not_comparable.as_deref() else { continue };
        match found.iter_mut().find(|(known, why, _)| (&known.workload, *why) == (&step.workload, reason)) {
            Some((.., steps)) => steps.push(index),
            None => found.push((step, reason, vec![index])),
        }
    }
    let finding = |(first, reason, steps): (&Step, &str, Vec<usize>)| {
        let is_one_form = steps.iter().all(|step| facts.steps[*step].variant == first.variant);
        let name = if is_one_form { view::step_name(first) } else { first.workload.label().to_owned() };
        Finding::new(RULE.id, Severity::Info, "{step} is not comparable with other results: {reason}.")
            .confidence(99)
            .with("step", Quantity::Text(name))
            .with("reason", Quantity::Text(reason.trim_end_matches('.').to_owned()))
            .at_all(steps.into_iter().map(|step| step_place(facts, step)))
    };
    found.into_iter().map(finding).collect()
}

fn mebibytes(log2: u32) -> Quantity {
    Quantity::Kib((1_u64 << log2.min(40)) / 1024)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{own_run, with_step};
    use crate::tests::sentences;
    use record::{Compression, DictionaryRow, Record, StepMeasurement, Variant, WorkloadId};

    fn run(dictionaries: std::ops::RangeInclusive<u32>) -> Record {
        let rows = dictionaries.map(|dictionary_log2| DictionaryRow {
            dictionary_log2,
            kib_per_s: 1,
            usage_percent: 100,
            rating_per_usage_mips: 1,
            rating_mips: 1,
        });
        let done = StepMeasurement::Compression(Compression { compressing: rows.collect(), ..Compression::default() });
        with_step(own_run(), WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 1.0), done)
    }

    #[test]
    fn fewer_dictionaries_are_named() {
        assert_eq!(
            sentences(RULE.id, &run(22..=23)),
            [
                "7-zip used dictionaries up to 8192 KiB instead of 32 MiB in 1 runs for lack of memory; the score is not \
              comparable."
            ]
        );
        assert_eq!(sentences(RULE.id, &run(22..=25)), [""; 0]);
    }

    #[test]
    fn reason_in_the_record_is_passed_on_once() {
        let mut record = run(22..=23);
        record.steps[0].not_comparable = Some("dictionaries of 2 MiB to fit 200 MiB.".into());
        record.steps.push(record.steps[0].clone());
        assert_eq!(
            sentences(RULE.id, &record),
            ["7-zip on all CPUs is not comparable with other results: dictionaries of 2 MiB to \
              fit 200 MiB."]
        );
        record.steps[1].variant = Variant::SINGLE;
        let found = sentences(RULE.id, &record);
        assert!(found[0].starts_with("7-zip is not comparable with other results: dictionaries"), "{found:?}");
    }
}
