//! Results that cannot be written have an exit status of their own, and log and result file always belong to the same run.
//! A log that is a pipe or a device receives the text, and no file is created next to it.

use crate::outcome::{errors, has_devices};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use testkit::{Scratch, untuned_command};

const PROGRAM: &str = env!("CARGO_BIN_EXE_sbc-bench");
const WORDS: [&str; 7] = ["run", "--force", "--wait", "0s", "--quiet", "--repeat", "1"];
/// Results that could not be written.
const NOT_WRITTEN: Option<i32> = Some(6);

/// A directory for one test, with the user's state directory in it.
struct Folder(Scratch);

impl Folder {
    fn new(name: &str) -> Self {
        Self(Scratch::new(&format!("lost-{name}")))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A run with this log.
    fn run(&self, log: &str) -> Command {
        let mut command = untuned_command(PROGRAM, WORDS);
        command.arg("--log").arg(self.file(log)).args(["--", "true"]);
        command.env("STATE_DIRECTORY", &self.0).env("XDG_STATE_HOME", &self.0);
        command
    }

    /// The latest log and result file.
    fn pair(&self) -> [Option<Vec<u8>>; 2] {
        ["log", "json"].map(|end| std::fs::read(self.file(&format!("run.{end}"))).ok())
    }

    /// Temporary files that were not removed.
    fn aside(&self) -> Vec<String> {
        let names = std::fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter_map(|name| name.into_string().ok()).filter(|name| name.ends_with(".new")).collect()
    }

    /// Result files among all runs of the user's state.
    fn kept(&self) -> usize {
        let folders = [self.file("runs"), self.file("sbc-bench/runs")];
        let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
        files.filter(|file| file.path().extension().is_some_and(|end| end == "json")).count()
    }
}

fn is_of_verdict(output: &Output) -> bool {
    matches!(output.status.code(), Some(0 | 2 | 3))
}

/// Drives with different amounts of free space, from none to enough.
#[test]
fn full_drives_leave_the_pair_of_one_run_and_a_status() {
    let folder = Folder::new("full");
    let script = r#"
        mount -t tmpfs -o size=4m none . && cd "$PWD" || exit
        "$@" >/dev/null 2>&1; echo $? > status.first
        cp run.log run.json "$OUT"
        for free in 0 8 16 24 32 48 64 96 128 2048; do
            rm -rf sbc-bench-runs; cp "$OUT/run.log" "$OUT/run.json" .
            dd if=/dev/zero of=filler bs=1k count=4096 2>/dev/null
            truncate -s -"${free}K" filler
            "$@" >/dev/null 2>"$OUT/errors.$free"; echo $? > "$OUT/status.$free"
            rm filler
            cmp -s run.log "$OUT/run.log" && log=old || log=new
            cmp -s run.json "$OUT/run.json" && json=old || json=new
            [ -e run.log ] || log=gone
            [ -e run.json ] || json=gone
            echo "$free $(cat "$OUT/status.$free") $log $json $(ls | grep -c 'new$')" >> "$OUT/outcomes"
        done
    "#;
    let drive = folder.file("drive");
    std::fs::create_dir(&drive).unwrap();
    let run = folder.run("drive/run.log");
    let mut command = untuned_command("unshare", ["--mount", "sh", "-c", script, "sh"]);
    command.arg(run.get_program()).args(run.get_args()).env("OUT", &*folder.0).current_dir(&drive);
    command.env("STATE_DIRECTORY", &*folder.0).env("XDG_STATE_HOME", &*folder.0);
    let output = command.output().unwrap();
    let outcomes = std::fs::read_to_string(folder.file("outcomes")).unwrap_or_default();
    if outcomes.is_empty() {
        return testkit::skip(&format!("no drive can be mounted here: {}", errors(&output)));
    }
    let rows: Vec<Vec<&str>> = outcomes.lines().map(|line| line.split(' ').collect()).collect();
    for row in &rows {
        let [free, status, log, json, aside] = row[..] else { panic!("{row:?}") };
        let errors = std::fs::read_to_string(folder.file(&format!("errors.{free}"))).unwrap();
        let expected = if status == "6" { ["old", "old"] } else { ["new", "new"] };
        assert_eq!(([log, json], aside), (expected, "0"), "{free} KiB left, status {status}: {errors}");
        assert_eq!(errors.contains("Cannot write the log to "), status == "6", "{free} KiB left: {errors}");
    }
    assert!(rows.iter().any(|row| row[1] == "6") && rows.iter().any(|row| row[1] != "6"), "{outcomes}");
}

#[test]
fn failing_calls_leave_the_pair_of_one_run_and_a_status() {
    let folder = Folder::new("fails");
    assert!(is_of_verdict(&folder.run("run.log").output().unwrap()));
    let before = folder.pair();
    assert!(before.iter().all(Option::is_some));
    // Two are put aside, two come into their place.
    for (word, calls) in [("write", 2), ("sync", 2), ("rename", 4)] {
        for number in 1..=calls {
            let plan = format!("run {word} /run. {number} EIO");
            let output = folder.run("run.log").env("SBC_BENCH_FAULTS", &plan).output().unwrap();
            let errors = errors(&output);
            assert_eq!(output.status.code(), NOT_WRITTEN, "{plan}: {errors}");
            assert!(errors.contains("Cannot write the log to "), "{plan}: {errors}");
            // A script that looks for these words reads no log of another run.
            let shown = String::from_utf8_lossy(&output.stdout);
            assert!(shown.contains("check the log"), "{plan}: {output:?}");
            // The two sentences about the log exclude each other.
            assert_eq!(shown.matches("check the log").count(), 1, "{plan}: {output:?}");
            assert!(folder.pair() == before, "{plan}: the pair of the run before is gone");
            assert_eq!(folder.aside(), [""; 0], "{plan}");
        }
    }
}

#[test]
fn a_killed_run_leaves_no_pair_of_two_runs() {
    let folder = Folder::new("killed");
    for number in 1..=4 {
        for when in ["", "-after"] {
            assert!(is_of_verdict(&folder.run("run.log").output().unwrap()));
            let before = folder.pair();
            let plan = format!("run rename /run. {number} kill-run{when}");
            let output = folder.run("run.log").env("SBC_BENCH_FAULTS", &plan).output().unwrap();
            assert_eq!(output.status.code(), None, "{plan}: {}", errors(&output));
            let now = folder.pair();
            let is_old = [0, 1].map(|at| now[at].as_ref().map(|bytes| Some(bytes) == before[at].as_ref()));
            let of: Vec<bool> = is_old.into_iter().flatten().collect();
            assert!(of.windows(2).all(|two| two[0] == two[1]), "{plan}: {is_old:?}");
        }
    }
}

#[test]
fn pipes_get_the_log_and_stay_pipes() {
    let folder = Folder::new("pipe");
    let pipe = folder.file("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // Without a reader, the run is refused before anything is measured.
    let output = folder.run("pipe").output().unwrap();
    let refusal = errors(&output);
    assert_eq!(output.status.code(), Some(1), "{refusal}");
    assert!(refusal.contains("is a named pipe without a reader; start that first."), "{refusal}");
    let reader = Command::new("cat").arg(&pipe).stdout(Stdio::piped()).spawn().unwrap();
    // The reader opens the pipe at any time; a run before that is refused as above.
    let output = std::iter::repeat_with(|| folder.run("pipe").output().unwrap())
        .find(|output| !errors(output).contains("without a reader"))
        .unwrap();
    assert!(is_of_verdict(&output), "{}", errors(&output));
    let read = reader.wait_with_output().unwrap();
    let log = String::from_utf8_lossy(&read.stdout);
    assert!(log.starts_with("sbc-bench v"), "{log}");
    assert!(std::fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    assert!(!folder.file("pipe.json").exists() && !folder.file("sbc-bench-runs").exists());
    assert_eq!(folder.kept(), 1);
    // A reader that closes the pipe loses the log.
    let reader = Command::new("head").args(["-c", "0"]).arg(&pipe).spawn();
    let held = File::options().read(true).write(true).open(&pipe).unwrap();
    let mut run = folder.run("pipe").stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let descriptors = format!("/proc/{}/fd", run.id());
    let opened = || std::fs::read_dir(&descriptors).into_iter().flatten().flatten();
    let has_it = || opened().any(|fd| std::fs::read_link(fd.path()).is_ok_and(|to| to == pipe));
    while !has_it() && run.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    drop(held);
    let status = run.wait().unwrap();
    let mut errors = String::new();
    run.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(status.code(), NOT_WRITTEN, "{errors}");
    assert!(errors.contains("Broken pipe"), "{errors}");
    reader.unwrap().wait().unwrap();
}

#[test]
fn devices_get_the_log_and_have_no_neighbours() {
    let folder = Folder::new("device");
    testkit::needs!(has_devices(&folder.0));
    for (name, sentence) in [
        ("full", "is a device; the log is written to it, and the result file to "),
        ("null", "is a device; the log is written to it, and the result file to "),
        ("other", "is a device, not a regular file; give a file name."),
        ("stdout", "is a named pipe; the log is written to it, and the result file to "),
    ] {
        let kept = folder.kept();
        let output = folder.run(name).output().unwrap();
        let errors = errors(&output);
        match name {
            "full" => assert_eq!(output.status.code(), NOT_WRITTEN, "{errors}"),
            "other" => assert_eq!(output.status.code(), Some(1), "{errors}"),
            _ => assert!(is_of_verdict(&output), "{name}: {errors}"),
        }
        assert!(errors.contains(sentence), "{name}: {errors}");
        assert_eq!(folder.kept() - kept, usize::from(name != "other"), "{name}");
        assert!(!folder.file(&format!("{name}.json")).exists() && !folder.file("sbc-bench-runs").exists(), "{name}");
        let kind = std::fs::symlink_metadata(folder.file(name)).unwrap().file_type();
        assert!(kind.is_char_device() || kind.is_symlink(), "{name}");
        assert_eq!(String::from_utf8_lossy(&output.stdout).contains("sbc-bench v"), name == "stdout", "{name}");
    }
}
