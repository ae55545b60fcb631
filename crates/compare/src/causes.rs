//! Likely cause of a difference between two figures, in one sentence.
//!
//! Causes that the figures prove (clock, number of CPUs, AES instructions) come before those that settings and findings
//! suggest.

use super::{End, LikelyDifference, ResultFigures};
use facts::figures::{Figure, FigureKey, core_name};
use facts::number::with_unit;
use facts::view::ScoreKey;
use facts::{Cause, Diagnosis, Effect, ScoreLoss, Tenths};
use record::{Variant, WorkloadId};
use std::collections::BTreeSet;

/// Maximum unexplained rest if a cause accounts for a difference, in percent of the score.
const REST_PERCENT_MAX: f64 = 3.0;
/// Minimum share of a difference that a named cause explains.
const SHARE_MIN: f64 = 0.3;
/// Maximum ratio of the change of the clock to that of a score: memory-bound scores change less than the clock.
const SHARE_MAX: f64 = 2.0;
/// Maximum difference of equal clocks or latencies, in percent.
const SAME_PERCENT: f64 = 2.0;
/// Minimum bytes of AES-256-CBC per clock cycle with AES instructions. In the reference data, software stays below 0.15, and
/// AES instructions start at 0.5; at the clock before a turbo, at 0.27.
const AES_BYTES_PER_CYCLE: f64 = 0.2;
/// Usual deviation from linear scaling of workloads on all CPUs, in percent.
const SCALING_PERCENT: f64 = 15.0;

/// First matching cause that can affect this figure.
pub(super) fn likely(base: End<'_>, other: End<'_>) -> Option<LikelyDifference> {
    type CauseCheck = fn(End<'_>, End<'_>) -> Option<String>;
    const CAUSES: [(Cause, CauseCheck); 10] = [
        (Cause::AesInstructions, aes_instructions),
        (Cause::CoreType, core_type),
        (Cause::ThreadCount, cpu_count),
        (Cause::ClaimedClock, claimed_clock),
        (Cause::Clock, whole_clock),
        (Cause::SlowMemory, memory_latency),
        (Cause::Diagnosis, diagnosis),
        (Cause::Clock, part_of_clock),
        (Cause::SlowMemory, memory_speed),
        (Cause::CLibrary, c_library),
    ];
    let mut possible = CAUSES.iter().filter(|(cause, _)| Effect::of(*cause, base.1.key.workload()).is_some());
    possible.find_map(|(id, sentence)| {
        let detail = || (*id == Cause::CoreType).then(|| score_per_mhz(base, other)).flatten();
        Some(LikelyDifference { id: *id, words: sentence(base, other)?, detail: detail() })
    })
}

/// Ratio of the other figure to the base.
fn ratio(base: &Figure, other: &Figure) -> Option<f64> {
    Some(1.0 + other.gain_percent(base.value)? / 100.0)
}

/// True if two values are equal within `percent`.
fn is_near(a: f64, b: f64, percent: f64) -> bool {
    (a / b - 1.0).abs() * 100.0 <= percent
}

fn core_type(base: End<'_>, other: End<'_>) -> Option<String> {
    let name = |figure: &Figure| figure.core.as_ref()?.core_type.clone();
    let (a, b) = (name(base.1)?, name(other.1)?);
    if a == b {
        return None;
    }
    Some(match cold_clocks(base, other) {
        Some((mhz_a, mhz_b)) => {
            format!("Different core type: {b} at {mhz_b:.0} MHz instead of {a} at {mhz_a:.0} MHz.")
        }
        None => format!("Different core type: {b} instead of {a}."),
    })
}

fn cold_clocks(base: End<'_>, other: End<'_>) -> Option<(f64, f64)> {
    let cold = |end: End<'_>| clock_mhz(end.0, end.1, &Variant::COLD);
    cold(base).zip(cold(other))
}

/// Effect of another core type on a score, without that of the clock.
fn score_per_mhz(base: End<'_>, other: End<'_>) -> Option<String> {
    let (mhz_a, mhz_b) = cold_clocks(base, other).filter(|_| !base.1.key.workload().is_of_memory())?;
    Some(format!("{:.2} times the score per MHz", ratio(base.1, other.1)? * mhz_a / mhz_b))
}

fn cpu_count(base: End<'_>, other: End<'_>) -> Option<String> {
    if base.1.core.is_some() {
        return None;
    }
    let count = |side: &ResultFigures<'_>, figure: &Figure| side.facts.steps[figure.step].threads;
    let (a, b) = (count(base.0, base.1), count(other.0, other.1));
    if a == b || a == 0 || b == 0 {
        return None;
    }
    let cores = |end: End<'_>| {
        let cpus = end.0.facts.machine.clusters.iter().filter_map(|cluster| cluster.cpus.first());
        let names: Option<BTreeSet<String>> = cpus.map(|cpu| core_name(end.0.facts, *cpu)).collect();
        names.filter(|names| !names.is_empty())
    };
    // Thread counts of different cores are not comparable.
    if let Some((mine, theirs)) = cores(base).zip(cores(other)).filter(|(mine, theirs)| mine != theirs) {
        let listed = |names: BTreeSet<String>| names.into_iter().collect::<Vec<_>>().join(" and ");
        return Some(format!("Different CPUs: {b} threads on {} instead of {a} on {}.", listed(theirs), listed(mine)));
    }
    let by_count = f64::from(b) / f64::from(a);
    let rest = ratio(base.1, other.1)? / by_count;
    Some(if is_near(rest, 1.0, SCALING_PERCENT) {
        format!("The thread count ({b} instead of {a}) explains the difference.")
    } else {
        format!(
            "The thread count ({b} instead of {a}) predicts a factor of {by_count:.1}; the score per thread differs \
             by a factor of {rest:.2}."
        )
    })
}

fn aes_instructions(base: End<'_>, other: End<'_>) -> Option<String> {
    let per_cycle = |(side, figure): End<'_>| {
        let is_aes = figure.key.is_form(&Variant::AES_256_CBC) && figure.is_main;
        let mhz = clock_mhz(side, figure, &Variant::COLD).filter(|_| is_aes)?;
        Some(figure.value / mhz / 1000.0)
    };
    let with = |bytes: f64| bytes >= AES_BYTES_PER_CYCLE;
    match (with(per_cycle(base)?), with(per_cycle(other)?)) {
        (true, false) => Some(format!("{} runs AES without AES instructions.", other.0.name)),
        (false, true) => Some(format!("{} runs AES without AES instructions.", base.0.name)),
        _ => None,
    }
}

/// Advertised clocks.
fn claimed_clock(base: End<'_>, other: End<'_>) -> Option<String> {
    let claimed_mhz = |(side, figure): End<'_>| {
        let cpus = &figure.core.as_ref()?.cpus;
        let clocks = side.facts.cluster_clocks(&Variant::COLD);
        let clock = clocks.iter().find(|clock| cpus.contains(&clock.cpu))?;
        clock.claimed_khz.map(|khz| f64::from(khz) / 1000.0)
    };
    let (a, b) = (claimed_mhz(base)?, claimed_mhz(other)?);
    if is_near(a, b, SAME_PERCENT) {
        return Some(format!(
            "Both kernels advertise {a:.0} MHz; firmware, power limits, heat or the board's oscillator cause the \
             difference."
        ));
    }
    let rest = if is_near(b / a, ratio(base.1, other.1)?, SAME_PERCENT) {
        ""
    } else {
        ", but the measured clocks do not match"
    };
    Some(format!("The advertised clock is {b:.0} MHz instead of {a:.0} MHz{rest}."))
}

/// Measured clock of the cluster of a figure, or of the fastest cluster for all CPUs.
fn clock_mhz(side: &ResultFigures<'_>, figure: &Figure, pass: &Variant) -> Option<f64> {
    let cluster = |figure: &Figure| figure.core.as_ref().map(|core| core.cluster);
    let clocks = side.figures.iter().filter(|clock| {
        clock.key.is_of(WorkloadId::Clock)
            && clock.key.is_form(pass)
            && (figure.core.is_none() || cluster(clock) == cluster(figure))
    });
    clocks.map(|clock| clock.value).reduce(f64::max)
}

/// Clocks of both sides: under load if both have them, else cold.
fn clocks_mhz(base: End<'_>, other: End<'_>) -> Option<(f64, f64)> {
    // A clock cannot explain itself.
    let depends = !base.1.key.is_of(WorkloadId::Clock);
    let pair = |pass: &Variant| {
        let a = clock_mhz(base.0, base.1, pass)?;
        let b = clock_mhz(other.0, other.1, pass)?;
        (depends && !is_near(a, b, SAME_PERCENT)).then_some((a, b))
    };
    let passes: &[&Variant] = match base.1.core {
        Some(_) => &[&Variant::COLD],
        None => &[&Variant::HOT_LOADED, &Variant::HOT_AFTER, &Variant::COLD],
    };
    passes.iter().find_map(|pass| pair(pass))
}

fn whole_clock(base: End<'_>, other: End<'_>) -> Option<String> {
    let (a, b) = clocks_mhz(base, other)?;
    is_near(ratio(base.1, other.1)?, b / a, REST_PERCENT_MAX)
        .then(|| format!("The measured clock ({b:.0} MHz instead of {a:.0} MHz) explains the difference."))
}

fn part_of_clock(base: End<'_>, other: End<'_>) -> Option<String> {
    let (a, b) = clocks_mhz(base, other)?;
    let share = (b / a).ln() / ratio(base.1, other.1)?.ln();
    let clocks = format!("The measured clock ({b:.0} MHz instead of {a:.0} MHz)");
    match share {
        SHARE_MIN..1.0 => Some(format!("{clocks} explains about {:.0} % of the difference.", share * 100.0)),
        1.0..SHARE_MAX => Some(format!(
            "{clocks} alone would give {:+.0} %; memory, which has its own clock, reduces the effect.",
            100.0 * (b / a - 1.0)
        )),
        _ => None,
    }
}

/// Compression depends on memory latency, decompression hardly does: memory is the cause if mostly compression differs and
/// latency differs as well.
fn memory_latency(base: End<'_>, other: End<'_>) -> Option<String> {
    let (ns_a, ns_b, at) = latencies(base, other)?;
    let slower = ns_b > ns_a;
    let score = ratio(base.1, other.1)?;
    if slower != (score < 1.0) {
        return None;
    }
    if !base.1.key.is_of(WorkloadId::SevenZip) || base.1.key.name().ends_with("pressing") {
        return None;
    }
    let half = |name: &str| {
        let key = format!("{} {name}", base.1.key);
        let find = |end: End<'_>| {
            let cluster = |figure: &Figure| figure.core.as_ref().map(|core| core.cluster);
            let figures = end.0.figures.iter().filter(|figure| figure.key.as_str() == key);
            figures.filter(|figure| cluster(figure) == cluster(end.1)).map(|figure| figure.value).next()
        };
        Some(find(other)? / find(base)?)
    };
    let (compressing, decompressing) = (half("compressing")?, half("decompressing")?);
    let moved = |ratio: f64| ratio.ln().abs();
    let [ns_a, ns_b] = [ns_a, ns_b].map(|ns| with_unit(ns, "ns"));
    (moved(compressing) > 2.0 * moved(decompressing)).then(|| {
        format!(
            "Memory latency at {at} is {ns_b} instead of {ns_a}: compression, which is latency-bound, \
             changed by {:+.0} %, decompression by {:+.0} %.",
            100.0 * (compressing - 1.0),
            100.0 * (decompressing - 1.0)
        )
    })
}

/// Memory rates that differ along with latency.
fn memory_speed(base: End<'_>, other: End<'_>) -> Option<String> {
    let (ns_a, ns_b, at) = latencies(base, other)?;
    let is_rate = [WorkloadId::MemoryBandwidth, WorkloadId::MemoryLibc].into_iter().any(|id| base.1.key.is_of(id));
    let same_way = (ns_b > ns_a) == (ratio(base.1, other.1)? < 1.0);
    let [ns_a, ns_b] = [ns_a, ns_b].map(|ns| with_unit(ns, "ns"));
    (is_rate && same_way).then(|| format!("Memory latency at {at} differs as well: {ns_b} instead of {ns_a}."))
}

/// Latency of the largest size that both sides measured with the same method, if it differs.
fn latencies(base: End<'_>, other: End<'_>) -> Option<(f64, f64, String)> {
    let cluster = |figure: &Figure| figure.core.as_ref().map(|core| core.cluster);
    // Each core type has its own latencies.
    let of = |(side, of): End<'_>| -> Vec<(FigureKey, f64)> {
        let figures = side.figures.iter().filter(|figure| of.core.is_none() || cluster(figure) == cluster(of));
        let latencies = figures.filter(|figure| figure.key.is_of(WorkloadId::MemoryLatency));
        latencies.map(|figure| (figure.key.clone(), figure.value)).collect()
    };
    let others = of(other);
    let pairs = of(base).into_iter().filter_map(|(key, a)| {
        let (_, b) = others.iter().find(|(known, _)| *known == key)?;
        Some((a, *b, key.name().to_owned()))
    });
    let megabytes = |size: &str| size.trim_end_matches('M').parse::<u32>().unwrap_or(0);
    pairs.max_by_key(|(_, _, size)| megabytes(size)).filter(|(a, b, _)| !is_near(*a, *b, 3.0 * SAME_PERCENT))
}

/// Cause of the largest loss of this score that only the slower side has.
fn diagnosis(base: End<'_>, other: End<'_>) -> Option<String> {
    let (slower, faster) = if ratio(base.1, other.1)? < 1.0 { (other, base) } else { (base, other) };
    let score = |end: End<'_>| end.0.facts.steps.get(end.1.step).map(ScoreKey::of);
    let (of_slower, of_faster) = (score(slower)?, score(faster)?);
    let explained = slower.0.assessment;
    // Heat, power and swap affect loads on all CPUs, and single cores only as far as their ledger says.
    let taken = |diagnosis: &Diagnosis| match explained.loss(diagnosis, &of_slower) {
        ScoreLoss::Unknown if slower.1.core.is_none() => Some(Tenths::default()),
        ScoreLoss::Points { points, .. } => Some(points),
        ScoreLoss::Unknown | ScoreLoss::Nothing => None,
    };
    let is_there = |diagnosis: &&Diagnosis| {
        let mut others = faster.0.assessment.diagnoses.iter();
        !others.any(|other| other.cause == diagnosis.cause && other.holds_for.contains(&of_faster))
    };
    let found = explained.worst_first().into_iter().filter(is_there);
    let found = found.filter_map(|diagnosis| Some((std::cmp::Reverse(taken(diagnosis)?), diagnosis)));
    let (_, worst) = found.min_by_key(|(taken, _)| *taken)?;
    Some(format!("In {}: {}", slower.0.name, explained.findings[worst.root].sentence()))
}

/// Differing C libraries: each has its own `memcpy` and `memset`.
fn c_library(base: End<'_>, other: End<'_>) -> Option<String> {
    let name = |end: End<'_>| end.0.facts.machine.distribution.known().cloned();
    let (a, b) = (name(base)?, name(other)?);
    (a != b).then(|| format!("memcpy and memset are from the C library, which may differ between {a} and {b}."))
}
