//! Guard: a second process that cleans up if the first one is killed. It ends programs that still run, removes their
//! files and restores settings. While the first process is stopped by SIGSTOP, which it cannot catch, the guard stops
//! its programs, because nobody would monitor their heat.
//!
//! Settings that cannot be restored while a CPU is offline are restored when it returns.
//!
//! The guard keeps the journal open, so that it still reads the run's file after a rename or replacement.
//!
//! It waits at the other end of a pipe. If the pipe closes without a message, its owner is gone. At a regular end the
//! owner sends a message, and the guard has nothing to do.

use crate::child::{MARK, ProcessHandle, end_members_of, kill_descendants, kill_orphans, signal_all, stop_programs_of};
use crate::interruption::{Cause, Interruption};
use crate::scratch::places::{self, remove_left_behind};
use machine::faults::{self, Call};
use machine::processes;
use machine::settings::{OpenJournal, restore_from_journal};
use machine::{Group, Root};
use record::{Reading, RestoreOutcome};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::Signal;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Message of the owner after it has cleaned up itself.
const ALL_IS_WELL: &[u8] = b"w";
/// Maximum time until a killed process has closed its files, on an overloaded machine.
const LAST_CLOSE: Duration = Duration::from_secs(5);
const NAP: Duration = Duration::from_millis(10);

/// Maximum number of names in a sentence; a program may have left thousands of processes.
const NAMES_MAX: usize = 5;
/// Interval of checks whether the owner is stopped.
const LOOK: Duration = Duration::from_millis(500);
/// Sent after stopping the programs; the milliseconds follow when they continue.
const STOPPED: u8 = b'T';
/// Sent when everything that can be restored now is restored.
const SETTLED: u8 = b'S';
/// Maximum number of further attempts to restore, one every [`LOOK`]: settings of an offline CPU cannot be written.
/// After a minute the next start restores them.
const ATTEMPTS: u32 = 120;

/// Each setting with the outcome of its restoration.
type Outcomes = Reading<Vec<(String, RestoreOutcome)>>;

/// Resources that a guard releases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardResources {
    /// Process whose programs are ended.
    pub owner: u32,
    /// Journal of its settings, if it changes any.
    pub journal: Option<PathBuf>,
    /// Directory of its cgroup, if any.
    pub group: Option<String>,
    /// Open file with the list of its directories.
    pub places: Option<PathBuf>,
}

/// Guard of this process; ends on drop.
#[derive(Debug)]
pub struct Guard {
    child: Child,
    pipe: Option<ChildStdin>,
    /// Messages of the guard.
    said: Option<ChildStdout>,
}

impl Guard {
    /// Starts the guard: this program with the command `guard` and its resources.
    ///
    /// # Errors
    /// The program cannot be started again.
    pub fn start(journal: Option<&Path>, group: Option<&Group>, places: Option<&Path>) -> std::io::Result<Self> {
        let mut command = Command::new("/proc/self/exe");
        command
            .arg0("sbc-bench")
            .args(["guard", "--owner", &std::process::id().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // The guard must survive if another sbc-bench started this process and ends its programs.
            .env_remove(MARK)
            // Outside of the terminal's foreground group, so that Ctrl-C does not reach it.
            .process_group(0);
        if let Some(journal) = journal {
            command.arg("--journal").arg(journal);
        }
        if let Some(places) = places {
            command.arg("--places").arg(places);
        }
        if let Some(group) = group {
            command.args(["--group", group.folder()]);
        }
        let mut child = faults::pass(Call::Spawn, "guard", || command.spawn())?;
        faults::guarded_by(child.id());
        let (pipe, said) = (child.stdin.take(), child.stdout.take());
        // Messages are never waited for.
        let said = said.filter(|said| fcntl_setfl(said, OFlags::NONBLOCK).is_ok());
        Ok(Self { child, pipe, said })
    }

    /// Sends the path by which the guard opens the journal of this process.
    pub fn open_journal(&mut self, descriptor: &Path) {
        if let Some(pipe) = &mut self.pipe {
            // A guard that was killed is replaced before the next step; without the path it uses the name.
            let _ = writeln!(pipe, "{}", descriptor.display());
        }
    }

    /// True if the guard was killed, so that changes of this process would not be restored.
    pub fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// Duration for which this process was stopped since the last call, as observed by the guard; stops shorter than
    /// its interval may be missed.
    pub fn stopped(&mut self) -> Option<Interruption> {
        let said = self.said.as_mut()?;
        let until = Instant::now() + 3 * LOOK;
        let mut text = Vec::new();
        loop {
            // No message, or the owner is gone.
            let _ = said.read_to_end(&mut text);
            let is_open = text.iter().rposition(|byte| *byte == STOPPED) > text.iter().rposition(|byte| *byte == b'\n');
            if !is_open || Instant::now() > until {
                break;
            }
            // This process continues, but the guard has not noticed yet.
            std::thread::sleep(NAP);
        }
        let text = String::from_utf8_lossy(&text);
        let times = text.split(char::from(STOPPED)).skip(1);
        let ms = times.map(|time| time.trim().parse().unwrap_or(0));
        let time = Duration::from_millis(ms.sum());
        let cause = Cause::SigStop;
        text.contains(char::from(STOPPED)).then_some(Interruption { cause, time })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(mut pipe) = self.pipe.take() {
            // Without the message the guard searches for programs, which only takes longer.
            let _ = pipe.write_all(ALL_IS_WELL);
        }
        // The guard ends now, or waits for an offline CPU without delaying this process.
        let mut said = Vec::new();
        while matches!(self.child.try_wait(), Ok(None)) && !said.contains(&SETTLED) {
            let Some(output) = &mut self.said else {
                // If waiting fails, only a zombie remains until this process ends.
                let _ = self.child.wait();
                return;
            };
            let _ = output.read_to_end(&mut said);
            std::thread::sleep(NAP / faults::haste());
        }
    }
}

/// Runs the guard: waits for the end of its input, then ends programs and restores settings. Meanwhile it stops the
/// programs of a stopped owner and reports it in `output`.
///
/// # Errors
/// Settings that could not be restored, with reasons.
pub fn run_guard(
    root: &Root,
    watched: &GuardResources,
    input: &mut dyn Read,
    output: &mut (dyn Write + Send),
) -> Result<(), Vec<(String, RestoreOutcome)>> {
    // Opened now, because its path ends with the owner.
    let places = watched.places.as_deref().and_then(places::opened);
    let (mut said, mut open) = (Vec::new(), None);
    std::thread::scope(|scope| {
        let (owner_is_here, ended) = channel::<()>();
        let output = &mut *output;
        let look = move || forward_stop(root, watched.owner, &ended, output);
        // Without this thread, programs continue while their owner is stopped.
        let _ = std::thread::Builder::new().spawn_scoped(scope, look);
        let mut input = BufReader::new(input);
        // Each line is a path to the open journal. The last one has no end.
        while input.read_until(b'\n', &mut said).is_ok_and(|bytes| bytes > 0) && said.ends_with(b"\n") {
            let descriptor = Path::new(OsStr::from_bytes(said.trim_ascii_end()));
            open = watched.journal.as_ref().and_then(|journal| OpenJournal::open(journal, descriptor));
            said.clear();
        }
        drop(owner_is_here);
    });
    if said != ALL_IS_WELL {
        kill_descendants(root, watched.owner);
        let group = watched.group.as_deref();
        let group = group.and_then(|folder| adopted(root, folder));
        if let Some(group) = group {
            end_members_of(root, &group);
        }
        // The next start reports what remains.
        places.map(|places| places::remove_noted(root, places));
    }
    let Some(journal) = &watched.journal else { return Ok(()) };
    let restore = || match &open {
        Some(open) => open.restore(root),
        None => restore_from_journal(root, journal),
    };
    let outcomes = restore_in_time(&restore);
    // The other end may be closed.
    let _ = output.write_all(&[SETTLED]).and_then(|()| output.flush());
    let mut left = match outcomes {
        Ok(outcomes) => failures(outcomes),
        Err(missing) => return Err(vec![(journal.display().to_string(), RestoreOutcome::Failed(missing.to_string()))]),
    };
    for _ in 0..ATTEMPTS {
        if left.is_empty() {
            break;
        }
        std::thread::sleep(LOOK / faults::haste());
        match restore() {
            Ok(outcomes) if !outcomes.is_empty() => left = failures(outcomes),
            // No setting remains to restore, or another start holds the journal.
            Ok(_) | Err(_) => break,
        }
    }
    if left.is_empty() { Ok(()) } else { Err(left) }
}

/// Failed outcomes.
fn failures(outcomes: Vec<(String, RestoreOutcome)>) -> Vec<(String, RestoreOutcome)> {
    let failed = |(_, outcome): &(String, RestoreOutcome)| matches!(outcome, RestoreOutcome::Failed(_));
    outcomes.into_iter().filter(failed).collect()
}

/// Adopts the group of a dead owner once the kernel has released it: a killed process closes its files one by one.
/// `None` if another start has adopted or removed it.
fn adopted(root: &Root, folder: &str) -> Option<Group> {
    let until = Instant::now() + LAST_CLOSE;
    loop {
        let group = Group::adopted(root, folder);
        if group.is_some() || !Path::new(folder).exists() || Instant::now() > until {
            return group;
        }
        std::thread::sleep(NAP);
    }
}

/// Stops the programs of a stopped owner, and continues them with it.
fn forward_stop(root: &Root, owner: u32, ended: &Receiver<()>, output: &mut dyn Write) {
    let mut stopped: Vec<ProcessHandle> = Vec::new();
    let mut since = None;
    while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
        let is_stopped = processes::state_of(root, owner) == Some('T');
        match since {
            None if is_stopped => {
                since = Some(Instant::now());
                // The reader may be gone.
                let _ = output.write_all(&[STOPPED]).and_then(|()| output.flush());
                stopped = stop_programs_of(root, owner);
            }
            Some(begin) if !is_stopped => {
                since = None;
                signal_all(&stopped, Signal::CONT);
                let ms = begin.elapsed().as_millis();
                let _ = writeln!(output, "{ms}").and_then(|()| output.flush());
            }
            _ => {}
        }
    }
}

/// Restores from the journal once its owner has released it. A killed process closes its files one by one, so its pipe
/// may be closed before the journal is.
fn restore_in_time(restore: &dyn Fn() -> Outcomes) -> Outcomes {
    let until = Instant::now() + LAST_CLOSE;
    loop {
        match restore() {
            Err(_) if Instant::now() < until => std::thread::sleep(NAP),
            outcome => return outcome,
        }
    }
}

/// Ends processes and removes directories that dead runs and their guards left; returns sentences. `state` is the
/// directory in which runs list their directories.
pub fn clean_up(root: &Root, state: Option<&Path>) -> Vec<String> {
    let mut told = Vec::new();
    let programs = if root.is_system() { kill_orphans(root) } else { Vec::new() };
    if !programs.is_empty() {
        let names = first_of(&programs);
        told.push(format!("Terminated processes left by an earlier run: {names}."));
    }
    for group in Group::left_behind(root, "sbc-bench") {
        end_members_of(root, &group);
    }
    let left = state.map(|state| remove_left_behind(root, state));
    let left = left.unwrap_or_default();
    let kept = left.kept.into_iter();
    told.extend(kept.map(|why| format!("A directory left by an earlier run was not removed: {why}.")));
    let folders = left.removed;
    if !folders.is_empty() {
        let names: Vec<String> = folders.iter().map(|path| path.display().to_string()).collect();
        let names = first_of(&names);
        told.push(format!("Removed directories left by an earlier run: {names}."));
    }
    told
}

/// Names for one sentence, with the number of further ones.
fn first_of(names: &[String]) -> String {
    let first = &names[..names.len().min(NAMES_MAX)];
    let all = first.join(", ");
    match names.len() - first.len() {
        0 => all,
        more => format!("{all} and {more} more"),
    }
}

#[cfg(test)]
mod tests;
