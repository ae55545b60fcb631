//! Loss by waiting for memory and storage.
//!
//! 7-zip reports the CPU use of its threads. Samples of waiting for storage are not a loss by themselves, because other
//! threads may compute meanwhile; they limit the loss.

use super::loss::Loss;
use super::score::{Run, Score, compression};
use facts::stats::{mean, median};
use facts::{Cause, EvidenceSource, Facts, Method, view};
use record::DictionaryRow;

/// CPU use of 7-zip while compressing, in percent, by the number of threads: medians of
/// published logs without swapping. They wait for each other, the more the less they are balanced.
const COMPRESSING: [(u32, f64); 9] =
    [(1, 99.3), (2, 81.5), (4, 85.2), (6, 91.7), (8, 92.6), (12, 93.0), (16, 91.3), (32, 88.8), (96, 83.8)];
/// CPU use while decompressing: threads wait for each other only on cores of several types.
pub(super) const DECOMPRESSING_PERCENT: f64 = 99.0;
/// Share of kernel time in any run, in percent of the CPU time.
const SYSTEM_PERCENT: f64 = 1.0;
/// Share of a fall that rows must show of a cause that only this repetition has. They miss the edges of a burst.
const SHOWN_SHARE_MIN: f64 = 0.5;
/// Share of waiting up to which a repetition is free of it.
const FREE_SHARE: f64 = 0.02;

/// Loss of a score by waiting, if visible: no more than the distance to the best repetition without it, and all of that
/// if it is the only cause.
pub(super) fn loss(facts: &Facts<'_>, score: &Score<'_>, cause: Cause, is_only_cause: bool) -> Option<Loss> {
    let usual_percent = usual_system_percent(facts, score);
    let runs: Vec<(&Run, Option<WaitShares>)> =
        score.runs.iter().map(|run| (run, WaitShares::of(facts, run, usual_percent))).collect();
    let free_best =
        score.free_best(|index| runs[index].1.as_ref().is_some_and(|waited| waited.share(cause) <= FREE_SHARE));
    let kept = runs.iter().filter_map(|(run, waited)| {
        // The CPU use of the threads includes their time in the kernel, so it bounds only the rest.
        let by_use = match cause {
            Cause::KernelOverhead => None,
            _ => kept_by_use(score, run, DECOMPRESSING_PERCENT).or_else(|| kept_by_time(score, run)),
        };
        let by_wait = waited.as_ref().map(|waited| 1.0 - waited.share(cause));
        let kept = [by_use, by_wait].into_iter().flatten().reduce(f64::max)?;
        let kept = waited.as_ref().map_or(kept, |waited| kept.min(1.0 - waited.certainly_in_kernel(cause)));
        let least = free_best.map_or(0.0, |best| (run.rate / best).min(1.0));
        // What reads or writes needs the kernel as well.
        let shown = waited.as_ref().map_or(0.0, |waited| match cause {
            Cause::KernelOverhead => waited.kernel,
            _ => waited.storage + waited.kernel,
        });
        let is_shown = is_only_cause && kept > least && shown >= SHOWN_SHARE_MIN * (1.0 - least);
        Some(if is_shown && least > 0.0 { least } else { kept.max(least) })
    });
    let kept: Vec<f64> = kept.collect();
    let by =
        if view::swap_traffic_pages(facts).is_some() { EvidenceSource::SwapTraffic } else { EvidenceSource::CpuTime };
    Some(Loss::of_share(mean(&kept)?, Method::Waiting, by))
}

/// Share of kernel time without a cause: that of the quietest repetition, within the design of the machine.
fn usual_system_percent(facts: &Facts<'_>, score: &Score<'_>) -> f64 {
    let by_design = rules::usual_system_percent(facts, score.busy_cpus).unwrap_or(SYSTEM_PERCENT);
    let of_run = |run: &Run<'_>| {
        let uses = facts.cpu_use(&run.window);
        mean(&uses.iter().map(|usage| usage.system).collect::<Vec<_>>())
    };
    let quietest = score.runs.iter().filter_map(of_run).reduce(f64::min);
    quietest.filter(|_| score.runs.len() > 1).map_or(by_design, |quietest| quietest.max(SYSTEM_PERCENT).min(by_design))
}

/// Loss by missing CPU time according to 7-zip's usage columns.
pub(super) fn loss_of_use(facts: &Facts<'_>, score: &Score<'_>) -> Option<Loss> {
    // A single thread waits for no other.
    let is_single = score.busy_cpus == 1;
    let usual_percent = if is_single { DECOMPRESSING_PERCENT } else { view::usual_decompressing_percent(facts) };
    let kept: Vec<f64> = score.runs.iter().filter_map(|run| kept_by_use(score, run, usual_percent)).collect();
    Some(Loss::of_share(mean(&kept)?, Method::CpuTime, EvidenceSource::CpuTime))
}

#[derive(Clone, Copy)]
enum Direction {
    Compressing,
    Decompressing,
}

impl Direction {
    fn usual_percent(self, score: &Score<'_>, decompressing_percent: f64) -> f64 {
        match self {
            Self::Decompressing => decompressing_percent,
            Self::Compressing => {
                let next = COMPRESSING.iter().rev().find(|(count, _)| *count <= score.busy_cpus);
                next.map_or(COMPRESSING[0].1, |(_, percent)| *percent)
            }
        }
    }

    /// CPU use in this half, in percent of the maximum.
    fn used_percent(self, score: &Score<'_>, run: &Run<'_>) -> Option<f64> {
        let done = compression(run)?;
        let rows: &[DictionaryRow] = match self {
            Self::Compressing => &done.compressing,
            Self::Decompressing => &done.decompressing,
        };
        let used: Vec<f64> = rows.iter().map(|row| f64::from(row.usage_percent)).filter(|used| *used > 0.0).collect();
        Some(mean(&used)? / score.cpus_there(run))
    }

    /// CPU use without disturbance: the usual one, or that of the best repetition.
    fn normal_percent(self, score: &Score<'_>, decompressing_percent: f64) -> f64 {
        let used = score.runs.iter().filter_map(|run| self.used_percent(score, run));
        used.fold(self.usual_percent(score, decompressing_percent), f64::max)
    }
}

/// Remaining fraction of both halves by CPU use, relative to this use while decompressing.
pub(super) fn kept_by_use(score: &Score<'_>, run: &Run<'_>, decompressing_percent: f64) -> Option<f64> {
    let done = compression(run)?;
    let kept = |direction: Direction| {
        let share = direction.used_percent(score, run)? / direction.normal_percent(score, decompressing_percent);
        Some(share.clamp(0.01, 1.0))
    };
    let kept = [kept(Direction::Compressing)?, kept(Direction::Decompressing)?];
    let reached = [done.compressing_mips, done.decompressing_mips].map(f64::from);
    let expected = reached[0] / kept[0] + reached[1] / kept[1];
    (expected > 0.0).then(|| (reached[0] + reached[1]) / expected)
}

/// Remaining fraction if the kernel counted the CPU time of the step.
fn kept_by_time(score: &Score<'_>, run: &Run<'_>) -> Option<f64> {
    let elapsed_ns = run.window.elapsed_ms().max(1) as f64 * 1e6;
    Some((view::cpu_ns(run.step)? / elapsed_ns / score.cpus_there(run)).min(1.0))
}

/// Time of a repetition that it did not compute, as fractions of the requested CPU time.
struct WaitShares {
    storage: f64,
    /// Beyond the usual share.
    kernel: f64,
    /// The same of the median row: a burst of swapping lowers the CPU use as well, which bounds its loss.
    kernel_throughout: f64,
}

impl WaitShares {
    fn of(facts: &Facts<'_>, run: &Run<'_>, usual_percent: f64) -> Option<Self> {
        let uses = facts.cpu_use(&run.window);
        let mean_of = |value: &dyn Fn(&view::CpuUse) -> f64| mean(&uses.iter().map(value).collect::<Vec<_>>());
        let asked = mean_of(&|usage| usage.busy + usage.iowait)?;
        let share = |percent: f64| (percent / asked).clamp(0.0, 1.0);
        let beyond = |usage: &view::CpuUse| (usage.system - usual_percent).max(0.0);
        (asked > 0.0).then_some(Self {
            storage: share(mean_of(&|usage| usage.iowait)?),
            kernel: share(mean_of(&beyond)?),
            kernel_throughout: share(median(&uses.iter().map(beyond).collect::<Vec<_>>())?),
        })
    }

    /// Time of the kernel in the whole repetition that belongs to this cause.
    fn certainly_in_kernel(&self, cause: Cause) -> f64 {
        if cause == Cause::StorageWait { 0.0 } else { self.kernel_throughout }
    }

    /// Time that belongs to this cause: swapping needs both.
    fn share(&self, cause: Cause) -> f64 {
        match cause {
            Cause::StorageWait => self.storage,
            Cause::KernelOverhead => self.kernel,
            _ => (self.storage + self.kernel).min(1.0),
        }
    }
}
