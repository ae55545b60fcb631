//! Logs without one or two of their sections: the verdict gets no better, and no claim survives its evidence.

use super::{Judgement, Table};
use explain::explain;
use facts::{EvidenceSource, Verdict};
use record::{Fact, Record, Step, Variant, WorkloadId};

pub(super) fn is_clock(step: &Step) -> bool {
    step.workload.id() == Some(WorkloadId::Clock)
}

/// A section of a log, and the findings based on it.
struct Section {
    name: &'static str,
    remove: fn(&mut Record),
    rests: fn(&EvidenceSource) -> bool,
}

const SECTIONS: &[Section] = &[
    Section {
        name: "monitoring",
        remove: |record| record.samples = record::Samples::default(),
        rests: |by| {
            let is_channel = matches!(by, EvidenceSource::ClaimedClock(_) | EvidenceSource::FirmwareClock(_));
            is_channel
                || matches!(
                    by,
                    EvidenceSource::Temperature(_)
                        | EvidenceSource::CoolingDevice(_)
                        | EvidenceSource::ThrottleCounter(_)
                )
        },
    },
    Section {
        name: "clocks before",
        remove: |record| record.steps.retain(|step| !(is_clock(step) && step.variant == Variant::COLD)),
        rests: |by| matches!(by, EvidenceSource::MeasuredClock(pass) if *pass == Variant::COLD),
    },
    Section {
        name: "clocks after",
        remove: |record| record.steps.retain(|step| !is_clock(step) || step.variant == Variant::COLD),
        rests: |by| matches!(by, EvidenceSource::MeasuredClock(pass) if *pass != Variant::COLD),
    },
    Section {
        name: "memory",
        remove: |record| record.steps.retain(|step| !step.workload.is_of_memory()),
        rests: |_| false,
    },
    Section {
        name: "OpenSSL",
        remove: |record| record.steps.retain(|step| step.workload.id() != Some(WorkloadId::OpenSsl)),
        rests: |_| false,
    },
    Section {
        name: "7-zip",
        remove: |record| record.steps.retain(|step| step.workload.id() != Some(WorkloadId::SevenZip)),
        rests: |_| false,
    },
    Section { name: "states", remove: |record| record.states.clear(), rests: |_| false },
    Section {
        name: "kernel messages",
        remove: |record| record.kernel_messages = Fact::Known(Vec::new()),
        rests: |by| matches!(by, EvidenceSource::KernelLog),
    },
    Section {
        name: "validation",
        remove: |record| {
            if let record::Source::Log(log) = &mut record.source {
                log.verdicts.clear();
            }
        },
        rests: |by| matches!(by, EvidenceSource::LogSays),
    },
];

/// Judges a Record without sections: the verdict is no better, and no finding uses a removed section.
fn judge_without(name: &str, record: &Record, own: Verdict, sections: &[&Section]) -> Judgement {
    let mut less = record.clone();
    sections.iter().for_each(|section| (section.remove)(&mut less));
    if less == *record {
        return Judgement::Right;
    }
    let after = explain(&less);
    let found = after.assessment.verdict;
    let names: Vec<&str> = sections.iter().map(|section| section.name).collect();
    let name = format!("{name} without {}", names.join(" and "));
    // Without scores there is no verdict to judge.
    let has_scores = !after.assessment.scores.is_empty();
    if has_scores && found == Verdict::Valid && own != Verdict::Valid {
        return Judgement::Wrong(format!("{name}: {found} instead of {own}"));
    }
    let claim = after.assessment.findings.iter().find(|finding| {
        finding.unseen.is_none() && finding.by.iter().any(|by| sections.iter().any(|section| (section.rests)(by)))
    });
    match claim {
        Some(finding) => Judgement::Wrong(format!("{name}: {}", finding.sentence())),
        None => Judgement::Right,
    }
}

/// Adds findings without each section and each pair of sections.
pub(super) fn check(name: &str, record: &Record, own: Verdict, table: &mut Table) {
    for (index, first) in SECTIONS.iter().enumerate() {
        table.add("one section removed", judge_without(name, record, own, &[first]));
        for second in &SECTIONS[index + 1..] {
            table.add("two sections removed", judge_without(name, record, own, &[first, second]));
        }
    }
}
