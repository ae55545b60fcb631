//! The clocks that CPUs had over a run, and those that they could have held.

use super::base::{base, cpus_of, first_rows};
use super::cpu_use::busy_percent_at;
use super::falls::clock_channels;
use super::phases::phases;
use super::samples::{Reading, channels, gauge, whole_run};
use record::{Channel, ChannelId, Record, Unit};

/// The clocks of CPUs that share one.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadClock {
    /// Where they stand.
    pub channel: ChannelId,
    /// The CPUs; empty if not known.
    pub cpus: Vec<u32>,
    /// The clock that these CPUs could have held, in kHz.
    pub base_khz: f64,
    /// True if that is an upper bound.
    pub at_most: bool,
    /// All readings that can be true, in kHz.
    pub readings: Vec<Reading>,
    /// Of each row of the samples, how busy all CPUs were in percent, if known.
    busy: Vec<Option<f64>>,
}

/// With less of all CPUs busy than this, nothing ran on most of them: between two repetitions, or at the end of one.
const BUSY_PERCENT_MIN: f64 = 50.0;
/// A clock so far above what these CPUs can hold is read wrong ...
const WILD_ABOVE: f64 = 1.5;
/// ... and one this far below the reading before and the one after.
const WILD_BELOW: f64 = 0.15;

impl LoadClock {
    /// Share of the clock that was kept at each reading between two moments, and when. Of a load on all CPUs only what
    /// was read while they were busy.
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

/// The clocks that were read all over the run and can be believed.
pub fn load_clocks(record: &Record) -> Vec<LoadClock> {
    let phases = phases(record);
    let busy = busy_percent_at(record);
    let is_first = first_rows(record);
    let found = clock_channels(record).into_iter().filter_map(|channel| {
        let own = base(record, channel, &phases, &busy)?;
        let mut base_khz = khz(channel, own.khz.into());
        let mut cpus = cpus_of(record, channel);
        if channel.id.is_firmware_clock() {
            // What the kernel asked for is what the firmware could have given.
            let claims = channels(record, ChannelId::is_policy_claim);
            let asked = claims.filter_map(|claim| Some((cpus_of(record, claim), base(record, claim, &phases, &busy)?)));
            for (of_claim, asked) in asked {
                base_khz = base_khz.max(asked.khz.into());
                cpus = of_claim;
            }
        }
        let mut readings = gauge(record, channel, whole_run());
        readings.retain(|reading| !is_first.get(reading.row).copied().unwrap_or(false));
        for reading in &mut readings {
            reading.value = khz(channel, reading.value as f64) as i64;
        }
        let readings = without_wild(&readings, base_khz);
        let is_any = base_khz > 0.0 && !readings.is_empty();
        let channel = channel.id.clone();
        is_any.then(|| LoadClock { channel, cpus, base_khz, at_most: own.at_most, readings, busy: busy.clone() })
    });
    found.collect()
}

fn khz(channel: &Channel, value: f64) -> f64 {
    if channel.unit == Unit::Hertz { value / 1000.0 } else { value }
}

/// Without single readings that no clock makes.
fn without_wild(readings: &[Reading], base_khz: f64) -> Vec<Reading> {
    let value = |index: usize| readings.get(index).map(|reading| reading.value as f64);
    let is_wild = |index: &usize| {
        let now = value(*index).unwrap_or(0.0);
        let around = [index.checked_sub(1).and_then(value), value(index + 1)];
        let lowest = around.into_iter().flatten().reduce(f64::min);
        now <= 0.0 || now > WILD_ABOVE * base_khz || lowest.is_some_and(|lowest| now < WILD_BELOW * lowest)
    };
    (0..readings.len()).filter(|index| !is_wild(index)).map(|index| readings[index]).collect()
}
