//! The verbs that look over the machine before anything is measured: kernel, storage, review.

use super::{Command, Environment, RunArgs};
use bench::{AnyTask, Options, Review, parse_time};
use clap::Subcommand;
use std::path::PathBuf;
use std::time::Duration;

/// A look over the machine.
#[derive(Debug, Clone, PartialEq, Subcommand)]
pub(crate) enum SurveyVerb {
    /// Whose kernel this is, whether it is still supported, and what of it costs speed
    Kernel {
        /// Newer dates of support: https://endoflife.date/api/linux.json, or a table like data/kernels.tsv
        #[arg(long, value_name = "FILE")]
        eol_file: Option<PathBuf>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Disks, cards, their buses and health, memory modules, power supply
    Storage {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// What costs performance, what each setting gives, then watching until Ctrl-C, and a report
    ///
    /// It looks over the machine, measures as found and after each group of settings is raised, runs the usual
    /// benchmarks, and watches until Ctrl-C, or until CMD or the command in the variable ExecuteCommand ends.
    /// Then every setting is put back, and a report tells what happened: throttling, power, temperatures,
    /// kernel messages, what changed. Settings take root; without it everything is watched as it is.
    Review(ReviewArgs),
}

/// A review.
#[derive(Debug, Clone, Default, PartialEq, clap::Args)]
pub(crate) struct ReviewArgs {
    /// Measure nothing: look, raise the settings, watch, put them back, and report (-R)
    #[arg(long)]
    pub(super) no_benchmarks: bool,
    /// Only look: nothing is measured, changed or watched
    #[arg(long)]
    pub(crate) look: bool,
    /// Do not watch after measuring
    #[arg(long)]
    pub(super) no_watch: bool,
    /// Print the Record as JSON instead of the review
    #[arg(long)]
    pub(crate) json: bool,
    /// Start although the system is busy (recorded in the results)
    #[arg(long)]
    pub(super) force: bool,
    /// Wait at most so long for a quiet system before measuring
    #[arg(long, value_name = "TIME", default_value = "120s", value_parser = parse_time)]
    pub(super) wait: Duration,
    /// Also run a load that heats for five minutes; `-c` beside `-r`
    #[arg(skip)]
    pub(super) heat: bool,
    /// Write the review here, and the Record beside it as .json
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Watch while this command runs, instead of until Ctrl-C
    #[arg(last = true, value_name = "CMD")]
    pub(super) command: Vec<String>,
}

/// Where a command may stand behind `--`.
pub(super) const COMMANDS: &str =
    "sbc-bench run -- CMD measures one, sbc-bench -R -- CMD watches the machine while it runs";

impl SurveyVerb {
    /// What is to be done: a look, or for any other review a run.
    ///
    /// # Errors
    /// One sentence about words or a variable that are wrong.
    pub(super) fn command(self, environment: &Environment) -> Result<Command, String> {
        let SurveyVerb::Review(args) = self else {
            return Ok(Command::Survey(self));
        };
        args.checked()?;
        if args.look {
            return Ok(Command::Survey(SurveyVerb::Review(args)));
        }
        let mut given = environment.given();
        given.extend(args.given());
        Ok(Command::Run(Box::new(RunArgs {
            task: AnyTask::of(args.task(environment)),
            options: args.options(environment)?,
            json: args.json,
            given,
            log: args.log,
            cpuinfo_file: environment.get("CPUINFOFILE").map(PathBuf::from),
            quiet: args.quiet,
            resume: None,
        })))
    }
}

impl ReviewArgs {
    /// # Errors
    /// One sentence about words that do not go together.
    fn checked(&self) -> Result<(), String> {
        if self.look && !self.command.is_empty() {
            return Err(
                "--look starts nothing: sbc-bench review --no-benchmarks -- CMD (-R) watches while CMD runs.".into()
            );
        }
        if self.no_benchmarks && self.no_watch && !self.look {
            return Err("--no-benchmarks with --no-watch leaves only the look: sbc-bench review --look.".into());
        }
        Ok(())
    }

    /// The run behind a review that does more than look.
    fn task(&self, environment: &Environment) -> Review {
        let mut command = self.command.clone();
        if command.is_empty()
            && let Some(line) = environment.get("ExecuteCommand")
        {
            command = words_of(line);
        }
        Review { benchmarks: !self.no_benchmarks, command, watch: !self.no_watch }
    }

    /// How it is to be.
    ///
    /// # Errors
    /// One sentence about a variable that is wrong.
    fn options(&self, environment: &Environment) -> Result<Options, String> {
        Ok(Options { force: self.force, wait: self.wait, heat: self.heat, ..environment.options()? })
    }

    /// What was asked for, for the Record.
    fn given(&self) -> Vec<String> {
        let flags = [
            ("--no-benchmarks", self.no_benchmarks),
            ("--no-watch", self.no_watch),
            ("--force", self.force),
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
fn words_of(line: &str) -> Vec<String> {
    match line.contains(['\'', '"', '|', '&', ';', '<', '>', '$', '`', '\\', '*', '(']) {
        true => ["sh", "-c", line].map(str::to_owned).to_vec(),
        false => line.split_whitespace().map(str::to_owned).collect(),
    }
}
