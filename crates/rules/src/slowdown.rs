//! Reasons for a lower clock, shared by the rules on heat and power. Not a rule itself.

use super::place::samples_place;
use facts::throttle::{ReachedLimit, limit_within};
pub(super) use facts::view::is_x86;
use facts::view::{self, ClockFall, FirmwareBits, Phase};
use facts::{EvidenceSource, Facts, Finding, Quantity};
use record::{ChannelId, StableSort, Window, WorkloadId, WorkloadName};

/// Reason for a lower claimed clock in a phase of full load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// Heat.
    Heat,
    /// Limit of power or current: the clock of an x86 CPU dropped at a harmless temperature.
    Power,
    /// The multi-core clock is lower by design: it was low from the start and did not
    /// change.
    ManyCores,
    /// Turbo clock that varies slightly below its maximum, as usual for busy CPUs.
    Turbo,
    /// A governor other than `performance` was active and may be the reason.
    Governor,
    /// No sensor, a sensor of one core or cluster only, or moderate temperature on a CPU other than x86, whose power
    /// limits are known.
    Unknown,
}

/// From here x86 CPUs throttle by heat: limits are 90 to 105 °C in the data sheets, and sensors
/// are read between the peaks.
const HOT_MILLICELSIUS_X86: i64 = 85_000;
/// Throttling temperature of boards: passive trip points in device trees lie at 70 to 95 °C; the firmware of a
/// Raspberry Pi 3B+, which throttles at 60 °C, reports it in bits.
const HOT_MILLICELSIUS_BOARD: i64 = 70_000;
/// Bit for the soft temperature limit in the Raspberry Pi firmware.
const SOFT_LIMIT: u32 = 3;
/// A turbo clock under load above this share of its maximum is not reported.
const TURBO_SHARE_MIN: f64 = 0.95;
/// A clock that varies by less than this during a phase has one constant limit.
const STEADY_PERCENT: f64 = 2.0;

/// Raspberry Pis throttle from here; firmware that throttles earlier reports it by the bit
/// for the soft temperature limit.
const HOT_MILLICELSIUS_RASPBERRY_PI: i64 = 80_000;

/// A clock this far below that of a soft limit has another reason.
const SOFT_LIMIT_SHARE: f64 = 0.92;

/// The soft limit of this board's firmware, if it can lower a clock to this one.
pub(super) fn soft_limit_of(facts: &Facts<'_>, khz: u32) -> Option<view::SoftLimit> {
    view::soft_limit(facts).filter(|limit| f64::from(khz) >= SOFT_LIMIT_SHARE * f64::from(limit.khz))
}

/// Throttling temperature of this kind of machine.
pub fn hot_millicelsius(facts: &Facts<'_>) -> i64 {
    hot_millicelsius_for(facts, u32::MAX)
}

/// Throttling temperature that can lower a clock to this one.
pub fn hot_millicelsius_for(facts: &Facts<'_>, khz: u32) -> i64 {
    let has_no_soft_limit =
        || view::firmware_clock_channel(facts).is_some() && facts.firmware_bits(&SOFT_LIMIT) == FirmwareBits::Clear;
    if is_x86(facts) {
        HOT_MILLICELSIUS_X86
    } else if let Some(limit) = soft_limit_of(facts, khz) {
        limit.millicelsius
    } else if view::soft_limit(facts).is_some() || has_no_soft_limit() {
        HOT_MILLICELSIUS_RASPBERRY_PI
    } else {
        HOT_MILLICELSIUS_BOARD
    }
}

/// A chip that bore this much more, in thousandths of a degree, was not slowed down by less.
const HOTTER_MILLICELSIUS: i64 = 5_000;

/// True if an x86 CPU was clearly hotter elsewhere in the run: its temperature limit is higher, so another limit
/// lowered the clocks.
fn was_hotter(facts: &Facts<'_>, millicelsius: i64) -> bool {
    let hottest = facts.heat_of_run().map(|heat| heat.millicelsius_max);
    is_x86(facts) && hottest.is_some_and(|hottest| hottest >= millicelsius + HOTTER_MILLICELSIUS)
}

/// Reason for a lower clock. `kernel_says_heat` is evidence of cooling by the kernel in the same run.
pub(super) fn cause(facts: &Facts<'_>, fall: &ClockFall, kernel_says_heat: bool) -> Cause {
    let steady_khz = f64::from(fall.typical_low_khz) * (1.0 - STEADY_PERCENT / 100.0);
    let is_steady = f64::from(fall.low_khz) >= steady_khz;
    let always_low = !fall.fell_within && is_steady && fall.low_share > 0.95;
    let mean_share = f64::from(fall.mean_khz) / f64::from(fall.top_khz.max(1));
    // Turbo clocks vary, unless the runs became slower.
    let is_steady_work =
        || facts.declines().iter().all(|decline| !decline.steps.iter().any(|at| fall.steps.contains(at)));
    let is_turbo = is_x86(facts) && mean_share >= TURBO_SHARE_MIN && is_steady_work();
    match fall.temp_millicelsius_max {
        _ if kernel_says_heat => Cause::Heat,
        // A clock lowered by heat takes less power than its limit.
        _ if !is_turbo && reached_limit(facts, fall).is_some() => Cause::Power,
        Some(temp) if temp >= hot_millicelsius(facts) && !was_hotter(facts, temp) => Cause::Heat,
        _ if view::is_other_governor(facts) => Cause::Governor,
        _ if always_low && fall.at_most => Cause::ManyCores,
        _ if is_turbo => Cause::Turbo,
        // Firmware of other boards may limit clock and temperature without reporting either.
        Some(_) if is_x86(facts) && view::sensor_of_a_part(facts).is_none() => Cause::Power,
        _ => Cause::Unknown,
    }
}

/// Limit at which the power of the processor was while the clock was low.
pub(super) fn reached_limit(facts: &Facts<'_>, fall: &ClockFall) -> Option<ReachedLimit> {
    limit_within(facts, Window { start_ms: fall.first_ms, ..fall.window })
}

/// Most expensive drop, preferably of 7-zip, whose score is compared between boards.
pub(super) fn worst(falls: &[ClockFall]) -> Option<&ClockFall> {
    let cost = |fall: &ClockFall| {
        let lost = 1.0 - f64::from(fall.mean_khz) / f64::from(fall.top_khz);
        (is_main(&fall.workload), lost)
    };
    falls.iter().max_by(|a, b| {
        let ((a_main, a_lost), (b_main, b_lost)) = (cost(a), cost(b));
        a_main.cmp(&b_main).then(a_lost.total_cmp(&b_lost))
    })
}

/// Drops grouped by workload in order of the run, because each workload may have another cause.
pub(super) fn by_workload(falls: &[ClockFall]) -> Vec<Vec<ClockFall>> {
    let mut groups: Vec<Vec<ClockFall>> = Vec::new();
    for fall in falls {
        match groups.iter_mut().find(|group| group[0].workload == fall.workload) {
            Some(group) => group.push(fall.clone()),
            None => groups.push(vec![fall.clone()]),
        }
    }
    groups
}

/// Finding for the drops of one workload, with clusters, clocks, times, evidence and the highest of these temperatures.
pub(super) fn with_falls(
    facts: &Facts<'_>,
    finding: Finding,
    falls: &[ClockFall],
    temperature: fn(&ClockFall) -> Option<i64>,
) -> Finding {
    let Some(fall) = worst(falls) else { return finding };
    let mut steps: Vec<usize> = falls.iter().flat_map(|fall| fall.steps.iter().copied()).collect();
    steps.sort_unstable();
    steps.dedup();
    let first_ms = falls.iter().map(|fall| fall.first_ms).min().unwrap_or(fall.first_ms);
    let last_ms = falls.iter().map(|fall| fall.last_ms).max().unwrap_or(fall.last_ms);
    let mut finding = finding
        .with("phase", Quantity::Text(fall.phase.clone()))
        .with("clusters", Quantity::Text(clusters(facts, falls)))
        .with("clock_before", Quantity::Khz(fall.top_khz))
        .with("clock_after", Quantity::Khz(fall.low_khz))
        .with("clock_mean", Quantity::Khz(fall.mean_khz))
        .with("first", Quantity::Ms(first_ms))
        .of(steps)
        .during(first_ms, last_ms)
        .at_all(falls.iter().map(|fall| samples_place(facts, &fall.channel, fall.first_ms, fall.last_ms)));
    for fall in falls {
        finding = finding.seen_by(EvidenceSource::ClaimedClock(fall.channel.clone()));
    }
    match falls.iter().filter_map(temperature).max() {
        Some(temp) => finding.with("temperature", Quantity::Millicelsius(temp)),
        None => finding,
    }
}

/// True if the CPUs of the drops must be named.
pub(super) fn names_clusters(facts: &Facts<'_>, falls: &[ClockFall]) -> bool {
    let all = view::cpu_count(facts).unwrap_or(1) as usize;
    falls.iter().any(|fall| !fall.cpus.is_empty() && fall.cpus.len() < all)
}

/// `Cortex-A76 (CPUs 4-7) from 2400 MHz to 1416 MHz (average 1517 MHz)` for each cluster, the largest loss first.
fn clusters(facts: &Facts<'_>, falls: &[ClockFall]) -> String {
    let lost = |fall: &ClockFall| fall.cpus.len() as f64 * (f64::from(fall.top_khz) - f64::from(fall.mean_khz));
    let mut sorted: Vec<&ClockFall> = falls.iter().collect();
    sorted.stable_sort_by(|a, b| lost(b).total_cmp(&lost(a)));
    let mut seen: Vec<&ChannelId> = Vec::new();
    let mut words = Vec::new();
    for fall in sorted {
        if seen.contains(&&fall.channel) {
            continue;
        }
        seen.push(&fall.channel);
        let clocks = format!(
            "from {} to {} (average {})",
            Quantity::Khz(fall.top_khz),
            Quantity::Khz(fall.low_khz),
            Quantity::Khz(fall.mean_khz)
        );
        let cluster =
            facts.machine.clusters.iter().find(|cluster| cluster.cpus.iter().any(|cpu| fall.cpus.contains(cpu)));
        let core_type = cluster.and_then(|cluster| cluster.core_type.known());
        words.push(match (fall.cpus.is_empty(), core_type) {
            (true, _) => format!("{} {clocks}", fall.channel),
            (false, Some(core_type)) => format!("{core_type} ({}) {clocks}", record::cpu_words(&fall.cpus)),
            (false, None) => format!("{} {clocks}", record::cpu_words(&fall.cpus)),
        });
    }
    words.join(", ")
}

pub(super) fn is_main(workload: &WorkloadName) -> bool {
    workload.id().is_some_and(WorkloadId::is_main)
}

/// Loss of clock of the load on all CPUs in percent: of 7-zip if any, else of the worst phase; `None` if no clock was
/// lower. Decides whether a fall is reported; the loss of a score is in the ledger.
pub(super) fn clock_loss_percent(facts: &Facts<'_>) -> Option<f64> {
    let worst = |main: bool| loss_percent(facts, |phase| is_main(&phase.workload) == main);
    worst(true).filter(|loss| *loss >= 1.0).or(worst(false)).or(worst(true))
}

/// Same for one workload.
pub(super) fn loss_of_percent(facts: &Facts<'_>, workload: &WorkloadName) -> Option<f64> {
    loss_percent(facts, |phase| phase.workload == *workload)
}

fn loss_percent(facts: &Facts<'_>, is_wanted: impl Fn(&Phase) -> bool) -> Option<f64> {
    let phases = facts.phases();
    let cpus = view::cpu_count(facts)?;
    let wanted = phases.iter().filter(|phase| phase.is_full_load(cpus) && is_wanted(phase));
    let lost = wanted.filter_map(|phase| view::phase_clock_loss_percent(facts, phase)).reduce(f64::max);
    lost.filter(|lost| *lost > 0.0)
}
