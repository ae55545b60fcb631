//! Causes of a deficit relative to similar boards: causes shown by the Record, ranked by the share of the gap they explain.

use super::Entry;
use super::gaps::{Gap, by, loss_log, usual};
use facts::figures::Figure;
use facts::view::ScoreKey;
use facts::{Cause, Effect, Explanation, Facts, ScoreLoss};
use record::{Record, StableSort, Total, Variant, WorkloadId};
use serde::Serialize;

mod evidence;

/// One cause.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LikelyCause {
    /// Cause.
    pub id: Cause,
    /// Description with its evidence.
    pub words: String,
    /// Part of the gap that it explains, in percent; `None` if it applies, but its effect is unknown.
    pub explains_percent: Option<f64>,
}

impl LikelyCause {
    /// Description for use after a colon: in lower case, unless it starts with a name.
    pub fn behind_colon(&self) -> String {
        const COMMON: [&str; 8] = ["A", "An", "During", "Memory", "No", "Other", "The", "This"];
        let first = self.words.split(' ').next().unwrap_or_default();
        let is_common = COMMON.contains(&first);
        if is_common { self.words[..1].to_lowercase() + &self.words[1..] } else { self.words.clone() }
    }
}

/// Maximum difference of latency or clock within noise, as a logarithm.
const SAME_LOG: f64 = 0.05;
/// Minimum loss of bandwidth with fewer channels, as a logarithm: one channel of two has about half of the bandwidth.
const CHANNEL_LOG_MIN: f64 = 0.25;
/// Maximum loss of latency with fewer channels, as a logarithm: only a lower DRAM clock adds more.
const CHANNEL_LATENCY_LOG_MAX: f64 = 0.2;
/// Losses of latency, 7-zip on one CPU and 7-zip on all CPUs relative to that of bandwidth, as logarithms: half the DRAM clock
/// adds a third or more to latency, and 7-zip waits for it; half the channels leave latency and single cores alone.
const BY_DRAM_CLOCK: [f64; 3] = [0.5, 0.2, 0.25];
/// The same with fewer channels.
const BY_CHANNELS: [f64; 3] = [0.03, 0.0, 0.15];
/// Usual differences of these figures between boards, as logarithms.
const MEMORY_SPREADS: [f64; 3] = [0.12, 0.06, 0.08];
/// Minimum share of a reported cause, in percent.
const EXPLAINS_PERCENT_MIN: f64 = 10.0;

/// Deficits of a result relative to similar boards.
struct Losses<'a> {
    entries: &'a [Entry],
    latency: Option<f64>,
    /// Mean loss of the clocks of all CPUs by limits of cpufreq.
    limit: f64,
    bandwidth: Option<f64>,
}

/// Causes that the result itself shows, without others.
pub(super) fn shown(record: &Record) -> Vec<Cause> {
    let userland = evidence::narrow_userland(record).map(|_| Cause::Userland);
    userland.into_iter().chain(evidence::lowest_limit(record).map(|_| Cause::ClockLimit)).collect()
}

/// Causes by explained share, and the unexplained part of the gaps in percent, if known.
pub(super) fn causes(
    facts: &Facts<'_>,
    explained: &Explanation,
    entries: &[Entry],
    gaps: &[Gap],
) -> (Vec<LikelyCause>, Option<f64>) {
    let losses = Losses {
        entries,
        latency: mean_loss(entries, &[WorkloadId::MemoryLatency]),
        limit: evidence::limit_loss(facts),
        bandwidth: mean_loss(entries, &[WorkloadId::MemoryLibc, WorkloadId::MemoryBandwidth]),
    };
    let mut split = GapSplit { gaps, rest: gaps.iter().map(|gap| gap.log).collect(), causes: Vec::new() };
    let by_gap = |cause| -> Vec<f64> { gaps.iter().map(|gap| losses.by(cause, &entries[gap.entry].figure)).collect() };
    if let Some((id, words)) = evidence::of_clock(facts, entries) {
        split.take(id, words, &by_gap(id));
    }
    if let Some((id, words)) = losses.of_memory(facts) {
        split.take(id, words, &by_gap(id));
    }
    if let Some(words) = evidence::narrow_userland(facts) {
        split.take(Cause::Userland, words, &by_gap(Cause::Userland));
    }
    // Ledgers have the effect of diagnoses on scores; that on other figures is unknown.
    let mut is_known = true;
    for diagnosis in explained.worst_first() {
        let taken = |figure: &Figure| {
            let score = facts.steps.get(figure.step).map(ScoreKey::of);
            score.map_or(ScoreLoss::Nothing, |score| explained.loss(diagnosis, &score))
        };
        let taken: Vec<ScoreLoss> = gaps.iter().map(|gap| taken(&entries[gap.entry].figure)).collect();
        let left = taken.iter().zip(&split.rest);
        let can = left.map(|(taken, left)| match taken {
            ScoreLoss::Points { factor, .. } => left.min(-factor.ln()),
            ScoreLoss::Nothing | ScoreLoss::Unknown => 0.0,
        });
        let can: Vec<f64> = can.collect();
        let words = explained.findings[diagnosis.root].sentence().trim_end_matches('.').to_owned();
        let is_told = split.take(Cause::Diagnosis, words.clone(), &can);
        let left = taken.iter().zip(&split.rest);
        let open: Vec<f64> = left.map(|(taken, left)| if *taken == ScoreLoss::Unknown { *left } else { 0.0 }).collect();
        if split.share(&open) >= EXPLAINS_PERCENT_MIN {
            is_known = false;
            if !is_told {
                split.causes.push(LikelyCause { id: Cause::Diagnosis, words, explains_percent: None });
            }
        }
    }
    let unexplained = is_known.then(|| split.share(&split.rest));
    // Known shares first, the largest of them at the front.
    let share = |cause: &LikelyCause| cause.explains_percent.unwrap_or(-1.0);
    split.causes.stable_sort_by(|a, b| share(b).total_cmp(&share(a)));
    (split.causes, unexplained)
}

/// Gaps during their split over causes.
struct GapSplit<'a> {
    gaps: &'a [Gap],
    /// Unexplained part of each gap.
    rest: Vec<f64>,
    causes: Vec<LikelyCause>,
}

impl GapSplit<'_> {
    /// Adds a cause with the part of each gap that it can explain. Returns whether the share is large enough to report.
    fn take(&mut self, id: Cause, words: String, can: &[f64]) -> bool {
        let parts: Vec<f64> = can.iter().zip(self.gaps).map(|(can, gap)| can.clamp(0.0, gap.log)).collect();
        let explains_percent = self.share(&parts);
        let is_told = explains_percent >= EXPLAINS_PERCENT_MIN;
        if is_told {
            self.rest.iter_mut().zip(&parts).for_each(|(rest, part)| *rest = (*rest - part).max(0.0));
            self.causes.push(LikelyCause { id, words, explains_percent: Some(explains_percent) });
        }
        is_told
    }

    /// Sum of parts in percent of all gaps.
    fn share(&self, parts: &[f64]) -> f64 {
        100.0 * parts.iter().copied().total::<f64>() / self.gaps.iter().map(|gap| gap.log).total::<f64>()
    }
}

/// Mean deficit in all figures of these workloads; `None` without comparable ones.
fn mean_loss(entries: &[Entry], of: &[WorkloadId]) -> Option<f64> {
    let of_them = entries.iter().filter(|entry| of.iter().any(|id| entry.figure.key.is_of(*id)));
    let losses: Vec<f64> = of_them.filter_map(loss).collect();
    facts::stats::mean(&losses)
}

/// Deficit of a figure relative to its usual value.
fn loss(entry: &Entry) -> Option<f64> {
    loss_log(&entry.figure, usual(entry)?)
}

/// Deficit of the clock of a figure's cores; the mean of all core types for all CPUs.
fn clock_loss(entries: &[Entry], figure: &Figure) -> Option<f64> {
    let type_of = |figure: &Figure| figure.core.as_ref().and_then(|core| core.core_type.clone());
    let cold = entries
        .iter()
        .filter(|entry| entry.figure.key.is_of(WorkloadId::Clock) && entry.figure.key.is_form(&Variant::COLD));
    let cluster = |figure: &Figure| figure.core.as_ref().map(|core| core.cluster);
    let own = cold.clone().find(|entry| figure.core.is_some() && cluster(&entry.figure) == cluster(figure));
    if let Some(own) = own {
        return loss(own);
    }
    let cold = cold.filter(|entry| figure.core.is_none() || type_of(&entry.figure) == type_of(figure));
    let losses: Vec<f64> = cold.filter_map(loss).collect();
    facts::stats::mean(&losses)
}

impl Losses<'_> {
    /// Maximum deficit of a figure by a cause.
    fn by(&self, cause: Cause, figure: &Figure) -> f64 {
        let workload = figure.key.workload();
        let lost = match cause {
            Cause::DramClock | Cause::SlowMemory => self.latency.unwrap_or(0.0).max(self.bandwidth.unwrap_or(0.0)),
            Cause::MemoryChannels => self.bandwidth.unwrap_or(0.0) / 2.0,
            Cause::ClockLimit if figure.core.is_none() => {
                clock_loss(self.entries, figure).unwrap_or(0.0).max(self.limit)
            }
            _ => clock_loss(self.entries, figure).unwrap_or(0.0),
        };
        Effect::of(cause, workload).map_or(0.0, |effect| effect.log_max(lost, workload, figure.core.is_some()))
    }

    /// Distinguishes slower memory from fewer memory channels. Only latency tells them apart.
    fn of_memory(&self, facts: &Facts<'_>) -> Option<(Cause, String)> {
        let bandwidth = self.bandwidth.unwrap_or(0.0);
        let latency = self.latency.filter(|latency| *latency > 2.0 * SAME_LOG);
        let percent = |log: f64| 100.0 * (log.exp() - 1.0);
        let can_be_narrow = |lost| lost < CHANNEL_LATENCY_LOG_MAX && self.is_nearer_to_channels(bandwidth);
        let is_narrow = bandwidth > CHANNEL_LOG_MIN && self.latency.is_some() && latency.is_none_or(can_be_narrow);
        let (cause, words) = if is_narrow {
            let others = match latency {
                Some(latency) => format!("latency is only {} higher", by(percent(latency))),
                None => "latency is nearly that of others".to_owned(),
            };
            let lower = 100.0 * (1.0 - (-bandwidth).exp());
            let words = format!(
                "Memory bandwidth is {lower:.0} % lower while {others}: fewer memory channels, or a narrower bus"
            );
            (Cause::MemoryChannels, words)
        } else if let Some(latency) = latency {
            (Cause::DramClock, format!("DRAM is slower: memory latency is {} higher", by(percent(latency))))
        } else if self.latency.is_none() && bandwidth > 2.0 * SAME_LOG {
            (Cause::SlowMemory, "Memory is slower".to_owned())
        } else {
            return None;
        };
        let known = evidence::dram(facts).map_or(String::new(), |known| format!(" ({known})"));
        Some((cause, words + &known))
    }

    /// True if latency and scores fit fewer channels better than a lower DRAM clock.
    fn is_nearer_to_channels(&self, bandwidth: f64) -> bool {
        let score = |is_single: bool| {
            let of_kind = |entry: &&Entry| entry.figure.core.is_some() == is_single;
            let scores = self.entries.iter().filter(|entry| entry.figure.key.is_of(WorkloadId::SevenZip));
            facts::stats::mean(&scores.filter(of_kind).filter_map(loss).collect::<Vec<_>>())
        };
        let lost = [self.latency, score(true), score(false)];
        let distance = |ratios: [f64; 3]| -> f64 {
            let parts = lost.iter().zip(ratios).zip(MEMORY_SPREADS);
            let squares =
                parts.filter_map(|((lost, ratio), spread)| Some((((*lost)? - ratio * bandwidth) / spread).powi(2)));
            squares.total()
        };
        distance(BY_CHANNELS) < distance(BY_DRAM_CLOCK)
    }
}
