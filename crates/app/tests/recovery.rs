//! What runs that died leave behind, as users meet it: whether anything can be left at all, what the next start
//! makes of it, and what it leaves alone.

use crate::outcome::{can_unshare, record, said};
use record::End;
use std::os::unix::fs::{chown, symlink};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use testkit::Scratch;

const PROGRAM: &str = env!("CARGO_BIN_EXE_sbc-bench");
/// A run that takes no time.
const QUICK: &str = "run --force --wait 0s --repeat 1";

/// A folder for one test, removed at its end.
struct Folder(Scratch);

impl Folder {
    fn new(name: &str) -> Self {
        Self(Scratch::new(&format!("recovery-{name}")))
    }

    /// `sbc-bench` with these words, in this folder.
    fn command(&self, words: &str) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(words.split_whitespace()).envs([("NOTUNING", "yes"), testkit::HASTE]);
        command.env_remove("MODE").stdin(Stdio::null());
        command.current_dir(&self.0);
        command
    }

    /// Lines of shell where `/var/lib` is this folder and `/var/log` lies in memory, for nobody else: `$B` is the
    /// program.
    fn unshared(&self, lines: &str) -> Command {
        let head = "set -e; mount --bind . /var/lib; mount -t tmpfs none /var/log; ";
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", &format!("{head}{lines}")]);
        command.env("B", PROGRAM).env("QUICK", QUICK);
        command.envs([("NOTUNING", "yes"), testkit::HASTE]).env_remove("STATE_DIRECTORY");
        command.env_remove("MODE").current_dir(&self.0).stdin(Stdio::null());
        command
    }

    /// Files of the runs kept here whose names end like that.
    fn runs(&self, end: &str) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.0.join("sbc-bench-runs")).into_iter().flatten();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.to_string_lossy().ends_with(end)).collect()
    }
}

/// Kills it with SIGKILL as soon as this is true.
fn kill_when(child: &mut Child, is_time: impl Fn() -> bool) {
    testkit::wait_until("it comes so far", || {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        is_time()
    });
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn runs_directory_in_ram_is_reported() {
    testkit::needs!(can_unshare(&["-m"]));
    let folder = Folder::new("memory");
    std::fs::create_dir_all(folder.0.join("mem")).unwrap();
    std::fs::create_dir_all(folder.0.join("sbc-bench")).unwrap();
    symlink("mem", folder.0.join("link")).unwrap();
    let mem = "mount -t tmpfs none mem;";
    for (lines, expected) in [
        (
            "mount -t tmpfs none /var/lib/sbc-bench; $B $QUICK -- true".to_owned(),
            "/var/lib/sbc-bench/runs is in RAM (tmpfs on /var/lib/sbc-bench); if the machine freezes",
        ),
        ("$B $QUICK --log /var/log/x.log -- true".to_owned(), "/var/log/sbc-bench-runs is in RAM (tmpfs on /var/log)"),
        // Given as a relative path and through a link.
        (format!("{mem} $B $QUICK --log mem/x.log -- true"), "mem/sbc-bench-runs is in RAM (tmpfs on "),
        (format!("{mem} $B $QUICK --log $PWD/link/x.log -- true"), "link/sbc-bench-runs is in RAM (tmpfs on "),
    ] {
        let text = said(&folder.unshared(&lines).output().unwrap());
        assert!(text.contains(expected), "{lines}: {text}");
    }
}

#[test]
fn foreign_stream_files_are_reported_once() {
    let folder = Folder::new("foreign");
    let at = |name: &str| folder.0.join("sbc-bench-runs").join(name);
    // The first one makes the folder.
    let made = folder.command(QUICK).args(["--log", "x.log", "--", "true"]).output();
    assert!(matches!(made.unwrap().status.code(), Some(0 | 2 | 3)));
    let pipe = Command::new("mkfifo").arg(at("a.stream")).status();
    assert!(pipe.unwrap().success());
    let victim = folder.0.join("victim");
    std::fs::write(&victim, "precious").unwrap();
    symlink(&victim, at("b.stream")).unwrap();
    let mut expected = vec![
        "a.stream is a named pipe, not a regular file.",
        "b.stream is a symbolic link; links are not followed \
                                                               here.",
    ];
    if machine::is_root() {
        std::fs::write(at("c.stream"), "sbc1 2 00000000 {}\n").unwrap();
        chown(at("c.stream"), Some(65_534), None).unwrap();
        expected.push("c.stream belongs to another user (uid 65534).");
    }
    for words in [QUICK, "recover"] {
        let mut command = Command::new("timeout");
        command.args(["120", PROGRAM]).args(words.split_whitespace());
        command.args(["--log", "x.log"]).current_dir(&folder.0);
        if words == QUICK {
            command.args(["--", "true"]);
        }
        let output = command.envs([("NOTUNING", "yes"), testkit::HASTE]).output().unwrap();
        let text = said(&output);
        assert!(matches!(output.status.code(), Some(0 | 2 | 3)), "{words}: {text}");
        for sentence in &expected {
            assert_eq!(text.matches(sentence).count(), 1, "{words}: {text}");
        }
    }
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
    assert_eq!(folder.runs(".stream").len(), expected.len());
}

/// Zeros are what a power cut usually leaves of a file that was being written.
#[test]
fn a_stream_that_says_nothing_is_told_once_and_kept_under_another_name() {
    let folder = Folder::new("zeros");
    let runs = folder.0.join("sbc-bench-runs");
    std::fs::create_dir_all(&runs).unwrap();
    let zeros = vec![0; 3000];
    let stem = "2026-01-01T00-00-00Z-1";
    let recover = || said(&folder.command("recover --log x.log").output().unwrap());
    // The second time there is one of this name, which stays.
    for end in [".unreadable", "-2.unreadable"] {
        std::fs::write(runs.join(format!("{stem}.stream")), &zeros).unwrap();
        let told = recover();
        let kept = format!("It is kept as sbc-bench-runs/{stem}{end}");
        assert!(told.contains("its event stream is unreadable") && told.contains(&kept), "{told}");
        assert_eq!(recover(), "No runs to recover in sbc-bench-runs.");
        let bytes = std::fs::read(runs.join(format!("{stem}{end}")));
        assert_eq!(bytes.unwrap(), zeros);
    }
}

#[test]
fn recover_names_step_time_and_record_of_a_run_that_was_killed() {
    let folder = Folder::new("killed");
    let load = "test -e first && { touch second; sleep 60; }; touch first; sleep 0.2";
    let mut run = folder.command("run --force --wait 0s --repeat 2 --name two --log x.log");
    let run = run.args(["--", "/bin/sh", "-c", load]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let second = folder.0.join("second");
    kill_when(&mut run, || second.exists());
    let text = said(&folder.command("recover --log x.log").output().unwrap());
    let kept = folder.runs(".json").pop().unwrap_or_else(|| panic!("{text}"));
    let name = kept.file_name().unwrap().to_string_lossy().into_owned();
    let place = format!("Its results are in sbc-bench-runs/{name}.");
    let during = regex_lite::Regex::new("did not finish. The program was killed during two, run 2, \\d+ s in;");
    assert!(during.unwrap().is_match(&text) && text.ends_with(&place), "{text}");
    let died = record(&kept);
    assert_eq!(died.run.end, End::Died);
    assert_eq!(died.steps_of("two").count(), 1, "the first repetition is kept");
    let told = folder.command("explain").arg(&kept).output().unwrap();
    let told = said(&told);
    for words in ["invalid; do not use them: a run that died, in two", "The program was killed during two, run 2"] {
        assert!(told.contains(words), "{told}");
    }
    // The note is not repeated.
    let again = said(&folder.command("recover --log x.log").output().unwrap());
    assert_eq!(again, "No runs to recover in sbc-bench-runs.");
    assert!(folder.runs(".stream").is_empty());
}

#[test]
fn killed_single_measurement_is_kept() {
    testkit::needs!(can_unshare(&["-m"]));
    for verb in ["clock", "memory"] {
        // Killed before each write to the stream, until one is within a step.
        let is_within_step = |number: usize| {
            let folder = Folder::new(&format!("{verb}-{number}"));
            let state = folder.0.join("sbc-bench");
            // The verb has no --log, so /var/lib is replaced.
            std::fs::create_dir_all(state.join("runs")).unwrap();
            symlink("sbc-bench/runs", folder.0.join("sbc-bench-runs")).unwrap();
            let mut run = folder.unshared(&format!("exec $B {verb} --quiet"));
            run.env("SBC_BENCH_FAULTS", format!("run write .stream {number} kill-run")).output().unwrap();
            let text = said(&folder.unshared("$B recover").output().unwrap());
            let Some(kept) = folder.runs(".json").pop() else { return false };
            let kept = record(&kept);
            assert_eq!((&kept.run.end, kept.run.mode.as_str()), (&End::Died, verb));
            let Some(step) = kept.run.died_in.and_then(|died| died.step) else { return false };
            let during = format!("The program was killed during {step}");
            assert!(text.contains(&during), "{verb}: {text}");
            true
        };
        assert!((2..40).any(is_within_step), "{verb} was never killed within a step");
    }
}

/// Killed before each write to the stream: a step that standard error reports has to be in the file already.
#[test]
fn reported_step_survives_any_kill() {
    for number in 1.. {
        let folder = Folder::new(&format!("reported-{number}"));
        let mut command = folder.command("run --force --wait 0s --repeat 3 --log x.log -- true");
        command.env("SBC_BENCH_FAULTS", format!("run write .stream {number} kill-run"));
        let run = command.output().unwrap();
        let reported = String::from_utf8_lossy(&run.stderr).matches(" true, run ").count();
        if run.status.code().is_some() {
            assert!(number > 3 && reported == 3, "killed {} times, {reported} steps: {}", number - 1, said(&run));
            break;
        }
        let stream = folder.runs(".stream").pop().map(|path| std::fs::read(path).unwrap()).unwrap_or_default();
        let kept = String::from_utf8_lossy(&stream).matches("\"workload\":\"true\"").count();
        assert!(reported <= kept, "write {number}: {reported} steps reported, {kept} kept: {}", said(&run));
    }
}

/// A crash in pstore from before the run is not its cause of death.
#[test]
fn crash_before_run_is_ignored() {
    testkit::needs!(can_unshare(&["-m"]));
    for (written, is_told) in [("2020-01-01", false), ("now", true)] {
        let folder = Folder::new(written);
        let mut command = folder.command(QUICK);
        // The time of a crash is known in whole seconds, and this run has to have begun in an earlier one.
        command.args(["--log", "x.log", "--", "sleep", "100"]).env_remove(testkit::HASTE.0);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        kill_when(&mut child, || {
            let stream = folder.runs(".stream").pop();
            let bytes = stream.and_then(|path| std::fs::read(path).ok());
            bytes.is_some_and(|bytes| String::from_utf8_lossy(&bytes).contains("\"step_begins\""))
        });
        // As if the machine had started again since.
        std::fs::write(folder.0.join("boot"), "00000000-1111-2222-3333-444444444444\n").unwrap();
        let lines = format!(
            "mount --bind /var/lib/boot /proc/sys/kernel/random/boot_id; mount -t tmpfs none /sys/fs; \
             mkdir /sys/fs/pstore; F=/sys/fs/pstore/dmesg-ramoops-0; \
             echo '<0>[   57.076715] Kernel panic - not syncing: sysrq triggered crash' > $F; \
             touch -d {written} $F; $B recover --log x.log"
        );
        let text = said(&folder.unshared(&lines).output().unwrap());
        assert!(text.contains("The board died during"), "{text}");
        let words = "Last kernel message (pstore): \"Kernel panic - not syncing: sysrq triggered crash\"";
        assert_eq!(text.contains(words), is_told, "{written}: {text}");
    }
}
