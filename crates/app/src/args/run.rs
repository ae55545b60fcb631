//! Options of all verbs with a run, and the run that they make of a task.

use super::Environment;
use super::groups::{IdleFlags, OutputFlags, ResumeFlags, ScreenFlags, TuneFlags, UserFlags, chosen};
use super::limits::LimitFlags;
use super::meters::MeterFlags;
use super::program::calling_user;
use super::targets::TargetFlags;
use super::upload::RunUploadFlags;
use bench::{AnyTask, Options};
use record::WorkloadId;
use std::path::PathBuf;
use std::sync::Arc;

/// Options of every run.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct RunFlags {
    #[command(flatten)]
    pub(crate) idle: IdleFlags,
    #[command(flatten)]
    pub(crate) output: OutputFlags,
    #[command(flatten)]
    pub(crate) meters: MeterFlags,
    #[command(flatten)]
    pub(crate) user: UserFlags,
    #[command(flatten)]
    pub(crate) upload: RunUploadFlags,
}

impl RunFlags {
    /// Options of a run from arguments and environment.
    pub(crate) fn options(&self, tune: TuneFlags, environment: &Environment) -> Result<Options, String> {
        let options = environment.options()?;
        Ok(Options {
            force: self.idle.force,
            wait: self.idle.wait(),
            ignored_sensors: self.meters.ignored_sensors.clone(),
            meters: self.meters.clone().all(environment)?,
            user: if self.user.as_root { None } else { calling_user()?.map(Arc::new) },
            tune: options.tune && !tune.no_tuning,
            ..options
        })
    }

    /// Name of the first given option that does not apply to the monitor.
    pub(crate) fn first_not_of_monitor(&self) -> Option<&'static str> {
        let output = [(self.output.json, "--json"), (self.output.log.is_some(), "--log")];
        let user = chosen([(self.user.as_root, "--as-root")]);
        self.idle.given().chain(chosen(output)).chain(user).chain(self.upload.given()).next()
    }

    /// Name of the first given option that applies to runs only.
    pub(crate) fn first_of_run(&self) -> Option<&'static str> {
        let others = [
            (self.output.log.is_some(), "--log"),
            (self.output.quiet, "--quiet"),
            (self.meters.is_given(), "--meter"),
            (self.user.as_root, "--as-root"),
        ];
        self.idle.given().chain(chosen(others)).chain(self.upload.given()).next()
    }
}

/// Options of verbs that run any workload.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct TaskFlags {
    #[command(flatten)]
    targets: TargetFlags,
    #[command(flatten)]
    screen: ScreenFlags,
    #[command(flatten)]
    flags: RunFlags,
}

impl TaskFlags {
    /// Makes the run of a task with these workloads.
    pub(crate) fn run<'a>(
        self,
        task: AnyTask,
        workloads: impl IntoIterator<Item = &'a WorkloadId>,
        tune: TuneFlags,
        resume: ResumeFlags,
        environment: &Environment,
    ) -> Result<RunArgs, String> {
        self.targets.check(workloads)?;
        let mut run = RunArgs::of(task, self.flags, tune, environment)?;
        run.options.targets = self.targets.targets()?;
        Ok(RunArgs { resume: resume.resume, screen: self.screen.tui, ..run })
    }
}

/// A benchmark run: task, options, and destination of its results.
#[derive(Debug, Clone)]
pub(crate) struct RunArgs {
    pub(crate) task: AnyTask,
    pub(crate) options: Options,
    /// Print the Record as JSON instead of the report.
    pub(crate) json: bool,
    /// Print the whole report of a standard run.
    pub(crate) details: bool,
    /// Path of the log; by default in the system's log directory or the user's state directory.
    pub(crate) log: Option<PathBuf>,
    /// Command line in words, for the Record.
    pub(crate) given: Vec<String>,
    /// File to identify CPUs by instead of `/proc/cpuinfo`.
    pub(crate) cpuinfo_file: Option<PathBuf>,
    /// Show no progress.
    pub(crate) quiet: bool,
    /// Show the run full-screen.
    pub(crate) screen: bool,
    /// Result file of the run to continue, or `latest`.
    pub(crate) resume: Option<PathBuf>,
    pub(crate) upload: RunUploadFlags,
    pub(crate) limits: LimitFlags,
}

impl RunArgs {
    pub(crate) fn of(
        task: AnyTask,
        flags: RunFlags,
        tune: TuneFlags,
        environment: &Environment,
    ) -> Result<Self, String> {
        let options = Options { interval: task.attributes().interval, ..flags.options(tune, environment)? };
        let mut given = environment.given();
        given.extend(flags.idle.force.then(|| "--force".to_owned()));
        given.extend(tune.given(environment));
        Ok(Self {
            task,
            options,
            json: flags.output.json,
            details: false,
            log: flags.output.log,
            given,
            cpuinfo_file: environment.get("CPUINFOFILE").map(PathBuf::from),
            quiet: flags.output.quiet,
            screen: false,
            resume: None,
            upload: flags.upload,
            limits: LimitFlags::default(),
        })
    }
}
