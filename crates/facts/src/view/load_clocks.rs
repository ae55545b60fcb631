//! Clocks of CPUs over a run, and the clocks that they could have held.

use super::base::{base, cpus_of};
use super::clock_gauge::clock_gauge;
use super::falls::clock_channels;
use super::phases::Phase;
use super::samples::{Reading, channels, counter_steps, whole_run};
use super::witness::DoubtedColumn;
use crate::Facts;
use record::{Channel, ChannelId, PolicyChannel, Record, Unit};
use std::collections::BTreeMap;

/// Clocks of CPUs that share a clock.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadClock {
    /// Channel of the clocks.
    pub channel: ChannelId,
    /// The CPUs; empty if not known.
    pub cpus: Vec<u32>,
    /// Clock that these CPUs could have held, in kHz.
    pub base_khz: f64,
    /// True if that is an upper bound.
    pub at_most: bool,
    /// All readings that can be true, in kHz.
    pub readings: Vec<Reading>,
    /// Of each row of the samples, how busy all CPUs were in percent, if known.
    busy: Vec<Option<f64>>,
}

/// Below this load most CPUs were idle: between two repetitions, or at the end of one.
const BUSY_PERCENT_MIN: f64 = 50.0;
/// A clock this far above the reference is misread.
const WILD_ABOVE: f64 = 1.5;

impl LoadClock {
    /// Remaining share of the clock at each reading between two moments, with its time. For a load on all CPUs only
    /// readings while they were busy.
    pub fn kept(&self, from_ms: i64, to_ms: i64, on_all: bool) -> impl Iterator<Item = (i64, f64)> {
        let is_within = move |reading: &&Reading| (from_ms..=to_ms).contains(&reading.at_ms);
        let is_busy = move |reading: &&Reading| {
            let busy = self.busy.get(reading.row).copied().flatten();
            !on_all || busy.is_none_or(|busy| busy >= BUSY_PERCENT_MIN)
        };
        let readings = self.readings.iter().filter(is_within).filter(is_busy);
        readings.map(|reading| (reading.at_ms, (reading.value as f64 / self.base_khz).min(1.0)))
    }
}

/// Reliable clock readings of the whole run.
pub(crate) fn load_clocks(facts: &Facts<'_>, phases: &[Phase], doubted: &[DoubtedColumn]) -> Vec<LoadClock> {
    let busy = facts.loaded_percent_at();
    let is_first = facts.first_rows();
    let found = clock_channels(facts, doubted).into_iter().filter_map(|channel| {
        let own = base(facts, channel, phases, busy)?;
        let base_khz = f64::from(own.khz);
        let mut cpus = cpus_of(facts, channel);
        if channel.id.is_firmware_clock() {
            let claims = channels(facts, ChannelId::is_policy_claim);
            cpus = claims.map(|claim| cpus_of(facts, claim)).next().unwrap_or_default();
        }
        let counted = channel.id.policy().filter(|_| ChannelId::is_policy_claim(&channel.id));
        let counted = counted.map(|policy| by_residency(facts, policy)).unwrap_or_default();
        let is_counted = !counted.is_empty();
        let mut readings = if is_counted { counted } else { clock_gauge(facts, channel, whole_run()) };
        readings.retain(|reading| !is_first.get(reading.row).copied().unwrap_or(false));
        for reading in &mut readings {
            reading.value = if is_counted { reading.value } else { khz(channel, reading.value as f64) as i64 };
        }
        readings.retain(|reading| reading.value > 0 && (reading.value as f64) <= WILD_ABOVE * base_khz);
        let is_any = base_khz > 0.0 && !readings.is_empty();
        let channel = channel.id.clone();
        is_any.then(|| LoadClock { channel, cpus, base_khz, at_most: own.at_most, readings, busy: busy.clone() })
    });
    found.collect()
}

/// Mean clock of a policy between samples in kHz, if the kernel counts the time at every OPP; includes changes faster
/// than the sampling.
fn by_residency(record: &Record, policy: u32) -> Vec<Reading> {
    let mut sums: BTreeMap<usize, (i64, f64, f64)> = BTreeMap::new();
    for channel in &record.samples.channels {
        let khz = match channel.id {
            ChannelId::Policy(of, PolicyChannel::Residency(khz)) if of == policy => f64::from(khz),
            _ => continue,
        };
        for step in counter_steps(record, channel, whole_run()) {
            let (_, weighted, all) = sums.entry(step.row).or_insert((step.at_ms, 0.0, 0.0));
            *weighted += khz * step.value as f64;
            *all += step.value as f64;
        }
    }
    let known = sums.into_iter().filter(|(_, (_, _, all))| *all > 0.0);
    known.map(|(row, (at_ms, weighted, all))| Reading { row, at_ms, value: (weighted / all) as i64 }).collect()
}

fn khz(channel: &Channel, value: f64) -> f64 {
    if channel.unit == Unit::Hertz { value / 1000.0 } else { value }
}
