//! CPUs that were missing.

use super::loss::Loss;
use super::score::Score;
use crate::case::Case;
use crate::stats::mean;
use crate::{Cause, Method, Witness, view};
use record::{AllCpus, ChannelId};

/// What missing CPUs took of a score, by their number.
pub(super) fn loss(case: &Case<'_>, score: &Score<'_>, cause: Cause) -> Option<Loss> {
    let record = case.record;
    if cause == Cause::CpusOffline {
        let cpus = &record.machine.cpus;
        let online = cpus.iter().filter(|cpu| cpu.online).count();
        let is_on_all = score.busy_cpus as usize >= online && online > 0;
        let kept = if is_on_all { online as f64 / cpus.len().max(1) as f64 } else { 1.0 };
        return Some(Loss::of_share(kept, Method::Cpus, Witness::Settings));
    }
    let channel = record.samples.channel(&ChannelId::AllCpus(AllCpus::Online))?;
    let before = view::gauge(record, channel, view::whole_run()).first()?.value;
    let wanted = f64::from(score.busy_cpus).min(before as f64);
    let kept = score.runs.iter().filter_map(|run| {
        let readings = view::gauge(record, channel, run.window);
        let there = readings.iter().map(|reading| (reading.value as f64).min(wanted) / wanted);
        mean(&there.collect::<Vec<_>>())
    });
    Some(Loss::of_share(mean(&kept.collect::<Vec<_>>())?, Method::Cpus, Witness::CpuTime))
}
