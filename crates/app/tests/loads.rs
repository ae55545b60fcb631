//! Other people's programs under the real binary, when they misbehave: each has its reason in the Record,
//! the run goes on, and nothing of theirs is left when it ends, however it ends.

#![allow(clippy::print_stderr)]

use crate::outcome::{put_tool, record, sbc_bench};
use record::{ChannelId, CpuTime, FailureKind, Outcome, Record, WorkloadId};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use testkit::Scratch;

/// A folder of programs and results, removed at its end.
struct Folder(Scratch);

impl Folder {
    fn new(name: &str) -> Self {
        Self(Scratch::new(&format!("loads-{name}")))
    }

    fn tool(&self, name: &str, body: &str) {
        put_tool(&self.0.join("bin"), name, body);
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = sbc_bench(["run", "--force", "--wait", "0s", "--log"]);
        command.arg(self.0.join("run.log")).args(words);
        command
    }

    /// Runs with the tools of this folder alone on the PATH.
    fn with_tools(&self, words: &[&str]) -> (Output, Record) {
        let path = self.0.join("bin");
        let output = self.command(words).env("PATH", path).output().unwrap();
        (output, self.record())
    }

    fn record(&self) -> Record {
        record(self.0.join("run.json"))
    }
}

/// Outcome of every step of a workload: the score, or kind and words of what went wrong.
fn outcomes(record: &Record, workload: &str) -> Vec<(Option<FailureKind>, String)> {
    let outcome = |step: &record::Step| match &step.outcome {
        Outcome::Done(measured) => (None, format!("{measured:?}")),
        Outcome::Failed(failure) => (Some(failure.kind), failure.message.clone()),
        Outcome::Skipped(missing) => (None, missing.to_string()),
    };
    record.steps_of(workload).map(outcome).collect()
}

const VERSION: &str = "[ \"$1\" = --version ] && { echo sysbench 1.0.20; exit; }\n";
const MEMORY: &str = "echo '10 MiB transferred (4559.13 MiB/sec)'";

/// Fake sysbench with this behaviour of its CPU test and a working memory test.
fn check_tool(name: &str, body: &str, kind: Option<FailureKind>, expected: &str) {
    let folder = Folder::new(name);
    folder.tool("sysbench", body);
    let words = ["--repeat", "1", "--workload", "sysbench"];
    let (output, record) = folder.with_tools(&words);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = outcomes(&record, "sysbench");
    assert_eq!(found.len(), 2, "{name}: the run goes on: {found:?}");
    assert_eq!(found[0].0, kind, "{name}: {found:?}");
    assert!(found[0].1.contains(expected), "{name}: {found:?}");
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains(expected), "{name}: the terminal says it too: {shown}");
    let clocks = record.steps_of(WorkloadId::Clock).filter(|step| step.variant.as_str().starts_with("hot"));
    assert!(clocks.count() >= 1, "{name}: the run goes on to its end");
}

/// A run of a tool that is missing or wrong is refused.
fn check_refused(name: &str, body: Option<&str>, expected: &str) {
    let folder = Folder::new(name);
    if let Some(body) = body {
        folder.tool("sysbench", body);
    }
    let mut command = folder.command(&["--workload", "sysbench"]);
    let output = command.env("PATH", folder.0.join("bin")).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{name}: {shown}");
    assert!(shown.contains(expected), "{name}: {shown}");
    assert!(!folder.0.join("run.json").exists(), "{name}: nothing was run");
}

#[test]
fn wrong_tools_are_rejected() {
    check_refused("missing", None, "sysbench is not installed");
    check_refused("kind", Some("echo 'Welcome to the system bench'"), "is not sysbench: it printed");
    check_refused("old", Some("echo sysbench 0.4.12"), "sysbench 0.4.12");
}

#[test]
fn misbehaving_tools() {
    let with = |cpu: &str| format!("{VERSION}[ $1 = cpu ] && {{ {cpu}; exit; }}\n{MEMORY}");
    let check = |name: &str, cpu: &str, kind, expected: &str| {
        check_tool(name, &with(cpu), Some(kind), expected);
    };
    check("silent", ":", FailureKind::Garbled, "It printed nothing");
    check("localised", "echo '    events per second:  8868,11'", FailureKind::Garbled, "no events per second");
    check("crashing", "kill -SEGV $$", FailureKind::Signal, "was terminated by SIGSEGV");
    check("refusing", "echo FATAL: no; exit 3", FailureKind::ExitStatus, "exited with status 3");
}

/// Runs one shell line as the user's own program, twice; outcome of the first run.
fn check_program(name: &str, options: &[&str], line: &str, kind: FailureKind, expected: &str) {
    let folder = Folder::new(name);
    let mut words = vec!["--repeat", "2", "--name", "own"];
    words.extend(options);
    words.extend(["--", "/bin/sh", "-c", line]);
    let output = folder.command(&words).output().unwrap();
    let found = outcomes(&folder.record(), "own");
    assert_eq!(found.len(), 2, "{name}: the run goes on: {found:?}");
    assert_eq!(found[0].0, Some(kind), "{name}: {found:?}");
    assert!(found[0].1.contains(expected), "{name}: {found:?}");
    assert!(!output.status.success(), "{name}");
    assert_eq!(running(&folder.0), Vec::<u32>::new(), "{name}");
}

/// Processes that have a file of this folder as an argument: what a load has left behind.
fn running(folder: &Path) -> Vec<u32> {
    let marker = folder.display().to_string();
    let pids = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let pid: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let words = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let words = String::from_utf8_lossy(&words).into_owned();
        let is_load = words.contains("load-of-") && words.contains(&marker);
        (is_load && pid != std::process::id()).then_some(pid)
    });
    pids.collect()
}

#[test]
fn hanging_or_scoreless_programs() {
    let limit = ["--timeout", "1s"];
    check_program(
        "hanging",
        &limit,
        "sleep 1000",
        FailureKind::TimedOut,
        "exceeded its time limit of 1s and was killed",
    );
    check_program(
        "stubborn",
        &limit,
        "trap '' TERM INT HUP; while :; do sleep 0.1; done",
        FailureKind::TimedOut,
        "exceeded its time limit of 1s and was killed",
    );
    check_program(
        "unmatched",
        &["--score-regex", "score ([0-9]+)"],
        "echo points 12",
        FailureKind::Garbled,
        "does not match the output",
    );
}

/// Control group with a memory limit for the calling shell; `None` where it cannot be created.
struct LimitedGroup(PathBuf);

impl LimitedGroup {
    fn new() -> Option<Self> {
        let name = format!("sbc-bench-oom-test-{}", std::process::id());
        for (mount, file) in [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")] {
            let folder = Path::new(mount).join(&name);
            if !Path::new(mount).join("cgroup.procs").exists() || std::fs::create_dir(&folder).is_err() {
                continue;
            }
            let limited = Self(folder);
            if std::fs::write(limited.0.join(file), "150000000").is_ok() {
                return Some(limited);
            }
        }
        None
    }
}

impl Drop for LimitedGroup {
    fn drop(&mut self) {
        for _ in 0..100 {
            if std::fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn out_of_memory_program() {
    let Some(limited) = LimitedGroup::new() else {
        return testkit::skip("no control group for memory can be made here");
    };
    let folder = Folder::new("hungry");
    let words = ["--repeat", "1", "--name", "own", "--", "tail", "/dev/zero"];
    let inner = folder.command(&words);
    let mut shell = Command::new("/bin/sh");
    let join = format!("echo $$ > {}/cgroup.procs; exec \"$@\"", limited.0.display());
    shell.args(["-c", &join, "sh"]).arg(inner.get_program());
    shell.args(inner.get_args()).stdin(Stdio::null());
    let output = shell.env("NOTUNING", "yes").output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    let found = outcomes(&folder.record(), "own");
    let (kind, message) = &found[0];
    assert_eq!(*kind, Some(FailureKind::OutOfMemory), "{found:?} {error}");
    assert!(message.contains("killed by the OOM killer"), "{message}");
    assert_eq!(output.status.code(), Some(137), "{error}");
}

/// A load of several processes, one of which left its group and its parent and one of which ignores every
/// polite signal; each has the folder's name among its arguments.
fn load_of(folder: &Folder) -> String {
    let name = folder.0.join("load-of-test");
    let name = name.display();
    format!(
        "setsid sh -c 'sleep 600 & wait' {name} </dev/null & \
         sh -c 'trap \"\" TERM INT HUP; while :; do sleep 0.2; done' {name} & \
         touch {name}; sh -c 'sleep 600; :' {name}"
    )
}

/// Starts the load and waits until it runs.
fn started(folder: &Folder, options: &[&str], line: &str) -> Child {
    let mut words = options.to_vec();
    words.extend(["--repeat", "1", "--", "/bin/sh", "-c", line]);
    let mut command = folder.command(&words);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    testkit::wait_until("the load starts", || folder.0.join("load-of-test").exists());
    child
}

fn check_nothing_is_left(name: &str, options: &[&str], end: impl Fn(&mut Child)) {
    let folder = Folder::new(name);
    let mut child = started(&folder, options, &load_of(&folder));
    assert!(running(&folder.0).len() >= 3, "{name}: the load runs");
    end(&mut child);
    let pid = child.id();
    child.wait().unwrap();
    // The guard of a killed program needs a moment; it is waited for as long as a person would.
    let until = Instant::now() + Duration::from_secs(10);
    let groups = || {
        let mounts = ["/sys/fs/cgroup", "/sys/fs/cgroup/cpuacct"];
        let folder = move |mount: &&str| Path::new(mount).join(format!("sbc-bench-{pid}"));
        mounts.iter().filter(|mount| folder(mount).exists()).count()
    };
    while (!running(&folder.0).is_empty() || groups() > 0) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(running(&folder.0), Vec::<u32>::new(), "{name}");
    assert_eq!(groups(), 0, "{name}: its control group is gone");
}

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    let status = Command::new("/bin/kill").args([name, &pid]).status();
    assert!(status.unwrap().success());
}

#[test]
fn processes_are_cleaned_up_after_every_exit() {
    check_nothing_is_left("ctrl-c", &[], |child| signal(child, "-INT"));
    check_nothing_is_left("sigterm", &[], |child| signal(child, "-TERM"));
    check_nothing_is_left("killed", &[], |child| child.kill().unwrap());
    check_nothing_is_left("timeout", &["--timeout", "1s"], |_| {});
}

/// A program that leaves something behind and ends by itself.
fn check_own_end(name: &str, last: &str, kind: Option<FailureKind>) {
    let folder = Folder::new(name);
    let file = folder.0.join("load-of-test");
    let line = format!(
        "setsid sh -c 'sleep 600 & wait' {0} </dev/null >/dev/null 2>&1 & sleep 0.3; touch {0}; {last}",
        file.display()
    );
    let mut child = started(&folder, &[], &line);
    child.wait().unwrap();
    assert_eq!(running(&folder.0), Vec::<u32>::new(), "{name}");
    let found = outcomes(&folder.record(), "sh");
    assert_eq!(found.len(), 1, "{name}");
    assert_eq!(found[0].0, kind, "{name}: {found:?}");
}

#[test]
fn processes_are_cleaned_up_after_normal_exit() {
    check_own_end("normal", "true", None);
    check_own_end("suicide", "kill -9 $$", Some(FailureKind::Signal));
}

#[test]
fn hanging_sensor_loses_only_its_values() {
    let folder = Folder::new("hanging");
    let mut command = folder.command(&["--repeat", "1", "--name", "own", "--", "sleep", "9"]);
    // Its third read never returns.
    let command = command.env_remove(testkit::HASTE.0).env("SBC_BENCH_FAULTS", "run read /proc/pressure/cpu 3 hang");
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    // A machine that does other things makes results not valid.
    assert!(matches!(output.status.code(), Some(0 | 2 | 3)), "{error}");
    let record = folder.record();
    let samples = &record.samples;
    let hanging = |channel: &&record::Channel| channel.source.ends_with("/proc/pressure/cpu");
    let Some(channel) = samples.channels.iter().find(hanging) else {
        return testkit::skip("this kernel has no /proc/pressure");
    };
    let last = |channel: &record::Channel| channel.values.iter().rposition(Option::is_some);
    let told = channel.gaps.iter().map(|gap| gap.missing.to_string());
    let told: Vec<String> = told.collect();
    assert!(told.iter().any(|gap| gap.contains("not responded")), "{told:?}");
    let user = samples.channel(&ChannelId::all_cpus(CpuTime::User));
    let user = user.unwrap();
    assert!(last(user) > last(channel), "the others were sampled on");
    // From half a second before the hang to its end is more than what the watchdog needs.
    let at_ms = |row: Option<usize>| samples.at_ms[row.unwrap()];
    assert!(at_ms(last(user)) - at_ms(last(channel)) > 3_000);
}

/// A standard run whose programs are not what their names say, or say so and then do not work.
#[test]
fn built_in_workload_replaces_broken_tool() {
    let folder = Folder::new("stand-ins");
    folder.tool("7zz", "echo this is no archiver");
    let openssl = "[ \"$1\" = version ] && { echo OpenSSL 3.0.22 25 Aug 2026; exit; }\n\
                   echo no such cipher >&2; exit 1";
    folder.tool("openssl", openssl);
    let (output, record) = folder.with_tools(&[]);
    let shown = String::from_utf8_lossy(&output.stderr).into_owned();
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in ["bin/7zz is not 7-zip", "bin/openssl does not work", "Using the built-in workload aes instead."] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    assert_eq!(outcomes(&record, "openssl").len(), 1, "it is asked once");
    for workload in ["aes", "lzma"] {
        let scores = outcomes(&record, workload);
        assert!(scores.len() >= 4, "{workload}: {scores:?}");
        let is_score = |(kind, words): &(Option<FailureKind>, String)| {
            kind.is_none() && (words.starts_with("Cipher") || words.starts_with("Series"))
        };
        assert!(scores.iter().all(is_score), "{workload}: {scores:?}");
    }
}
