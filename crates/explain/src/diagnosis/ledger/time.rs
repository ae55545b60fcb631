//! CPU time that others had: a quota, the host of a virtual machine, other programs.

use super::loss::Loss;
use super::score::{Run, Score, cpu_ns};
use crate::case::Case;
use crate::rules::cpu_quota::throttled_time;
use crate::stats::mean;
use crate::{Cause, Method, Witness, view};
use record::{ChannelId, OfControlGroup, Total};

/// What a cause took of the CPU time of a score, if that was counted.
pub(super) fn loss(case: &Case<'_>, score: &Score<'_>, cause: Cause) -> Option<Loss> {
    let taken: Vec<f64> = score
        .runs
        .iter()
        .filter_map(|run| match cause {
            Cause::CpuQuota => withheld(case, score, run),
            Cause::StolenTime => stolen(case, score, run),
            _ => used_by_others(case, score, run),
        })
        .collect();
    let by = if cause == Cause::CpuQuota { Witness::Pressure(QUOTA) } else { Witness::CpuTime };
    Some(Loss::of_share(1.0 - mean(&taken)?.clamp(0.0, 1.0), Method::CpuTime, by))
}

const QUOTA: ChannelId = ChannelId::ControlGroup(OfControlGroup::ThrottledTime);

/// Share of its CPU time that a quota withheld.
fn withheld(case: &Case<'_>, score: &Score<'_>, run: &Run<'_>) -> Option<f64> {
    let channel = case.record.samples.channel(&QUOTA)?;
    let steps = view::counter_steps(case.record, channel, run.window);
    let elapsed_ms: i64 = steps.last()?.at_ms - run.window.start_ms;
    let throttled_ns: f64 = steps.iter().map(|step| step.value as f64).total();
    Some(throttled_ns / (elapsed_ms.max(1) as f64 * 1e6 * f64::from(score.busy_cpus)))
}

/// Share of its CPU time that went to other guests.
fn stolen(case: &Case<'_>, score: &Score<'_>, run: &Run<'_>) -> Option<f64> {
    let cpus = f64::from(view::cpu_count(case.record)?);
    let uses = view::cpu_use(case.record, run.window);
    let steal: Vec<f64> = uses.iter().map(|usage| usage.steal / 100.0).collect();
    Some(mean(&steal)? * cpus / f64::from(score.busy_cpus))
}

/// Share of its CPU time that other programs had: what was busy without what the kernel charged to the step and what
/// the samples cost. A single thread lost what it waited for its CPU. Under a quota nothing tells it from waiting for that.
fn used_by_others(case: &Case<'_>, score: &Score<'_>, run: &Run<'_>) -> Option<f64> {
    if throttled_time(case.record).is_some() {
        return None;
    }
    let elapsed_ns = run.window.elapsed_ms().max(1) as f64 * 1e6;
    let own_ns = cpu_ns(run.step)?;
    if score.busy_cpus == 1 {
        let waited_ns = *run.step.counters.run_delay_ns.known()? as f64;
        return Some(waited_ns.min((elapsed_ns - own_ns).max(0.0)) / elapsed_ns);
    }
    let cpus = f64::from(view::cpu_count(case.record)?);
    let uses = view::cpu_use(case.record, run.window);
    let busy: Vec<f64> = uses.iter().map(|usage| usage.busy / 100.0).collect();
    let sampling = view::own_cost_percent(case.record).unwrap_or(0.0) / 100.0;
    let others = mean(&busy)? - own_ns / elapsed_ns / cpus - sampling;
    Some(others.max(0.0) * cpus / f64::from(score.busy_cpus))
}
