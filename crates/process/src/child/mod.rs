//! Runs one external program: its CPUs, output, time limit and end.
//!
//! A program has its own process group. On every way out (end, error, time limit, interruption, panic) the whole group
//! is killed before the program is reaped, so that the group id cannot have been reused.
//!
//! No shell is involved: words are not expanded, standard input is empty, and the locale is `C`.
//!
//! A short-lived thread takes CPUs, group and rights, starts the program and ends (`start`), so that no code runs
//! between fork and exec, which would need `unsafe`. `PR_SET_PDEATHSIG` is not used for the same reason, and because it
//! would fire at the end of that thread rather than of this process. Interruptions reach a program through
//! [`Supervisor::cancelled`]; only a SIGKILL of this process leaves it running.

mod descendants;
mod handle;
mod observe;
mod outcome;
mod output;
mod start;

pub use descendants::end_programs;
pub(crate) use descendants::{MARK, end_members_of, kill_descendants, kill_orphans, stop_programs_of};
pub(crate) use handle::{ProcessHandle, signal_all};
pub use observe::Usage;
pub use observe::{foreign, parse_schedstat};
pub use outcome::{failure, interruption};
pub use start::move_to;

use descendants::Descendants;
use machine::faults::{self, Call};
use machine::files::OwnFolder;
use machine::{Caller, Group, Root, Terminal, processes};
use observe::Observer;
use outcome::oom_kills;
use output::HeadTail;
pub use output::KEPT_BYTES;
use record::{Failure, FailureKind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process_group, pidfd_open, waitid,
};
use start::{of_root, of_user, plain_locale, start_on};
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

/// Interval of [`Supervisor::watch`] and of reads of `/proc`.
pub const BEAT: Duration = Duration::from_secs(1);
/// Maximum time between two checks of end, time limit and interruption. A check costs some 10 µs, a hundredth of a
/// percent of one core.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// Time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(1);
/// Maximum wait for a killed program that is stuck in the kernel (a dying disk).
const REAP_LIMIT: Duration = Duration::from_secs(5);
/// Makes the OOM killer prefer the benchmark to the user's session: adds a quarter of all memory to its badness
/// (`proc_pid_oom_score_adj(5)`).
const OOM_SCORE_ADJ: &str = "250";

/// Program and arguments.
#[derive(Debug, Clone)]
pub struct ChildSpec<'a> {
    /// Path of the program and its arguments.
    pub argv: &'a [String],
    /// Allowed CPUs; empty for all.
    pub cpus: &'a [u32],
    /// Time after which it is killed.
    pub time_limit: Duration,
    /// Additional environment variables.
    pub environment: &'a [(&'a str, String)],
    /// Cgroup of the program and all its descendants.
    pub group: Option<&'a Group>,
    /// User whose rights, groups and environment the program gets; `None` for those of this process.
    pub user: Option<&'a Caller>,
    /// Working directory; `None` for that of this process.
    pub folder: Option<&'a OwnFolder>,
}

impl<'a> ChildSpec<'a> {
    /// Program on any CPU, in the directory and with the rights of this process.
    pub fn new(argv: &'a [String], time_limit: Duration) -> Self {
        Self { argv, cpus: &[], time_limit, environment: &[], group: None, user: None, folder: None }
    }
}

/// Callbacks while a program runs.
pub struct Supervisor<'a> {
    /// Root of `/proc`.
    pub root: &'a Root,
    /// Number of the signal that interrupted the run, or 0.
    pub cancelled: &'a AtomicI32,
    /// Called on every [`BEAT`].
    pub watch: &'a mut dyn FnMut(),
    /// Called occasionally with the whole output; true ends the program successfully.
    pub enough: Option<&'a mut dyn FnMut(&str) -> bool>,
}

/// End of a program.
#[derive(Debug)]
pub struct ExitReport {
    /// Standard output and standard error in order, limited in size.
    pub output: String,
    /// Time from start to end.
    pub elapsed: Duration,
    /// Resources used.
    pub usage: Usage,
    /// CPUs on which its threads were observed.
    pub seen_on: Vec<u32>,
    /// Success for exit status 0.
    pub outcome: Result<(), Failure>,
}

/// Running program.
#[derive(Debug)]
pub struct Child<'a> {
    process: std::process::Child,
    group: Pid,
    name: String,
    started: Instant,
    /// Becomes readable at its end; `None` before Linux 5.3.
    end: Option<OwnedFd>,
    descendants: Descendants,
    control_group: Option<&'a Group>,
    time_limit: Duration,
    pipe: Option<File>,
    output: HeadTail,
    reaped: bool,
}

/// Reason why waiting ended.
enum End {
    Exited(WaitIdStatus),
    /// The child does not exist: another thread reaped it.
    Lost,
    TimedOut,
    Cancelled(i32),
    /// It has printed enough.
    Enough,
}

impl<'a> Child<'a> {
    /// Starts a program.
    ///
    /// # Errors
    /// It could not be started, or the CPUs do not exist.
    pub fn spawn(spec: &ChildSpec<'a>) -> Result<Self, Failure> {
        match faults::pass(Call::Pipe, "pipe", std::io::pipe) {
            Ok((reader, writer)) => Self::start(spec, reader.into(), writer.into()),
            Err(why) => Err(not_started(spec, &why.to_string())),
        }
    }

    /// Starts a program that prints to a terminal, line by line, so that [`Supervisor::enough`] sees each line at once.
    ///
    /// # Errors
    /// As [`Child::spawn`].
    pub fn spawn_with_output(spec: &ChildSpec<'a>, terminal: Terminal) -> Result<Self, Failure> {
        Self::start(spec, terminal.reader, terminal.writer)
    }

    /// Starts an endless program whose output is read by [`Child::read_output`]. Its standard input stays open without
    /// data, because some programs exit at its end.
    ///
    /// # Errors
    /// As [`Child::spawn`].
    pub fn stream(spec: &ChildSpec<'_>, terminal: Terminal) -> Result<Child<'static>, Failure> {
        let input = terminal.writer.try_clone().map_err(|why| not_started(spec, &why.to_string()))?;
        Self::open(spec, input.into(), terminal.reader, terminal.writer)
    }

    fn start(spec: &ChildSpec<'a>, reader: OwnedFd, writer: OwnedFd) -> Result<Self, Failure> {
        let mut child: Self = Self::open(spec, Stdio::null(), reader, writer)?;
        child.control_group = spec.group;
        Ok(child)
    }

    /// Starts a program without its cgroup, which alone must outlive the child.
    fn open(spec: &ChildSpec<'_>, input: Stdio, reader: OwnedFd, writer: OwnedFd) -> Result<Child<'static>, Failure> {
        let path = spec.argv.first().map_or("", String::as_str);
        let refused = |why: String| not_started(spec, &why);
        let errors = writer.try_clone().map_err(|e| refused(e.to_string()))?;
        let mut command = match spec.folder {
            Some(_) => Command::new(std::path::absolute(path).unwrap_or_else(|_| path.into())),
            None => Command::new(path),
        };
        if let Some(folder) = spec.folder {
            command.current_dir(folder.current());
        }
        command.args(spec.argv.iter().skip(1)).stdin(input).stdout(writer).stderr(errors).process_group(0);
        plain_locale(&mut command);
        match spec.user {
            Some(user) => of_user(user, &mut command),
            None => of_root(&mut command),
        }
        let variables = spec.environment.iter().map(|(name, value)| (*name, value));
        command.envs(variables);
        let descendants = Descendants::mark(&mut command);
        let started = Instant::now();
        let process = start_on(spec, command).map_err(refused)?;
        let group = Pid::from_child(&process);
        Ok(Child {
            process,
            group,
            name: name(spec).to_owned(),
            started,
            end: pidfd_open(group, PidfdFlags::empty()).ok(),
            descendants,
            control_group: None,
            time_limit: spec.time_limit,
            pipe: Some(File::from(reader)),
            output: HeadTail::default(),
            reaped: false,
        })
    }

    /// Process id.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Waits for its end or its time limit, without callbacks or interruption.
    pub fn wait(self, root: &Root) -> ExitReport {
        self.finish(&mut Supervisor { root, cancelled: &AtomicI32::new(0), watch: &mut || {}, enough: None })
    }

    /// Waits for its end, or ends it at the time limit or at an interruption.
    pub fn finish(mut self, supervisor: &mut Supervisor) -> ExitReport {
        let score = format!("/proc/{}/oom_score_adj", self.pid());
        // A precaution: the step also runs without it.
        if processes::has_own_numbers(supervisor.root) {
            let _ = supervisor.root.write(&score, OOM_SCORE_ADJ);
        }
        let kills_before = oom_kills(supervisor.root);
        let mut observer = Observer::new(supervisor.root, self.pid());
        let end = self.attend(supervisor, &mut observer);
        let elapsed = self.started.elapsed();
        if matches!(end, End::TimedOut | End::Cancelled(_) | End::Enough) {
            self.terminate();
        }
        let (seen_on, usage) = observer.close();
        self.end_group();
        let output = self.output.text();
        let out_of_memory = || oom_kills(supervisor.root) > kills_before;
        let outcome = self.outcome(&end, &output, out_of_memory);
        ExitReport { output, elapsed, usage, seen_on, outcome }
    }

    fn attend(&mut self, supervisor: &mut Supervisor, observer: &mut Observer) -> End {
        let mut next_beat = self.started;
        let mut nap = Duration::from_millis(1);
        let (mut printed, mut has_printed) = (String::new(), false);
        loop {
            if Instant::now() >= next_beat {
                observer.look();
                (supervisor.watch)();
                next_beat += BEAT;
            }
            let cancelled = supervisor.cancelled.load(Ordering::Relaxed);
            if cancelled != 0 {
                return End::Cancelled(cancelled);
            }
            match self.peek() {
                Ok(Some(status)) => return End::Exited(status),
                Ok(None) => {}
                Err(_) => return End::Lost,
            }
            if let Some(enough) = &mut supervisor.enough {
                // Rebuilt only after new output, because it may be long.
                if std::mem::take(&mut has_printed) {
                    printed = self.output.text();
                }
                if enough(&printed) {
                    return End::Enough;
                }
            }
            let elapsed = self.started.elapsed();
            if elapsed >= self.time_limit {
                return End::TimedOut;
            }
            let left = LOOK_AGAIN.min(self.time_limit - elapsed);
            if self.pipe.is_some() || self.end.is_some() {
                has_printed |= self.read_some(left);
            } else {
                // The program usually ends a moment after its output.
                std::thread::sleep(nap.min(left));
                nap = (nap * 2).min(LOOK_AGAIN);
            }
        }
    }

    /// Exit status if it has ended, without reaping it.
    fn peek(&self) -> rustix::io::Result<Option<WaitIdStatus>> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(self.group), options)
    }

    /// Waits at most `time` for output or the end; true if there was output. Closes the pipe at its end.
    fn read_some(&mut self, time: Duration) -> bool {
        let mut buffer = [0; 16 << 10];
        let count = self.read_output(&mut buffer, time);
        self.output.push(&buffer[..count.unwrap_or_default()]);
        matches!(count, Some(1..))
    }

    /// Waits at most `time` for output and reads it. Returns its length; `None` after its end.
    pub fn read_output(&mut self, buffer: &mut [u8], time: Duration) -> Option<usize> {
        let time = Timespec { tv_sec: time.as_secs() as _, tv_nsec: time.subsec_nanos() as _ };
        let mut watched: Vec<PollFd> = Vec::with_capacity(2);
        watched.extend(self.pipe.iter().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        let has_output = |fds: &[PollFd]| fds.first().is_some_and(|fd| !fd.revents().is_empty());
        let is_open = self.pipe.is_some();
        watched.extend(self.end.iter().map(|end| PollFd::new(end, PollFlags::IN)));
        let ready = poll(&mut watched, Some(&time));
        // A signal for this process ends the wait early, as intended.
        if !matches!(ready, Ok(1..)) || !is_open || !has_output(&watched) {
            return is_open.then_some(0);
        }
        let read = self.pipe.as_mut().map(|pipe| pipe.read(buffer));
        match read {
            Some(Ok(count @ 1..)) => Some(count),
            _ => {
                self.pipe = None;
                None
            }
        }
    }

    /// Sends SIGTERM and waits. Output is still read, so that the program cannot block on it.
    fn terminate(&mut self) {
        let _ = kill_process_group(self.group, Signal::TERM);
        let until = Instant::now() + GRACE;
        while Instant::now() < until && matches!(self.peek(), Ok(None)) {
            let nap = Duration::from_millis(20);
            if self.pipe.is_some() {
                self.read_some(nap);
            } else {
                std::thread::sleep(nap);
            }
        }
    }

    /// Kills the rest of the group, reads the remaining output and reaps.
    fn end_group(&mut self) {
        if self.reaped {
            return;
        }
        self.reaped = true;
        // If it was reaped elsewhere (SIGCHLD is ignored), its id may belong to another process.
        if self.peek().is_ok() {
            let _ = kill_process_group(self.group, Signal::KILL);
        }
        let until = Instant::now() + REAP_LIMIT;
        while Instant::now() < until && matches!(self.process.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.descendants.end(self.control_group);
        // A remaining process may hold the pipe open and flood it.
        let until = Instant::now() + LOOK_AGAIN;
        while self.read_some(Duration::ZERO) && Instant::now() < until {}
        self.pipe = None;
    }
}

impl Drop for Child<'_> {
    fn drop(&mut self) {
        self.end_group();
    }
}

/// Program name without its directory.
fn name<'a>(spec: &ChildSpec<'a>) -> &'a str {
    let path = spec.argv.first().map_or("", String::as_str);
    path.rsplit('/').next().unwrap_or_default()
}

fn not_started(spec: &ChildSpec, why: &str) -> Failure {
    let message = format!("Cannot start {}: {why}", name(spec));
    failure(FailureKind::NotStarted, message, "")
}

#[cfg(test)]
mod tests;
