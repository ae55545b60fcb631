//! The program from the outside: output, files, exit status.
//!
//! Runs here are short ones: no score-giving workloads, nothing tuned.

use crate::outcome::{board, interrupt, record, text};
use regex_lite::Regex;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use testkit::Scratch;

fn sbc_bench(words: &[&str]) -> Command {
    let mut command = testkit::untuned_command(env!("CARGO_BIN_EXE_sbc-bench"), words);
    command.env("NotReadyYet", "yes");
    command
}

/// One sentence on standard error, and the exit status.
fn check_refused(words: &[&str], variables: &[(&str, &str)], status: i32, expected: &str) {
    let mut command = sbc_bench(words);
    command.envs(variables.iter().copied());
    let output = command.output().unwrap();
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{words:?}: {error}");
    assert!(error.contains(expected), "{words:?}: {error}");
    assert!(!error.contains("panicked"), "{words:?}: {error}");
}

#[test]
fn bad_input_error_messages() {
    for (words, variables, expected) in [
        (&["--bogus"][..], &[][..], "Unknown option --bogus"),
        (&[], &[("CPUINFOFILE", "/none")], "CPUINFOFILE: Cannot read /none"),
        (&[], &[("MaxKHz", "fast")], "MaxKHz must be a clock in kHz"),
        (&["explain", "/none"], &[], "Cannot read /none"),
        (&["--root", "/none", "identify"], &[], "Cannot read /none: No such file"),
        (&["report", "--format", "poem", "/dev/null"], &[], "report \"poem\""),
        (&["list", "poems"], &[], "table \"poems\""),
    ] {
        check_refused(words, variables, 1, expected);
    }
    let log = concat!(env!("CARGO_MANIFEST_DIR"), "/../explain/tests/composed/before-0.4.txt");
    for report in ["core-use", "efficiency-csv", "plot-thermal", "review"] {
        let expected = format!("no data for the report {report}; its reports: ");
        check_refused(&["report", "--format", report, log], &[], 1, &expected);
    }
}

/// `SEVENZIP=` with anything but 7-zip is refused before the run.
#[test]
fn a_program_that_is_no_7zip_is_refused() {
    let folder = Scratch::new("cli-sevenzip");
    let text = folder.join("text");
    std::fs::write(&text, "text").unwrap();
    let refused = |named: &str, why: &str| {
        for words in [&[][..], &["workload", "sevenzip", "single"]] {
            check_refused(words, &[("SEVENZIP", named)], 1, &format!("SEVENZIP={named} is not usable: {why}"));
        }
    };
    refused("/bin/echo", "/bin/echo is not 7-zip: it printed");
    let neither = "it is neither a program nor a directory with one";
    refused("/no/such/7zz", neither);
    refused(folder.to_str().unwrap(), neither);
    refused(text.to_str().unwrap(), neither);
}

/// A run that begins at once and logs into this folder.
fn run_in(folder: &Scratch) -> Command {
    sbc_bench(&["--force", "--wait", "0s", "--log", folder.join("run.log").to_str().unwrap()])
}

#[test]
fn run_leaves_log_record_and_summary() {
    let folder = Scratch::new("cli-run");
    // The measurements are checked, so times are not shortened.
    let output = run_in(&folder).env_remove(testkit::HASTE.0).output().unwrap();
    let status = output.status.code();
    assert!(matches!(status, Some(0 | 2 | 3)), "{status:?} {}", text(&output.stderr));
    let shown = text(&output.stdout);
    // Results that are not valid contain the words that scripts search for.
    assert_eq!(status != Some(0), shown.contains("check the log"), "{shown}");

    let record = std::fs::read_to_string(folder.join("run.json")).unwrap();
    check_schema(&record);
    let record: record::Record = serde_json::from_str(&record).unwrap();
    assert_eq!(record.run.end, record::End::Finished);
    assert!(record.samples.at_ms.len() > 3, "{} samples", record.samples.at_ms.len());
    let steps = |workload: &str| record.steps_of(workload).count();
    assert!(steps("clock") >= 5 && steps("memory-latency") >= 1 && steps("sevenzip") == 0);

    let log = std::fs::read_to_string(folder.join("run.log")).unwrap();
    check_log(&log);
    assert!(!shown.contains(log.lines().last().unwrap()), "its figures were shown above");
    assert!(
        !folder
            .join("sbc-bench-runs")
            .read_dir()
            .unwrap()
            .any(|entry| { entry.unwrap().file_name().to_string_lossy().contains("events") })
    );
    check_explained(&folder, &record);
    // Without a terminal, each step has a line.
    assert_eq!(step_lines(&output.stderr), record.steps.len(), "{}", text(&output.stderr));
}

/// Lines of progress, each with the result of a step: `00:00:11 memory-libc: copy 3833 MB/s; ...`.
fn step_lines(error: &[u8]) -> usize {
    let line = Regex::new(r"^\d\d:\d\d:\d\d \S.*: \S").unwrap();
    text(error).lines().filter(|text| line.is_match(text)).count()
}

/// The Record against the published schema, by a validator that is not ours.
fn check_schema(record: &str) {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/record.schema.json");
    let schema = std::fs::read_to_string(schema).unwrap();
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let record: serde_json::Value = serde_json::from_str(record).unwrap();
    let errors: Vec<String> = validator.iter_errors(&record).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let broken = serde_json::json!({"schema": "one"});
    assert!(!validator.is_valid(&broken), "a schema that accepts everything tests nothing");
}

/// The log as an independent reader sees it: regular expressions over its lines.
fn check_log(log: &str) {
    let count = |pattern: &str| {
        let pattern = Regex::new(pattern).unwrap();
        log.lines().filter(|line| pattern.is_match(line)).count()
    };
    assert_eq!(count(r"^sbc-bench v[\d.]+ .+ \(\w{3}, \d\d \w{3} \d{4} [\d:]{8} [+-]\d{4}\)$"), 1);
    assert!(count(r"^#{74}$") >= 5);
    let clocks = count(r"^Cpufreq OPP: +(\d+) +Measured: +(\d+) +\(([\d.]+)/([\d.]+)/([\d.]+)\)")
        + count(r"^No cpufreq support\.  Measured: +\d+ \([\d.]+/[\d.]+/[\d.]+\)");
    assert!(clocks >= 2, "{log}");
    assert!(count(r"^ libc memcpy copy +: +[\d.]+ MB/s \(\d+(, [\d.]+%)?\)$") >= 1);
    assert!(count(r"^ +4k: +\d+\.\d+ ") >= 1);
    let rows = count(r"^\d\d:\d\d:\d\d: +[\d/na ]+MHz +\d+\.\d\d( +\d+%){6} +(-|[\d.]+°C)$");
    assert!(rows >= 1, "{log}");
    let summary = log.lines().last().unwrap();
    assert_eq!(summary.split('|').count(), 12, "{summary}");
}

/// Our own Record is explained again with the same words, from its file and from a pipe.
fn check_explained(folder: &Scratch, record: &record::Record) {
    let json = folder.join("run.json");
    let output = sbc_bench(&["explain", json.to_str().unwrap()]).output().unwrap();
    let explained = explain::explain(record);
    let expected = report::find("text").unwrap().text(&explained, compare::reference::Reference::builtin);
    assert_eq!(text(&output.stdout), expected);
    let piped = std::fs::File::open(&json).unwrap();
    let output = sbc_bench(&["explain", "--json", "-"]).stdin(piped).output().unwrap();
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    // One file or several: an array.
    assert_eq!(value[0]["verdict"], explained.assessment.verdict.to_string());
    assert_eq!(value[0]["file"], "-");
}

#[test]
fn interrupted_run_keeps_what_it_measured() {
    let folder = Scratch::new("cli-interrupted");
    let mut run = run_in(&folder);
    let run = run.env_remove(testkit::HASTE.0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = run.spawn().unwrap();
    std::thread::sleep(Duration::from_secs(4));
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let record = record(folder.join("run.json"));
    assert_eq!(record.run.end, record::End::Interrupted { signal: 2 });
    assert!(!record.steps.is_empty());
}

#[test]
fn killed_run_is_found_by_next_start() {
    let folder = Scratch::new("cli-killed");
    let mut run = run_in(&folder);
    let mut child = run.env_remove(testkit::HASTE.0).stdout(Stdio::null()).spawn().unwrap();
    let runs = folder.join("sbc-bench-runs");
    let streams = || -> Vec<std::path::PathBuf> {
        let entries = runs.read_dir().into_iter().flatten();
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        paths.filter(|path| path.extension().is_some_and(|end| end == "stream")).collect()
    };
    // The step continues after the stop and has samples on every machine.
    let read = loop {
        std::thread::sleep(Duration::from_millis(100));
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        let bytes = streams().pop().and_then(|path| std::fs::read(path).ok());
        let Some(Ok(record)) = bytes.map(|bytes| record::read_stream(&bytes)) else { continue };
        let died = record.run.died_in.clone();
        if died.is_some_and(|died| died.step.is_some() && died.began_ms < Some(died.at_ms)) && !record.steps.is_empty()
        {
            break record;
        }
    };
    child.kill().unwrap();
    child.wait().unwrap();
    let output = run_in(&folder).output().unwrap();
    let error = text(&output.stderr);
    assert!(error.contains("An earlier run did not finish. The program was killed during "), "{error}");
    assert!(error.contains("last readings"), "{error}");
    assert!(streams().is_empty(), "{:?}", streams());
    let kept: Vec<record::Record> = runs
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "json"))
        .map(record)
        .collect();
    let of = |end: record::End| kept.iter().filter(move |record| record.run.end == end);
    assert_eq!(of(record::End::Finished).count(), 1);
    let died: Vec<&record::Record> = of(record::End::Died).collect();
    let [died] = died.as_slice() else { panic!("{kept:?}") };
    // Everything that had come to disk is in it, the kernel's answer, and where it happened.
    assert!(died.steps.len() >= read.steps.len());
    assert!(died.samples.at_ms.len() >= read.samples.at_ms.len());
    let died_in = died.run.died_in.as_ref().unwrap();
    assert!(died_in.step.is_some());
    let aftermath = died_in.aftermath.known().unwrap();
    assert_eq!(aftermath.restarted, record::Fact::Known(false));
}

#[test]
fn definitions_of_a_wrong_file_are_not_read_whole() {
    let folder = Scratch::new("cli-definitions");
    let file = folder.join("own.toml");
    std::fs::write(&file, vec![b'#'; (1 << 20) + 1]).unwrap();
    let file = file.display().to_string();
    let words = ["run", "--workload", "mine", "--workload-file", &file];
    check_refused(&words, &[], 1, "is larger than 1024 KiB");
}

#[test]
fn variant_of_a_definition_runs_with_its_program() {
    let folder = Scratch::new("cli-variants");
    let file = folder.join("own.toml");
    let text = "[[workload]]\nname = 'own'\nrepeat = 1\ncpus = [0]\nscore_regex = '(\\d+) (?<second>\\d+)'\n\
                detail = 'two numbers'\n[workload.program]\nnames = ['env']\nversion = 'env .* (\\d\\S+)$'\n\
                [[workload.variant]]\nname = 'one'\ncommand = ['env', 'false']\n\
                [[workload.variant]]\nname = 'two'\ncommand = ['env', 'echo', '{threads}2', '3']\n";
    std::fs::write(&file, text).unwrap();
    let log = folder.join("log");
    let words = ["run", "--force", "--wait", "0s", "--quiet", "--workload", "own:two", "--workload-file"];
    let mut command = sbc_bench(&words);
    let output = command.arg(&file).arg("--log").arg(&log).output().unwrap();
    assert!(output.status.code().is_some(), "{output:?}");
    let record = record(log.with_extension("json"));
    let step = record.steps.iter().find(|step| step.workload.as_str() == "own").unwrap();
    assert_eq!((step.variant.as_str(), step.tool.as_ref().unwrap().argv[1..].join(" ")), ("two", "echo 12 3".into()));
    let record::Outcome::Done(record::StepMeasurement::Scores(scores)) = &step.outcome else { panic!("{step:?}") };
    let rows: Vec<_> = scores.rows.iter().map(|row| (row.name.as_str(), row.value)).collect();
    assert_eq!((rows, scores.detail.as_str()), (vec![("", 12.0), ("second", 3.0)], "two numbers"));
}

#[test]
fn log_that_cannot_be_written_does_not_end_a_run() {
    let words = ["--force", "--wait", "0s", "--quiet", "--log", "/proc/run.log"];
    let output = sbc_bench(&words).output().unwrap();
    assert_eq!(step_lines(&output.stderr), 0, "{}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(6));
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    assert!(said.contains("Cannot write the log to /proc/run.log") && said.contains("--log FILE"), "{said}");
    assert!(shown.contains("memory copy") && shown.contains("Do not check the log: it is not of this run."), "{shown}");
}

#[test]
fn monitor_prints_rows_until_its_reader_leaves() {
    let output = sbc_bench(&["monitor", "0.1", "--count", "3"]).output().unwrap();
    let shown = text(&output.stdout);
    assert!(output.status.success());
    assert_eq!(shown.lines().count(), 4, "{shown}");
    assert!(shown.starts_with("Time "), "{shown}");
    let mut child = sbc_bench(&["-m", "0.05"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "a closed pipe is no failure: {}", text(&output.stderr));
}

#[test]
fn every_board_is_identified_and_watched() {
    for root in testkit::boards().iter().map(|name| board(name)) {
        let root = root.as_str();
        let identified = sbc_bench(&["--root", root, "identify", "--json"]).output().unwrap();
        let machine: record::Machine = serde_json::from_slice(&identified.stdout).unwrap();
        let watched = sbc_bench(&["--root", root, "monitor", "0.05", "--count", "2"]).output().unwrap();
        let shown = text(&watched.stdout);
        assert_eq!(shown.lines().count(), 3, "{root}: {shown}");
        // All clusters are visible, also more than two; many policies of alike cores share a value.
        let clocks = shown.lines().nth(1).unwrap().replace("n/a", "-");
        let clocks = clocks.split("MHz").next().unwrap();
        let expected = match machine.policies.len() {
            0..=5 => machine.policies.len().max(1),
            _ => machine.clusters.len(),
        };
        assert_eq!(clocks.matches('/').count() + 1, expected, "{root}: {shown}");
        let widest = shown.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{root}: {shown}");
    }
}

#[test]
fn snapshot_is_identified_like_the_machine() {
    let folder = Scratch::new("cli-snapshot");
    let board = folder.join("here.board");
    let snapshot = sbc_bench(&["snapshot"]).output().unwrap();
    std::fs::write(&board, &snapshot.stdout).unwrap();
    let identify = |words: &[&str]| -> record::Machine {
        let mut all = words.to_vec();
        all.extend(["identify", "--json"]);
        serde_json::from_slice(&sbc_bench(&all).output().unwrap().stdout).unwrap()
    };
    let (here, copy) = (identify(&[]), identify(&["--root", board.to_str().unwrap()]));
    assert_eq!(here.cpus.len(), copy.cpus.len());
    assert_eq!(here.clusters, copy.clusters);
    assert_eq!(here.kernel_release, copy.kernel_release);
}
