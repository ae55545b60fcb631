//! Signals as users send them: by the terminal, by a shell that stops and continues its jobs, by the end of a
//! session under `nohup`, and by nobody at all.

use record::{ChannelId, End, Record};
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use testkit::Scratch;

/// A folder for one test, removed at its end.
struct Folder(Scratch);

impl Folder {
    fn new(name: &str) -> Self {
        Self(Scratch::new(&format!("signals-{name}")))
    }

    /// Starts a run through the program and arguments `by`. Its load writes its process id and then waits for
    /// [`Folder::end_load`], so that the test does not depend on the speed of the machine. The load starts no other
    /// program while it waits: a parent whose child is stopped before execve(2) is blocked (vfork(2)).
    fn started(&self, by: &[&str]) -> (Child, u32) {
        let mut words: Vec<String> = by.iter().map(|word| (*word).to_owned()).collect();
        let (pid_file, end) = (self.pid_file(), self.end_fifo());
        let load = format!("mkfifo {end}; echo $$ > {pid_file}.new; mv {pid_file}.new {pid_file}; read line < {end}");
        let log = self.0.join("run.log").display().to_string();
        words.push(env!("CARGO_BIN_EXE_sbc-bench").into());
        for word in ["run", "--force", "--wait", "0s", "--repeat", "1", "--log", &log] {
            words.push(word.into());
        }
        words.extend(["--", "/bin/sh", "-c", &load].map(String::from));
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).envs([("NOTUNING", "yes"), testkit::HASTE]);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        // A job as a shell with job control makes it.
        let command = command.stderr(Stdio::null()).process_group(0);
        let child = command.spawn().unwrap();
        let load = testkit::wait_for("the load runs", || std::fs::read_to_string(self.pid_file()).ok());
        (child, load.trim().parse().unwrap())
    }

    fn pid_file(&self) -> String {
        self.0.join("load.pid").display().to_string()
    }

    fn end_fifo(&self) -> String {
        self.0.join("load.end").display().to_string()
    }

    fn end_load(&self) {
        std::fs::write(self.end_fifo(), "end\n").unwrap();
    }

    fn record(&self) -> Record {
        crate::outcome::record(self.0.join("run.json"))
    }
}

fn send(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid as i32).unwrap(), signal).unwrap();
}

/// The third field of `/proc/PID/stat`: `T` is stopped.
fn state(pid: u32) -> Option<char> {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}

/// Record of a run that this signal stops for more than a second with its load, and why its step is not comparable.
fn stopped_run(name: &str, signal: Signal) -> (Record, String) {
    let folder = Folder::new(name);
    // `env` becomes the program itself.
    let (mut child, load) = folder.started(&["env"]);
    send(child.id(), signal);
    testkit::wait_until("both stop", || state(child.id()) == Some('T') && state(load) == Some('T'));
    std::thread::sleep(Duration::from_millis(1200));
    send(child.id(), Signal::CONT);
    folder.end_load();
    let status = child.wait().unwrap();
    assert!(matches!(status.code(), Some(0 | 2 | 3)), "{status}");
    let record = folder.record();
    assert_eq!(record.run.end, End::Finished);
    let step = record.steps.iter().find(|step| step.workload.as_str() == "sh").unwrap();
    let why = step.not_comparable.clone().unwrap_or_default();
    (record, why)
}

#[test]
fn ctrl_z_stops_load_and_fg_continues() {
    let (_, why) = stopped_run("stop", Signal::TSTP);
    let stopped_s =
        why.split("stopped (Ctrl-Z) for ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<f64>().ok());
    assert!(stopped_s.is_some_and(|stopped_s| stopped_s >= 1.0), "{why:?}");
}

/// `docker exec` and `nsenter` start programs in a session that has no number where they run.
#[test]
fn ctrl_z_in_foreign_session() {
    let unshare = ["unshare", "--pid", "--fork", "--mount-proc"];
    let container = |words: &[&str]| Command::new(unshare[0]).args(&unshare[1..]).args(words).output();
    if !container(&["true"]).is_ok_and(|output| output.status.success()) {
        return testkit::skip("root and unshare are needed for processes that have other numbers");
    }
    let own = std::env::current_exe().unwrap();
    let [exact, test] = testkit::only(&ctrl_z_stops_load_and_fg_continues);
    let output = container(&[own.to_str().unwrap(), exact, test]).unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// SIGSTOP reaches the run alone, and nothing in it can hear it: its guard looks after the load.
#[test]
fn sigstop_stops_the_load_too_and_the_step_is_not_compared() {
    let (record, why) = stopped_run("sigstop", Signal::STOP);
    assert!(why.contains("stopped (SIGSTOP) for "), "{why:?}");
    let own = record.samples.channel(&ChannelId::ALL_CHANNELS_GAP);
    let own = own.unwrap();
    let mut gaps = own.gaps.iter().map(|gap| gap.missing.to_string());
    assert!(gaps.any(|gap| gap.contains("stopped (SIGSTOP)")), "{own:?}");
}

#[test]
fn ctrl_z_is_ignored_without_shell() {
    if !Path::new("/usr/bin/setsid").exists() {
        return testkit::skip("setsid is needed for a session of its own");
    }
    let folder = Folder::new("orphan");
    // A separate session, as of `ssh -t board sbc-bench`, in which nobody could continue a stopped run.
    let (mut child, load) = folder.started(&["sh", "-c", "setsid \"$@\"; :", "sh"]);
    let program = std::fs::read_to_string(format!("/proc/{load}/stat")).unwrap();
    let parent = program.rsplit_once(')').unwrap().1.split_whitespace().nth(1);
    let program: u32 = parent.unwrap().parse().unwrap();
    send(program, Signal::TSTP);
    std::thread::sleep(Duration::from_millis(300));
    assert_ne!((state(program), state(load)), (Some('T'), Some('T')));
    folder.end_load();
    child.wait().unwrap();
    assert_eq!(folder.record().run.end, End::Finished);
}

#[test]
fn nohup_is_kept() {
    let folder = Folder::new("nohup");
    let (mut child, _) = folder.started(&["sh", "-c", "trap '' HUP; exec \"$@\"", "sh"]);
    send(child.id(), Signal::HUP);
    folder.end_load();
    child.wait().unwrap();
    assert_eq!(folder.record().run.end, End::Finished);
    // Without it the end of the session is the end of the run.
    let folder = Folder::new("hup");
    let (mut child, _) = folder.started(&["env", "--default-signal=HUP"]);
    send(child.id(), Signal::HUP);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(folder.record().run.end, End::Interrupted { signal: 1 });
}
