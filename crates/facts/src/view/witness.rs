//! Reliability of columns of advertised clocks: a column that better evidence contradicts shows neither a fall nor its
//! absence.

use super::clocks::{ClusterClock, clock_passes};
use super::cpu_count;
use super::phases::Phase;
use super::samples::{channels, gauge};
use super::scores::spread_percent;
use crate::Facts;
use crate::stats::{mean, median, quantile};
use record::{
    Channel, ChannelId, Cluster, Machine, Outcome, Record, Step, StepMeasurement, Total, Variant, WorkloadId,
};

/// Reason why a column of advertised clocks is unreliable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ClockDoubt {
    /// It claimed clocks that these CPUs do not have.
    AboveHighestOpp {
        /// The highest of them.
        claimed_khz: u32,
        /// The highest clock that is known of these CPUs.
        top_khz: u32,
    },
    /// Its values scatter while equal work took equal time.
    Scatters {
        /// Distance between its tenth and its ninetieth percentile, in percent of the median.
        clock_percent: f64,
        /// Distance between the highest and the lowest score, in percent.
        score_percent: f64,
    },
    /// Far from the measured clock, even while one CPU works.
    ContradictsMeasured {
        /// Typical claimed value.
        claimed_khz: u32,
        /// Measured value.
        measured_khz: u32,
    },
    /// At this clock, the score on all CPUs would exceed the sum of those of single CPUs.
    BelowScores {
        /// Median of the claimed clock while all CPUs worked.
        claimed_khz: u32,
        /// Score per cycle on all CPUs relative to single CPUs.
        times: f64,
    },
}

/// A column of unreliable clocks.
#[derive(Debug, Clone, PartialEq)]
pub struct DoubtedColumn {
    /// Id of the channel.
    pub channel: ChannelId,
    /// Why.
    pub doubt: ClockDoubt,
}

/// Above the highest known clock by less than this is rounding.
const ABOVE_PERCENT: f64 = 2.0;
/// Share of the samples that must lie above it.
const ABOVE_SHARE_MIN: f64 = 0.02;
/// Minimum number of rows, because a single one may be misread.
const ABOVE_ROWS_MIN: usize = 2;
/// Distance from a known OPP, as a share, within which a clock is that OPP.
const OPP_TOLERANCE: f64 = 0.01;
/// Counters that are read at different moments scatter by more than this.
const SCATTER_PERCENT_MIN: f64 = 3.0;
/// Scores that differ by less ran at one clock.
const SCORES_ALIKE_PERCENT: f64 = 1.0;
/// Some firmwares count cycles that pass while a CPU idles, or answer too late: their claims wander far below the
/// clock from the first light workload on. A clock that was throttled needs heat, and heat needs load.
const WANDERING_SHARE_MAX: f64 = 0.8;
/// Rows that must show it.
const ROWS_MIN: usize = 5;
/// All CPUs together do less per cycle than single ones, and hardly more at a clock at which memory is relatively fast.
const TIMES_MAX: f64 = 1.3;
/// Threads that had less of the CPUs than this were kept from them.
const USED_SHARE_MIN: f64 = 0.7;
/// Minimum drop from the single-CPU clock that contradicts the scores.
const LOWER_SHARE: f64 = 0.9;

/// Columns of advertised clocks with contradicting evidence: scores on any machine, other evidence on boards. On x86,
/// clocks above the nominal one are turbo clocks, idle CPUs have low clocks, and averages scatter.
pub(crate) fn doubted_columns(facts: &Facts<'_>) -> Vec<DoubtedColumn> {
    let below_scores = below_scores(facts);
    if !below_scores.is_empty() {
        return below_scores;
    }
    let arch = facts.machine.kernel_arch.known().or(facts.machine.userland_arch.known());
    if arch.is_none_or(|arch| arch.contains("86") || arch.contains("amd")) {
        return Vec::new();
    }
    let phases = facts.phases();
    let columns = channels(facts, ChannelId::is_policy_claim).filter_map(|channel| {
        let cpu = channel.id.policy()?;
        let doubt = above_highest_opp(facts, channel, cpu, phases)
            .or_else(|| scatters(facts, channel, cpu, phases))
            .or_else(|| contradicts_measured(facts, channel, cpu, phases))?;
        Some(DoubtedColumn { channel: channel.id.clone(), doubt })
    });
    columns.collect()
}

/// A column has one unit: impossible clocks in some rows make all of them doubtful.
fn above_highest_opp(record: &Record, channel: &Channel, cpu: u32, phases: &[Phase]) -> Option<ClockDoubt> {
    let opps = opps_khz(record, cpu);
    let top_khz = highest_clock_khz(&record.machine, cpu).into_iter().chain(opps.iter().copied()).max()?;
    let values = values(record, channel, phases.iter());
    let limit = f64::from(top_khz) * (1.0 + ABOVE_PERCENT / 100.0);
    let above: Vec<f64> = values.iter().copied().filter(|khz| *khz > limit && !is_opp(&opps, *khz)).collect();
    // Kernels omit boost clocks from their tables: a constant clock is a boost clock.
    let is_boost = median(&above).is_some_and(|typical| {
        let near = above.iter().filter(|khz| (*khz / typical - 1.0).abs() < OPP_TOLERANCE);
        near.count() * 10 > above.len() * 9
    });
    if above.len() < ABOVE_ROWS_MIN || is_boost || above.len() as f64 <= ABOVE_SHARE_MIN * values.len() as f64 {
        return None;
    }
    let claimed_khz = above.into_iter().reduce(f64::max)? as u32;
    Some(ClockDoubt::AboveHighestOpp { claimed_khz, top_khz })
}

fn scatters(facts: &Facts<'_>, channel: &Channel, cpu: u32, phases: &[Phase]) -> Option<ClockDoubt> {
    let scores: Vec<f64> = facts.multi_totals().iter().map(|(_, mips)| *mips).collect();
    let score_percent = spread_percent(&scores).filter(|spread| scores.len() > 1 && *spread < SCORES_ALIKE_PERCENT)?;
    let cpus = cpu_count(facts)?;
    let is_compared = |phase: &&Phase| phase.is_full_load(cpus) && phase.workload.id().is_some_and(WorkloadId::is_main);
    let values = values(facts, channel, phases.iter().filter(is_compared));
    let opps = opps_khz(facts, cpu);
    let are_opps = values.iter().filter(|khz| is_opp(&opps, **khz)).count() * 2 > values.len();
    let (low, typical, high) = (quantile(&values, 0.1)?, median(&values)?, quantile(&values, 0.9)?);
    let clock_percent = 100.0 * (high - low) / typical;
    (!are_opps && values.len() >= ROWS_MIN && clock_percent > SCATTER_PERCENT_MIN)
        .then_some(ClockDoubt::Scatters { clock_percent, score_percent })
}

fn contradicts_measured(facts: &Facts<'_>, channel: &Channel, cpu: u32, phases: &[Phase]) -> Option<ClockDoubt> {
    let passes = [Variant::COLD, Variant::HOT_AFTER];
    let measured: Vec<ClusterClock> = passes.iter().flat_map(|variant| facts.cluster_clocks(variant)).collect();
    let of_policy = measured.iter().filter(|clock| clock.cluster_cpus.contains(&cpu));
    let measured_khz = of_policy.map(|clock| clock.measured_khz).min()?;
    let claims = values(facts, channel, phases.iter().filter(|phase| phase.is_single_threaded()));
    let typical = median(&claims).filter(|_| claims.len() >= ROWS_MIN)?;
    if typical >= WANDERING_SHARE_MAX * f64::from(measured_khz) {
        return None;
    }
    // A governor lowers the clock of an idle cluster to an OPP. Under full load it raises the clock, and a limit would
    // still show right after the load.
    let opps = opps_khz(facts, cpu);
    let are_opps = claims.iter().filter(|khz| is_opp(&opps, **khz)).count() * 2 > claims.len();
    let all = values(facts, channel, phases.iter());
    let is_constant = all.iter().all(|khz| *khz == typical);
    let hot = [Variant::HOT_LOADED, Variant::HOT_AFTER].map(|pass| facts.cluster_clocks(&pass)).concat();
    let has_hot = hot.iter().any(|clock| clock.cluster_cpus.contains(&cpu));
    (!are_opps || is_constant && has_hot)
        .then_some(ClockDoubt::ContradictsMeasured { claimed_khz: typical as u32, measured_khz })
}

/// Columns with clocks at which the CPUs cannot have reached the 7-zip score on all of them.
fn below_scores(facts: &Facts<'_>) -> Vec<DoubtedColumn> {
    let phases = || facts.phases().iter().filter(|phase| phase.workload == WorkloadId::SevenZip);
    // Runs on one cluster are neither; a machine with one CPU runs 7-zip on all CPUs with a single thread.
    let is_together = |phase: &&Phase| {
        let is_multi = |step: &usize| facts.multi_totals().iter().any(|(multi, _)| multi == step);
        phase.steps.iter().any(is_multi)
    };
    let is_alone = |phase: &&Phase| phase.is_single_threaded() && !is_together(phase);
    let clocks = |channel: &Channel| {
        let together = values(facts, channel, phases().filter(is_together));
        let alone = values(facts, channel, phases().filter(is_alone));
        let together_khz = median(&together).filter(|_| together.len() >= ROWS_MIN)?;
        Some((together_khz, quantile(&alone, 0.9)?))
    };
    let claimed: Vec<(&Channel, f64, f64)> = channels(facts, ChannelId::is_policy_claim)
        .filter_map(|channel| {
            let (together_khz, alone_khz) = clocks(channel)?;
            // Firmware may hold the clock below the advertised one.
            let cold = facts.cluster_clocks(&Variant::COLD);
            let policy = channel.id.policy()?;
            let measured = cold.iter().find(|clock| clock.cluster_cpus.contains(&policy));
            let measured_khz = measured.map_or(f64::INFINITY, |clock| f64::from(clock.measured_khz));
            Some((channel, together_khz, alone_khz.min(measured_khz)))
        })
        .collect();
    let times = || {
        let totals = facts.multi_totals().iter().filter_map(|(step, _)| decompressing_mips(&facts.steps[*step]));
        let totals: Vec<f64> = totals.collect();
        let shares: Vec<f64> = claimed.iter().map(|(_, together, alone)| together / alone).collect();
        // Not every log has a column for each policy: they are limited alike.
        let usual_share = mean(&shares)?;
        let clusters = facts.machine.clusters.iter().filter(|cluster| !cluster.cpus.is_empty());
        let predicted = clusters.map(|cluster| {
            let own = claimed
                .iter()
                .position(|(channel, ..)| channel.id.policy().is_some_and(|policy| cluster.cpus.contains(&policy)));
            let share = own.map_or(usual_share, |index| shares[index]);
            Some(single_mips(facts, cluster)? * cluster.cpus.len() as f64 * share)
        });
        let predicted: f64 = predicted.collect::<Option<Vec<f64>>>()?.into_iter().total();
        // Waiting CPUs do no work in their cycles.
        let cpus = f64::from(cpu_count(facts)?);
        let used = facts.halves().iter().map(|run| run.decompressing_use).collect::<Vec<_>>();
        let used = mean(&used).map_or(1.0, |percent| percent / 100.0 / cpus);
        Some(mean(&totals)? / predicted / used.clamp(USED_SHARE_MIN, 1.0)).filter(|times| times.is_finite())
    };
    let is_lower = claimed.iter().any(|(_, together, alone)| together / alone < LOWER_SHARE);
    let Some(times) = is_lower.then(times).flatten().filter(|times| *times >= TIMES_MAX) else { return Vec::new() };
    // One source has all columns: if one is wrong for a cluster with a counted score, all are.
    let columns = channels(facts, ChannelId::is_any_claim).filter_map(|channel| {
        let known = claimed.iter().find(|(of, ..)| of.id == channel.id).map(|(_, together, alone)| (*together, *alone));
        let (together, _) =
            known.or_else(|| clocks(channel)).filter(|(together, alone)| together / alone < LOWER_SHARE)?;
        let doubt = ClockDoubt::BelowScores { claimed_khz: together as u32, times };
        Some(DoubtedColumn { channel: channel.id.clone(), doubt })
    });
    columns.collect()
}

/// Rate of decompression on one CPU of this cluster, or of another cluster with the same core type.
fn single_mips(record: &Record, cluster: &Cluster) -> Option<f64> {
    let on = |cpus: &[u32]| {
        let singles = record.steps.iter().filter(|step| {
            let is_single = step.workload.id() == Some(WorkloadId::SevenZip) && step.variant.is_single_of_any_kind();
            is_single && step.cpus.first().is_some_and(|cpu| cpus.contains(cpu))
        });
        singles.filter_map(decompressing_mips).reduce(f64::max)
    };
    let is_alike = |other: &&Cluster| cluster.core_type.known().is_some() && other.core_type == cluster.core_type;
    on(&cluster.cpus).or_else(|| record.machine.clusters.iter().filter(is_alike).find_map(|other| on(&other.cpus)))
}

/// Rate of decompression, which waits for memory less than compression does.
fn decompressing_mips(step: &Step) -> Option<f64> {
    match &step.outcome {
        Outcome::Done(StepMeasurement::Compression(done)) => Some(f64::from(done.decompressing_mips)),
        _ => None,
    }
}

fn values<'a>(record: &Record, channel: &Channel, phases: impl Iterator<Item = &'a Phase>) -> Vec<f64> {
    let readings = phases.flat_map(|phase| gauge(record, channel, phase.window));
    readings.map(|reading| reading.value as f64).collect()
}

fn is_opp(opps: &[u32], khz: f64) -> bool {
    opps.iter().any(|opp| (khz / f64::from(*opp) - 1.0).abs() < OPP_TOLERANCE)
}

fn highest_clock_khz(machine: &Machine, cpu: u32) -> Option<u32> {
    let policy = machine.policies.iter().find(|policy| policy.cpus.contains(&cpu))?;
    policy.clock_khz_max.known().copied().filter(|khz| *khz > 0)
}

/// Every OPP that is known of a CPU: listed, or tried by the clock pass.
fn opps_khz(record: &Record, cpu: u32) -> Vec<u32> {
    let policies = record.machine.policies.iter();
    let of_cpu = policies.filter(|policy| policy.cpus.contains(&cpu));
    let mut opps: Vec<u32> = of_cpu.flat_map(|policy| policy.opps_khz.clone()).collect();
    for (_, clocks) in clock_passes(record, &Variant::COLD) {
        let tried = clocks.points.iter().filter(|point| point.cpu == cpu);
        opps.extend(tried.filter_map(|point| point.opp_khz));
    }
    opps.retain(|opp| *opp > 0);
    opps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, gauge_channel, own_run, point, with_clocks, with_step};
    use record::Unit;

    /// Three runs of 7-zip with these scores on CPUs of at most 1800 MHz, and this column of clocks.
    fn run(scores: [u32; 3], mhz: &[i64]) -> Record {
        let mut record = with_clocks(own_run(), Variant::COLD, vec![point(0, 1_800_000, 1_799_000)]);
        let second = mhz.len() as f64 / 2.0 / 3.0;
        for (index, score) in scores.into_iter().enumerate() {
            let window = (index as f64 * second, (index + 1) as f64 * second);
            record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], window, compression(score));
        }
        let khz: Vec<i64> = mhz.iter().map(|mhz| mhz * 1000).collect();
        gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &khz)
    }

    #[test]
    fn columns_are_doubted_by_what_contradicts_them() {
        let counted = [1_890, 1_805, 1_920, 1_850, 1_900, 1_790, 1_930, 1_860, 1_910, 1_880, 1_800, 1_895];
        let averaged = [1_790, 1_700, 1_650, 1_780, 1_700, 1_660, 1_750, 1_655, 1_799, 1_710, 1_660, 1_790];
        let throttled = [1_800, 1_800, 1_800, 1_800, 1_416, 1_416, 1_416, 1_416, 1_416, 1_416, 1_416, 1_416];
        let boost = [1_992; 12];
        for (scores, mhz, is_doubted) in [
            ([7_000, 6_990, 7_010], counted, true),
            ([7_000, 6_500, 6_100], counted, true),
            ([7_000, 6_990, 7_010], averaged, true),
            ([7_000, 6_500, 6_100], averaged, false),
            ([7_000, 6_500, 6_100], throttled, false),
            ([7_000, 6_990, 7_010], boost, false),
        ] {
            assert_eq!(!doubted_columns(&Facts::of(&run(scores, &mhz))).is_empty(), is_doubted, "{scores:?} {mhz:?}");
        }
    }
}
