//! A small second process that does what the first one cannot do any more when it is killed: it ends the
//! programs that still run, removes their files, and puts settings back. While the first one is stopped by
//! SIGSTOP, which it cannot hear, its programs are stopped with it: nobody would look at how hot they make it.
//!
//! Settings that cannot be restored while a CPU is offline are restored when it returns.
//!
//! It has the journal open: a file that is renamed or replaced during the run is still the one that the run writes.
//!
//! It waits at the other end of a pipe. When the pipe closes without a word, the process that held it is
//! gone. At a regular end it is told so first, and finds nothing to do.

use crate::child::{MARK, ProcessHandle, end_members_of, kill_descendants, kill_orphans, signal_all, stop_programs_of};
use crate::scratch::places::{self, remove_left_behind};
use crate::standstill::{Cause, Standstill};
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

/// Message of the owner after it has ended everything itself.
const ALL_IS_WELL: &[u8] = b"w";
/// A killed process has closed all its files after so long, on a machine that is too busy for anything.
const LAST_CLOSE: Duration = Duration::from_secs(5);
const NAP: Duration = Duration::from_millis(10);

/// A program may have left thousands of others: nobody reads more names of them.
const NAMES_MAX: usize = 5;
/// The guard looks so often whether its owner is stopped.
const LOOK: Duration = Duration::from_millis(500);
/// Message after it stopped the programs; the milliseconds follow when they continue.
const STOPPED: u8 = b'T';
/// Sent when everything that can be restored now is restored.
const SETTLED: u8 = b'S';
/// Number of further attempts to restore, one every [`LOOK`]: settings of an offline CPU cannot be written. After a minute
/// the next start restores.
const ATTEMPTS: u32 = 120;

/// Each setting with the outcome of its restoration.
type Outcomes = Reading<Vec<(String, RestoreOutcome)>>;

/// Resources that a guard releases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardResources {
    /// Process whose programs are to be ended.
    pub owner: u32,
    /// Journal of its settings, if it changes any.
    pub journal: Option<PathBuf>,
    /// Folder of its control group, if it has one.
    pub group: Option<String>,
    /// Open file with the list of its folders.
    pub places: Option<PathBuf>,
}

/// The guard of this process; it ends when this is dropped.
#[derive(Debug)]
pub struct Guard {
    child: Child,
    pipe: Option<ChildStdin>,
    /// Its message.
    said: Option<ChildStdout>,
}

impl Guard {
    /// Starts the guard: this very program with the word `guard` and what it looks after.
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
            // Run by another sbc-bench, it must outlive what that one ends.
            .env_remove(MARK)
            // Out of the terminal's foreground group, so that Ctrl-C does not reach it.
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
        // One that has to be waited for is not asked.
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

    /// True if it was killed: then nothing would restore what this process changed.
    pub fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// For how long this process was stopped since the last call, as its guard has seen it; less than a look may
    /// have been missed.
    pub fn stopped(&mut self) -> Option<Standstill> {
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
            // This process goes on; the guard has not seen it yet.
            std::thread::sleep(NAP);
        }
        let text = String::from_utf8_lossy(&text);
        let times = text.split(char::from(STOPPED)).skip(1);
        let ms = times.map(|time| time.trim().parse().unwrap_or(0));
        let time = Duration::from_millis(ms.sum());
        let cause = Cause::SigStop;
        text.contains(char::from(STOPPED)).then_some(Standstill { cause, time })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(mut pipe) = self.pipe.take() {
            // Without the word it looks for programs and finds none, which only takes longer.
            let _ = pipe.write_all(ALL_IS_WELL);
        }
        // The guard ends now, or waits for an offline CPU without delaying this process.
        let mut said = Vec::new();
        while matches!(self.child.try_wait(), Ok(None)) && !said.contains(&SETTLED) {
            let Some(output) = &mut self.said else {
                // A failure to wait leaves nothing behind but a zombie until our end.
                let _ = self.child.wait();
                return;
            };
            let _ = output.read_to_end(&mut said);
            std::thread::sleep(NAP / faults::haste());
        }
    }
}

/// What the guard does: waits for the end of its input, then ends programs and restores what is left. Meanwhile
/// it stops the programs of an owner that is stopped, and says so in `output`.
///
/// # Errors
/// The settings that could not be put back, each with its reason.
pub fn run_guard(
    root: &Root,
    watched: &GuardResources,
    input: &mut dyn Read,
    output: &mut (dyn Write + Send),
) -> Result<(), Vec<(String, RestoreOutcome)>> {
    // Opened now: there is no way to it once its owner is gone.
    let places = watched.places.as_deref().and_then(places::opened);
    let (mut said, mut open) = (Vec::new(), None);
    std::thread::scope(|scope| {
        let (owner_is_here, ended) = channel::<()>();
        let output = &mut *output;
        let look = move || forward_stop(root, watched.owner, &ended, output);
        // Without it, programs go on while their owner is stopped.
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

/// The outcomes that are failures.
fn failures(outcomes: Vec<(String, RestoreOutcome)>) -> Vec<(String, RestoreOutcome)> {
    let failed = |(_, outcome): &(String, RestoreOutcome)| matches!(outcome, RestoreOutcome::Failed(_));
    outcomes.into_iter().filter(failed).collect()
}

/// The group of an owner that is gone, once the kernel has let go of it: a process that is killed closes its files
/// one by one. None if another start sees to it already, or has removed it.
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

/// Stops the programs of an owner that is stopped, and lets them go on with it.
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

/// Restores from the journal once its owner has let go of it. A process that is killed closes its files one by
/// one: its pipe to the guard may be closed a moment before the journal is.
fn restore_in_time(restore: &dyn Fn() -> Outcomes) -> Outcomes {
    let until = Instant::now() + LAST_CLOSE;
    loop {
        match restore() {
            Err(_) if Instant::now() < until => std::thread::sleep(NAP),
            outcome => return outcome,
        }
    }
}

/// Ends and removes what dead runs have left that neither they nor their guards could see to, and tells it in
/// sentences. `state` is the folder in which runs note the places of their files.
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

/// Names that people read in one sentence; how many more there are.
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
