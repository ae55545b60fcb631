//! Options that every verb with a run takes, and the run that they make of a task.

use super::classic_loads::ClassicLoads;
use super::groups::{IdleFlags, OutputFlags, ResumeFlags, ScreenFlags, TuneFlags, UserFlags, chosen};
use super::meters::MeterFlags;
use super::program::calling_user;
use super::targets::TargetFlags;
use super::upload::RunUploadFlags;
use super::{Command, Environment, RunArgs};
use bench::{AnyTask, Options};
use std::path::PathBuf;
use std::sync::Arc;

/// Options of every run.
#[derive(Debug, Clone, Default, PartialEq, clap::Args)]
pub(crate) struct RunFlags {
    #[command(flatten)]
    pub(super) idle: IdleFlags,
    #[command(flatten)]
    pub(crate) output: OutputFlags,
    #[command(flatten)]
    pub(super) meters: MeterFlags,
    #[command(flatten)]
    pub(super) user: UserFlags,
    #[command(flatten)]
    pub(crate) upload: RunUploadFlags,
}

/// What some verbs take besides; a verb that does not take one of them leaves it as it is by default.
#[derive(Debug, Default)]
pub(super) struct Extra {
    pub(super) tune: TuneFlags,
    pub(super) resume: ResumeFlags,
    pub(super) targets: TargetFlags,
    pub(super) loads: ClassicLoads,
    pub(super) screen: ScreenFlags,
}

impl RunFlags {
    /// What they and the environment ask of a run.
    ///
    /// # Errors
    /// One sentence about a variable, a meter or a user that is wrong.
    pub(super) fn options(&self, tune: TuneFlags, environment: &Environment) -> Result<Options, String> {
        let options = environment.options()?;
        Ok(Options {
            force: self.idle.force,
            wait: self.idle.wait(),
            meters: self.meters.clone().all(environment)?,
            user: match self.user.as_root {
                true => None,
                false => calling_user()?.map(Arc::new),
            },
            tune: options.tune && !tune.no_tuning,
            ..options
        })
    }

    /// The first option that was given and that a monitor does not know.
    pub(super) fn first_not_of_monitor(&self) -> Option<&'static str> {
        let output = [(self.output.json, "--json"), (self.output.log.is_some(), "--log")];
        let user = chosen([(self.user.as_root, "--as-root")]);
        self.idle.given().chain(chosen(output)).chain(user).chain(self.upload.given()).next()
    }

    /// The first option that was given and that nothing without a run knows.
    pub(super) fn first_of_run(&self) -> Option<&'static str> {
        let others = [
            (self.output.log.is_some(), "--log"),
            (self.output.quiet, "--quiet"),
            (self.meters.is_given(), "--meter"),
            (self.user.as_root, "--as-root"),
        ];
        self.idle.given().chain(chosen(others)).chain(self.upload.given()).next()
    }
}

/// The run of a task.
///
/// # Errors
/// One sentence about a variable, a meter, a directory or a user that is wrong.
pub(super) fn run_command(
    flags: RunFlags,
    extra: Extra,
    task: AnyTask,
    environment: &Environment,
) -> Result<Command, String> {
    let options = Options {
        interval: task.attributes().interval,
        targets: extra.targets.targets()?,
        heat: extra.loads.heat,
        stockfish: extra.loads.stockfish(),
        ..flags.options(extra.tune, environment)?
    };
    let mut given = environment.given();
    given.extend(flags.idle.force.then(|| "--force".to_owned()));
    given.extend(extra.tune.given(environment));
    given.extend(extra.loads.given());
    Ok(Command::Run(Box::new(RunArgs {
        task,
        options,
        json: flags.output.json,
        log: flags.output.log,
        given,
        cpuinfo_file: environment.get("CPUINFOFILE").map(PathBuf::from),
        quiet: flags.output.quiet,
        screen: extra.screen.tui,
        resume: extra.resume.resume,
        upload: flags.upload,
    })))
}
