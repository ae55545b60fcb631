//! Loss of a score by lower clocks: clocks read during its repetitions, relative to those that all CPUs can hold.
//!
//! With several causes each reading belongs to one of them, and the remaining fractions are multiplied: without the
//! first cause its readings would equal the others, and so on.

use super::loss::Loss;
use super::score::Score;
use facts::stats::mean;
use facts::view::{self, LoadClock};
use facts::{Cause, EvidenceSource, Facts, Finding, Severity};
use facts::{Effect, Elasticity, Limiter};
use record::{ChannelId, RaspberryPiChannel, Total, Variant};
use rules::held_clocks::{ClockPair, HeldClock};
use rules::slowdown::hot_millicelsius;

/// Causes that lower clocks during a score, in the order in which their losses are removed.
const CHAIN: [Cause; 6] =
    [Cause::LowVoltage, Cause::Heat, Cause::PowerLimit, Cause::FirmwareCap, Cause::Governor, Cause::NotVisible];
/// Remaining fraction of the clock at under-voltage: the firmware of a Raspberry Pi roughly halves it.
const HALVED: f64 = 0.55;
/// A temperature this near below the limit, in thousandths of a degree, is at the limit: it is read between peaks.
const NEAR_MILLICELSIUS: i64 = 3_000;
/// Ratio of the clock in undisturbed windows to that in longer ones, above which a CPU stops for a part of the time.
const DUTY: f64 = 1.05;

/// Clock at one moment of a repetition.
struct Moment {
    /// Index in `Score::runs`.
    run: usize,
    /// Remaining fraction of the clock.
    kept: f64,
    cause: Cause,
}

/// Loss by each of these causes according to the clocks during the score; empty without readings. A firmware cap takes
/// nothing from a clock that is below it anyway.
pub(super) fn by_rows(
    facts: &Facts<'_>,
    score: &Score<'_>,
    causes: &[Cause],
    caps: &[HeldClock<'_>],
) -> Vec<(Cause, Loss)> {
    let chain: Vec<Cause> = CHAIN.into_iter().filter(|cause| causes.contains(cause)).collect();
    if chain.is_empty() {
        return Vec::new();
    }
    let mut clocks = clocks(facts, score);
    for clock in &mut clocks {
        let of_these = |cap: &&HeldClock| !cap.is_factor && cap.cpus.iter().any(|cpu| clock.cpus.contains(cpu));
        if let Some(cap) = caps.iter().find(of_these) {
            clock.base_khz *= cap.kept;
        }
    }
    let moments = moments(facts, score, &clocks, &chain);
    if moments.is_empty() {
        return Vec::new();
    }
    let free_best = free_best(score, &moments);
    // Removes the causes one after the other.
    let mut without: Vec<Cause> = Vec::new();
    let mut kept = kept_without(&moments, &without);
    let mut found = Vec::new();
    let at_most = clocks.iter().any(|clock| clock.at_most);
    let witness = |clock: &LoadClock| {
        if clock.channel.is_firmware_clock() {
            EvidenceSource::FirmwareClock(clock.channel.clone())
        } else {
            EvidenceSource::ClaimedClock(clock.channel.clone())
        }
    };
    for cause in &chain {
        without.push(*cause);
        let next = kept_without(&moments, &without);
        let by = clocks.iter().map(witness).collect();
        found.push((*cause, Loss::of_clock(kept / next, elasticity(facts, score, *cause), at_most, by)));
        kept = next;
    }
    if let (Some(best), [(_, loss)]) = (free_best, found.as_mut_slice()) {
        // Repetitions at full clocks bound the loss of the others.
        let least = (score.rate() / best).min(1.0);
        (loss.factor, loss.high) = (loss.factor.max(least), loss.high.max(least));
    }
    found
}

/// Remaining fraction of the clocks from which a repetition had all of them.
const FREE_SHARE: f64 = 0.99;

/// Rate of the best repetition at full clocks.
fn free_best(score: &Score<'_>, moments: &[Moment]) -> Option<f64> {
    score.free_best(|index| {
        let of_run = moments.iter().filter(|moment| moment.run == index).map(|moment| moment.kept);
        mean(&of_run.collect::<Vec<_>>()).is_some_and(|kept| kept >= FREE_SHARE)
    })
}

/// Whether an x86 CPU was hot before the first repetition: its readings then do not show the clock that all cores can
/// hold. Boards have an OPP table for that.
pub(super) fn was_there_before(facts: &Facts<'_>, score: &Score<'_>, cause: Cause) -> bool {
    let first = score.runs.first().map(|run| run.window);
    let (Some(first), Some(channel)) = (first, facts.soc_temperature()) else { return false };
    let readings = view::temperatures(facts, channel, first);
    let hot = hot_millicelsius(facts) - NEAR_MILLICELSIUS;
    let is_hot = readings.first().is_some_and(|reading| reading.value >= hot);
    cause == Cause::Heat && is_hot && view::is_x86(facts)
}

/// Clocks of the CPUs of the score.
fn clocks(facts: &Facts<'_>, score: &Score<'_>) -> Vec<LoadClock> {
    let mut clocks = facts.load_clocks().to_vec();
    if let [cpu] = score.step.cpus[..] {
        clocks.retain(|clock| clock.cpus.is_empty() || clock.cpus.contains(&cpu));
    }
    clocks
}

/// Weight of the CPUs of a clock: their number times the score of one CPU.
pub(super) fn weight(facts: &Facts<'_>, cpus: &[u32], khz: f64) -> f64 {
    let of_cluster = facts.figures().iter().find(|figure| {
        let of_these = figure.core.as_ref().is_some_and(|core| core.cpus.iter().any(|cpu| cpus.contains(cpu)));
        of_these && figure.is_main && figure.unit == "MIPS"
    });
    cpus.len().max(1) as f64 * of_cluster.map_or(khz / 1000.0, |figure| figure.value)
}

fn moments(facts: &Facts<'_>, score: &Score<'_>, clocks: &[LoadClock], chain: &[Cause]) -> Vec<Moment> {
    let on_all = score.is_on_all(facts);
    let weights: Vec<f64> = clocks.iter().map(|clock| weight(facts, &clock.cpus, clock.base_khz)).collect();
    let classes = Classes::of(facts, chain);
    let mut moments = Vec::new();
    for (index, run) in score.runs.iter().enumerate() {
        let mut sums: std::collections::BTreeMap<i64, (f64, f64)> = std::collections::BTreeMap::new();
        for (clock, weight) in clocks.iter().zip(&weights) {
            for (at_ms, kept) in clock.kept(run.window.start_ms, run.window.end_ms, on_all) {
                let sum = sums.entry(at_ms).or_default();
                *sum = (sum.0 + weight * kept, sum.1 + weight);
            }
        }
        let rows = sums.into_iter().filter(|(_, (_, all))| *all > 0.0);
        moments.extend(rows.map(|(at_ms, (kept, all))| {
            let kept = kept / all;
            Moment { run: index, kept, cause: classes.cause(at_ms, kept) }
        }));
    }
    moments
}

/// Remaining fraction of the clock without these causes.
fn kept_without(moments: &[Moment], without: &[Cause]) -> f64 {
    let others = moments.iter().filter(|moment| !without.contains(&moment.cause));
    mean(&others.map(|moment| moment.kept).collect::<Vec<_>>()).unwrap_or(1.0)
}

/// Assigns moments to causes.
struct Classes<'a> {
    chain: &'a [Cause],
    bits: Vec<(i64, bool)>,
    /// Times at which the clock of the firmware shows under-voltage.
    supply_ms: Vec<i64>,
    temperatures: Vec<(i64, i64)>,
    hot_millicelsius: i64,
}

impl<'a> Classes<'a> {
    fn of(facts: &Facts<'_>, chain: &'a [Cause]) -> Self {
        let throttled = facts.samples.channel(&ChannelId::RaspberryPi(RaspberryPiChannel::Throttled));
        let bits = throttled.map(|channel| view::gauge(facts, channel, view::whole_run())).unwrap_or_default();
        let soc = facts.soc_temperature();
        let heat = soc.map(|channel| view::temperatures(facts, channel, view::whole_run())).unwrap_or_default();
        Self {
            chain,
            supply_ms: facts
                .under_voltage_rows()
                .iter()
                .filter_map(|row| facts.samples.at_ms.get(*row).copied())
                .collect(),
            bits: bits.into_iter().map(|reading| (reading.at_ms, reading.value & 1 != 0)).collect(),
            temperatures: heat.into_iter().map(|reading| (reading.at_ms, reading.value)).collect(),
            hot_millicelsius: hot_millicelsius(facts) - NEAR_MILLICELSIUS,
        }
    }

    fn cause(&self, at_ms: i64, kept: f64) -> Cause {
        let has = |cause| self.chain.contains(&cause);
        let is_low =
            || nearest(&self.bits, at_ms).unwrap_or(kept <= HALVED || self.supply_ms.binary_search(&at_ms).is_ok());
        let is_hot = || nearest(&self.temperatures, at_ms).is_none_or(|temp| temp >= self.hot_millicelsius);
        match self.chain {
            [] => Cause::NotVisible,
            [only] => *only,
            _ if has(Cause::LowVoltage) && is_low() => Cause::LowVoltage,
            _ if has(Cause::Heat) && (is_hot() || self.chain == [Cause::LowVoltage, Cause::Heat]) => Cause::Heat,
            [.., last] => *last,
        }
    }
}

/// Value of the nearest reading.
fn nearest<T: Copy>(readings: &[(i64, T)], at_ms: i64) -> Option<T> {
    let next = readings.partition_point(|(known, _)| *known < at_ms);
    let around = [next.checked_sub(1), Some(next)].into_iter().flatten().filter_map(|index| readings.get(index));
    around.min_by_key(|(known, _)| known.abs_diff(at_ms)).map(|(_, value)| *value)
}

/// Clocks in harmful findings.
pub(super) fn held_clocks<'a>(findings: &[&'a Finding], pair: ClockPair) -> Vec<HeldClock<'a>> {
    let harms = findings.iter().filter(|finding| finding.severity > Severity::Info);
    harms.filter_map(|finding| pair.of(finding)).collect()
}

/// Loss by findings that state both the actual and the expected clock of CPUs.
pub(super) fn by_findings(
    facts: &Facts<'_>,
    score: &Score<'_>,
    cause: Cause,
    findings: &[&Finding],
    pair: ClockPair,
) -> Option<Loss> {
    let held = held_clocks(findings, pair);
    if held.is_empty() {
        return None;
    }
    let clusters = facts.machine.clusters.iter().map(|cluster| cluster.cpus.as_slice());
    let mut clusters: Vec<&[u32]> = clusters.collect();
    if clusters.is_empty() {
        clusters = held.iter().map(|held| held.cpus).collect();
    }
    if let [cpu] = score.step.cpus[..] {
        clusters.retain(|cpus| cpus.contains(&cpu));
    }
    let parts = clusters.iter().map(|cpus| {
        let of_these = held.iter().find(|held| held.cpus.iter().any(|cpu| cpus.contains(cpu)));
        let kept = of_these.map_or(1.0, |held| held.kept);
        let weight = weight(facts, cpus, 1.0);
        // The score of one core already includes the loss.
        (weight, weight / kept)
    });
    let parts: Vec<(f64, f64)> = parts.collect();
    let reached: f64 = parts.iter().map(|(reached, _)| *reached).total();
    let expected: f64 = parts.iter().map(|(_, expected)| *expected).total();
    let kept = if expected > 0.0 { reached / expected } else { 1.0 };
    let by = vec![EvidenceSource::MeasuredClock(Variant::COLD)];
    Some(Loss::of_clock(kept, elasticity(facts, score, cause), false, by))
}

fn elasticity(facts: &Facts<'_>, score: &Score<'_>, cause: Cause) -> Elasticity {
    if is_by_duty(facts) {
        return Elasticity::of(score.step, Limiter::Duty);
    }
    let effect = Effect::of(cause, &score.step.workload);
    let limiter = effect.and_then(|effect| effect.limiter(view::is_x86(facts)));
    Elasticity::of(score.step, limiter.unwrap_or(Limiter::Cores))
}

/// Whether CPUs reach a lower clock by stopping for a part of the time.
fn is_by_duty(facts: &Facts<'_>) -> bool {
    view::clock_passes(facts, &Variant::COLD).any(|(_, clocks)| {
        let mut windows = clocks.points.iter().filter_map(|point| point.windows.as_ref());
        windows.any(|windows| f64::from(windows.best_khz) > DUTY * f64::from(windows.sustained_khz))
    })
}
