//! Simulated runs at several clocks, and figures of a published report.

use super::*;
use crate::test_support::{counter, own_run, with_step};
use facts::Facts;
use record::{ChannelId, CpuTime, Total, Variant};
use record::{Fact, Score, Scores, StepMeasurement, Unit};

/// A run of one workload at one clock: `(clock, round, score, CPU time a second)`.
type Run = (SetClock, u32, f64, f64);

fn record(runs: &[Run], higher_is_better: bool) -> Record {
    with_runs(own_run(), "work", runs, higher_is_better)
}

fn with_runs(mut record: Record, name: &str, runs: &[Run], higher_is_better: bool) -> Record {
    for (clock, round, score, cpu_s_per_s) in runs {
        let scores = StepMeasurement::Scores(Scores {
            rows: vec![Score {
                name: String::new(),
                value: *score,
                unit: if higher_is_better { "MB/s" } else { "s" }.into(),
                higher_is_better,
            }],
            ..Scores::default()
        });
        let start = record.steps.len() as f64 * 10.0;
        record = with_step(record, name, Variant::ONLY, &[], (start, start + 10.0), scores);
        let step = record.steps.last_mut().unwrap();
        step.set_clock = Some(*clock);
        step.repetition = *round;
        step.counters.task_clock_ns = Fact::Known((cpu_s_per_s * 10e9) as u64);
    }
    record
}

/// Times of a workload that follows the clock to this power, over six rounds.
fn times(exponent: f64, noise: impl Fn(u32) -> f64) -> Vec<Run> {
    let mut runs = Vec::new();
    for round in 0..6 {
        for khz in [600_000_u32, 1_000_000, 1_500_000] {
            let time = 10.0 * (f64::from(khz) / 1.5e6).powf(-exponent) * noise(round);
            runs.push((SetClock::Khz(khz), round, time, 1.0));
        }
    }
    runs
}

#[test]
fn elasticity_is_the_exponent() {
    for exponent in [0.0, 0.4, 1.0] {
        // Uniformly slow rounds do not change the result.
        let runs = times(exponent, |round| 1.0 + 0.1 * f64::from(round));
        let result = &results(&Facts::of(&record(&runs, false)))[0];
        let elasticity = result.elasticity.unwrap();
        assert!((elasticity.value - exponent).abs() < 1e-9, "{elasticity:?}");
        let [low, high] = elasticity.interval.unwrap();
        assert!(low <= elasticity.value && elasticity.value <= high);
        assert_eq!((result.levels.len(), elasticity.rounds), (3, 6));
    }
}

#[test]
fn few_rounds_have_no_interval_and_one_clock_no_elasticity() {
    let runs = times(1.0, |_| 1.0);
    let few = &results(&Facts::of(&record(&runs[..6], false)))[0];
    assert_eq!(few.elasticity.unwrap().interval, None);
    let one = &results(&Facts::of(&record(&runs[..1], false)))[0];
    assert_eq!((one.elasticity, one.change_percent()), (None, None));
    assert_eq!(results(&Facts::of(&own_run())), []);
}

fn limiter(elasticity: f64, cpu_s_per_s: f64, iowait_ticks: i64, cpus: &[u32]) -> Limiter {
    let mut runs = times(elasticity, |_| 1.0);
    runs.iter_mut().for_each(|run| run.3 = cpu_s_per_s);
    let mut record = record(&runs, false);
    for step in &mut record.steps {
        step.cpus = cpus.to_vec();
    }
    // Two samples a second for the whole run.
    let growing = |step: i64| (0..400).map(|row| row * step).collect::<Vec<i64>>();
    for (time, step) in [(CpuTime::Idle, 100), (CpuTime::Iowait, iowait_ticks), (CpuTime::User, 50)] {
        record = counter(record, ChannelId::all_cpus(time), Unit::Ticks, &growing(step));
    }
    results(&Facts::of(&record))[0].limiter
}

#[test]
fn limiter_is_named() {
    for (elasticity, cpu_s_per_s, iowait_ticks, cpus, expected) in [
        (1.0, 1.0, 0, &[][..], Limiter::OneCore),
        (1.0, 1.0, 0, &[2], Limiter::OneCore),
        (1.0, 3.9, 0, &[], Limiter::AllCores),
        (0.3, 1.0, 0, &[2], Limiter::Memory),
        (0.2, 1.3, 0, &[], Limiter::Other),
        (0.05, 0.1, 50, &[], Limiter::Storage),
        (0.1, 0.3, 0, &[], Limiter::Other),
    ] {
        let found = limiter(elasticity, cpu_s_per_s, iowait_ticks, cpus);
        assert_eq!(found, expected, "{elasticity} {cpu_s_per_s}");
    }
}

#[test]
fn every_score_of_a_step_depends_on_the_clock_in_its_own_way() {
    let mut record = record(&times(1.0, |_| 1.0), true);
    for step in &mut record.steps {
        let khz = match step.set_clock {
            Some(SetClock::Khz(khz)) => f64::from(khz),
            _ => unreachable!(),
        };
        let row = |name: &str, value: f64| Score {
            name: name.into(),
            value,
            unit: "frames/s".into(),
            higher_is_better: true,
        };
        step.outcome = record::Outcome::Done(StepMeasurement::Scores(Scores {
            rows: vec![row("kitchen", khz / 1e5), row("objects", 56.0)],
            ..Scores::default()
        }));
    }
    let found: Vec<(String, f64)> = results(&Facts::of(&record))
        .into_iter()
        .map(|result| (result.name, result.elasticity.unwrap().value))
        .collect();
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["work: kitchen", "work: objects"]);
    assert!((found[0].1 - 1.0).abs() < 1e-9 && found[1].1.abs() < 1e-9);
}

/// Averages of the tests of a Raspberry Pi 4 at 1500 and 600 MHz by Roy Longbottom, "Raspberry Pi 4
/// CPU MHz Throttling Performance Effects": MB/s of the large files (writing and reading, 1024 MB),
/// speed of the CPU benchmark, and CPU seconds per second of the playback of video.
fn raspberry_pi_4() -> Record {
    const HIGH: SetClock = SetClock::Khz(1_500_000);
    const LOW: SetClock = SetClock::Khz(600_000);
    let mean = |values: &[f64]| values.iter().total::<f64>() / values.len() as f64;
    let drive_high = mean(&[18.59, 18.59, 18.60, 42.65, 42.67, 42.67]);
    let drive_low = mean(&[18.04, 18.07, 18.11, 39.90, 40.10, 40.02]);
    let lan_high = mean(&[112.08, 111.89, 111.59, 109.38, 104.58, 108.37]);
    let lan_low = mean(&[84.79, 83.52, 81.84, 97.44, 96.58, 93.85]);
    let mut record = own_run();
    for (name, high, low, cpu) in [
        ("files", drive_high, drive_low, [0.11, 0.23]),
        ("lan", lan_high, lan_low, [1.26, 1.91]),
        ("copy", 71.9, 42.4, [1.04, 1.32]),
        ("cpu", 5950.0, 2364.0, [1.0, 1.0]),
        // Frames per second are equal at both clocks within their resolution.
        ("film", 25.0, 25.0, [1.70, 2.82]),
    ] {
        let runs = [(HIGH, 0, high, cpu[0]), (LOW, 0, low, cpu[1])];
        record = with_runs(record, name, &runs, true);
    }
    record
}

#[test]
fn raspberry_pi_4_report() {
    let record = raspberry_pi_4();
    let results = results(&Facts::of(&record));
    let gain = |name: &str| {
        let result = results.iter().find(|result| result.name == name);
        result.unwrap().top_against_lowest().unwrap().gain_percent().unwrap()
    };
    // "around 6% faster", "some 25% faster", "70% faster", "proportional to MHz settings".
    assert!((gain("files") - 6.0).abs() < 1.0, "{}", gain("files"));
    assert!((gain("lan") - 25.0).abs() < 5.0, "{}", gain("lan"));
    assert!((gain("copy") - 70.0).abs() < 1.0, "{}", gain("copy"));
    let of = |name: &str| results.iter().find(|result| result.name == name).unwrap();
    assert!((of("cpu").elasticity.unwrap().value - 1.0).abs() < 0.02);
    assert!(of("files").elasticity.unwrap().value < 0.1);
    assert_eq!(of("cpu").limiter, Limiter::OneCore);
    // "It looks as though nearly 100% of one CPU is used continuously."
    assert_eq!(of("copy").limiter, Limiter::OneCore);
    let text = text(&Facts::of(&record));
    // "4.25 CPU seconds per second, impossible with four cores".
    let expected = "film: keeping its rate at 600 MHz would need 4.25 busy CPUs, but there are only 4.";
    assert!(text.contains(expected), "{text}");
    assert!(!text.contains("cpu: 2.5"), "{text}");
}
