//! Why a clock fell: the question that the rules on heat and power share. Not a rule itself.

use crate::view::{self, ClockFall, FirmwareBits};
use record::{Record, WorkloadId, WorkloadName};

/// Why the claimed clock fell in a phase of full load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// Heat.
    Heat,
    /// A limit of power or current: it fell at a harmless temperature.
    Power,
    /// The clock for many busy cores is lower by design: it was low from the first moment on and
    /// did not change.
    ManyCores,
    /// A turbo clock that wobbles a little below its highest value, as turbo clocks of busy CPUs do.
    Turbo,
    /// A governor other than `performance` was at work, which may have done it.
    Governor,
    /// No sensor tells.
    Unknown,
}

/// From here x86 CPUs throttle by heat: limits are 90 to 105 °C in the data sheets, and sensors
/// are read between the peaks.
const HOT_MILLICELSIUS_X86: i64 = 85_000;
/// From here boards throttle by heat: passive trip points in the device trees of boards lie at 70
/// to 95 °C, and those of 60 °C (Raspberry Pi 3B+) report by their firmware's bits.
const HOT_MILLICELSIUS_BOARD: i64 = 70_000;
/// The bit of a Raspberry Pi's firmware for its soft temperature limit.
const SOFT_LIMIT: u32 = 3;
/// A turbo clock under load that keeps this share of its highest value has lost nothing worth a word.
const TURBO_SHARE_MIN: f64 = 0.95;
/// A clock that moves less than this over a phase is held by one limit.
const STEADY_PERCENT: f64 = 2.0;

/// Raspberry Pis throttle from here; where the firmware slows down sooner, it says so by its
/// bit for the soft temperature limit.
const HOT_MILLICELSIUS_RASPBERRY_PI: i64 = 80_000;

/// The temperature from which this kind of machine throttles by heat.
pub(crate) fn hot_millicelsius(record: &Record) -> i64 {
    if is_x86(record) {
        HOT_MILLICELSIUS_X86
    } else if view::firmware_clock_channel(record).is_some()
        && view::firmware_bits(record, SOFT_LIMIT) == FirmwareBits::Clear
    {
        HOT_MILLICELSIUS_RASPBERRY_PI
    } else {
        HOT_MILLICELSIUS_BOARD
    }
}

/// True on machines with x86 CPUs. One with a device tree is a board, regardless of its CPU.
pub(super) fn is_x86(record: &Record) -> bool {
    let arch = record.machine.kernel_arch.known();
    let is_x86 = |arch: &String| arch == "x86_64" || (arch.starts_with('i') && arch.ends_with("86"));
    let has_driver_of_boards =
        record.machine.policies.iter().filter_map(|policy| policy.driver.known()).any(|driver| driver == "cpufreq-dt");
    arch.is_some_and(is_x86) && record.machine.compatible.is_empty() && !has_driver_of_boards
}

/// Why this clock fell. `kernel_says_heat` is evidence of cooling by the kernel in the same run.
pub(super) fn cause(record: &Record, fall: &ClockFall, kernel_says_heat: bool) -> Cause {
    let steady_khz = f64::from(fall.typical_low_khz) * (1.0 - STEADY_PERCENT / 100.0);
    let is_steady = f64::from(fall.low_khz) >= steady_khz;
    let always_low = !fall.fell_within && is_steady && fall.low_share > 0.95;
    let mean_share = f64::from(fall.mean_khz) / f64::from(fall.top_khz.max(1));
    let is_turbo = is_x86(record) && mean_share >= TURBO_SHARE_MIN;
    match fall.temp_millicelsius_max {
        _ if kernel_says_heat => Cause::Heat,
        Some(temp) if temp >= hot_millicelsius(record) => Cause::Heat,
        _ if view::is_other_governor(record) => Cause::Governor,
        _ if always_low && is_x86(record) => Cause::ManyCores,
        _ if is_turbo => Cause::Turbo,
        Some(_) => Cause::Power,
        None => Cause::Unknown,
    }
}

/// The fall that cost most, of 7-zip if it is among them: its score is the one that is compared.
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

pub(super) fn is_main(workload: &WorkloadName) -> bool {
    workload.id().is_some_and(WorkloadId::is_main)
}

/// Share of the clock that the load on all CPUs lost: of 7-zip if it lost any, of the worst phase
/// otherwise. In percent.
pub(super) fn clock_loss_percent(record: &Record) -> Option<f64> {
    let phases = view::phases(record);
    let cpus = view::cpu_count(record)?;
    let losses: Vec<(bool, f64)> = phases
        .iter()
        .filter(|phase| phase.is_full_load(cpus))
        .filter_map(|phase| Some((is_main(&phase.workload), view::phase_clock_loss_percent(record, phase)?)))
        .collect();
    let worst = |main: bool| {
        let of_kind = losses.iter().filter(|loss| loss.0 == main).map(|loss| loss.1);
        of_kind.reduce(f64::max)
    };
    worst(true).filter(|loss| *loss >= 1.0).or(worst(false)).or(worst(true))
}
