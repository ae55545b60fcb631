//! Clocks that do not simply go on: a machine that sleeps in the middle of a run, a time of day that is set. Lengths,
//! names and order of Records stay right, and what was slept through is not compared.

use crate::fake_tree::tree::{Tree, can_run, difference};
use record::{ChannelId, Record};
use rustix::process::{Pid, Signal, kill_process};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Much longer than anything here takes.
const SLEEP_MS: i64 = 60_000;
/// A board without a real-time clock begins in 1970.
const YEARS_MS: i64 = 1_750_000_000_000;

/// One day.
const DAY_MS: i64 = 86_400_000;

/// The file of the clocks, next to the load that moves them.
const CLOCKS: &str = "drive/clocks";

impl Tree {
    /// Runs this script on a machine whose clocks have the values of the file `clocks`.
    fn run_with_clocks(&self, clocks: [i64; 2], script: &str) -> Output {
        self.set_clocks(clocks);
        self.script(script, "").env("NOTUNING", "yes").output().unwrap()
    }

    /// A run of this script that reads its clocks from the file `clocks`.
    fn script(&self, script: &str, plan: &str) -> Command {
        let words = "run --force --wait 0s --quiet --repeat 1 -- /bin/sh -c";
        let mut words: Vec<&str> = words.split(' ').collect();
        words.push(script);
        let mut command = self.command(&words, plan);
        command.env("SBC_BENCH_FAULTS_HASTE", "1").env("SBC_BENCH_FAULTS_CLOCKS", self.path(CLOCKS));
        command
    }

    fn set_clocks(&self, [suspended_ms, utc_ms]: [i64; 2]) {
        let text = format!("{suspended_ms} {utc_ms}\n");
        std::fs::write(self.path(CLOCKS), text).unwrap();
    }
}

fn record(tree: &Tree, output: &Output) -> Record {
    let json = std::fs::read_to_string(tree.path("log/sbc-bench.json"));
    serde_json::from_str(&json.unwrap_or_else(|_| panic!("{output:?}"))).unwrap()
}

/// Gaps of all channels.
fn gaps(record: &Record) -> String {
    let channels = record.samples.channels.iter();
    let own = channels.filter(|channel| channel.id == ChannelId::ALL_CHANNELS_GAP);
    let gaps = own.flat_map(|channel| &channel.gaps);
    let words: Vec<String> = gaps.map(|gap| gap.missing.to_string()).collect();
    words.join("\n")
}

fn now_ms() -> i64 {
    let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since_1970.unwrap().as_millis() as i64
}

#[test]
fn suspended_step_is_not_compared() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    let sleeps = format!("sleep 1; echo {SLEEP_MS} 0 > clocks; sleep 1.5");
    let record = record(&tree, &tree.run_with_clocks([0, 0], &sleeps));
    let step = record.steps.iter().find(|step| step.workload.as_str() == "sh");
    let why = step.unwrap().not_comparable.clone().unwrap_or_default();
    assert_eq!(why, "the machine was suspended for 60.0 s while it ran");
    assert!(gaps(&record).contains("suspended for 60."), "{record:?}");
    let elapsed_ms = record.run.elapsed_ms.unwrap();
    assert!(elapsed_ms < SLEEP_MS as u64, "{elapsed_ms} ms");
    let started = *record.run.started.known().unwrap();
    assert!((now_ms() - started).abs() < SLEEP_MS, "nobody set a clock");
}

#[test]
fn time_set_during_run_dates_whole_run() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    let begin_ms = now_ms();
    let learns = "sleep 1; echo 0 0 > clocks; sleep 1.5";
    let first = record(&tree, &tree.run_with_clocks([0, -YEARS_MS], learns));
    let started = *first.run.started.known().unwrap();
    let age_ms = started - begin_ms;
    assert!((-2_000..60_000).contains(&age_ms), "begun {age_ms} ms off");
    assert!(gaps(&first).contains("was set forward by"), "{first:?}");
    let step = first.steps.iter().find(|step| step.workload.as_str() == "sh");
    let window = &step.unwrap().window;
    assert!((2_000..60_000).contains(&(window.end_ms - window.start_ms)));
    assert_eq!(step.unwrap().not_comparable, None);
    // The next one is the later one by name and by date.
    let second = record(&tree, &tree.run_with_clocks([0, 0], "true"));
    assert!(second.run.started.known() > first.run.started.known());
    let kept = tree.kept();
    let dates = kept.iter().map(|path| {
        let json = std::fs::read_to_string(path).unwrap();
        let record: Record = serde_json::from_str(&json).unwrap();
        record.run.started
    });
    assert_eq!(dates.collect::<Vec<_>>(), [first.run.started, second.run.started], "{kept:?}");
}

#[test]
fn time_set_by_a_day_changes_no_figure_and_no_setting() {
    testkit::needs!(can_run());
    for (step_ms, words) in [(DAY_MS, "was set forward by"), (-DAY_MS, "was set back by")] {
        let tree = Tree::new();
        let (begin_ms, settings) = (now_ms(), tree.settings());
        tree.set_clocks([0, 0]);
        let script = format!("sleep 1; echo 0 {step_ms} > clocks; sleep 1.5");
        let first = record(&tree, &tree.script(&script, "").output().unwrap());
        assert!(!first.settings.is_empty() && gaps(&first).contains(words), "{first:?}");
        let step = first.steps.iter().find(|step| step.workload.as_str() == "sh").unwrap();
        assert!((2_000..60_000).contains(&(step.window.end_ms - step.window.start_ms)), "{step:?}");
        assert_eq!(step.not_comparable, None);
        assert!(first.run.elapsed_ms.unwrap() < 600_000);
        // The new time counts.
        let age_ms = first.run.started.known().unwrap() - begin_ms - step_ms;
        assert!((-2_000..60_000).contains(&age_ms), "{step_ms} ms: begun {age_ms} ms off");
        assert_eq!(difference(&settings, &tree.settings()), "");
        // A run whose processes were all killed left its settings; the clock is set before the next run.
        tree.set_clocks([0, 0]);
        let killed = tree.script("true", "run write /cpufreq/ 4 kill-both").output().unwrap();
        assert_ne!(difference(&settings, &tree.settings()), "", "{killed:?}");
        tree.run_with_clocks([0, step_ms], "true");
        let output = tree.script("true", "").output().unwrap();
        assert_eq!(difference(&settings, &tree.settings()), "", "{step_ms} ms: {output:?}");
    }
}

#[test]
fn run_dated_1970_is_not_pruned_first() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    let folder = tree.path("lib/sbc-bench/runs");
    std::fs::create_dir_all(&folder).unwrap();
    for number in 0..250 {
        for end in ["json", "log"] {
            let name = format!("2026-01-01T00-00-00Z-{number:03}.{end}");
            std::fs::write(folder.join(name), "{}").unwrap();
        }
    }
    let output = tree.run_with_clocks([0, -YEARS_MS], "true");
    let kept = tree.kept();
    let own = kept.first().unwrap().display().to_string();
    assert!(own.contains("/19"), "{own}: {output:?}");
    assert_eq!(kept.len(), 200, "and others went");
}

#[test]
fn recording_notes_suspend_and_time_step() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    tree.set_clocks([0, 0]);
    let file = tree.path("drive/watched");
    let mut command = tree.command(&["-m", "0.1", "--record", "watched"], "");
    command.env("SBC_BENCH_FAULTS_CLOCKS", tree.path(CLOCKS));
    let command = command.stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    let rows = || {
        let bytes = std::fs::read(&file).unwrap_or_default();
        record::read_stream(&bytes).map_or(0, |record| record.samples.at_ms.len())
    };
    // However long a busy drive takes to keep a row: it ends once rows of after the last step are kept. Clocks are compared
    // once a second.
    let begin = Instant::now();
    for clocks in [Some([SLEEP_MS, 0]), Some([SLEEP_MS, -3_600_000]), None] {
        let before = rows();
        while rows() < before + 12 && child.try_wait().unwrap().is_none() {
            if begin.elapsed() > Duration::from_secs(60) {
                let _ = child.kill();
                panic!("no rows are kept");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        clocks.into_iter().for_each(|clocks| tree.set_clocks(clocks));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert!(testkit::ended(&mut child).is_some(), "it does not end");
    let output = tree.run(&["explain", "watched"], "");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("suspended for 60."), "{said}");
    // The two clocks are read one behind the other.
    let set_back = ["was set back by 3600.", "was set back by 3599.9"];
    assert!(set_back.iter().any(|words| said.contains(words)), "{said}");
}
