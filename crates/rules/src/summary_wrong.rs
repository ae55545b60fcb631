//! Rule: summary-wrong. The summary line of a log does not say what its own tables say.
//!
//! Columns: name, clock, kernel, distribution, 7-zip multi, 7-zip single or AES-128 (it changed),
//! AES-256, memcpy, memset, kH/s. Only columns that never changed their meaning are checked.

use super::Rule;
use facts::stats::mean;
use facts::{Facts, Finding, Place, Quantity, Severity, view};
use record::{Outcome, RuleId, Source, StepMeasurement, Variant};

pub(super) const RULE: Rule = Rule::new(RuleId::own("summary-wrong"), check);

/// Columns between the bars, counted from the name.
const CLOCK: usize = 0;
const SEVENZIP_MULTI: usize = 3;
const AES_256: usize = 5;

/// Printed values are rounded to tens, and some are means of two runs.
const ROUNDING_PERCENT: f64 = 5.0;
/// Clocks in MHz above this are in kHz: no CPU reaches 20 GHz.
const MHZ_MAX: f64 = 20_000.0;
/// Block size of the AES column.
const AES_BLOCK_BYTES: u32 = 16_384;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let Source::Log(log) = &facts.source else { return Vec::new() };
    let Some(summary) = &log.summary else {
        return Vec::new();
    };
    let columns: Vec<&str> = summary.text.split('|').map(str::trim).skip(2).collect();
    let found = [
        clock(columns.get(CLOCK)),
        sevenzip(facts, number(columns.get(SEVENZIP_MULTI))),
        aes(facts, number(columns.get(AES_256))),
    ];
    let line = Place::Line(summary.line);
    found.into_iter().flatten().map(|finding| finding.at(line.clone())).collect()
}

fn number(column: Option<&&str>) -> Option<f64> {
    column?.parse().ok()
}

fn clock(column: Option<&&str>) -> Option<Finding> {
    let mhz = column?.trim_start_matches('~').strip_suffix("MHz")?.trim();
    let printed: Vec<f64> = mhz.split('/').filter_map(|mhz| mhz.trim().parse().ok()).collect();
    let largest = printed.iter().copied().reduce(f64::max).filter(|mhz| *mhz > MHZ_MAX)?;
    Some(
        wrong("The summary line says {printed}; the unit should be kHz.")
            .with("printed", Quantity::numbers(printed, "MHz", 0))
            .with("clock", Quantity::Khz(largest as u32)),
    )
}

fn sevenzip(facts: &Facts<'_>, printed: Option<f64>) -> Option<Finding> {
    let totals: Vec<f64> = facts.multi_totals().iter().map(|(_, mips)| *mips).collect();
    let single = view::compressions(facts).map(|(_, _, done)| f64::from(done.total_mips));
    // On one CPU the single-threaded run counts. Elsewhere it is not a score of all CPUs: if their runs failed, the
    // summary rightly has none.
    let only = single.reduce(f64::max).filter(|_| view::cpu_count(facts) == Some(1));
    let expected = mean(&totals).or(only)?;
    let printed = printed.filter(|printed| differs(*printed, expected))?;
    Some(
        wrong("The summary line says {printed} for multi-core 7-zip; the runs give {expected}.")
            .with("printed", Quantity::Mips(printed))
            .with("expected", Quantity::Mips(expected)),
    )
}

fn aes(facts: &Facts<'_>, printed: Option<f64>) -> Option<Finding> {
    let kb_per_s = |step: &record::Step| match &step.outcome {
        Outcome::Done(StepMeasurement::Cipher(cipher)) if step.variant == Variant::AES_256_CBC => {
            let row = cipher.rows.iter().rev().find(|(block, _)| *block <= AES_BLOCK_BYTES)?;
            Some(row.1 as f64 / 1000.0)
        }
        _ => None,
    };
    let expected = facts.steps.iter().filter_map(kb_per_s).reduce(f64::max)?;
    let printed = printed.filter(|printed| differs(*printed, expected))?;
    let template = if printed == 0.0 {
        "The summary line says 0 for AES-256; the table says {expected} (OpenSSL printed fewer columns)."
    } else if printed > expected {
        let sum = facts.steps.iter().filter_map(kb_per_s).fold(0.0, |sum, rate| sum + rate);
        if differs(printed, sum) {
            "The summary line says {printed} for AES-256; the table has at most {expected}."
        } else {
            "The summary line says {printed} for AES-256; the table has at most {expected} (rows of several clusters \
                 were added)."
        }
    } else {
        "The summary line says {printed} for AES-256; the fastest CPUs reach {expected}."
    };
    let score = |value| Quantity::Score(value, "kB/s".into());
    Some(wrong(template).with("printed", score(printed)).with("expected", score(expected)))
}

fn differs(printed: f64, expected: f64) -> bool {
    100.0 * (printed - expected).abs() > ROUNDING_PERCENT * expected
}

fn wrong(template: &'static str) -> Finding {
    Finding::new(RULE.id, Severity::Info, template).confidence(95)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::*;
    use crate::tests::sentences;
    use record::{Cipher, LogLine, Record, Source, StepMeasurement, Variant, WorkloadId};

    fn run(summary: &str) -> Record {
        let mut record = log("0.9.9");
        for (cpu, rate) in [(0, 703_594_500), (3, 1_145_028_610)] {
            let cipher = StepMeasurement::Cipher(Cipher {
                algorithm: Variant::AES_256_CBC.to_string(),
                rows: vec![(16, 1), (16_384, rate)],
            });
            record = with_step(record, WorkloadId::OpenSsl, Variant::AES_256_CBC, &[cpu], (0.0, 1.0), cipher);
        }
        record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (1.0, 2.0), compression(6970));
        if let Source::Log(log) = &mut record.source {
            log.summary = Some(LogLine { line: 811, text: summary.into() });
        }
        record
    }

    /// Killed runs on all CPUs: the 0 in the summary is right, and the score of one core does not replace it.
    #[test]
    fn a_score_of_one_core_is_none_of_all_cpus() {
        let run = |cpus: usize| {
            let mut record = log("0.9.8");
            record.machine.cpus.truncate(cpus);
            record = with_step(record, WorkloadId::SevenZip, Variant::SINGLE, &[0], (1.0, 2.0), compression(1317));
            if let Source::Log(log) = &mut record.source {
                let text = "| B | 1800 MHz | 4.14 | X | 0 | 231750 | 0 | 2170 | 9440 | - |".into();
                log.summary = Some(LogLine { line: 652, text });
            }
            sentences(RULE.id, &record).len()
        };
        assert_eq!((run(1), run(4)), (1, 0));
    }

    #[test]
    fn every_kind_of_wrong_number_is_named() {
        for (summary, expected) in [
            ("| B | 2016/1512 MHz | 5.10 | Focal arm64 | 6970 | 255390 | 1145030 | 2450 | 6190 | - |", vec![]),
            (
                "| B | 1907200 MHz | 4.9 | Focal arm64 | 6970 | 1 | 1145030 | 1 | 1 | - |",
                vec!["The summary line says 1907200 MHz; the unit should be kHz."],
            ),
            (
                "| B | 1000 MHz | 5.10 | X | 150 | 10450 | 1145030 | 430 | 1670 | - |",
                vec!["The summary line says 150 MIPS for multi-core 7-zip; the runs give 6970 MIPS."],
            ),
            (
                "| B | 2016 MHz | 5.10 | X | 6970 | 1 | 924310 | 2450 | 6190 | 11.36 | []() |",
                vec!["The summary line says 924310 kB/s for AES-256; the fastest CPUs reach 1145029 kB/s."],
            ),
            (
                "| B | 2016 MHz | 5.10 | X | 6970 | 1 | 1848620 | 2450 | 6190 | - |",
                vec![
                    "The summary line says 1848620 kB/s for AES-256; the table has at most 1145029 kB/s (rows of \
                     several clusters were added).",
                ],
            ),
            (
                "| B | 1248 MHz | 4.4 | X | 6970 | 629 | 0 | 730 | 2140 | - |",
                vec![
                    "The summary line says 0 for AES-256; the table says 1145029 kB/s (OpenSSL printed fewer columns).",
                ],
            ),
            ("| B |", vec![]),
        ] {
            assert_eq!(sentences(RULE.id, &run(summary)), expected);
        }
    }
}
