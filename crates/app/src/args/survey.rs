//! The verbs that look over the machine before anything is measured: kernel, storage, doctor, review.

use super::groups::{RootFlags, TuneFlags, chosen};
use super::run::RunFlags;
use super::{Command, Environment, RunArgs};
use bench::{AnyTask, Options, Review};
use clap::Subcommand;
use std::path::PathBuf;

/// A look over the machine.
#[derive(Debug, Clone, PartialEq, Subcommand)]
pub(crate) enum SurveyVerb {
    /// Show the kernel's origin and support status
    ///
    /// Also lists settings of the kernel that cost performance.
    Kernel {
        /// Newer end-of-life dates: https://endoflife.date/api/linux.json, or a table like data/kernels.tsv
        #[arg(long, value_name = "FILE")]
        eol_file: Option<PathBuf>,
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        root: RootFlags,
    },
    /// Show disks, cards, memory modules and power supply
    ///
    /// Disks and SD cards with their bus speed and health.
    Storage {
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        root: RootFlags,
    },
    /// Show what can be measured here, and what is missing
    ///
    /// Rights, cycle counters, cpufreq, sensors, kernel log and external tools: each with the reason where it is
    /// missing, and a command or package that helps. Changes nothing and measures nothing.
    Doctor {
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        root: RootFlags,
    },
    /// Find settings that cost performance, measure, monitor
    ///
    /// Inspects the machine, benchmarks it as found and after tuning each group of settings, runs the standard
    /// benchmarks, and monitors until Ctrl-C or until CMD (or $ExecuteCommand) exits. It then restores all settings and
    /// reports throttling, power, temperatures, kernel messages and changes. Tuning needs root; without root the
    /// machine is only monitored.
    Review(ReviewArgs),
}

/// A review.
#[derive(Debug, Clone, Default, PartialEq, clap::Args)]
pub(crate) struct ReviewArgs {
    /// Run no benchmarks: inspect, tune, monitor, restore and report (-R)
    #[arg(long)]
    pub(super) no_benchmarks: bool,
    /// Only inspect; nothing is benchmarked, changed or monitored
    #[arg(long = "inspect", alias = "look")]
    pub(crate) inspect: bool,
    /// Do not monitor after the benchmarks
    #[arg(long)]
    pub(super) no_watch: bool,
    /// Also run a load that heats for five minutes; `-c` with `-r`
    #[arg(skip)]
    pub(super) heat: bool,
    #[command(flatten)]
    pub(super) tune: TuneFlags,
    #[command(flatten)]
    pub(crate) run: RunFlags,
    #[command(flatten)]
    pub(super) root: RootFlags,
    /// Monitor while this command runs instead of until Ctrl-C
    #[arg(last = true, value_name = "CMD")]
    pub(super) command: Vec<String>,
}

/// Where a command may stand behind `--`.
pub(super) const COMMANDS: &str =
    "Use `sbc-bench run -- CMD` to benchmark a command, `sbc-bench -R -- CMD` to monitor the machine while it runs";

impl SurveyVerb {
    /// The other machine that is to be read.
    pub(super) fn root(&self) -> Option<&PathBuf> {
        match self {
            Self::Kernel { root, .. } | Self::Storage { root, .. } | Self::Doctor { root, .. } => root.root.as_ref(),
            Self::Review(args) => args.root.root.as_ref(),
        }
    }

    /// What is to be done: a look, or for any other review a run.
    ///
    /// # Errors
    /// One sentence about words or a variable that are wrong.
    pub(super) fn command(self, environment: &Environment) -> Result<Command, String> {
        let SurveyVerb::Review(args) = self else {
            return Ok(Command::Survey(self));
        };
        args.checked()?;
        if args.inspect {
            return Ok(Command::Survey(SurveyVerb::Review(args)));
        }
        let mut given = environment.given();
        given.extend(args.tune.given(environment));
        given.extend(args.given());
        Ok(Command::Run(Box::new(RunArgs {
            task: AnyTask::of(args.task(environment)),
            options: args.options(environment)?,
            json: args.run.output.json,
            given,
            log: args.run.output.log,
            cpuinfo_file: environment.get("CPUINFOFILE").map(PathBuf::from),
            quiet: args.run.output.quiet,
            screen: false,
            resume: None,
            upload: args.run.upload,
        })))
    }
}

impl ReviewArgs {
    /// # Errors
    /// One sentence about words that do not go together.
    fn checked(&self) -> Result<(), String> {
        if self.root.root.is_some() && !self.inspect {
            return Err("--root applies to --inspect only: a review changes and measures the running system.".into());
        }
        let no_runs = [(self.inspect, "--inspect"), (self.no_benchmarks, "--no-benchmarks (-R)")];
        if let (Some(without), Some(option)) = (chosen(no_runs).next(), self.run.idle.given().next()) {
            return Err(format!("{option} does not apply to {without}, which runs no benchmarks."));
        }
        if self.inspect && self.run.upload.given().next().is_some() {
            return Err(
                "--upload does not apply to --inspect, which makes no result file; send what `sbc-bench review \
                        --inspect --json` prints by `sbc-bench upload FILE --to URL`."
                    .into(),
            );
        }
        if self.inspect && !self.command.is_empty() {
            return Err(
                "--inspect does not take a command; use `sbc-bench review --no-benchmarks -- CMD` (-R) to monitor \
                 while CMD runs."
                    .into(),
            );
        }
        if self.no_benchmarks && self.no_watch && !self.inspect {
            return Err(
                "--no-benchmarks with --no-watch leaves nothing to do; use `sbc-bench review --inspect`.".into()
            );
        }
        Ok(())
    }

    /// The run behind a review that does more than look.
    fn task(&self, environment: &Environment) -> Review {
        let mut command = self.command.clone();
        if command.is_empty()
            && let Some(line) = environment.get("ExecuteCommand")
        {
            command = split_command(line);
        }
        Review { benchmarks: !self.no_benchmarks, command, watch: !self.no_watch }
    }

    /// How it is to be.
    ///
    /// # Errors
    /// One sentence about a variable that is wrong.
    fn options(&self, environment: &Environment) -> Result<Options, String> {
        Ok(Options { heat: self.heat, ..self.run.options(self.tune, environment)? })
    }

    /// What was asked for, for the Record.
    fn given(&self) -> Vec<String> {
        let flags = [
            ("--no-benchmarks", self.no_benchmarks),
            ("--no-watch", self.no_watch),
            ("--force", self.run.idle.force),
            ("-c", self.heat),
        ];
        let flags = flags.iter().filter(|(_, is)| *is);
        let command = Some(self.command.join(" ")).filter(|command| !command.is_empty());
        let command = command.map(|command| format!("-- {command}"));
        flags.map(|(flag, _)| (*flag).to_owned()).chain(command).collect()
    }
}

/// The words of `ExecuteCommand`. Plain words are a program and its arguments, as they always were; what only
/// a shell understands is given to one.
fn split_command(line: &str) -> Vec<String> {
    match line.contains(['\'', '"', '|', '&', ';', '<', '>', '$', '`', '\\', '*', '(']) {
        true => ["sh", "-c", line].map(str::to_owned).to_vec(),
        false => line.split_whitespace().map(str::to_owned).collect(),
    }
}
