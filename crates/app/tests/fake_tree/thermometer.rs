//! The brake of a thermal test on a machine whose thermometer fails in the middle of it, or tells whole degrees.

use crate::fake_tree::tree::{Tree, can_run};
use record::{ChannelId, Outcome, Record, StepMeasurement, WorkloadId};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// The load is to end long before this.
const TOO_LONG: Duration = Duration::from_secs(50);

const TEMP: &str = "sys/class/thermal/thermal_zone0/temp";

/// Why a load of a minute ended early, if the thermometer says so before it and so while it runs; nothing there is
/// a thermometer that vanished.
fn ended_early(before: &str, meanwhile: Option<&str>) -> String {
    let tree = Tree::new();
    std::fs::write(tree.path(TEMP), before).unwrap();
    let words = "thermal --force --quiet --duration 1min --cool-down 1s --max-temp 100 -- /bin/sh -c";
    let mut words: Vec<&str> = words.split(' ').collect();
    words.push("touch begun; sleep 60");
    let mut command = tree.command(&words, "");
    let command = command.env("NOTUNING", "yes");
    let command = command.env("SBC_BENCH_FAULTS_HASTE", "1");
    let command = command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    testkit::wait_until("the program begins", || tree.path("drive/begun").exists());
    let begun = Instant::now();
    match meanwhile {
        Some(value) => std::fs::write(tree.path(TEMP), value).unwrap(),
        None => std::fs::remove_file(tree.path(TEMP)).unwrap(),
    }
    child.wait().unwrap();
    assert!(begun.elapsed() < TOO_LONG, "{meanwhile:?}: it heated on");
    let json = std::fs::read_to_string(tree.path("log/sbc-bench.json")).unwrap();
    let record: Record = serde_json::from_str(&json).unwrap();
    let mut steps = record.steps.iter();
    let heat = steps.find(|step| step.workload == WorkloadId::Heat).unwrap();
    match &heat.outcome {
        Outcome::Done(StepMeasurement::Series(series)) => series.ended_early.clone().unwrap_or_default(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn load_stops_when_sensor_fails_or_is_implausible() {
    testkit::needs!(can_run());
    let lost = "sensor failed";
    let checks = [
        ("45000", None, lost),
        ("45000", Some("0"), lost),
        ("45000", Some("-274000"), lost),
        ("45000", Some("999000"), lost),
        ("45000", Some("101500"), "reached 101.5 °C"),
        // Older kernels of vendors tell whole degrees.
        ("45", Some("102"), "reached 102.0 °C"),
    ];
    crate::fake_tree::tree::for_each(&checks, |(before, meanwhile, expected)| {
        let why = ended_early(before, *meanwhile);
        assert!(why.contains(expected), "{before}, {meanwhile:?}: {why:?}");
    });
}

/// One wrong reading of 125 °C between two of 60 °C. On a machine that is busy it may be read twice, or not at all:
/// then once more.
#[test]
fn single_outlier_is_not_maximum_temperature() {
    testkit::needs!(can_run());
    let said = (0..TRIES).find_map(|_| watched_with_a_glitch());
    let said = said.expect("a glitch is seen once");
    assert!(said.contains("Highest temperature: 60.0°C"), "{said}");
}

const TRIES: usize = 8;

/// Explanation of a recording with one wrong reading; none if the recording lacks it.
fn watched_with_a_glitch() -> Option<String> {
    const WRONG: i64 = 125_000;
    let tree = Tree::new();
    std::fs::write(tree.path(TEMP), "60000").unwrap();
    let words = ["-m", "0.4", "--count", "8", "--record", "watched"];
    let mut child = tree.command(&words, "");
    let child = child.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child.spawn().unwrap();
    let seen = |wanted: i64| {
        let bytes = std::fs::read(tree.path("drive/watched")).unwrap_or_default();
        let record = record::read_stream(&bytes).ok();
        let id = ChannelId::zone_temperature(0);
        let channel = record.and_then(|r| r.samples.channel(&id).cloned());
        let values = channel.map(|channel| channel.values).unwrap_or_default();
        let fitting = values.iter().filter(|value| **value == Some(wanted));
        fitting.count()
    };
    let mut wait_for = |count: usize, value: i64| {
        while seen(value) < count && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    wait_for(2, 60_000);
    std::fs::write(tree.path(TEMP), WRONG.to_string()).unwrap();
    wait_for(1, WRONG);
    std::fs::write(tree.path(TEMP), "60000").unwrap();
    child.wait().unwrap();
    let output = tree.run(&["explain", "watched"], "");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (seen(WRONG) == 1 && seen(60_000) > 3).then_some(said)
}
