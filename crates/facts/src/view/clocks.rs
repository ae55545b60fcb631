//! Measured clocks of the clock passes, CPU by CPU.

use super::samples::log_version;
use crate::Facts;
use record::StableSort;
use record::{ClockPoint, Clocks, Outcome, Record, Step, StepMeasurement, Variant, WorkloadId};

/// Clock of one CPU at its highest OPP in one pass.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterClock {
    /// CPU that was measured.
    pub cpu: u32,
    /// CPUs of its cluster, or only this CPU if clusters are unknown.
    pub cluster_cpus: Vec<u32>,
    /// Requested or advertised clock, if known.
    pub claimed_khz: Option<u32>,
    /// Measured clock: the largest reading.
    pub measured_khz: u32,
    /// False if readings contradict each other: the clock reached at least this value at one moment.
    pub is_steady: bool,
    /// Number of readings; 0 for a value that a log prints without readings.
    pub readings: usize,
    /// True if less than the clock of the CPU arrived at the program, because of a quota: then
    /// the reading is the clock that arrived, and no better than its slices.
    pub is_withheld: bool,
    /// Clock that the firmware reported beside it.
    pub firmware_khz: Option<u32>,
    /// Index of the step.
    pub step: usize,
    /// Line in a log.
    pub line: Option<u32>,
}

impl ClusterClock {
    /// Distance of the measured clock from the claim in percent of the claim; negative if lower.
    pub fn deviation_percent(&self) -> Option<f64> {
        let claimed = f64::from(self.claimed_khz.filter(|claimed| *claimed > 0)?);
        Some(100.0 * (f64::from(self.measured_khz) - claimed) / claimed)
    }
}

/// Accuracy of readings under a quota, in percent: they depend on how slices of time and
/// windows fall together.
const WITHHELD_TOLERANCE_PERCENT: f64 = 6.0;

impl ClusterClock {
    /// Distance in percent at which another clock counts as different: `usual`, or more for an uncertain reading.
    pub fn tolerance_percent(&self, usual: f64) -> f64 {
        if self.is_withheld { usual.max(WITHHELD_TOLERANCE_PERCENT) } else { usual }
    }
}

/// True if clearly less arrived at the program than the best windows show.
fn is_withheld(point: &ClockPoint) -> bool {
    let best = point.windows.as_ref().map_or(0, |windows| windows.best_khz);
    highest_khz(point).is_some_and(|khz| f64::from(khz) < 0.95 * f64::from(best))
}

/// Largest spread in percent of three raw readings of a log for one clock. The loop of the bash program competes with
/// everything else that runs: in some versions 40 to 80 % of the triples spread by more.
const SPREAD_PERCENT_MAX: f64 = 2.0;

/// Maximum distance in percent of the two highest readings for one clock. The third reading is ignored.
const TWICE_PERCENT_MAX: f64 = 0.1;

/// Clock of a point; `None` if its readings contradict each other.
pub fn measured_khz(point: &ClockPoint) -> Option<u32> {
    highest_khz(point).filter(|_| is_steady(point))
}

/// The reading that counts: in logs the highest, because disturbances only lower readings; in own runs the median,
/// because own readings already include a quota.
fn highest_khz(point: &ClockPoint) -> Option<u32> {
    let mut readings = point.readings_khz.clone();
    readings.sort_unstable();
    let reading = match point.windows {
        Some(_) => readings.get(readings.len() / 2).copied(),
        None => readings.last().copied(),
    };
    let printed = point.printed_mhz.map(|mhz| mhz.saturating_mul(1000));
    reading.or(printed).filter(|khz| *khz > 0)
}

/// True if the readings of a point agree, or the two highest do nearly: a disturbance lowers one. Own runs filter their
/// windows while measuring.
fn is_steady(point: &ClockPoint) -> bool {
    all_agree(point) || highest_agree(point)
}

fn all_agree(point: &ClockPoint) -> bool {
    let readings = || point.readings_khz.iter().copied();
    match (point.windows.is_some(), readings().max(), readings().min()) {
        (false, Some(max), Some(min)) => 100.0 * f64::from(max - min) <= SPREAD_PERCENT_MAX * f64::from(max),
        _ => true,
    }
}

fn highest_agree(point: &ClockPoint) -> bool {
    let mut readings = point.readings_khz.clone();
    readings.sort_unstable_by_key(|khz| std::cmp::Reverse(*khz));
    let [max, next, ..] = readings.as_slice() else { return false };
    100.0 * f64::from(max - next) <= TWICE_PERCENT_MAX * f64::from(*max)
}

/// Versions of the bash program whose second pass competed with leftover load. On machines with one CPU every value is about
/// half; elsewhere most readings disagree.
const SECOND_PASS_UNRELIABLE: std::ops::RangeInclusive<[u32; 3]> = [0, 6, 7]..=[0, 9, 6];

/// True for a log whose second clock pass ran under leftover load.
pub fn is_second_pass_unreliable(record: &Record) -> bool {
    log_version(record).is_some_and(|version| SECOND_PASS_UNRELIABLE.contains(&version))
}

/// All finished clock passes of one variant (`cold`, `hot-after` ...), with the index of the step.
pub fn clock_passes<'a>(record: &'a Record, variant: &Variant) -> impl Iterator<Item = (usize, &'a Clocks)> + use<'a> {
    let variant = variant.clone();
    let is_wanted = move |step: &Step| step.workload == WorkloadId::Clock && step.variant == variant;
    let steps = record.steps.iter().enumerate();
    let wanted = steps.filter(move |(_, step)| is_wanted(step));
    wanted.filter_map(|(index, step)| match &step.outcome {
        Outcome::Done(StepMeasurement::Clock(clocks)) => Some((index, clocks)),
        _ => None,
    })
}

/// True if the point was taken at the highest OPP that its pass tried on that CPU.
pub fn is_top_point(clocks: &Clocks, point: &ClockPoint) -> bool {
    let of_cpu = clocks.points.iter().filter(|other| other.cpu == point.cpu);
    let top = of_cpu.filter_map(|other| other.opp_khz).max();
    point.opp_khz.is_none() || point.opp_khz == top
}

/// Upper limit of plausible clocks; products reach 6.2 GHz for a moment.
pub const CLOCK_KHZ_MAX: u32 = 7_500_000;

/// The highest clock of every CPU that a variant of the clock pass measured, by CPU. Only clocks
/// whose readings agree.
pub(crate) fn cluster_clocks(facts: &Facts<'_>, variant: &Variant) -> Vec<ClusterClock> {
    let mut clocks = facts.all_cluster_clocks(variant);
    clocks.retain(|clock| clock.is_steady);
    clocks
}

/// Like `cluster_clocks`, including clocks whose readings contradict each other.
pub(crate) fn all_cluster_clocks(record: &Record, variant: &Variant) -> Vec<ClusterClock> {
    let mut found: Vec<ClusterClock> = Vec::new();
    for (step, clocks) in clock_passes(record, variant) {
        for point in clocks.points.iter().filter(|point| is_top_point(clocks, point)) {
            let Some(clock) = point_clock(record, step, point) else {
                continue;
            };
            match found.iter_mut().find(|known| known.cpu == clock.cpu) {
                Some(known) if known.measured_khz >= clock.measured_khz => {}
                Some(known) => *known = clock,
                None => found.push(clock),
            }
        }
    }
    found.stable_sort_by_key(|clock| clock.cpu);
    found
}

/// Clock of one point; `None` without a reading.
pub fn point_clock(record: &Record, step: usize, point: &ClockPoint) -> Option<ClusterClock> {
    let is_after = record.steps.get(step).is_some_and(|step| step.variant == Variant::HOT_AFTER);
    // Leftover load may lower two readings alike.
    let is_doubtful = is_after && is_second_pass_unreliable(record);
    Some(ClusterClock {
        cpu: point.cpu,
        cluster_cpus: cluster_of(record, point.cpu),
        claimed_khz: claimed_khz(record, point),
        measured_khz: highest_khz(point)?,
        is_steady: all_agree(point) || !is_doubtful && highest_agree(point),
        readings: point.readings_khz.len(),
        is_withheld: is_withheld(point),
        firmware_khz: point.firmware_khz,
        step,
        line: point.line,
    })
}

/// A second pass this much closer to the advertised clock shows that the first one was too low.
const CLOSER_PERCENT: f64 = 1.0;

/// Clock of the same CPU after the load, if it is closer to the advertised one than this clock before the load.
pub fn later_clock<'a>(clock: &ClusterClock, later: &'a [ClusterClock]) -> Option<&'a ClusterClock> {
    let deviation = clock.deviation_percent()?;
    let least = clock.tolerance_percent(CLOSER_PERCENT);
    let is_closer = |after: &ClusterClock| after.deviation_percent().is_some_and(|later| later - deviation >= least);
    later
        .iter()
        .filter(|after| after.cpu == clock.cpu && after.claimed_khz == clock.claimed_khz)
        .find(|after| deviation <= -least && is_closer(after))
}

/// True if the first readings before the load were disturbed: the clock after it is closer to the advertised one, and no readings
/// show that the lower one was steady.
pub fn is_disturbed(facts: &Facts<'_>, clock: &ClusterClock) -> bool {
    let is_proven = clock.readings > 0 && clock.is_steady;
    !is_proven && later_clock(clock, &facts.cluster_clocks(&Variant::HOT_AFTER)).is_some()
}

fn claimed_khz(record: &Record, point: &ClockPoint) -> Option<u32> {
    let policies = record.machine.policies.iter();
    let policy = policies.filter(|policy| policy.cpus.contains(&point.cpu));
    point
        .opp_khz
        .or(point.claimed_khz.known().copied())
        .or_else(|| policy.filter_map(|policy| policy.clock_khz_max.known()).next().copied())
}

fn cluster_of(record: &Record, cpu: u32) -> Vec<u32> {
    let clusters = record.machine.clusters.iter();
    let of_cpu = clusters.map(|cluster| &cluster.cpus).find(|cpus| cpus.contains(&cpu));
    of_cpu.cloned().unwrap_or_else(|| vec![cpu])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{log, own_run, point, with_clocks};

    #[test]
    fn inconsistent_readings_are_unsteady() {
        for (readings, expected) in [
            (&[1_800_000, 1_799_000, 1_790_000][..], Some(1_800_000)),
            (&[1_800_000, 1_200_000, 900_000], None),
            (&[900_000, 1_800_000, 1_799_500], Some(1_800_000)),
            (&[], None),
        ] {
            let point = ClockPoint { readings_khz: readings.to_vec(), ..ClockPoint::default() };
            assert_eq!(measured_khz(&point), expected);
        }
    }

    /// Leftover load of old versions lowered two readings alike.
    #[test]
    fn two_equal_readings_count_where_nothing_else_ran() {
        for (version, variant, expected) in
            [("0.9.0", Variant::COLD, true), ("0.9.0", Variant::HOT_AFTER, false), ("0.9.72", Variant::HOT_AFTER, true)]
        {
            let point = ClockPoint { readings_khz: vec![1_700_000, 1_699_900, 900_000], ..ClockPoint::default() };
            let record = with_clocks(log(version), variant.clone(), vec![point]);
            assert_eq!(all_cluster_clocks(&record, &variant)[0].is_steady, expected, "{version} {variant:?}");
        }
    }

    #[test]
    fn top_point_of_every_cpu_counts() {
        let record = with_clocks(
            own_run(),
            Variant::COLD,
            vec![point(0, 1_800_000, 1_797_000), point(0, 408_000, 407_000), point(1, 1_800_000, 1_700_000)],
        );
        let clocks = cluster_clocks(&Facts::of(&record), &Variant::COLD);
        assert_eq!(clocks.len(), 2);
        assert_eq!(clocks[0].measured_khz, 1_797_000);
        assert!((clocks[1].deviation_percent().unwrap() + 5.56).abs() < 0.01);
        assert_eq!(clocks[0].cluster_cpus, [0, 1, 2, 3]);
    }
}
