//! The flags of the bash program that people know, and what is to be done where no verb is given.
//! Their loads (`-c`, `-s`, ...) are in `classic_loads`, their order in `arrange`.

use super::classic_loads::ClassicLoads;
use super::monitor::MonitorFlags;
use super::run::{RunFlags, run_command};
use super::{Command, Environment, survey, thermal};

/// The flags that people know.
#[derive(Debug, clap::Args)]
pub(super) struct Classic {
    #[command(flatten)]
    pub(super) loads: ClassicLoads,
    /// Watch the machine; every SECONDS, fractions allowed (default 5)
    #[arg(short = 'm', value_name = "SECONDS", num_args = 0..=1, default_missing_value = "")]
    monitor: Option<String>,
    /// Efficiency: every OPP of SETS (cpulist, cores, clusters, coreclusters, all; default all cores)
    #[arg(short = 'g', value_name = "SETS", num_args = 0..=1, default_missing_value = "")]
    pub(super) graph: Option<String>,
    /// As -r
    #[arg(short = 'j')]
    pub(super) review_j: bool,
    /// Whose kernel this is, and whether it is still supported
    #[arg(short = 'k')]
    pub(super) kernel: bool,
    /// Is the memory controller throttled by heat? AES, a heavy load, AES again
    #[arg(short = 'M')]
    pub(super) memory_throttle: bool,
    /// Review: settings that cost performance, what each costs, then watching until Ctrl-C
    #[arg(short = 'r')]
    pub(super) review: bool,
    /// Review without benchmarks
    #[arg(short = 'R')]
    pub(super) review_only: bool,
    /// Disks, cards, their buses and health
    #[arg(short = 'S')]
    pub(super) storage: bool,
    /// Thermal test: wait until the SoC has cooled to CELSIUS (default 50), then heat for 5 minutes
    #[arg(short = 't', value_name = "CELSIUS", num_args = 0..=1, default_missing_value = "")]
    pub(super) cool: Option<String>,
    /// Thermal test: heat the SoC up to CELSIUS (default 50) first
    #[arg(short = 'T', value_name = "CELSIUS", num_args = 0..=1, default_missing_value = "")]
    pub(super) heat_to: Option<String>,
    #[arg(short = 'u', hide = true)]
    update: bool,
}

impl Classic {
    /// The command of these flags, with those of a run or of the monitor beside them.
    ///
    /// # Errors
    /// One sentence about what is wrong with the arguments or a variable.
    pub(super) fn command(
        self,
        run: RunFlags,
        monitor: MonitorFlags,
        environment: &Environment,
    ) -> Result<Command, String> {
        if let Some(name) = absent(&self) {
            return Err(format!("{name} is not part of this version."));
        }
        if let Some(verb) = survey::of_flags(&self, &run) {
            return verb.command(environment);
        }
        if let Some(interval) = self.monitor {
            return Ok(Command::Monitor(monitor.checked(&interval, run.quiet)?));
        }
        if let Some(given) = monitor.first_given() {
            return Err(format!(
                "{given} belongs to the monitor: sbc-bench -m {given} ..."
            ));
        }
        let task = thermal::classic_task(&self)?;
        run_command(run, task, &self.loads, environment)
    }
}

/// Modes of the bash program that this version does not have, each with what to do instead.
fn absent(classic: &Classic) -> Option<&'static str> {
    classic
        .update
        .then_some("-u (self-update: install a newer binary over this one instead)")
}
