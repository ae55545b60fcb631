//! Likely cause of a difference between two figures, in one sentence.
//!
//! Causes that the figures prove (clock, number of CPUs, AES instructions) come before those that settings and findings
//! suggest.

use super::{End, LikelyDifference, ResultFigures};
use facts::figures::{Figure, FigureKey, core_name};
use facts::number::with_unit;
use facts::view::ScoreKey;
use facts::{Cause, Diagnosis, Effect, Limiter, ScoreLoss, Tenths};
use record::{StableSort, Variant, WorkloadId};
use std::collections::BTreeMap;

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
    type CauseCheck = fn(End<'_>, End<'_>) -> Option<Explains>;
    const CAUSES: [(Cause, CauseCheck); 10] = [
        (Cause::AesInstructions, aes_instructions),
        (Cause::CoreType, core_type),
        (Cause::ThreadCount, cpu_count),
        (Cause::ClaimedClock, claimed_clock),
        (Cause::Clock, whole_clock),
        (Cause::SlowMemory, memory_latency),
        (Cause::Diagnosis, diagnosis),
        (Cause::Clock, part_of_clock),
        (Cause::SlowMemory, memory_rate),
        (Cause::CLibrary, c_library),
    ];
    let mut possible = CAUSES.iter().filter(|(cause, _)| Effect::of(*cause, base.1.key.workload()).is_some());
    possible.find_map(|(id, explains)| {
        let Explains { words, detail } = explains(base, other)?;
        Some(LikelyDifference { id: *id, words, detail })
    })
}

/// Explanation of a difference.
struct Explains {
    /// Cause with its evidence: equal for all figures that it explains.
    words: String,
    /// Effect on this figure.
    detail: Option<String>,
}

impl From<String> for Explains {
    fn from(words: String) -> Self {
        Self { words, detail: None }
    }
}

/// Ratio of the other figure to the base.
fn ratio(base: &Figure, other: &Figure) -> Option<f64> {
    Some(1.0 + other.gain_percent(base.value)? / 100.0)
}

/// True if two values are equal within `percent`.
fn is_near(a: f64, b: f64, percent: f64) -> bool {
    (a / b - 1.0).abs() * 100.0 <= percent
}

fn core_type(base: End<'_>, other: End<'_>) -> Option<Explains> {
    let name = |figure: &Figure| figure.core.as_ref()?.core_type.clone();
    let (a, b) = (name(base.1)?, name(other.1)?);
    if a == b {
        return None;
    }
    let words = match cold_clocks(base, other) {
        Some((mhz_a, mhz_b)) => {
            format!("Different core type: {b} at {mhz_b:.0} MHz instead of {a} at {mhz_a:.0} MHz.")
        }
        None => format!("Different core type: {b} instead of {a}."),
    };
    Some(Explains { words, detail: score_per_mhz(base, other) })
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

fn cpu_count(base: End<'_>, other: End<'_>) -> Option<Explains> {
    if base.1.core.is_some() {
        return None;
    }
    let count = |side: &ResultFigures<'_>, figure: &Figure| side.facts.steps[figure.step].threads;
    let (a, b) = (count(base.0, base.1), count(other.0, other.1));
    if a == 0 || b == 0 {
        return None;
    }
    // Thread counts of different cores are not comparable.
    let is_other =
        |(mine, theirs): &(CoreCounts, CoreCounts)| mine.keys().ne(theirs.keys()) || (a == b && mine != theirs);
    if let Some((mine, theirs)) = core_counts(base).zip(core_counts(other)).filter(is_other) {
        let listed = |counts: CoreCounts| {
            counts.iter().map(|(name, count)| format!("{count}x {name}")).collect::<Vec<_>>().join(" + ")
        };
        return Some(format!("Different CPUs: {} instead of {}.", listed(theirs), listed(mine)).into());
    }
    if a == b {
        return None;
    }
    let by_count = f64::from(b) / f64::from(a);
    let rest = ratio(base.1, other.1)? / by_count;
    let words = if is_near(rest, 1.0, SCALING_PERCENT) {
        format!("The thread count ({b} instead of {a}) explains the difference.")
    } else {
        format!(
            "The thread count ({b} instead of {a}) predicts a factor of {by_count:.1}; the score per thread differs \
             by a factor of {rest:.2}."
        )
    };
    Some(words.into())
}

/// Number of CPUs of each core type.
type CoreCounts = BTreeMap<String, usize>;

/// CPUs of a result by core type; `None` if one is unknown.
fn core_counts((side, _): End<'_>) -> Option<CoreCounts> {
    let mut counts = CoreCounts::new();
    for cluster in &side.facts.machine.clusters {
        let Some(first) = cluster.cpus.first() else { continue };
        *counts.entry(core_name(side.facts, *first)?).or_default() += cluster.cpus.len();
    }
    (!counts.is_empty()).then_some(counts)
}

fn aes_instructions(base: End<'_>, other: End<'_>) -> Option<Explains> {
    let per_cycle = |(side, figure): End<'_>| {
        let is_aes = figure.key.is_form(&Variant::AES_256_CBC) && figure.is_main;
        let mhz = clock_mhz(side, figure, &Variant::COLD).filter(|_| is_aes)?;
        Some(figure.value / mhz / 1000.0)
    };
    let with = |bytes: f64| bytes >= AES_BYTES_PER_CYCLE;
    let without = match (with(per_cycle(base)?), with(per_cycle(other)?)) {
        (true, false) => other,
        (false, true) => base,
        _ => return None,
    };
    Some(format!("{} runs AES without AES instructions.", without.0.name).into())
}

/// Advertised clocks.
fn claimed_clock(base: End<'_>, other: End<'_>) -> Option<Explains> {
    let claimed_mhz = |(side, figure): End<'_>| {
        let cpus = &figure.core.as_ref()?.cpus;
        let clocks = side.facts.cluster_clocks(&Variant::COLD);
        let clock = clocks.iter().find(|clock| cpus.contains(&clock.cpu))?;
        clock.claimed_khz.map(|khz| f64::from(khz) / 1000.0)
    };
    let (a, b) = (claimed_mhz(base)?, claimed_mhz(other)?);
    if is_near(a, b, SAME_PERCENT) {
        // The finding about a clock that drops under load names its cause.
        let (slower, figure) = if ratio(base.1, other.1)? < 1.0 { other } else { base };
        let mut diagnosed = slower.assessment.diagnoses.iter();
        let is_named = !figure.key.is_form(&Variant::COLD) && diagnosed.any(|diagnosis| lowers_clocks(diagnosis.cause));
        let words = format!(
            "Both kernels advertise {a:.0} MHz; firmware, power limits, heat or the board's oscillator cause the \
             difference."
        );
        return (!is_named).then(|| words.into());
    }
    let rest = if is_near(b / a, ratio(base.1, other.1)?, SAME_PERCENT) {
        ""
    } else {
        ", but the measured clocks do not match"
    };
    Some(format!("The advertised clock is {b:.0} MHz instead of {a:.0} MHz{rest}.").into())
}

/// True for causes that act by lower clocks of cores.
fn lowers_clocks(cause: Cause) -> bool {
    let effect = Effect::of(cause, &WorkloadId::SevenZip.into());
    effect.and_then(|effect| effect.limiter(false)).is_some_and(|limiter| limiter != Limiter::Memory)
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

/// Memory has its own clock: equal factors of its figures and of the clock of the cores are chance.
fn whole_clock(base: End<'_>, other: End<'_>) -> Option<Explains> {
    let (a, b) = clocks_mhz(base, other).filter(|_| !base.1.key.workload().is_of_memory())?;
    is_near(ratio(base.1, other.1)?, b / a, REST_PERCENT_MAX)
        .then(|| of_clock(a, b, "it explains the difference".to_owned()))
}

fn part_of_clock(base: End<'_>, other: End<'_>) -> Option<Explains> {
    let (a, b) = clocks_mhz(base, other)?;
    let is_of_memory = base.1.key.workload().is_of_memory();
    let share = (b / a).ln() / ratio(base.1, other.1)?.ln();
    let effect = match share {
        SHARE_MIN..1.0 if !is_of_memory => format!("it explains about {:.0} % of the difference", share * 100.0),
        SHARE_MIN..SHARE_MAX => {
            format!("it alone would give {:+.0} %, but memory has its own clock", 100.0 * (b / a - 1.0))
        }
        _ => return None,
    };
    Some(of_clock(a, b, effect))
}

fn of_clock(mhz_base: f64, mhz_other: f64, effect: String) -> Explains {
    let words = format!("The measured clock is {mhz_other:.0} MHz instead of {mhz_base:.0} MHz.");
    Explains { words, detail: Some(effect) }
}

/// Compression depends on memory latency, decompression hardly does: memory is the cause if mostly compression differs and
/// latency differs as well.
fn memory_latency(base: End<'_>, other: End<'_>) -> Option<Explains> {
    let latency = latencies(base, other)?;
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
    (moved(compressing) > 2.0 * moved(decompressing)).then(|| {
        let effect = format!(
            "compression, which is latency-bound, changed by {:+.0} %, decompression by {:+.0} %",
            100.0 * (compressing - 1.0),
            100.0 * (decompressing - 1.0)
        );
        Explains { words: latency, detail: Some(effect) }
    })
}

/// Memory rates that differ along with latency.
fn memory_rate(base: End<'_>, other: End<'_>) -> Option<Explains> {
    let is_rate = [WorkloadId::MemoryBandwidth, WorkloadId::MemoryLibc].into_iter().any(|id| base.1.key.is_of(id));
    latencies(base, other).filter(|_| is_rate).map(Explains::from)
}

/// Latency of the largest size that both sides measured with the same method, if it changes in the direction of the figure:
/// the best of the cores of a type, which have the same memory.
fn latencies(base: End<'_>, other: End<'_>) -> Option<String> {
    let core_type = |figure: &Figure| figure.core.as_ref().map(|core| core.core_type.clone());
    let of = |(side, of): End<'_>| -> BTreeMap<FigureKey, f64> {
        let figures = side.figures.iter().filter(|figure| of.core.is_none() || core_type(figure) == core_type(of));
        let mut best = BTreeMap::new();
        for figure in figures.filter(|figure| figure.key.is_of(WorkloadId::MemoryLatency)) {
            let ns = best.entry(figure.key.clone()).or_insert(figure.value);
            *ns = figure.value.min(*ns);
        }
        best
    };
    let others = of(other);
    let mut pairs: Vec<(u32, f64, f64)> = of(base)
        .into_iter()
        .filter_map(|(key, a)| Some((key.name().strip_suffix('M')?.parse().ok()?, a, *others.get(&key)?)))
        .collect();
    pairs.stable_sort_by_key(|(mib, ..)| *mib);
    let is_slower = ratio(base.1, other.1)? < 1.0;
    let differs = |(_, a, b): &(u32, f64, f64)| !is_near(*a, *b, 3.0 * SAME_PERCENT) && (b > a) == is_slower;
    let (mib, a, b) = pairs.pop().filter(differs)?;
    let [ns_a, ns_b] = [a, b].map(|ns| with_unit(ns, "ns"));
    let page_kib = |(side, _): End<'_>| side.facts.machine.page_size_bytes.known().map(|bytes| bytes / 1024);
    let pages = match (page_kib(base), page_kib(other)) {
        (Some(a), Some(b)) if a != b => format!(", with pages of {b} KiB instead of {a} KiB"),
        // Logs name the size of large pages only.
        (None, Some(b)) if b > 4 => format!(", with pages of {b} KiB"),
        _ => String::new(),
    };
    Some(format!("Memory latency at {mib} MiB is {ns_b} instead of {ns_a}{pages}."))
}

/// Cause of the largest loss of this score that only the slower side has.
fn diagnosis(base: End<'_>, other: End<'_>) -> Option<Explains> {
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
    Some(format!("In {}: {}", slower.0.name, explained.findings[worst.root].sentence()).into())
}

/// Differing C libraries: each has its own `memcpy` and `memset`.
fn c_library(base: End<'_>, other: End<'_>) -> Option<Explains> {
    let name = |end: End<'_>| end.0.facts.machine.distribution.known().cloned();
    let (a, b) = (name(base)?, name(other)?);
    (a != b).then(|| format!("memcpy and memset are from the C library, which may differ between {a} and {b}.").into())
}
