//! A real CPU is switched off by the real program: interrupts, cpusets and threads that were bound to it are
//! bound to it again afterwards, however the run ends.
//!
//! CPU 1 of this machine is off for a second or two at a time, and online again even if a test fails.

#![allow(clippy::print_stderr)]

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_setaffinity};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_sbc-bench");
const ONLINE: &str = "/sys/devices/system/cpu/cpu1/online";
const PATIENCE: Duration = Duration::from_secs(30);

/// Objects bound to CPU 1, restored when dropped.
struct Bound {
    folder: PathBuf,
    sleeper: Child,
    /// A cpuset with this CPU alone, one of both, and the file of their CPUs.
    cpusets: Vec<PathBuf>,
    cpus_file: &'static str,
    /// An interrupt that may be bound, and its CPUs before.
    interrupt: Option<(PathBuf, String)>,
}

impl Bound {
    fn new(name: &str) -> Self {
        let folder = format!("sbc-bench-hotplug-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        std::fs::create_dir_all(folder.join("lib")).unwrap();
        // A thread that never runs is not moved: the kernel looks when it wakes.
        let mut sleeper = Command::new("sh");
        let sleeper = sleeper.args(["-c", "while sleep 0.02; do :; done"]).spawn();
        let sleeper = sleeper.unwrap();
        let mut only = CpuSet::new();
        only.set(1);
        sched_setaffinity(Some(Pid::from_child(&sleeper)), &only).unwrap();
        let (cpusets, cpus_file) = cpusets();
        Self { folder, sleeper, cpusets, cpus_file, interrupt: interrupt() }
    }

    /// All that is bound, with its CPUs.
    fn state(&self) -> Vec<(PathBuf, String)> {
        let status = format!("/proc/{}/status", self.sleeper.id());
        let text = std::fs::read_to_string(&status).unwrap();
        let key = "Cpus_allowed_list:";
        let allowed = text.lines().find_map(|line| line.strip_prefix(key));
        let mut state = vec![(status.into(), allowed.unwrap().trim().to_owned())];
        let cpusets = self.cpusets.iter().map(|set| set.join(self.cpus_file));
        let files = cpusets.chain(self.interrupt.iter().map(|(path, _)| path.clone()));
        state.extend(files.chain([ONLINE.into()]).map(|path| {
            let text = read(&path);
            (path, text)
        }));
        state
    }

    /// The program where `/var/lib` is a folder of ours, with a plan of what goes wrong.
    fn program(&self, words: &str, plan: &str) -> Command {
        let script = format!("mount --bind lib /var/lib && mount -t tmpfs none /var/log && exec {PROGRAM} {words}");
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", &script]);
        command.env("SBC_BENCH_FAULTS", plan);
        command.envs([testkit::HASTE]);
        command.env_remove("MODE").env_remove("NOTUNING");
        command.current_dir(&self.folder).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        let _ = std::fs::write(ONLINE, "1");
        if let Some((path, before)) = &self.interrupt {
            let _ = std::fs::write(path, before);
        }
        let _ = self.sleeper.kill();
        let _ = self.sleeper.wait();
        for cpuset in self.cpusets.iter().rev() {
            let _ = std::fs::remove_dir(cpuset);
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn read(path: &Path) -> String {
    let text = std::fs::read_to_string(path);
    text.unwrap_or_else(|error| error.to_string()).trim().to_owned()
}

/// Two cpusets of the cgroup version in use, the second with CPU 1 alone.
fn cpusets() -> (Vec<PathBuf>, &'static str) {
    for (mount, is_first) in [("/sys/fs/cgroup/cpuset", true), ("/sys/fs/cgroup", false)] {
        let mount = Path::new(mount);
        let has = |file: &str| mount.join(file).exists();
        if is_first && !has("cpuset.cpus") || !is_first && !has("cgroup.controllers") {
            continue;
        }
        if !is_first {
            // Where it cannot be handed down, no folder below has the file.
            let _ = std::fs::write(mount.join("cgroup.subtree_control"), "+cpuset");
        }
        let names = ["both", "one"].map(|name| format!("sbc-bench-{name}-{}", std::process::id()));
        let made = names.map(|name| mount.join(name));
        for (cpuset, cpus) in made.iter().zip(["0-1", "1"]) {
            std::fs::create_dir_all(cpuset).unwrap();
            std::fs::write(cpuset.join("cpuset.cpus"), cpus).unwrap();
        }
        return (made.to_vec(), "cpuset.cpus");
    }
    testkit::skip("there are no cpusets to be disturbed: the rest is tested");
    (Vec::new(), "")
}

/// An interrupt that can be bound to CPU 1, and is from now on.
fn interrupt() -> Option<(PathBuf, String)> {
    let entries = std::fs::read_dir("/proc/irq").into_iter().flatten().flatten();
    let mut files = entries.map(|entry| entry.path().join("smp_affinity_list"));
    let bound = files.find_map(|path| {
        let before = std::fs::read_to_string(&path).ok()?;
        std::fs::write(&path, "1").ok()?;
        if read(&path) == "1" {
            return Some((path, before));
        }
        let _ = std::fs::write(&path, before);
        None
    });
    if bound.is_none() {
        testkit::skip("no interrupt can be bound to a CPU here: the rest is tested");
    }
    bound
}

/// Why a CPU cannot be switched off here.
fn lacking() -> Option<&'static str> {
    if !rustix::process::geteuid().is_root() {
        return Some("switching a CPU off takes root");
    }
    let can_write = std::fs::write(ONLINE, "1").is_ok();
    (!can_write).then_some("CPU 1 is not there or cannot be switched off")
}

/// There is one CPU 1.
fn one_at_a_time() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

const RUN: &str = "run --force --wait 0s --quiet --repeat 1 --cpus 0 --others-off -- sleep 0.5";

/// A run under this plan while everything is bound to CPU 1; `next` restores what a killed run left.
fn check(name: &str, plan: &str, next: Option<&str>) {
    let bound = Bound::new(name);
    let before = bound.state();
    let mut run = bound.program(RUN, plan).spawn().unwrap();
    testkit::wait_until("the CPU is never off", || read(Path::new(ONLINE)) == "0");
    // The file of a CPU is written first, and what hangs on it follows.
    testkit::wait_until("the thread is never moved", || bound.state()[0].1 != before[0].1);
    let during = bound.state();
    let status = run.wait().unwrap();
    assert_eq!(status.code().is_some(), plan.is_empty(), "{name}: {status}");
    if let Some(words) = next {
        assert_ne!(bound.state(), before, "{name}: both were killed");
        let status = bound.program(words, "").status().unwrap();
        assert!(matches!(status.code(), Some(0 | 2)), "{name}: {words}: {status}");
    }
    testkit::wait_until(&format!("{name}: {before:?} is {:?}", bound.state()), || bound.state() == before);
    // Counts what the run disturbed.
    let disturbed = before.iter().zip(&during).filter(|(a, b)| a != b);
    let disturbed: Vec<_> = disturbed.map(|(_, (path, now))| (path, now)).collect();
    eprintln!("{name}: disturbed and back: {disturbed:?}");
}

#[test]
fn affinities_are_restored_after_hotplug() {
    if let Some(why) = lacking() {
        return testkit::skip(why);
    }
    let _only = one_at_a_time();
    check("end", "", None);
    check("run-killed", "run write cpu1/online 1 kill-run-after", None);
    let both = "run write cpu1/online 1 kill-both-after";
    check("both-killed", both, Some("restore"));
    check("both-killed-next", both, Some("clock --cpus 0 --quiet"));
}

#[test]
fn foreign_hotplug_does_not_stop_run() {
    if let Some(why) = lacking() {
        return testkit::skip(why);
    }
    let _only = one_at_a_time();
    let bound = Bound::new("comes-and-goes");
    for words in [
        "clock --quiet",
        "core-to-core --quiet",
        "scaling --quiet",
        "run --force --wait 0s --quiet --repeat 2 --cpus 1 -- sleep 0.2",
        "run --force --wait 0s --quiet --repeat 1 --workload lzma",
    ] {
        let mut command = bound.program(words, "");
        let mut run = command.stderr(Stdio::piped()).spawn().unwrap();
        let until = Instant::now() + PATIENCE;
        let mut is_on = true;
        while run.try_wait().unwrap().is_none() && Instant::now() < until {
            is_on = !is_on;
            let _ = std::fs::write(ONLINE, if is_on { "1" } else { "0" });
            std::thread::sleep(Duration::from_millis(60));
        }
        std::fs::write(ONLINE, "1").unwrap();
        let is_over = run.try_wait().unwrap().is_some() || run.wait().is_ok();
        let output = run.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(is_over && !said.contains("panicked"), "{words}: {said}");
        assert!(matches!(output.status.code(), Some(0..=5)), "{words}: {}", output.status);
    }
}
