//! A run that is killed anywhere, with its guard, and then goes on: its Record has every step once, and the
//! settings are as they were. A board that died, and died again.

use crate::fake_tree::tree::{Tree, can_run, difference, for_each};
use crate::outcome::said;
use record::{End, Outcome, Record, Step};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

/// Changes governors, limits and CPUs for three runs of a program that says which of them it is.
const RUN: &[&str] = &[
    "run",
    "--force",
    "--wait",
    "0s",
    "--quiet",
    "--repeat",
    "3",
    "--name",
    "own",
    "--cpus",
    "0",
    "--others-off",
    "--",
    "/bin/sh",
    "-c",
    "echo x >> ran; if test -e hang; then touch hangs; sleep 60; fi",
];
const RESUME: &[&str] = &["--resume", "--quiet"];
/// Number of calls between two kills.
const SAMPLED: usize = 9;

/// All Records in the folder of runs, the oldest first.
fn kept(tree: &Tree) -> Vec<(PathBuf, Record)> {
    let entries = std::fs::read_dir(tree.path("lib/sbc-bench/runs"));
    let paths = entries.into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut records: Vec<(PathBuf, Record)> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .map(|path| {
            let record = serde_json::from_slice(&std::fs::read(&path).unwrap());
            (path, record.unwrap())
        })
        .collect();
    records.sort_by_key(|(_, record)| record.run.resumed.len());
    records
}

/// Every step of a run with the number of times that it is there.
fn steps(record: &Record) -> BTreeMap<String, usize> {
    let mut steps = BTreeMap::new();
    let name = |step: &Step| {
        let Step { workload, variant, cpus, repetition, .. } = step;
        format!("{workload} {variant} {cpus:?} {repetition}")
    };
    for step in &record.steps {
        *steps.entry(name(step)).or_default() += 1;
    }
    steps
}

/// Starts a run and kills it, with its guard, when the program hangs.
fn kill_in(tree: &Tree, words: &[&str]) {
    std::fs::write(tree.path("drive/hang"), "").unwrap();
    let child = tree.command(words, "").stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = child.unwrap();
    testkit::wait_until("the program hangs", || {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        tree.path("drive/hangs").exists()
    });
    // All that runs on this machine, as a loss of power does; one of them may just be starting another.
    let kill = |process: u32| {
        let pid = rustix::process::Pid::from_raw(process as i32).unwrap();
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    };
    while child.try_wait().unwrap().is_none() || !tree.processes().is_empty() {
        tree.processes().into_iter().for_each(kill);
        std::thread::sleep(Duration::from_millis(5));
    }
    tree.wait_for_ends().unwrap();
    for name in ["hang", "hangs"] {
        std::fs::remove_file(tree.path("drive").join(name)).unwrap();
    }
}

#[test]
fn resumed_run_has_every_step_once() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    let whole = tree.run(RUN, "");
    assert!(matches!(whole.status.code(), Some(0 | 2 | 3)), "{}", said(&whole));
    let expected = steps(&kept(&tree)[0].1);
    assert!(expected.len() > 6 && expected.values().all(|times| *times == 1), "{expected:?}");
    let words = ["write", "sync", "rename", "remove", "folder"];
    let trace = tree.trace();
    let calls = trace.iter().filter(|call| call.role == "run" && words.contains(&call.word.as_str())).count();
    let points: Vec<usize> = (1..=calls).step_by(SAMPLED).collect();
    for_each(&points, |number| killed_at(*number, &expected));
}

fn killed_at(number: usize, expected: &BTreeMap<String, usize>) {
    let tree = Tree::new();
    let before = tree.settings();
    tree.run(RUN, &format!("run change * {number} kill-both"));
    tree.wait_for_ends().unwrap();
    let output = tree.run(RESUME, "");
    let text = said(&output);
    tree.wait_for_ends().unwrap();
    let records = kept(&tree);
    let Some((_, last)) = records.last() else {
        assert!(text.contains("Nothing to resume in "), "call {number}: {text}");
        return;
    };
    assert_eq!(last.run.end, End::Finished, "call {number}: {text}");
    assert_eq!(&steps(last), expected, "call {number}: {text}");
    assert_eq!(difference(&before, &tree.settings()), "", "call {number}: {text}");
    if records.len() == 2 {
        assert!(matches!(output.status.code(), Some(0 | 2 | 3)), "call {number}: {text}");
        assert_eq!(last.run.resumed.len(), 1, "call {number}");
    } else {
        assert_eq!(output.status.code(), Some(1), "it had come to its end: {text}");
    }
}

#[test]
fn resume_after_crash_is_shown_in_every_report() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    let before = tree.settings();
    tree.restart(&before, "first");
    kill_in(&tree, RUN);
    tree.restart(&before, "second");
    // A different request is refused and nothing starts.
    for (words, expected) in [
        (&["run", "--resume", "--quiet", "--", "true"][..], "--resume repeats the original command line"),
        (&["-R", "--resume"], "--resume continues a benchmark run"),
        (&["thermal", "--resume"], "Unknown option --resume"),
    ] {
        let output = tree.run(words, "");
        let text = said(&output);
        assert!(output.status.code() == Some(1) && text.contains(expected), "{words:?}: {text}");
    }
    let output = tree.run(&["--resume"], "");
    let text = said(&output);
    assert!(matches!(output.status.code(), Some(0 | 2 | 3)), "{text}");
    assert!(text.contains("which died") && text.contains("during own: "), "{text}");
    assert!(
        text.contains("The board died during own,")
            && text.contains("results before and after come from different boots."),
        "{text}"
    );
    assert_eq!(difference(&before, &tree.settings()), "");
    let records = kept(&tree);
    let [(died, first), (whole, last)] = &records[..] else {
        panic!("{records:?}");
    };
    assert_eq!((&first.run.end, &last.run.end), (&End::Died, &End::Finished));
    assert_eq!(last.steps[..first.steps.len()], first.steps, "what was measured stays");
    assert!(steps(last).values().all(|times| *times == 1));
    assert_eq!(last.steps_of("own").count(), 3);
    let ran = std::fs::read_to_string(tree.path("drive/ran")).unwrap();
    assert_eq!(ran.len(), 2 * 4, "three, and the one in which it died");
    let [died, whole] = [died, whole].map(|path| path.to_string_lossy().into_owned());
    let inside = |path: &str| path.replace(&tree.path("lib").to_string_lossy().into_owned(), "/var/lib");
    let files = [inside(&died), inside(&whole)];
    let results = said(&tree.run(&["results", &files[0], &files[1]], ""));
    assert!(results.contains("resumed after it died during own"), "{results}");
    assert!(results.contains("has no row"), "{results}");
    let trend = said(&tree.run(&["trend", &files[0], &files[1]], ""));
    assert!(trend.contains("it was resumed") && trend.contains("died 1 of 2 times"), "{trend}");
    // It is resumed once.
    let again = said(&tree.run(RESUME, ""));
    assert!(again.contains("Nothing to resume in "), "{again}");
    let named = said(&tree.run(&["--resume", &files[1]], ""));
    assert!(named.contains("the run finished; nothing is missing"), "{named}");
}

#[test]
fn deadly_step_is_skipped() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    let before = tree.settings();
    for (boot, words) in [("first", RUN), ("second", RESUME)] {
        tree.restart(&before, boot);
        kill_in(&tree, words);
    }
    tree.restart(&before, "third");
    let output = tree.run(RESUME, "");
    let text = said(&output);
    let (_, last) = kept(&tree).pop().unwrap();
    assert_eq!((&last.run.end, last.run.resumed.len()), (&End::Finished, 2), "{text}");
    let is_skipped = |step: &Step| matches!(step.outcome, Outcome::Skipped(_));
    // One step reports it for all three repetitions.
    assert!(last.steps_of("own").all(is_skipped) && last.steps_of("own").count() == 1, "{text}");
    assert!(text.contains("skipped because the board died in it 2 times"), "{text}");
    let findings = rules::check(&facts::Facts::of(&last));
    let deaths = findings.iter().filter(|found| found.rule.as_str() == "board-died");
    assert_eq!(deaths.count(), 2, "{text}");
    assert_eq!(difference(&before, &tree.settings()), "");
}

#[test]
fn resume_on_another_machine_is_refused() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    let before = tree.settings();
    kill_in(&tree, RUN);
    tree.restart(&before, "second");
    let governors = tree.path("sys/devices/system/cpu/cpufreq/policy0/scaling_available_governors");
    std::fs::write(governors, "performance").unwrap();
    let output = tree.run(RESUME, "");
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("cannot be resumed because the available governors changed from ondemand performance powersave,"),
        "{text}"
    );
    assert_eq!(kept(&tree).len(), 1);
}

/// Root resumes no Record of another user, because it contains the command to run.
#[test]
fn a_record_of_another_user_starts_nothing() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    let folder = tree.path("drive/theirs");
    std::fs::create_dir(&folder).unwrap();
    let mut words = RUN.to_vec();
    words.splice(1..1, ["--log", "theirs/x.log"]);
    kill_in(&tree, &words);
    let recovered = tree.run(&["recover", "--log", "theirs/x.log"], "");
    assert!(said(&recovered).contains("did not finish"), "{recovered:?}");
    let runs = folder.join("sbc-bench-runs");
    let mut records = std::fs::read_dir(&runs).unwrap().flatten();
    let record = records.find(|entry| entry.path().extension().is_some_and(|end| end == "json"));
    let record = record.unwrap().path();
    let count = || std::fs::read_to_string(tree.path("drive/ran")).map_or(0, |text| text.len());
    let before = count();
    for path in [&folder, &runs, &record] {
        std::os::unix::fs::chown(path, Some(65534), Some(65534)).unwrap();
    }
    let named = format!("theirs/sbc-bench-runs/{}", record.file_name().unwrap().display());
    for words in [vec!["--resume", &named, "--quiet"], vec!["--resume", "--log", "theirs/x.log", "--quiet"]] {
        let output = tree.run(&words, "");
        assert_eq!(output.status.code(), Some(1), "{words:?}: {output:?}");
        assert!(said(&output).contains("Root does not resume a run of"), "{words:?}: {output:?}");
    }
    assert_eq!(count(), before, "its command ran");
}
