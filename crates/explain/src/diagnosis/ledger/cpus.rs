//! Loss of a score by missing CPUs.

use super::clock;
use super::loss::Loss;
use super::score::Score;
use facts::stats::mean;
use facts::view::Reading;
use facts::{Cause, EvidenceSource, Facts, Method, view};
use record::{AllCpus, ChannelId, Total};

/// Loss of a score by missing CPUs, by their number.
pub(super) fn loss(facts: &Facts<'_>, score: &Score<'_>, cause: Cause) -> Option<Loss> {
    if cause == Cause::CpusOffline {
        let cpus = &facts.machine.cpus;
        let online = cpus.iter().filter(|cpu| cpu.online).count();
        let is_on_all = score.busy_cpus as usize >= online && online > 0;
        let kept = if is_on_all { online as f64 / cpus.len().max(1) as f64 } else { 1.0 };
        return Some(Loss::of_share(kept, Method::Cpus, EvidenceSource::Settings));
    }
    let channel = facts.samples.channel(&ChannelId::AllCpus(AllCpus::Online))?;
    let before = view::gauge(facts, channel, view::whole_run()).first()?.value;
    let wanted = f64::from(score.busy_cpus).min(before as f64);
    let weights = Weights::of(facts, before).filter(|_| wanted >= before as f64);
    let kept = score.runs.iter().filter_map(|run| {
        let readings = view::gauge(facts, channel, run.window);
        let there = readings.iter().map(|reading| {
            let weighed = weights.as_ref().and_then(|weights| weights.there(facts, reading, before));
            weighed.unwrap_or((reading.value as f64).min(wanted) / wanted)
        });
        mean(&there.collect::<Vec<_>>())
    });
    Some(Loss::of_share(mean(&kept.collect::<Vec<_>>())?, Method::Cpus, EvidenceSource::CpuTime))
}

/// Weight of each CPU: a missing little core costs less than a big one.
struct Weights(Vec<(u32, f64)>);

impl Weights {
    /// Weights by cluster; `None` unless every CPU belongs to a cluster.
    fn of(facts: &Facts<'_>, before: i64) -> Option<Self> {
        let machine = &facts.machine;
        let khz = |cluster: &record::Cluster| {
            let policy = machine.policies.iter().find(|policy| Some(policy.policy) == cluster.policy);
            policy.and_then(|policy| policy.clock_khz_max.known()).map_or(1.0, |khz| f64::from(*khz))
        };
        let of_cluster = machine.clusters.iter().flat_map(|cluster| {
            let worth = clock::weight(facts, &cluster.cpus, khz(cluster)) / cluster.cpus.len().max(1) as f64;
            cluster.cpus.iter().map(move |cpu| (*cpu, worth))
        });
        let is_online = |(cpu, _): &(u32, f64)| machine.cpus.iter().any(|known| known.cpu == *cpu && known.online);
        let all: Vec<(u32, f64)> = of_cluster.filter(is_online).collect();
        (all.len() as i64 == before).then_some(Self(all))
    }

    /// Weighted fraction of CPUs online at a reading; `None` if the missing ones are unknown.
    fn there(&self, facts: &Facts<'_>, reading: &Reading, before: i64) -> Option<f64> {
        let away = (before - reading.value).max(0) as usize;
        if away == 0 {
            return Some(1.0);
        }
        let cpus = view::cpus_away(facts, reading);
        let all: f64 = self.0.iter().map(|(_, worth)| *worth).total();
        let gone: f64 = self.0.iter().filter(|(cpu, _)| cpus.contains(cpu)).map(|(_, worth)| *worth).total();
        (cpus.len() == away && all > 0.0).then(|| 1.0 - gone / all)
    }
}
