//! Waits for memory: moving swap costs nothing unless a workload waits for it.

use super::halves::{Difference, differs};
use super::is_log;
use super::phases::Phase;
use super::samples::counter_total;
use crate::Facts;
use crate::stats::mean;
use record::{ChannelId, Outcome, Record, Resource, StallKind, WorkloadId};

/// Evidence, and its phase.
#[derive(Debug, Clone, PartialEq)]
pub struct CpuWait {
    /// Steps of the phases with waits: indices in `Record::steps`.
    pub steps: Vec<usize>,
    /// Name of the worst of them.
    pub phase: String,
    /// Highest share of CPU time waited for storage, in percent.
    pub iowait_percent: f64,
    /// Highest share of CPU time that the kernel used, in percent.
    pub system_percent: f64,
    /// Time of the first evidence.
    pub first_ms: i64,
    /// Time of the last evidence.
    pub last_ms: i64,
}

impl CpuWait {
    /// True if rows show waiting or kernel time; false if only CPU use differs between runs.
    pub fn is_in_rows(&self) -> bool {
        self.iowait_percent.max(self.system_percent) >= 1.0
    }
}

/// On all CPUs, one row of a log or one second suffices: the workload itself does not wait there.
const IOWAIT_PERCENT: f64 = 5.0;
/// Compressed swap takes CPU time of the kernel; page faults of 7-zip alone take 1 to 5 %.
const SYSTEM_PERCENT: f64 = 10.0;
/// In a phase on one CPU other tasks may wait for storage, so the mean counts.
const SINGLE_PERCENT: f64 = 5.0;
/// Share of the time in which all tasks were stalled because of memory (PSI).
const STALLED_PERCENT: f64 = 2.0;

/// Evidence that compression waited for memory.
pub(crate) fn waited_for_memory(facts: &Facts<'_>) -> Option<CpuWait> {
    let phases = facts.phases();
    let compressing = || phases.iter().filter(|phase| phase.workload.id().is_some_and(WorkloadId::is_main));
    let mut found: Option<CpuWait> = None;
    for phase in compressing() {
        let Some(of_phase) = in_rows(facts, phase).or_else(|| stalled(facts, phase)) else {
            continue;
        };
        found = Some(match found {
            None => of_phase,
            Some(known) => together(known, of_phase),
        });
    }
    found.or_else(|| compressing().find(|phase| phase.busy_cpus > 1).and_then(|phase| by_use(facts, phase)))
}

fn together(a: CpuWait, b: CpuWait) -> CpuWait {
    let phase =
        if b.iowait_percent + b.system_percent > a.iowait_percent + a.system_percent { b.phase } else { a.phase };
    CpuWait {
        steps: [a.steps, b.steps].concat(),
        phase,
        iowait_percent: a.iowait_percent.max(b.iowait_percent),
        system_percent: a.system_percent.max(b.system_percent),
        first_ms: a.first_ms.min(b.first_ms),
        last_ms: a.last_ms.max(b.last_ms),
    }
}

fn in_rows(facts: &Facts<'_>, phase: &Phase) -> Option<CpuWait> {
    let uses = facts.cpu_use(&phase.window);
    let of = |value: fn(&super::CpuUse) -> f64| uses.iter().map(value).collect::<Vec<f64>>();
    let (iowait, system) = (of(|row| row.iowait), of(|row| row.system));
    let high = uses.iter().filter(|row| row.iowait >= IOWAIT_PERCENT || row.system >= SYSTEM_PERCENT);
    let times: Vec<i64> = high.map(|row| row.at_ms).collect();
    let is_held = if phase.busy_cpus > 1 {
        // Own runs start and end their steps within a second, which has much of the kernel's work.
        !times.is_empty() && (is_log(facts) || times.len() > 1)
    } else {
        mean(&iowait)? >= SINGLE_PERCENT || (!times.is_empty() && has_failed(facts, phase))
    };
    is_held.then(|| CpuWait {
        steps: phase.steps.clone(),
        phase: phase.name.clone(),
        iowait_percent: iowait.into_iter().fold(0.0, f64::max),
        system_percent: system.into_iter().fold(0.0, f64::max),
        first_ms: times.first().copied().unwrap_or(phase.window.start_ms),
        last_ms: times.last().copied().unwrap_or(phase.window.end_ms),
    })
}

fn has_failed(record: &Record, phase: &Phase) -> bool {
    phase.steps.iter().any(|step| matches!(record.steps[*step].outcome, Outcome::Failed(_)))
}

fn stalled(record: &Record, phase: &Phase) -> Option<CpuWait> {
    let channel = record.samples.channel(&ChannelId::Pressure(Resource::Memory, StallKind::Full))?;
    let us = counter_total(record, channel, phase.window)?;
    let percent = us as f64 / 10.0 / phase.window.elapsed_ms().max(1) as f64;
    (percent >= STALLED_PERCENT).then(|| whole(phase))
}

/// Compression that used less of the CPUs in some runs, while decompression, which needs no memory, did not.
fn by_use(facts: &Facts<'_>, phase: &Phase) -> Option<CpuWait> {
    (differs(facts.halves()) == Difference::CompressionUse).then(|| whole(phase))
}

fn whole(phase: &Phase) -> CpuWait {
    CpuWait {
        steps: phase.steps.clone(),
        phase: phase.name.clone(),
        iowait_percent: 0.0,
        system_percent: 0.0,
        first_ms: phase.window.start_ms,
        last_ms: phase.window.end_ms,
    }
}
