//! Falls of the clock that the kernel claims while all CPUs are loaded.
//!
//! Only claims: a firmware that throttles behind the kernel's back is not seen here.

use super::clocks::{ClusterClock, clock_passes, cluster_clocks};
use super::cpu_use::{busy_percent_at, cpu_count};
use super::firmware::firmware_clock_channel;
use super::heat::heat;
use super::phases::{Phase, phases};
use super::samples::{Reading, channels, gauge};
use crate::stats::median;
use record::{Channel, ChannelId, Record, Total, Variant, Window, WorkloadId, WorkloadName};

/// A claimed clock that was lower than the best of the run in a phase of full load.
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
    /// Highest clock claimed in any phase.
    pub top_khz: u32,
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
    /// True if the phase began at the top and the clock fell in it; false if it was low from the
    /// beginning, as with a clock limit for many busy cores.
    pub fell_within: bool,
    /// Hottest SoC temperature of the phase.
    pub temp_millicelsius_max: Option<i64>,
    /// SoC temperature around the first low sample.
    pub temp_millicelsius_at_fall: Option<i64>,
}

/// A clock this much below the top is a lower clock: claims of x86 CPUs are averages that wobble
/// by a percent or two, while the steps of OPP tables are larger.
const LOWER_PERCENT: f64 = 3.0;
/// Single short readings happen on boards that do not throttle.
const LOW_SAMPLES_MIN: usize = 2;
/// Share of the phase that must be low.
const LOW_SHARE_MIN: f64 = 0.1;

/// With less of all CPUs busy than this, a governor may have lowered the clock because of low load:
/// between two runs, or at the end of one.
const BUSY_PERCENT_MIN: f64 = 75.0;

/// Falls of every policy in every phase of full load, in order.
pub fn clock_falls(record: &Record) -> Vec<ClockFall> {
    let phases = phases(record);
    let loaded: Vec<&Phase> = full_loads(record, &phases);
    let mut falls = Vec::new();
    let busy = busy_percent_at(record);
    for channel in clock_channels(record) {
        let Some(top_khz) = top_khz(record, channel, &phases) else {
            continue;
        };
        for phase in &loaded {
            let readings = busy_readings(record, channel, phase, &busy);
            falls.extend(fall(record, channel, phase, top_khz, &readings));
        }
    }
    falls
}

/// Share of the clock that all CPUs together lost in a phase against the best clocks of the run,
/// in percent: what a score that follows the clock lost.
pub fn phase_clock_loss_percent(record: &Record, phase: &Phase) -> Option<f64> {
    let phases = phases(record);
    let busy = busy_percent_at(record);
    let (mut claimed, mut best) = (0.0, 0.0);
    for channel in clock_channels(record) {
        let values: Vec<f64> =
            busy_readings(record, channel, phase, &busy).iter().map(|reading| reading.value as f64).collect();
        let top = f64::from(top_khz(record, channel, &phases)?);
        let cpus = policy_cpus(record, channel);
        claimed += cpus * crate::stats::mean(&values)?;
        best += cpus * top;
    }
    (best > 0.0).then(|| 100.0 * (1.0 - claimed / best))
}

/// Clocks as claimed by the kernel, or by the firmware where that is sampled: the firmware of a
/// Raspberry Pi has the last word.
fn clock_channels(record: &Record) -> Vec<&Channel> {
    match firmware_clock_channel(record) {
        Some(firmware) => vec![firmware],
        None => {
            let untrue = untrue_columns(record);
            let is_untrue = |channel: &&Channel| untrue.iter().any(|u| u.channel == channel.id);
            channels(record, ChannelId::is_any_claim).filter(|channel| !is_untrue(channel)).collect()
        }
    }
}

/// A column that cannot be true.
#[derive(Debug, Clone, PartialEq)]
pub struct UntrueColumn {
    /// Id of the channel.
    pub channel: ChannelId,
    /// What it claimed, typically, while one CPU worked.
    pub claimed_khz: u32,
    /// What was measured on its CPUs.
    pub measured_khz: u32,
}

/// Some firmwares count cycles that pass while a CPU idles, or answer too late: their claims
/// wander far below the clock from the first light workload on. A clock that was throttled needs
/// heat, and heat needs load.
const UNTRUE_SHARE_MAX: f64 = 0.8;
/// Rows that must show it.
const UNTRUE_ROWS_MIN: usize = 5;

/// Claimed clocks of boards that contradict the measured clock all the time. On x86 an idle CPU
/// has a low clock in truth, so only the others are looked at.
pub fn untrue_columns(record: &Record) -> Vec<UntrueColumn> {
    let arch = record.machine.kernel_arch.known();
    if arch.is_none_or(|arch| arch.contains("86")) {
        return Vec::new();
    }
    let measured: Vec<ClusterClock> =
        [Variant::COLD, Variant::HOT_AFTER].iter().flat_map(|variant| cluster_clocks(record, variant)).collect();
    let light = phases(record);
    let columns = channels(record, ChannelId::is_policy_claim).filter_map(|channel| {
        let cpu = channel.id.policy()?;
        let of_policy = measured.iter().filter(|clock| clock.cluster_cpus.contains(&cpu));
        let measured_khz = of_policy.map(|clock| clock.measured_khz).min()?;
        let claims: Vec<f64> = light
            .iter()
            .filter(|phase| phase.is_single_threaded())
            .flat_map(|phase| gauge(record, channel, phase.window))
            .map(|reading| reading.value as f64)
            .collect();
        let typical = median(&claims).filter(|_| claims.len() >= UNTRUE_ROWS_MIN)?;
        if typical >= UNTRUE_SHARE_MAX * f64::from(measured_khz) {
            return None;
        }
        // A governor that lowers the clock of an idle cluster sets it to an OPP.
        let opps = opps_khz(record, cpu);
        let is_opp = |khz: f64| opps.iter().any(|opp| (khz / f64::from(*opp) - 1.0).abs() < 0.01);
        let are_opps = claims.iter().filter(|khz| is_opp(**khz)).count() * 2 > claims.len();
        (!are_opps).then(|| UntrueColumn { channel: channel.id.clone(), claimed_khz: typical as u32, measured_khz })
    });
    columns.collect()
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

/// Readings of a phase while its CPUs were really busy.
fn busy_readings(record: &Record, channel: &Channel, phase: &Phase, busy: &[Option<f64>]) -> Vec<Reading> {
    let mut readings = gauge(record, channel, phase.window);
    readings.retain(|reading| {
        let busy = busy.get(reading.row).copied().flatten();
        busy.is_none_or(|busy| busy >= BUSY_PERCENT_MIN)
    });
    readings
}

fn full_loads<'a>(record: &Record, phases: &'a [Phase]) -> Vec<&'a Phase> {
    let cpus = cpu_count(record).unwrap_or(1);
    // On a machine with one CPU every phase is a full load. A clock that the run itself has set is no fall.
    let is_set = |phase: &&Phase| {
        let mut steps = phase.steps.iter().map(|at| &record.steps[*at]);
        steps.any(|step| step.set_clock.is_some())
    };
    phases.iter().filter(|phase| phase.is_full_load(cpus) && !is_set(phase)).collect()
}

/// Number of CPUs of the policy behind a channel such as `policy4.claimed`; 1 if not known.
fn policy_cpus(record: &Record, channel: &Channel) -> f64 {
    let number = channel.id.policy();
    let policies = record.machine.policies.iter();
    let cpus = policies.filter(|policy| Some(policy.policy) == number).map(|policy| policy.cpus.len()).next();
    cpus.unwrap_or(1).max(1) as f64
}

/// The best clock claimed while any workload ran. The clock pass is left out: it sets clocks.
fn top_khz(record: &Record, channel: &Channel, phases: &[Phase]) -> Option<u32> {
    let workloads = phases.iter().filter(|phase| phase.workload != WorkloadId::Clock);
    let values = workloads.flat_map(|phase| gauge(record, channel, phase.window));
    values.map(|reading| reading.value.max(0) as u32).max()
}

fn fall(record: &Record, channel: &Channel, phase: &Phase, top_khz: u32, readings: &[Reading]) -> Option<ClockFall> {
    let limit_khz = f64::from(top_khz) * (1.0 - LOWER_PERCENT / 100.0);
    let is_low = |reading: &&Reading| (reading.value as f64) < limit_khz;
    let low: Vec<&Reading> = readings.iter().filter(is_low).collect();
    let low_share = low.len() as f64 / readings.len().max(1) as f64;
    if low.len() < LOW_SAMPLES_MIN || low_share < LOW_SHARE_MIN {
        return None;
    }
    let first = low[0];
    let low_values: Vec<f64> = low.iter().map(|reading| reading.value as f64).collect();
    let sum: i64 = readings.iter().map(|reading| reading.value).total();
    let beginning = &readings[..readings.len().div_ceil(4)];
    let around_fall = Window { start_ms: first.at_ms - 1_000, end_ms: first.at_ms + 1_000, ..Window::default() };
    Some(ClockFall {
        workload: phase.workload.clone(),
        phase: phase.name.clone(),
        window: phase.window,
        channel: channel.id.clone(),
        top_khz,
        low_khz: low.iter().map(|reading| reading.value).min()?.max(0) as u32,
        typical_low_khz: median(&low_values)? as u32,
        mean_khz: (sum / readings.len() as i64) as u32,
        low_share,
        first_ms: first.at_ms,
        fell_within: beginning.iter().any(|reading| !is_low(&reading)),
        temp_millicelsius_max: heat(record, phase.window).map(|heat| heat.millicelsius_max),
        temp_millicelsius_at_fall: heat(record, around_fall).map(|heat| heat.millicelsius_max),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, gauge_channel, own_run, with_step};
    use record::Unit;

    /// A run at 1800 MHz on one CPU, then on all at the clocks given, two samples a second.
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
        let falls = clock_falls(&record);
        assert_eq!(falls.len(), 1);
        let fall = &falls[0];
        assert_eq!((fall.top_khz, fall.low_khz), (1_800_000, 1_200_000));
        assert_eq!((fall.first_ms, fall.fell_within), (3_000, true));
        assert_eq!(fall.temp_millicelsius_at_fall, Some(85_000));
        let loaded = phases(&record);
        let loss = phase_clock_loss_percent(&record, &loaded[1]).unwrap();
        assert!((loss - 20.37).abs() < 0.01, "{loss}");
    }

    #[test]
    fn single_low_reading_is_ignored() {
        let record = run(&[1_800_000, 600_000, 1_800_000, 1_800_000, 1_800_000]);
        assert_eq!(clock_falls(&record), []);
    }
}
