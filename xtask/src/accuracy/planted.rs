//! Comparisons of valid logs, unchanged and with planted defects.

use super::{Judgement, Subject, Table};
use compare::rank;
use compare::reference::Reference;
use facts::{Cause, Verdict};
use record::{Fact, Latency, Outcome, Record, Step, StepMeasurement, WorkloadId};

/// Minimum number of other results with the same SoC.
const OTHERS_MIN: usize = 3;

/// A defect as figures show it.
struct Defect {
    row: &'static str,
    right: &'static [Cause],
    /// Changes the result; false if no figure would show the defect.
    plant: fn(&mut Record) -> bool,
}

const DEFECTS: [Defect; 5] = [
    Defect { row: "comparison: DRAM at half rate", right: &[Cause::DramClock, Cause::SlowMemory], plant: slow_dram },
    Defect { row: "comparison: one cluster capped", right: &[Cause::ClockLimit, Cause::Clock], plant: capped_cluster },
    Defect { row: "comparison: 32-bit userland", right: &[Cause::Userland], plant: narrow_userland },
    Defect { row: "comparison: kernel without OPPs", right: &[Cause::NoOpps], plant: no_opps },
    Defect {
        row: "comparison: one memory channel",
        right: &[Cause::MemoryChannels, Cause::SlowMemory],
        plant: one_channel,
    },
];

/// Planted defects whose cause a comparison names first, and a sound result that it calls lower.
pub(super) fn check(subject: &Subject, table: &mut Table) {
    let Subject { name, explained, .. } = subject;
    let others_known = without(name);
    let ranking = rank(explained, &others_known);
    let multi = ranking.entries.iter().find(|entry| entry.figure.core.is_none());
    let others = multi.and_then(|entry| entry.same_soc.as_ref()).map_or(0, |standing| standing.of - 1);
    if ranking.verdict != Verdict::Valid || others < OTHERS_MIN {
        return;
    }
    // The others have a higher clock: no values are usual for this one.
    if ranking.answer.causes.iter().any(|cause| cause.id == Cause::HighestOpp) {
        return;
    }
    let is_lower = !ranking.answer.gaps.is_empty();
    let lower = is_lower.then(|| format!("{name}: {}", ranking.answer.sentence));
    table.add_defect("comparison: sound results", lower);
    for defect in DEFECTS.iter().filter(|_| !is_lower) {
        let mut record = Record::clone(&explained.facts);
        if !(defect.plant)(&mut record) {
            continue;
        }
        let answer = rank(&explain::explain(record), &others_known).answer;
        let judgement = match answer.causes.first().map(|cause| cause.id) {
            Some(first) if defect.right.contains(&first) => Judgement::Right,
            Some(_) => Judgement::Wrong(format!("{name}: {}", answer.sentence)),
            None if answer.gaps.is_empty() => Judgement::Missing,
            None => Judgement::Refused,
        };
        table.add(defect.row, judgement);
    }
}

/// Reference data without the row of this log, which a planted defect would make another result of the same board.
fn without(log: &str) -> Reference {
    let others = Reference::builtin().rows().filter(|row| row.source.strip_suffix(".txt") != Some(log));
    Reference::of(others.cloned().collect())
}

/// Multiplies the figures of each step. Returns whether any changed.
fn change(record: &mut Record, factor: impl Fn(&Step) -> f64) -> bool {
    let mut is_changed = false;
    for step in &mut record.steps {
        let factor = factor(step);
        if (factor - 1.0).abs() < f64::EPSILON {
            continue;
        }
        is_changed = true;
        let Outcome::Done(measured) = &mut step.outcome else { continue };
        let mips = |value: &mut u32| *value = (f64::from(*value) * factor) as u32;
        match measured {
            StepMeasurement::Compression(done) => {
                [&mut done.total_mips, &mut done.compressing_mips, &mut done.decompressing_mips]
                    .into_iter()
                    .for_each(mips);
            }
            StepMeasurement::Cipher(cipher) => {
                cipher.rows.iter_mut().for_each(|row| row.1 = (row.1 as f64 * factor) as u64)
            }
            StepMeasurement::Bandwidth(bandwidth) => {
                let rates = bandwidth.rows.iter_mut().flat_map(|row| &mut row.bytes_per_s);
                rates.for_each(|rate| *rate = (*rate as f64 * factor) as u64);
            }
            StepMeasurement::Latency(latency) => slower(latency, factor),
            StepMeasurement::Series(series) => series.values.iter_mut().for_each(|value| *value *= factor),
            StepMeasurement::Clock(clocks) => {
                for point in &mut clocks.points {
                    point.readings_khz.iter_mut().for_each(mips);
                    point.printed_mhz.iter_mut().for_each(mips);
                }
            }
            _ => {}
        }
    }
    is_changed
}

/// Raises latency beyond the caches.
fn slower(latency: &mut Latency, factor: f64) {
    for row in latency.rows.iter_mut().filter(|row| row.size_bytes >= 4 << 20) {
        row.ns.iter_mut().flatten().for_each(|ns| *ns *= factor);
    }
}

fn has(record: &Record, workload: WorkloadId) -> bool {
    let mut steps = record.steps_of(workload);
    steps.any(|step| matches!(step.outcome, Outcome::Done(_)))
}

fn has_memory(record: &Record) -> bool {
    let has_rate = has(record, WorkloadId::MemoryBandwidth) || has(record, WorkloadId::MemoryLibc);
    has_rate && has(record, WorkloadId::MemoryLatency)
}

/// Bandwidth follows the clock of the DRAM, latency half of it, 7-zip less.
fn slow_dram(record: &mut Record) -> bool {
    has_memory(record)
        && change(record, |step| match step.workload.id() {
            Some(WorkloadId::MemoryBandwidth | WorkloadId::MemoryLibc) => 0.52,
            Some(WorkloadId::MemoryLatency) => 1.5,
            Some(WorkloadId::SevenZip) if step.variant.is_multi_of_any_kind() => 0.82,
            Some(WorkloadId::SevenZip) => 0.87,
            Some(WorkloadId::Cpuminer) => 0.97,
            _ => 1.0,
        })
}

fn one_channel(record: &mut Record) -> bool {
    has_memory(record)
        && change(record, |step| match step.workload.id() {
            Some(WorkloadId::MemoryBandwidth | WorkloadId::MemoryLibc) => 0.52,
            Some(WorkloadId::MemoryLatency) => 1.02,
            Some(WorkloadId::SevenZip) if step.variant.is_multi_of_any_kind() => 0.9,
            _ => 1.0,
        })
}

/// Lowers the clock of these CPUs, and the scores with it.
fn slow_clock(record: &mut Record, cpus: &[u32], factor: f64) -> bool {
    if !has(record, WorkloadId::Clock) {
        return false;
    }
    let share = cpus.len() as f64 / record.machine.cpus.len().max(1) as f64;
    let is_here = |step: &Step| step.cpus.first().is_some_and(|cpu| cpus.contains(cpu));
    // One clock step covers all clusters.
    for step in record.steps.iter_mut().filter(|step| step.workload == WorkloadId::Clock) {
        if let Outcome::Done(StepMeasurement::Clock(clocks)) = &mut step.outcome {
            for point in clocks.points.iter_mut().filter(|point| cpus.contains(&point.cpu)) {
                let scaled = |khz: &mut u32| *khz = (f64::from(*khz) * factor) as u32;
                point.readings_khz.iter_mut().for_each(scaled);
                point.printed_mhz.iter_mut().for_each(scaled);
            }
        }
    }
    change(record, |step| match step.workload.id() {
        Some(WorkloadId::Clock) => 1.0,
        _ if step.variant.is_multi_of_any_kind() || step.cpus.is_empty() => 1.0 - share + share * factor.powf(0.85),
        Some(WorkloadId::SevenZip) if is_here(step) => factor.powf(0.9),
        Some(WorkloadId::OpenSsl) if is_here(step) => factor,
        _ => 1.0,
    })
}

/// Caps the cluster with the highest clock at 60 %.
fn capped_cluster(record: &mut Record) -> bool {
    let Some(policy) = record.machine.policies.iter_mut().max_by_key(|policy| policy.clock_khz_max.known().copied())
    else {
        return false;
    };
    let Some(khz) = policy.clock_khz_max.known().copied() else {
        return false;
    };
    policy.limit_khz_max = Fact::Known(khz / 10 * 6);
    let cpus = policy.cpus.clone();
    slow_clock(record, &cpus, 0.6)
}

fn no_opps(record: &mut Record) -> bool {
    let cpus: Vec<u32> = record.machine.cpus.iter().map(|cpu| cpu.cpu).collect();
    record.machine.policies.clear();
    slow_clock(record, &cpus, 0.6)
}

fn narrow_userland(record: &mut Record) -> bool {
    let cores = record.machine.clusters.iter().filter_map(|cluster| cluster.core_type.known());
    let is_wide =
        cores.into_iter().any(|core| ["A53", "A55", "A72", "A73", "A76"].iter().any(|name| core.ends_with(name)));
    record.machine.userland_arch = Fact::Known("armhf".into());
    is_wide
        && change(record, |step| match step.workload.id() {
            Some(WorkloadId::SevenZip) => 0.78,
            Some(WorkloadId::OpenSsl) => 0.9,
            _ => 1.0,
        })
}
