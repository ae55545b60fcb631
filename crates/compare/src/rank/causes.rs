//! Causes of a deficit relative to similar boards: causes shown by the Record, ranked by the share of the gap they explain.

use super::Entry;
use super::gaps::{Gap, by, loss_log, usual};
use facts::figures::Figure;
use facts::view::ScoreKey;
use facts::{Explanation, Facts, ScoreLoss};
use record::Arrange;
use record::{Record, Total, Variant, WorkloadId};
use serde::Serialize;

mod evidence;

/// Kind of a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CauseId {
    /// A cpufreq limit is below the highest OPP.
    ClockLimit,
    /// The kernel has no OPPs, so cores keep the clock that the firmware gave them.
    NoOpps,
    /// Lower core clock without a setting that explains it.
    Clock,
    /// All of memory is slower.
    DramClock,
    /// Less bandwidth at the usual latency.
    MemoryChannels,
    /// 32-bit programs on 64-bit cores.
    Userland,
    /// A diagnosis of the rules: heat, swapping, other programs.
    Diagnosis,
}

/// One cause.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LikelyCause {
    /// Kind.
    pub id: CauseId,
    /// Description with its evidence.
    pub words: String,
    /// How much of the gap it can explain, in percent; none if it holds for these figures and nothing tells how much it
    /// took of them.
    pub explains_percent: Option<f64>,
}

/// Differences of latency or clock below this are noise.
const SAME_LOG: f64 = 0.05;
/// Memory with one channel of two has about half of the bandwidth; less than this is another cause.
const CHANNEL_LOG_MIN: f64 = 0.25;
/// Where DRAM has a lower clock, latency rises by more than this part of what bandwidth loses,
const CHANNEL_LATENCY_MAX: f64 = 0.32;
/// and 7-zip loses more than this part of it.
const CHANNEL_SCORES_MAX: f64 = 0.25;
/// Elasticity of scores of one core and of all cores in the clock.
const OF_CLOCK: [f64; 2] = [0.9, 0.85];
/// Elasticity of memory figures in the core clock; memory has its own clock.
const OF_CLOCK_IN_MEMORY: f64 = 0.3;
/// Elasticity of 7-zip in memory speed, on one core and on all: measured between boards with one SoC.
const OF_MEMORY: [f64; 2] = [0.35, 0.45];
/// Maximum loss by 32-bit programs.
const USERLAND_LOG: f64 = 0.3;
/// Minimum share of a reported cause, in percent.
const EXPLAINS_PERCENT_MIN: f64 = 10.0;

/// Deficits of a result relative to similar boards.
struct Losses<'a> {
    entries: &'a [Entry],
    latency: Option<f64>,
    bandwidth: Option<f64>,
}

/// True for 32-bit programs on 64-bit cores.
pub(super) fn has_narrow_userland(record: &Record) -> bool {
    evidence::narrow_userland(record).is_some()
}

/// Causes, the one that explains most first, and how much of the gap none of them explains, in percent; none if that
/// cannot be told.
pub(super) fn causes(
    facts: &Facts<'_>,
    explained: &Explanation,
    entries: &[Entry],
    gaps: &[Gap],
) -> (Vec<LikelyCause>, Option<f64>) {
    let losses = Losses {
        entries,
        latency: mean_loss(entries, &[WorkloadId::MemoryLatency]),
        bandwidth: mean_loss(entries, &[WorkloadId::MemoryLibc, WorkloadId::MemoryBandwidth]),
    };
    let mut split = Split { gaps, rest: gaps.iter().map(|gap| gap.log).collect(), causes: Vec::new() };
    let by_gap =
        |of: &dyn Fn(&Figure) -> f64| -> Vec<f64> { gaps.iter().map(|gap| of(&entries[gap.entry].figure)).collect() };
    if let Some((id, words)) = evidence::of_clock(facts, entries) {
        split.take(id, words, &by_gap(&|figure| losses.by_clock(figure)));
    }
    if let Some((id, words)) = losses.of_memory(facts) {
        split.take(id, words, &by_gap(&|figure| losses.by_memory(id, figure)));
    }
    if let Some(words) = evidence::narrow_userland(facts) {
        split.take(CauseId::Userland, words, &by_gap(&by_userland));
    }
    // Diagnoses took of scores what their ledgers say, and of figures without a ledger nobody knows what.
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
        let is_told = split.take(CauseId::Diagnosis, words.clone(), &can);
        let left = taken.iter().zip(&split.rest);
        let open: Vec<f64> = left.map(|(taken, left)| if *taken == ScoreLoss::Unknown { *left } else { 0.0 }).collect();
        if split.share(&open) >= EXPLAINS_PERCENT_MIN {
            is_known = false;
            if !is_told {
                split.causes.push(LikelyCause { id: CauseId::Diagnosis, words, explains_percent: None });
            }
        }
    }
    let unexplained = is_known.then(|| split.share(&split.rest));
    // Known shares first, the largest of them at the front.
    let share = |cause: &LikelyCause| cause.explains_percent.unwrap_or(-1.0);
    split.causes.arrange_by(|a, b| share(b).total_cmp(&share(a)));
    (split.causes, unexplained)
}

/// Gaps while they are split over causes.
struct Split<'a> {
    gaps: &'a [Gap],
    /// Unexplained part of each gap.
    rest: Vec<f64>,
    causes: Vec<LikelyCause>,
}

impl Split<'_> {
    /// Adds a cause with the part of each gap that it can explain. True if the share is large enough to report.
    fn take(&mut self, id: CauseId, words: String, can: &[f64]) -> bool {
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

/// The mean loss in all figures of these workloads; none if there are none to compare.
fn mean_loss(entries: &[Entry], of: &[WorkloadId]) -> Option<f64> {
    let of_them = entries.iter().filter(|entry| of.iter().any(|id| entry.figure.key.is_of(*id)));
    let losses: Vec<f64> = of_them.filter_map(loss).collect();
    facts::stats::mean(&losses)
}

/// Deficit of a figure relative to its usual value.
fn loss(entry: &Entry) -> Option<f64> {
    loss_log(&entry.figure, usual(entry)?)
}

/// Deficit of the clock of a figure's cores; for all CPUs the mean of all core types.
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
    fn by_clock(&self, figure: &Figure) -> f64 {
        let Some(clock) = clock_loss(self.entries, figure) else {
            return 0.0;
        };
        match figure.key.workload().id() {
            Some(WorkloadId::Clock) => clock,
            Some(id) if is_of_memory(id) => clock * OF_CLOCK_IN_MEMORY,
            Some(WorkloadId::OpenSsl | WorkloadId::Aes) => clock,
            _ => clock * OF_CLOCK[usize::from(figure.core.is_none())],
        }
    }

    /// Distinguishes slower memory from fewer memory channels.
    fn of_memory(&self, facts: &Facts<'_>) -> Option<(CauseId, String)> {
        let bandwidth = self.bandwidth.unwrap_or(0.0);
        let scores = mean_loss(self.entries, &[WorkloadId::SevenZip, WorkloadId::Lzma]).unwrap_or(0.0);
        let is_narrow = bandwidth > CHANNEL_LOG_MIN
            && match self.latency {
                Some(latency) => latency < bandwidth * CHANNEL_LATENCY_MAX,
                None => scores < bandwidth * CHANNEL_SCORES_MAX,
            };
        let percent = |log: f64| 100.0 * (log.exp() - 1.0);
        match self.latency {
            Some(latency) if latency > 2.0 * SAME_LOG && !is_narrow => {
                let known = evidence::dram(facts).map_or(String::new(), |known| format!(" ({known})"));
                let words = format!("DRAM is slower: memory latency is {} higher{known}", by(percent(latency)));
                Some((CauseId::DramClock, words))
            }
            _ if is_narrow => {
                let known = evidence::dram(facts).map_or(String::new(), |known| format!(" ({known})"));
                let words = format!(
                    "Memory bandwidth is {:.0} % lower while latency is nearly that of others: fewer memory channels, or a \
                     narrower bus{known}",
                    100.0 * (1.0 - (-bandwidth).exp())
                );
                Some((CauseId::MemoryChannels, words))
            }
            None if bandwidth > 2.0 * SAME_LOG => {
                let known = evidence::dram(facts).map_or(String::new(), |known| format!(" ({known})"));
                Some((CauseId::DramClock, format!("Memory is slower{known}")))
            }
            _ => None,
        }
    }

    fn by_memory(&self, id: CauseId, figure: &Figure) -> f64 {
        let slower = match id {
            CauseId::DramClock => self.latency.unwrap_or(0.0).max(self.bandwidth.unwrap_or(0.0)),
            _ => self.bandwidth.unwrap_or(0.0) / 2.0,
        };
        match figure.key.workload().id() {
            Some(id) if is_of_memory(id) => f64::INFINITY,
            Some(WorkloadId::SevenZip | WorkloadId::Lzma) => slower * OF_MEMORY[usize::from(figure.core.is_none())],
            _ => 0.0,
        }
    }
}

fn by_userland(figure: &Figure) -> f64 {
    match figure.key.workload().id() {
        Some(WorkloadId::Clock | WorkloadId::MemoryLatency) => 0.0,
        Some(id) if is_of_memory(id) => USERLAND_LOG,
        // Ciphers of 32-bit programs may have no instructions of their own.
        Some(WorkloadId::OpenSsl | WorkloadId::Aes) => f64::INFINITY,
        _ => USERLAND_LOG,
    }
}

fn is_of_memory(id: WorkloadId) -> bool {
    matches!(id, WorkloadId::MemoryLatency | WorkloadId::MemoryLibc | WorkloadId::MemoryBandwidth)
}
