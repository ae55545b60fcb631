//! Flags that every verb with a run takes, and the run that they make of a task.

use super::classic_loads::ClassicLoads;
use super::targets::TargetFlags;
use super::{Command, Environment, RunArgs};
use bench::{AnyTask, Options, parse_time};
use std::path::PathBuf;
use std::time::Duration;

/// Options of a run.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct RunFlags {
    /// Start although the system is busy (recorded in the results)
    #[arg(long)]
    pub(super) force: bool,
    /// Wait at most so long for a quiet system
    #[arg(long, value_name = "TIME", default_value = "120s", value_parser = parse_time)]
    pub(super) wait: Duration,
    /// Print the Record as JSON instead of the report
    #[arg(long)]
    pub(super) json: bool,
    /// Write the log here, and the Record beside it as .json
    #[arg(long, value_name = "FILE")]
    pub(super) log: Option<PathBuf>,
    /// Show no progress
    #[arg(long, short)]
    pub(super) quiet: bool,
    /// Go on with the newest run that died, or with that of this Record: what is measured stays, what is
    /// missing is run
    #[arg(long, value_name = "RECORD", num_args = 0..=1, default_missing_value = "latest")]
    pub(super) resume: Option<PathBuf>,
    #[command(flatten)]
    pub(super) targets: TargetFlags,
}

/// The run of a task.
///
/// # Errors
/// One sentence about a variable that is wrong.
pub(super) fn run_command(
    flags: RunFlags,
    task: AnyTask,
    loads: &ClassicLoads,
    environment: &Environment,
) -> Result<Command, String> {
    let options = Options {
        interval: task.attributes().interval,
        force: flags.force,
        wait: flags.wait,
        targets: flags.targets.targets()?,
        heat: loads.heat,
        stockfish: loads.stockfish(),
        ..environment.options()?
    };
    let mut given = environment.given();
    given.extend(flags.force.then(|| "--force".to_owned()));
    given.extend(loads.given());
    Ok(Command::Run(Box::new(RunArgs {
        task,
        options,
        json: flags.json,
        log: flags.log,
        given,
        cpuinfo_file: environment.get("CPUINFOFILE").map(PathBuf::from),
        quiet: flags.quiet,
        resume: flags.resume,
    })))
}
