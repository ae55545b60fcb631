//! Groups of options, flattened into each verb that uses them, so that an option has one name, meaning and help text.

use super::Environment;
use super::meters::MeterFlags;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;
use workloads::job::duration::parse_time;
use workloads::job::pinning::{CpuSelection, parse_cpu_selection};

/// Default of `--wait`: maximum time to wait for an idle system.
const WAIT: Duration = Duration::from_secs(120);

/// Start of a run.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub(crate) struct IdleFlags {
    /// Start even if the system is busy (noted in the results)
    #[arg(long)]
    pub(crate) force: bool,
    /// Maximum time to wait for an idle system [default: 120s]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    wait: Option<Duration>,
}

impl IdleFlags {
    pub(crate) fn wait(&self) -> Duration {
        self.wait.unwrap_or(WAIT)
    }

    /// Names of the given options.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        chosen([(self.force, "--force"), (self.wait.is_some(), "--wait")])
    }
}

/// Destination of results.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub(crate) struct OutputFlags {
    /// Print the result file (JSON) instead of the report
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the log to FILE and the result file to the same name with .json
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Do not show progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Length of the printed report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Args)]
pub(crate) struct ReportFlags {
    /// On a terminal, print the whole report of a standard run, not one screen of it
    #[arg(long, conflicts_with = "json")]
    pub(crate) details: bool,
}

/// Display of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Args)]
pub(crate) struct ScreenFlags {
    /// Show the run full-screen, as the monitor does, with the step and the time left
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) tui: bool,
}

/// User of own commands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Args)]
pub(crate) struct UserFlags {
    /// Under sudo, run your own commands as root, not as the calling user
    #[arg(long)]
    pub(crate) as_root: bool,
}

/// Whether settings are changed for the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Args)]
pub(crate) struct TuneFlags {
    /// Change no settings (same as NOTUNING=yes)
    #[arg(long, alias = "quick")]
    pub(crate) no_tuning: bool,
}

impl TuneFlags {
    /// The equivalent variable for the Record, unless it is set.
    pub(crate) fn given(self, environment: &Environment) -> Option<String> {
        let is_new = self.no_tuning && environment.get("NOTUNING").is_none();
        is_new.then(|| "NOTUNING=yes".to_owned())
    }
}

/// Another machine than the running one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct RootFlags {
    /// Read from this directory or .board snapshot instead of the running system
    #[arg(long, value_name = "DIR|FILE.board")]
    pub(crate) root: Option<PathBuf>,
}

/// Run to continue.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ResumeFlags {
    /// Continue the latest run that died or was stopped, or the one of this result file; completed steps are not repeated
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "latest")]
    pub(crate) resume: Option<PathBuf>,
}

/// Names of the flags that are set.
pub(crate) fn chosen<const N: usize>(flags: [(bool, &'static str); N]) -> impl Iterator<Item = &'static str> {
    flags.into_iter().filter(|(is_given, _)| *is_given).map(|(_, name)| name)
}

/// Flags of verbs that answer one question.
#[derive(Debug, Clone, PartialEq, clap::Args)]
pub(crate) struct OneShotFlags {
    /// CPUs to measure: all, fastest or a list such as 0-3,6 [default: all]
    #[arg(long = "cpus", alias = "cpu", value_name = "CPUS")]
    pub(crate) cpus: Option<String>,
    #[command(flatten)]
    pub(crate) meters: MeterFlags,
    #[command(flatten)]
    pub(crate) tune: TuneFlags,
    /// Print the result file (JSON) instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// Do not show progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl OneShotFlags {
    /// CPUs of a workload.
    pub(crate) fn selection(&self) -> Result<CpuSelection, String> {
        self.cpus.as_deref().map_or(Ok(CpuSelection::All), parse_cpu_selection).map_err(|why| format!("{why}."))
    }

    /// CPUs of one measurement.
    pub(crate) fn cpus(&self) -> Result<CpuSelection, String> {
        match self.selection()? {
            CpuSelection::OnePerCoreType | CpuSelection::CoreTypes => {
                Err("--cpus core-types is for workloads and programs; a list such as 0-3,6 names CPUs.".into())
            }
            selection => Ok(selection),
        }
    }
}
