//! Ways out of the program that are full, closed, or that nobody reads: no run ends, waits or loses its results
//! because of them, and none takes the place of what lies there. And foreign text: none of it steers a terminal, a
//! table or a picture.

use crate::outcome::{has_devices, sbc_bench as command};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;
use testkit::Scratch;

/// A folder for one test, removed at its end.
struct Folder(Scratch);

impl Folder {
    fn new(name: &str) -> Self {
        Self(Scratch::new(&format!("out-{name}")))
    }

    /// A run of a program of the user's that takes no time.
    fn run(&self, options: &[&str]) -> Command {
        let mut command = command(["run", "--force", "--wait", "0s", "--repeat", "2", "--log"]);
        command.arg(self.0.join("run.log")).args(options).args(["--", "sleep", "0.2"]).stdout(Stdio::null());
        command
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn is_kept(&self) -> bool {
        let kept = std::fs::read_to_string(self.0.join("run.json")).unwrap_or_default();
        kept.contains("\"end\":\"finished\"")
    }
}

fn sbc_bench(words: &[&str]) -> Output {
    command(words).output().unwrap()
}

fn terminate(child: &Child) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
}

fn is_refused(output: &Output, expected: &str) {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let why = String::from_utf8_lossy(&output.stderr);
    assert!(why.contains(expected), "{why}");
}

fn check_refused(words: &[&str], expected: &str) {
    is_refused(&sbc_bench(words), expected);
}

fn check_ends_well(name: &str, options: &[&str], errors: Stdio) {
    let folder = Folder::new(name);
    let mut child = folder.run(options).stderr(errors).spawn().unwrap();
    let status = testkit::ended(&mut child).unwrap_or_else(|| panic!("{name}: it hangs"));
    assert!(matches!(status.code(), Some(0 | 2 | 3)), "{name}: {status}");
    assert!(folder.is_kept(), "{name}");
}

/// A full pipe with its reading end, which must stay open.
fn full_pipe() -> (std::io::PipeReader, Stdio) {
    let (reader, writer) = std::io::pipe().unwrap();
    fill(writer.try_clone().unwrap().into());
    (reader, writer.into())
}

/// Writes until nothing fits any more.
fn fill(end: OwnedFd) {
    let flags = rustix::fs::fcntl_getfl(&end).unwrap();
    rustix::fs::fcntl_setfl(&end, flags | rustix::fs::OFlags::NONBLOCK).unwrap();
    let mut file = File::from(end);
    loop {
        match file.write(b"x") {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) => panic!("{error}"),
        }
    }
    rustix::fs::fcntl_setfl(&file, flags).unwrap();
}

#[test]
fn full_or_closed_stderr_does_not_stop_run() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    check_ends_well("full", &["--json"], full.into());
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    check_ends_well("closed", &["--json"], writer.into());
}

#[test]
fn unread_stderr_does_not_stall_run() {
    let (_reader, errors) = full_pipe();
    check_ends_well("blocked", &["--json"], errors);
}

#[test]
fn stopped_terminal_does_not_stall_run() {
    let Some((_reader, writer)) = testkit::terminal() else { return testkit::was_skipped() };
    fill(writer.try_clone().unwrap());
    check_ends_well("terminal", &[], writer.into());
}

#[test]
fn full_standard_output_loses_no_result() {
    let folder = Folder::new("stdout");
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut run = folder.run(&[]);
    let output = run.stdout(full).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("Cannot write to standard output"), "{errors}");
    assert!(folder.is_kept());
}

#[test]
fn text_that_cannot_be_written_is_told() {
    for words in [&["--help"][..], &["--version"], &["run", "--help"], &["list"]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = command(words).stdout(full).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {errors}");
        assert!(errors.contains("Cannot write to standard output: No space left"), "{words:?}: {errors}");
    }
}

/// A workload with a real-time policy would take the CPU from the sampler, and from this program's other threads.
#[test]
fn real_time_policy_is_left_and_told() {
    let may = Command::new("chrt").args(["-f", "1", "true"]).output();
    if !may.is_ok_and(|output| output.status.success()) {
        return testkit::skip("chrt cannot give a real-time policy here");
    }
    let folder = Folder::new("real-time");
    let run = folder.run(&["--json"]);
    let mut command = Command::new("chrt");
    command.args(["-f", "10"]).arg(run.get_program()).args(run.get_args());
    let output = command.envs([("NOTUNING", "yes"), testkit::HASTE]).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("Started with SCHED_FIFO"), "{errors}");
    assert!(folder.is_kept(), "{errors}");
}

/// A limit that a service or a shell has set (`LimitFSIZE=`, `ulimit -f`).
#[test]
fn files_that_may_not_grow_end_no_run() {
    let folder = Folder::new("limited");
    let run = folder.run(&[]);
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -f 8; exec \"$@\"", "sh"]);
    command.arg(run.get_program()).args(run.get_args());
    let output = command.envs([("NOTUNING", "yes"), testkit::HASTE]).output().unwrap();
    assert_eq!(output.status.code(), Some(6), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("File too large"), "{output:?}");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("sleep 0.2"), "{told}");
}

/// Under any limit of processes and threads (`ulimit -u`, `pids.max`) the run finishes.
#[test]
fn refused_threads_end_no_run() {
    let folder = Folder::new("threads");
    std::fs::set_permissions(&folder.0, PermissionsExt::from_mode(0o777)).unwrap();
    let program = folder.file("sbc-bench");
    crate::placed::copy_program(&program);
    for limit in [1, 2, 3, 4, 5, 6, 8] {
        let run = folder.run(&[]);
        let Some(mut command) = testkit::limited_user(&program, limit) else {
            return testkit::skip("root and setpriv, to play a user with a limit");
        };
        command.args(run.get_args());
        let output = command.envs([testkit::HASTE]).env("HOME", &folder.0).output().unwrap();
        let told = [&output.stdout[..], &output.stderr[..]].concat();
        let told = String::from_utf8_lossy(&told);
        assert!(matches!(output.status.code(), Some(0..=3)), "{limit}: {told}");
        assert!(!told.contains("panicked"), "{limit}: {told}");
        let _ = std::fs::remove_file(folder.file("run.json"));
    }
}

#[test]
fn monitor_with_stopped_reader_handles_signals() {
    let (_reader, output) = full_pipe();
    let (_other, errors) = full_pipe();
    let mut child = command(["-m", "0.05", "--lines"]).stdout(output).stderr(errors).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    terminate(&child);
    assert!(testkit::ended(&mut child).is_some(), "it is deaf");
}

#[test]
fn bar_and_messages_share_terminal() {
    let Some((reader, writer)) = testkit::terminal() else { return testkit::was_skipped() };
    let folder = Folder::new("bar");
    let mut child = folder.run(&[]).stderr(writer).spawn().unwrap();
    // Reading a terminal without writers fails.
    let mut shown = Vec::new();
    let _ = File::from(reader).read_to_end(&mut shown);
    assert!(testkit::ended(&mut child).is_some());
    let shown = String::from_utf8_lossy(&shown);
    assert!(
        shown.contains("Benchmarking ") && shown.contains("left unknown") && shown.contains(": clock of"),
        "{shown}"
    );
    assert!(shown.find("Benchmarking ") < shown.find("clock ramp"), "the plan comes after the first step: {shown}");
    // The bar is taken away, and nothing else steers the terminal.
    let rest = shown.replace("\r\u{1b}[K", "").replace("\r\n", "\n");
    assert!(!rest.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
}

#[test]
fn machine_readable_output_is_unmodified() {
    let table = sbc_bench(&["results", "--format", "csv", CLOCK]).stdout;
    let table = String::from_utf8(table).unwrap();
    assert!(!table.is_empty() && !table.contains('\u{fffd}'), "{table:?}");
    assert!(table.ends_with('\n') && !table.contains('\r'), "{table:?}");
}

#[test]
fn recording_continues_with_stopped_reader() {
    let folder = Folder::new("siblings");
    let file = folder.0.join("x.rec");
    for view in ["--lines", "--jsonl"] {
        let (_reader, output) = full_pipe();
        let mut command = command(["-m", "0.05", view, "--count", "5", "--record"]);
        command.arg(&file).env("XDG_RUNTIME_DIR", &folder.0);
        let mut child = command.stdout(output).stderr(Stdio::null()).spawn().unwrap();
        // The JSON of its beginning is waited for, as nothing is recorded yet; the lines are not.
        if view == "--jsonl" {
            std::thread::sleep(Duration::from_millis(300));
            terminate(&child);
        }
        assert!(testkit::ended(&mut child).is_some(), "{view}: it waits for its reader");
    }
    let recording = std::fs::read_to_string(&file).unwrap();
    let rows = recording.lines().filter(|line| {
        let payload = line.splitn(4, ' ').nth(3).unwrap_or_default();
        payload.starts_with("K ") || payload.starts_with("R ")
    });
    assert!(rows.count() >= 5, "{recording}");
}

#[test]
fn process_names_cannot_control_terminal() {
    let folder = Folder::new("names");
    let cpus = std::thread::available_parallelism().unwrap().get();
    let name = folder.0.join("\u{1b}[31mred\u{9b}2J");
    std::fs::copy("/bin/sh", &name).unwrap();
    let load = || Command::new(&name).args(["-c", "while :; do :; done"]).spawn().unwrap();
    let mut loads: Vec<Child> = (0..cpus).map(|_| load()).collect();
    let mut run = command(["run", "--wait", "2s", "--repeat", "1", "--log"]);
    let output = run.arg(folder.0.join("run.log")).args(["--", "true"]).env_remove(testkit::HASTE.0).output();
    for load in &mut loads {
        load.kill().unwrap();
        load.wait().unwrap();
    }
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(4), "it is busy");
    for text in [output.stdout, output.stderr] {
        let text = String::from_utf8(text).unwrap();
        assert!(!text.contains(['\u{1b}', '\u{9b}']), "{text:?}");
    }
}

#[test]
fn results_replace_links_and_never_follow_them() {
    let folder = Folder::new("links");
    let precious = folder.0.join("precious");
    std::fs::write(&precious, "precious").unwrap();
    for name in ["run.log", "run.json", "look.log", "x.prom"] {
        symlink(&precious, folder.0.join(name)).unwrap();
    }
    let mut run = folder.run(&["--quiet"]);
    assert!(run.stderr(Stdio::null()).status().unwrap().code().is_some());
    let prom = folder.0.join("x.prom").display().to_string();
    let look = folder.0.join("look.log").display().to_string();
    for words in
        [&["review", "--inspect", "--log", &look][..], &["-m", "0.05", "--quiet", "--count", "2", "--textfile", &prom]]
    {
        assert!(sbc_bench(words).status.success(), "{words:?}");
    }
    assert_eq!(std::fs::read(&precious).unwrap(), b"precious");
    assert!(folder.is_kept() && std::fs::read_to_string(&look).unwrap().contains("###"));
}

#[test]
fn files_next_to_a_log_are_kept() {
    let folder = Folder::new("siblings");
    let own = folder.file("runs");
    std::fs::create_dir(&own).unwrap();
    for number in 0..210 {
        std::fs::write(own.join(format!("exp{number}.json")), "{}").unwrap();
    }
    std::fs::write(folder.file("package.json"), "{ \"name\": 1 }").unwrap();
    let run = |log: &str| {
        let log = folder.file(log).display().to_string();
        sbc_bench(&["run", "--force", "--wait", "0s", "--quiet", "--log", &log, "--", "true"])
    };
    for (name, expected) in
        [("package.log", "package.json is not an sbc-bench result file"), ("r.json", "use another extension")]
    {
        is_refused(&run(name), expected);
    }
    for _ in 0..2 {
        let output = run("mine.log");
        assert!(matches!(output.status.code(), Some(0 | 2 | 3)), "{output:?}");
    }
    assert_eq!(own.read_dir().unwrap().count(), 210);
    assert_eq!(std::fs::read_to_string(folder.file("package.json")).unwrap(), "{ \"name\": 1 }");
}

#[test]
fn redact_replaces_nothing_that_is_there() {
    let folder = Folder::new("redact");
    let out = folder.file("out");
    for name in ["a", "b", "out"] {
        std::fs::create_dir(folder.file(name)).unwrap();
    }
    let logs = ["a/x.log", "b/x.log"].map(|name| folder.file(name).display().to_string());
    for log in &logs {
        std::fs::write(log, "sbc-bench v0.9.8\n").unwrap();
    }
    let out = out.display().to_string();
    let taken = "already exists";
    let [first, second] = logs.each_ref().map(String::as_str);
    check_refused(&["redact", "--output", &out, first, second], taken);
    check_refused(&["redact", "--output", first, first], taken);
    check_refused(&["redact", "/dev/zero"], "/dev/zero is larger than");
    check_refused(&["--root", "/dev/zero", "identify"], "/dev/zero is larger than");
}

/// A page never replaces anything but a regular file.
#[test]
fn devices_are_never_replaced() {
    let folder = Folder::new("devices");
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../explain/tests/composed/0.9.72-hot.txt");
    testkit::needs!(has_devices(&folder.0));
    for (name, expected) in [
        ("full", Some("No space left on device")),
        ("null", None),
        ("other", Some("is a device, not a regular file")),
        ("stdout", Some("is a symbolic link; links are not followed here")),
    ] {
        let output = command(["report"]).arg(&log).arg("--html").arg(folder.file(name)).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(i32::from(expected.is_some())), "{name}: {error}");
        assert!(error.contains(expected.unwrap_or_default()), "{name}: {error}");
        let kind = std::fs::symlink_metadata(folder.file(name)).unwrap().file_type();
        assert!(kind.is_char_device() || kind.is_symlink(), "{name}");
    }
}

/// A result of few test cases.
const CLOCK: &str = "tests/old_records/clock.json";

#[test]
fn lava_gets_test_cases_by_its_own_command_where_that_is() {
    let folder = Folder::new("lava");
    std::fs::set_permissions(&folder.0, std::fs::Permissions::from_mode(0o700)).unwrap();
    let report = || command(["report", CLOCK, "--format", "lava"]).env("PATH", &*folder.0).output().unwrap();
    let text = |output: &Output| String::from_utf8(output.stdout.clone()).unwrap();
    let signals = text(&report());
    assert!(signals.starts_with("<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=clock_as_found RESULT=pass>\n"), "{signals}");
    let command = folder.file("lava-test-case");
    std::fs::write(&command, "#!/bin/sh\necho \"case: $*\"\n").unwrap();
    std::fs::set_permissions(&command, std::fs::Permissions::from_mode(0o700)).unwrap();
    let cases = text(&report());
    assert_eq!(cases.lines().count(), signals.lines().count(), "{cases}");
    assert!(cases.starts_with("case: clock_as_found --result pass\n"), "{cases}");
    assert!(cases.contains(" --result pass --units MHz --measurement 3990.121\n"), "{cases}");
    std::fs::write(&command, "#!/bin/sh\nexit 1\n").unwrap();
    let refused = report();
    assert!(!refused.status.success() && refused.stdout.is_empty(), "{refused:?}");
}
