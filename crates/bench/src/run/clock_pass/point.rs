//! One point of a clock pass: several readings of one CPU, with the reported clock, other methods, and the quality of
//! the timing windows.

use super::ClockPass;
use machine::Root;
use machine::cgroup::has_quota;
use machine::cycles::{CycleCounter, average_khz};
use machine::faults;
use microbench::clock::{ClockPlan, ClockReading, count, emulated, emulation_sign, measure};
use record::{ClockPoint, ClockWindows, CounterClock, Fact, Missing, Reading};

/// Length of a reading under a quota, which works in slices.
const QUOTA_READING_NS: u64 = 100_000_000;
/// Share of the clock from which a CPU under a quota counts as unlimited.
const QUOTA_SHARE_FREE: f64 = 0.97;

/// Takes readings on the calling thread, which is pinned to `cpu`.
pub(super) fn measure_point(pass: &ClockPass, cpu: u32, opp_khz: Option<u32>) -> Result<ClockPoint, Missing> {
    let limited = has_quota(pass.root);
    let (cold, warm) = plans(limited);
    // Readings on an emulated CPU are a hundred times slower.
    if let Ok(Some(_)) = emulated() {
        let reason = "this CPU is emulated; it has no clock to measure";
        return Err(Missing::unsupported(format!("cpu{cpu}"), reason));
    }
    let first = measure(&cold);
    if let Some(sign) = emulation_sign(&first, || measure(&warm)) {
        let reason = format!("this CPU is emulated ({sign}); it has no clock to measure");
        return Err(Missing::unsupported(format!("cpu{cpu}"), reason));
    }
    let claimed_khz = cpufreq(pass.root, cpu, "scaling_cur_freq");
    let hardware_khz = cpufreq(pass.root, cpu, "cpuinfo_cur_freq");
    let mut readings = vec![first];
    let more = 1..pass.task.attributes().readings.div_ceil(faults::haste() as usize);
    readings.extend(more.map(|_| measure(&warm)));
    let counters = counters(pass.root, cpu, readings[0].best_khz);
    // Under a quota, the sustained clock is what programs get.
    let sustained = limited && readings.iter().any(held_back);
    let khz = |reading: &ClockReading| if sustained { reading.sustained_khz } else { reading.best_khz };
    let mut readings_khz: Vec<u32> = readings.iter().map(khz).collect();
    readings_khz.sort_unstable_by(|a, b| b.cmp(a));
    Ok(ClockPoint {
        cpu,
        opp_khz,
        claimed_khz,
        hardware_khz,
        readings_khz,
        windows: Some(windows(&readings)),
        counter_khz: best_counter(&counters),
        counters,
        ..ClockPoint::default()
    })
}

/// First reading, and further readings.
fn plans(limited: bool) -> (ClockPlan, ClockPlan) {
    if !limited {
        return (short_plan(ClockPlan::default()), short_plan(ClockPlan::warm()));
    }
    let long = short_plan(ClockPlan::lasting(QUOTA_READING_NS));
    let warm = ClockPlan { preheat_ns_max: 0, ..long };
    (long, warm)
}

/// The plan, shortened for tests.
fn short_plan(plan: ClockPlan) -> ClockPlan {
    ClockPlan {
        windows: plan.windows.div_ceil(faults::haste()).max(3),
        preheat_ns_max: plan.preheat_ns_max / u64::from(faults::haste()),
        ..plan
    }
}

fn held_back(reading: &ClockReading) -> bool {
    f64::from(reading.sustained_khz) < QUOTA_SHARE_FREE * f64::from(reading.best_khz)
}

fn cpufreq(root: &Root, cpu: u32, file: &str) -> Fact<u32> {
    let path = format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/{file}");
    root.read_number(&path).into()
}

/// Clocks by all other methods, while the chain runs at about `khz`.
fn counters(root: &Root, cpu: u32, khz: u32) -> Vec<CounterClock> {
    let mut clocks: Vec<CounterClock> =
        CycleCounter::all(root, cpu).into_iter().map(|(kind, counter)| by_counter(kind, counter, khz)).collect();
    // Read last, because the driver averages over the recent past.
    clocks.push(CounterClock { name: "cpuinfo_avg_freq".into(), khz: average_khz(root, cpu).into() });
    clocks
}

fn by_counter(kind: &str, counter: Reading<CycleCounter>, khz: u32) -> CounterClock {
    let counter = match counter {
        Ok(counter) => counter,
        Err(missing) => {
            return CounterClock { name: kind.to_owned(), khz: missing.into() };
        }
    };
    let estimate = count(khz, || counter.cycles());
    let known = estimate.filter(|estimate| estimate.supported);
    let unsteady = || Missing::unsupported(kind, "its counts are inconsistent");
    CounterClock { name: counter.name(), khz: known.map(|estimate| estimate.best_khz).ok_or_else(unsteady).into() }
}

/// The first clock with a value, or the first reason.
fn best_counter(counters: &[CounterClock]) -> Fact<u32> {
    let known = counters.iter().find(|clock| clock.khz.known().is_some());
    let best = known.or(counters.first());
    best.map_or_else(Fact::not_reached, |clock| clock.khz.clone())
}

/// Timing windows of all readings.
fn windows(readings: &[ClockReading]) -> ClockWindows {
    let count: u32 = readings.iter().map(|reading| reading.count).sum();
    let weighted = |figure: fn(&ClockReading) -> u32| {
        let shares = readings.iter().map(|r| u64::from(figure(r)) * u64::from(r.count));
        (shares.sum::<u64>() / u64::from(count.max(1))) as u32
    };
    let best = readings.iter().map(|reading| reading.best_khz).max();
    let first = readings.first();
    ClockWindows {
        count,
        best_khz: best.unwrap_or(0),
        sustained_khz: weighted(|reading| reading.sustained_khz),
        agreeing_permille: weighted(|reading| reading.agreeing_permille),
        preempted_permille: Some(weighted(|reading| reading.preempted_permille)),
        multiply_ratio: first.and_then(|reading| reading.multiply_ratio),
        float_ratio: first.and_then(|reading| reading.float_ratio),
        supported: Some(readings.iter().all(|reading| reading.supported)),
        ramp_us: first.and_then(|reading| reading.ramp_us),
        readings_us: readings.iter().map(|reading| reading.elapsed_us).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_counter_with_a_figure_counts() {
        let clock = |name: &str, khz: Fact<u32>| CounterClock { name: name.into(), khz };
        let absent = || Fact::from(Missing::absent("/dev/cpu/0/msr"));
        let both = [clock("perf", absent()), clock("a", Fact::Known(7))];
        assert_eq!(best_counter(&both), Fact::Known(7));
        assert_eq!(best_counter(&both[..1]), absent());
        assert!(best_counter(&[]).known().is_none());
    }

    #[test]
    fn board_file_has_reported_clocks_but_no_counters() {
        let cpufreq_path = "/sys/devices/system/cpu/cpu1/cpufreq";
        let root = Root::from_board(&format!("== {cpufreq_path}/cpuinfo_avg_freq\n1608000\n")).unwrap();
        let found = counters(&root, 1, 1_600_000);
        let names: Vec<&str> = found.iter().map(|clock| clock.name.as_str()).collect();
        assert_eq!(names, ["perf", "aperf", "cpuinfo_avg_freq"]);
        assert_eq!(best_counter(&found), Fact::Known(1_608_000));
    }

    #[test]
    fn readings_are_weighted_by_windows() {
        let reading = |count, agreeing_permille, best_khz| ClockReading {
            count,
            best_khz,
            supported: true,
            sustained_khz: best_khz / 2,
            agreeing_permille,
            preempted_permille: 500,
            elapsed_us: 4_500,
            multiply_ratio: Some(3.0),
            float_ratio: None,
            ramp_us: Some(700),
            window_ns: 100_000,
            windows_khz: Vec::new(),
        };
        let found = windows(&[reading(60, 900, 1_800_000), reading(30, 600, 1_806_000)]);
        assert_eq!((found.count, found.best_khz), (90, 1_806_000));
        assert_eq!(found.agreeing_permille, 800);
        assert_eq!(found.preempted_permille, Some(500));
        assert_eq!(found.readings_us, [4_500, 4_500]);
        assert_eq!((found.ramp_us, found.supported), (Some(700), Some(true)));
    }
}
