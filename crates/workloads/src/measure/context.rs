//! Context of one run of a workload.
//!
//! A workload gets a [`WorkloadContext`], runs external programs by [`WorkloadContext::program`] or built-in loops by
//! [`WorkloadContext::pinned`], and returns its measurement; other properties go to a [`StepReport`]. Pinning, watching,
//! interruption and counters are here, so that no workload forgets them.

pub use super::counter_reading::{CounterReading, OpenCounters, ReadCounters};

use super::counter_reading::{not_counted, sum};
use super::report::StepReport;
use super::worker::ThreadResult;
use crate::job::Job;
use crate::measure::thread_team::{Gate, joined, start_team};
use machine::faults;
use machine::files::OwnFolder;
use machine::{Caller, Group, Root, Terminal, Timeline};
use process::child::{BEAT, Child, ChildSpec, ExitReport, Supervisor, failure, interruption};
use process::scratch::ScratchDirs;
use process::tools::{InstalledProgram, Tools};
use record::{Counters, Fact, Failure, FailureKind, Machine, Missing, Tool};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Terminal of a program, and a callback for its output that returns whether to end it.
type LineCallback<'a> = (Terminal, &'a mut dyn FnMut(&str) -> bool);

/// Input of a workload.
#[derive(Clone)]
pub struct WorkloadContext<'a> {
    /// Root of `/proc` and `/sys`.
    pub root: &'a Root,
    /// Machine.
    pub machine: &'a Machine,
    /// The axis of time.
    pub timeline: &'a Timeline,
    /// External programs.
    pub tools: &'a Tools,
    /// Job.
    pub job: &'a Job,
    /// Number of the signal that interrupted the run, or 0.
    pub cancelled: &'a AtomicI32,
    /// Called about once per second while something runs.
    pub watch: &'a dyn Fn(),
    /// Control group of external programs, where there is one.
    pub group: Option<&'a Group>,
    /// Folders and hosts that it may use.
    pub site: Arc<ScratchDirs>,
    /// Opens cycle counters, where the kernel offers them.
    pub open_counters: Option<OpenCounters>,
    /// Why no result can be compared.
    pub not_comparable: Option<String>,
    /// Working directory of its programs, so that they need no paths.
    pub folder: Option<Arc<OwnFolder>>,
    /// Environment variables of its programs.
    pub environment: Vec<(&'static str, String)>,
}

impl<'a> WorkloadContext<'a> {
    /// A context without control group, folders, hosts and counters.
    pub fn new(
        (root, machine, timeline): (&'a Root, &'a Machine, &'a Timeline),
        tools: &'a Tools,
        job: &'a Job,
        cancelled: &'a AtomicI32,
        watch: &'a dyn Fn(),
    ) -> Self {
        Self {
            root,
            machine,
            timeline,
            tools,
            job,
            cancelled,
            watch,
            group: None,
            site: Arc::default(),
            open_counters: None,
            not_comparable: None,
            folder: None,
            environment: Vec::new(),
        }
    }

    /// Duration of the job, or its default; shorter in quick tests.
    pub(crate) fn time_or(&self, usual: Duration) -> Duration {
        self.job.time.unwrap_or(usual) / faults::haste()
    }

    /// The context with this working directory of programs.
    pub(crate) fn in_folder(&self, folder: &Arc<OwnFolder>) -> Self {
        Self { folder: Some(Arc::clone(folder)), ..self.clone() }
    }

    /// Whether the run is interrupted.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) != 0
    }

    /// Failure of an interrupted step.
    pub fn interruption(&self) -> Failure {
        interruption()
    }

    /// Runs a program for cleanup, also after an interruption; true on success.
    pub(crate) fn run_cleanup(&self, found: &InstalledProgram, arguments: &[String], limit: Duration) -> bool {
        let path = std::iter::once(&found.path);
        let argv: Vec<String> = path.chain(arguments).cloned().collect();
        let started = Child::spawn(&ChildSpec {
            user: self.user_of(found),
            folder: self.folder.as_deref(),
            ..ChildSpec::new(&argv, limit)
        });
        let ended = started.map(|child| {
            child.finish(&mut Supervisor {
                root: self.root,
                cancelled: &AtomicI32::new(0),
                watch: &mut || {},
                enough: None,
            })
        });
        ended.is_ok_and(|ended| ended.outcome.is_ok())
    }

    /// Runs an external program on the job's CPUs and returns its output.
    ///
    /// # Errors
    /// It could not be started, failed, took longer than the limit or was interrupted.
    pub fn program(
        &self,
        report: &mut StepReport,
        found: &InstalledProgram,
        arguments: &[&str],
        time_limit: Duration,
    ) -> Result<String, Failure> {
        let ended = self.call(report, found, arguments, (time_limit, None))?;
        ended.outcome.map(|()| ended.output)
    }

    /// Runs a program on a terminal, which makes it line-buffered, until `enough` returns true for its output.
    ///
    /// # Errors
    /// As [`WorkloadContext::program`].
    pub fn program_until(
        &self,
        report: &mut StepReport,
        found: &InstalledProgram,
        arguments: &[&str],
        time_limit: Duration,
        (terminal, enough): (Terminal, &mut dyn FnMut(&str) -> bool),
    ) -> Result<String, Failure> {
        let seen = Some((terminal, enough));
        let ended = self.call(report, found, arguments, (time_limit, seen))?;
        ended.outcome.map(|()| ended.output)
    }

    /// Runs a program that does not end by itself for a time, ends it and returns its output.
    ///
    /// # Errors
    /// It could not be started, failed before that time, or was interrupted.
    pub fn program_for(
        &self,
        report: &mut StepReport,
        found: &InstalledProgram,
        arguments: &[&str],
        time: Duration,
    ) -> Result<String, Failure> {
        let ended = self.call(report, found, arguments, (time, None))?;
        match ended.outcome {
            Err(failure) if failure.kind != FailureKind::TimedOut => Err(failure),
            _ => Ok(ended.output),
        }
    }

    /// User whose rights a program gets; `None` for those of this process.
    fn user_of(&self, found: &InstalledProgram) -> Option<&'a Caller> {
        self.tools.user().filter(|_| found.runs_as_caller)
    }

    fn call(
        &self,
        report: &mut StepReport,
        found: &InstalledProgram,
        arguments: &[&str],
        (time_limit, seen): (Duration, Option<LineCallback>),
    ) -> Result<ExitReport, Failure> {
        let words = [found.path.as_str()].into_iter().chain(arguments.iter().copied());
        let argv: Vec<String> = words.map(str::to_owned).collect();
        let cpus = &self.job.cpus;
        let spec = ChildSpec {
            cpus,
            environment: &self.environment,
            group: self.group,
            user: self.user_of(found),
            folder: self.folder.as_deref(),
            ..ChildSpec::new(&argv, time_limit)
        };
        let (terminal, mut enough) = seen.unzip();
        let started = match terminal {
            Some(terminal) => Child::spawn_with_output(&spec, terminal),
            None => Child::spawn(&spec),
        };
        report.tool = Some(Tool {
            name: found.name.clone(),
            path: found.path.clone(),
            version: found.version.clone(),
            argv: argv.clone(),
        });
        let group_before = self.group.map(Group::cpu_time_ns);
        let child = started?;
        let counting = self.open_counters.map(|open| open(self.root, child.pid()));
        let mut watch = || (self.watch)();
        let is_seen = enough.is_some();
        let mut ask = |text: &str| enough.as_mut().is_some_and(|enough| enough(text));
        let mut supervisor = Supervisor {
            root: self.root,
            cancelled: self.cancelled,
            watch: &mut watch,
            enough: is_seen.then_some(&mut ask),
        };
        let mut ended = child.finish(&mut supervisor);
        let usage = std::mem::take(&mut ended.usage);
        report.counters = Counters {
            task_clock_ns: usage.task_clock_ns,
            run_delay_ns: usage.run_delay_ns,
            user_ms: usage.user_ms,
            system_ms: usage.system_ms,
            peak_resident_kib: usage.peak_resident_kib,
            cycles: not_counted().cycles,
        };
        // A group counts all processes that were in it, to the nanosecond.
        if let Some((Ok(before), Ok(after))) = group_before.zip(self.group.map(Group::cpu_time_ns)) {
            report.counters.task_clock_ns = Fact::Known(after.saturating_sub(before));
        }
        if let Some(counting) = counting {
            report.take_counters(vec![counting()]);
        }
        report.take_cpus_used(cpus, std::mem::take(&mut ended.seen_on));
        report.program_elapsed = ended.elapsed;
        Ok(ended)
    }

    /// Runs built-in work in a new thread on the job's CPUs. Long work must check [`WorkloadContext::cancelled`].
    ///
    /// # Errors
    /// The CPUs do not exist or are switched off, or the run was interrupted.
    pub fn pinned<T: Send>(&self, report: &mut StepReport, work: impl Fn() -> T + Sync) -> Result<T, Failure> {
        let mut results = self.threads(report, 1, |_| work())?;
        // One thread has one result.
        Ok(results.remove(0))
    }

    /// Runs built-in work in new threads by the job's number, each on all of the job's CPUs; results are in the order of the
    /// threads.
    ///
    /// # Errors
    /// As [`WorkloadContext::pinned`].
    pub fn pinned_threads<T: Send>(
        &self,
        report: &mut StepReport,
        work: impl Fn(usize) -> T + Sync,
    ) -> Result<Vec<T>, Failure> {
        self.threads(report, self.job.threads.max(1) as usize, work)
    }

    fn threads<T: Send>(
        &self,
        report: &mut StepReport,
        count: usize,
        work: impl Fn(usize) -> T + Sync,
    ) -> Result<Vec<T>, Failure> {
        let (root, cpus, open) = (self.root, self.job.cpus.as_slice(), self.open_counters);
        let watch = self.watch;
        // New threads inherit the group. Without a group there is no quota, and a stage that needs one was refused.
        let limited = self.group.filter(|group| group.is_limited());
        let _inside = limited.and_then(|group| group.enter().ok());
        let gate = Gate::default();
        let ended: Result<Vec<Result<ThreadResult<T>, String>>, Missing> = std::thread::scope(|scope| {
            let (done, ends) = channel::<()>();
            let one = |index| {
                let (work, done) = (&work, done.clone());
                move || {
                    // The last drop ends the watching, also after a panic.
                    let _done = done;
                    ThreadResult::run(root, cpus, open, || work(index))
                }
            };
            let threads = start_team(scope, &gate, (0..count).map(one))?;
            drop(done);
            while ends.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                watch();
            }
            Ok(joined(threads))
        });
        let ended = ended.map_err(|missing| missing.to_string());
        let worked = ended.and_then(|ended| ended.into_iter().collect::<Result<Vec<_>, _>>());
        let worked = worked.map_err(|why| failure(FailureKind::NotStarted, why, ""))?;
        let (mut results, mut counted, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let mut delays = Vec::new();
        for thread in worked {
            results.push(thread.result);
            places.extend(thread.seen_on);
            delays.push(thread.run_delay_ns);
            counted.push(thread.counted);
        }
        let programs_only = || Missing::unsupported("wait4", "available for external programs only").into();
        report.counters = Counters {
            run_delay_ns: sum(delays),
            user_ms: programs_only(),
            system_ms: programs_only(),
            peak_resident_kib: programs_only(),
            ..Counters::default()
        };
        report.take_counters(counted);
        report.take_cpus_used(cpus, places);
        match self.cancelled.load(Ordering::Relaxed) {
            0 => Ok(results),
            _ => Err(self.interruption()),
        }
    }
}
