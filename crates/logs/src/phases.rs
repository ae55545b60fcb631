//! Workloads of the monitoring phases, including workloads without any other trace in the log.

use super::draft::{Draft, step};
use record::{Failure, FailureKind, Outcome, Variant, WorkloadId};

/// Prefixes of phase names; the first match wins. A variant here excludes all others.
static PHASES: [(&str, WorkloadId, Option<Variant>); 10] = [
    ("ramlat", WorkloadId::MemoryLatency, Some(Variant::RAMLAT)),
    ("tinymembench", WorkloadId::MemoryBandwidth, None),
    ("parallel OpenSSL", WorkloadId::OpenSsl, None),
    ("OpenSSL", WorkloadId::OpenSsl, None),
    ("7-zip single core", WorkloadId::SevenZip, Some(Variant::SINGLE)),
    ("7-zip cluster", WorkloadId::SevenZip, Some(Variant::CORE_TYPE)),
    ("7-zip multi core", WorkloadId::SevenZip, Some(Variant::MULTI)),
    (WorkloadId::Cpuminer.as_str(), WorkloadId::Cpuminer, None),
    (WorkloadId::Stockfish.as_str(), WorkloadId::Stockfish, None),
    (WorkloadId::StressNg.as_str(), WorkloadId::StressNg, None),
];

/// Prefix of the name of the phase in which a step ran.
pub(super) fn name_of(workload: Option<WorkloadId>, variant: &Variant) -> &'static str {
    use WorkloadId::{Cpuminer, CpuminerPerCpu, MemoryBandwidth, MemoryLatency, MemoryLibc, OpenSsl};
    let workload = match workload {
        Some(MemoryLatency) if variant.is_tinymembench() => Some(MemoryBandwidth),
        Some(MemoryLatency) => return "ramlat",
        Some(MemoryLibc) => Some(MemoryBandwidth),
        Some(CpuminerPerCpu) => Some(Cpuminer),
        Some(OpenSsl) if !variant.is_parallel() => return "OpenSSL",
        other => other,
    };
    let fits = |(_, id, of): &&(&str, WorkloadId, Option<Variant>)| {
        Some(*id) == workload && of.as_ref().is_none_or(|of| of == variant)
    };
    PHASES.iter().find(fits).map_or("nothing of that name", |(name, ..)| *name)
}

/// Adds a failed step for each workload that was monitored but left no result line. A phase of one row proves nothing:
/// the first row is sampled before the workload. On a machine with one CPU the scripts skip runs pinned to one core.
pub(super) fn add_lost_steps(draft: &mut Draft, cpu_count: u32) {
    // A log without its beginning may have lost its scores.
    if draft.log.version.is_empty() && draft.machine.distribution.known().is_none() {
        return;
    }
    let mut lost = Vec::new();
    for (index, phase) in draft.phases.iter().enumerate() {
        let Some((start, workload, variant)) = PHASES.iter().find(|(start, ..)| phase.name.starts_with(start)) else {
            continue;
        };
        // Some versions print a parallel run as an ordinary result of its workload.
        let has_step = draft.steps.iter().any(|step| match variant {
            Some(_) => name_of(step.workload.id(), &step.variant) == *start,
            None => step.workload == *workload || name_of(step.workload.id(), &step.variant) == *start,
        });
        let line = draft.rows.iter().find(|row| row.phase == index && !row.first).map(|row| row.line);
        let is_single = variant.as_ref() == Some(&Variant::SINGLE);
        let (false, Some(line), false) = (has_step, line, is_single && cpu_count == 1) else { continue };
        let failure = Failure {
            kind: FailureKind::Garbled,
            message: Failure::NOT_IN_LOG.to_string(),
            output_tail: String::new(),
            exit_status: None,
        };
        let variant = variant.clone().unwrap_or(Variant::ONLY);
        lost.push(step(*workload, 0, variant, Outcome::Failed(failure), line));
    }
    lost.into_iter().for_each(|step| draft.push(step));
}
