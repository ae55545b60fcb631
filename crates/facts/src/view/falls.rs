//! Falls of the advertised clock while all CPUs are loaded.
//!
//! Advertised clocks only: firmware that throttles without telling the kernel does not show here.

use super::base::{Base, base, busy_readings, cpus_of, full_loads};
use super::firmware::{firmware_clock_channel, rows_not_of_heat};
use super::phases::Phase;
use super::samples::{Reading, channels, is_log};
use super::witness::DoubtedColumn;
use crate::Facts;
use crate::stats::median;
use record::{Channel, ChannelId, Record, Total, Window, WorkloadId, WorkloadName};

/// A claimed clock that was lower than its CPUs could hold in a phase of full load.
#[derive(Debug, Clone, PartialEq)]
pub struct ClockFall {
    /// Id of the workload of the phase.
    pub workload: WorkloadName,
    /// The phase, in words.
    pub phase: String,
    /// Its window.
    pub window: Window,
    /// Id of the channel.
    pub channel: ChannelId,
    /// The CPUs that have this clock; empty if not known.
    pub cpus: Vec<u32>,
    /// Steps of the phase: indices in `Record::steps`.
    pub steps: Vec<usize>,
    /// Clock that these CPUs could have held.
    pub top_khz: u32,
    /// True if that is an upper bound.
    pub at_most: bool,
    /// Lowest clock claimed in the phase.
    pub low_khz: u32,
    /// Median of the clocks that were below the top.
    pub typical_low_khz: u32,
    /// Mean over the whole phase.
    pub mean_khz: u32,
    /// Share of the phase below the top, 0 to 1.
    pub low_share: f64,
    /// First sample below the top.
    pub first_ms: i64,
    /// Last sample below the top.
    pub last_ms: i64,
    /// True if the phase began at the top and the clock fell during it; false if it was low from the beginning, as with
    /// an all-core limit.
    pub fell_within: bool,
    /// Hottest SoC temperature of the phase.
    pub temp_millicelsius_max: Option<i64>,
    /// Hottest SoC temperature of the low samples.
    pub temp_millicelsius_low: Option<i64>,
    /// SoC temperature around the first low sample.
    pub temp_millicelsius_at_fall: Option<i64>,
}

/// A clock this much below the top is a lower clock: claims of x86 CPUs are averages that wobble
/// by a percent or two, while the steps of OPP tables are larger.
const LOWER_PERCENT: f64 = 3.0;
/// Single short readings happen on boards that do not throttle.
const LOW_SAMPLES_MIN: usize = 2;
/// A row of a log covers ten seconds or more: a single one counts if its clock is below this share ...
const DEEP_SHARE: f64 = 0.8;
/// ... at a temperature at which machines throttle.
const DEEP_MILLICELSIUS: i64 = 85_000;
/// Share of the phase that must be low.
const LOW_SHARE_MIN: f64 = 0.1;

/// Falls of every policy in every phase of full load, in order.
pub(crate) fn clock_falls(facts: &Facts<'_>, phases: &[Phase], doubted: &[DoubtedColumn]) -> Vec<ClockFall> {
    let loaded: Vec<&Phase> = full_loads(facts, phases);
    let mut falls = Vec::new();
    let busy = facts.loaded_percent_at();
    let not_of_heat = rows_not_of_heat(facts);
    for channel in clock_channels(facts, doubted) {
        let Some(base) = base(facts, channel, phases, busy) else {
            continue;
        };
        for phase in &loaded {
            let mut readings = busy_readings(facts, channel, phase, busy);
            // Separate rules cover weak supplies and lower clocks of the firmware.
            readings.retain(|reading| !not_of_heat.contains(&reading.row));
            falls.extend(fall(facts, channel, phase, base, &readings));
        }
    }
    falls
}

/// Falls during workloads of a single CPU in which the SoC was at least this hot: heat lowers the clock of one busy CPU as
/// well, while other reasons for a lower clock of a nearly idle SoC are many. Only clocks of the CPUs that the workload
/// was pinned to count, or the clock that all CPUs share.
pub fn narrow_falls(facts: &Facts<'_>, millicelsius_min: i64) -> Vec<ClockFall> {
    let cpus = super::cpu_use::cpu_count(facts).unwrap_or(1);
    let is_narrow = |phase: &&Phase| {
        let is_set = phase.steps.iter().any(|at| facts.steps[*at].set_clock.is_some());
        phase.busy_cpus == 1 && cpus > 1 && phase.workload != WorkloadId::Clock && !is_set
    };
    let is_of_cpus = |id: &ChannelId| id.is_policy_claim() || matches!(id, ChannelId::BigLittle(_));
    let is_shared = channels(facts, is_of_cpus).count() <= 1;
    let (not_of_heat, is_first) = (rows_not_of_heat(facts), facts.first_rows());
    let mut falls = Vec::new();
    for channel in clock_channels(facts, facts.doubted_columns()) {
        let Some(base) = base(facts, channel, facts.phases(), &[]) else { continue };
        let own = cpus_of(facts, channel);
        let is_of = |phase: &Phase| {
            let mut pinned = phase.steps.iter().map(|at| &facts.steps[*at].cpus);
            is_shared || pinned.all(|pinned| !pinned.is_empty() && pinned.iter().all(|cpu| own.contains(cpu)))
        };
        for phase in facts.phases().iter().filter(is_narrow).filter(|phase| is_of(phase)) {
            let mut readings = busy_readings(facts, channel, phase, &[]);
            readings.retain(|reading| {
                !not_of_heat.contains(&reading.row) && !is_first.get(reading.row).copied().unwrap_or(false)
            });
            let fall = fall(facts, channel, phase, base, &readings);
            falls.extend(fall.filter(|fall| fall.temp_millicelsius_low >= Some(millicelsius_min)));
        }
    }
    falls
}

/// Loss of clock of all CPUs together in a phase, in percent of the clocks that they could have held.
pub fn phase_clock_loss_percent(facts: &Facts<'_>, phase: &Phase) -> Option<f64> {
    let phases = facts.phases();
    let busy = facts.loaded_percent_at();
    let (mut claimed, mut best) = (0.0, 0.0);
    for channel in clock_channels(facts, facts.doubted_columns()) {
        let values: Vec<f64> =
            busy_readings(facts, channel, phase, busy).iter().map(|reading| reading.value as f64).collect();
        let top = f64::from(base(facts, channel, phases, busy)?.khz);
        let cpus = cpus_of(facts, channel).len().max(1) as f64;
        claimed += cpus * crate::stats::mean(&values)?;
        best += cpus * top;
    }
    (best > 0.0).then(|| 100.0 * (1.0 - claimed / best))
}

/// Clocks as claimed by the kernel, or by the firmware where that is sampled: the firmware of a
/// Raspberry Pi has the last word.
pub(super) fn clock_channels<'a>(record: &'a Record, doubted: &[DoubtedColumn]) -> Vec<&'a Channel> {
    match firmware_clock_channel(record) {
        Some(firmware) => vec![firmware],
        None => {
            let is_doubted = |channel: &&Channel| doubted.iter().any(|column| column.channel == channel.id);
            channels(record, ChannelId::is_any_claim).filter(|channel| !is_doubted(channel)).collect()
        }
    }
}

fn fall(facts: &Facts<'_>, channel: &Channel, phase: &Phase, base: Base, readings: &[Reading]) -> Option<ClockFall> {
    let limit_khz = f64::from(base.khz) * (1.0 - LOWER_PERCENT / 100.0);
    let is_low = |reading: &&Reading| (reading.value as f64) < limit_khz;
    let low: Vec<&Reading> = readings.iter().filter(is_low).collect();
    let low_share = low.len() as f64 / readings.len().max(1) as f64;
    let (first, last) = (low.first()?, low.last()?);
    let temp_around = |reading: &Reading, ms: i64| {
        let window = Window { start_ms: reading.at_ms - ms, end_ms: reading.at_ms + ms, ..Window::default() };
        facts.heat(&window).map(|heat| heat.millicelsius_max)
    };
    let temp_at_fall = temp_around(first, 1_000);
    let lost_much = (first.value as f64) < DEEP_SHARE * f64::from(base.khz);
    let is_deep = lost_much && is_log(facts) && temp_at_fall >= Some(DEEP_MILLICELSIUS);
    if (low.len() < LOW_SAMPLES_MIN && !is_deep) || low_share < LOW_SHARE_MIN {
        return None;
    }
    let low_values: Vec<f64> = low.iter().map(|reading| reading.value as f64).collect();
    let sum: i64 = readings.iter().map(|reading| reading.value).total();
    let beginning = &readings[..readings.len().div_ceil(4)];
    Some(ClockFall {
        workload: phase.workload.clone(),
        phase: phase.name.clone(),
        window: phase.window,
        channel: channel.id.clone(),
        cpus: cpus_of(facts, channel),
        steps: phase.steps.clone(),
        top_khz: base.khz,
        at_most: base.at_most,
        low_khz: low.iter().map(|reading| reading.value).min()?.max(0) as u32,
        typical_low_khz: median(&low_values)? as u32,
        mean_khz: (sum / readings.len() as i64) as u32,
        low_share,
        first_ms: first.at_ms,
        last_ms: last.at_ms,
        fell_within: beginning.iter().any(|reading| !is_low(&reading)),
        temp_millicelsius_max: facts.heat(&phase.window).map(|heat| heat.millicelsius_max),
        temp_millicelsius_low: low.iter().filter_map(|reading| temp_around(reading, 0)).max(),
        temp_millicelsius_at_fall: temp_at_fall,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Facts;
    use crate::test_support::{compression, gauge_channel, own_run, with_step};
    use record::{Unit, Variant, WorkloadId};

    /// A run at 1800 MHz on one CPU, then on all CPUs at these clocks, with two samples a second.
    fn run(loaded_khz: &[i64]) -> Record {
        let end = 2.0 + loaded_khz.len() as f64 / 2.0;
        let record = with_step(own_run(), WorkloadId::OpenSsl, Variant::AES_256_CBC, &[0], (0.0, 1.9), compression(1));
        let record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (2.0, end), compression(1));
        let mut values = vec![1_800_000; 4];
        values.extend(loaded_khz);
        let record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &values);
        let hot = vec![85_000; values.len()];
        gauge_channel(record, ChannelId::Soc, Unit::Millicelsius, &hot)
    }

    #[test]
    fn clock_that_falls_is_found_with_its_moment() {
        let record = run(&[1_800_000, 1_800_000, 1_200_000, 1_400_000, 1_200_000, 1_200_000]);
        let case = Facts::of(&record);
        let falls = case.clock_falls();
        assert_eq!(falls.len(), 1);
        let fall = &falls[0];
        assert_eq!((fall.top_khz, fall.low_khz), (1_800_000, 1_200_000));
        assert_eq!((fall.first_ms, fall.fell_within), (3_000, true));
        assert_eq!(fall.temp_millicelsius_at_fall, Some(85_000));
        let loaded = case.phases();
        let loss = phase_clock_loss_percent(&case, &loaded[1]).unwrap();
        assert!((loss - 20.37).abs() < 0.01, "{loss}");
    }

    #[test]
    fn single_low_reading_is_ignored() {
        let record = run(&[1_800_000, 600_000, 1_800_000, 1_800_000, 1_800_000]);
        assert_eq!(*Facts::of(&record).clock_falls(), []);
    }
}
