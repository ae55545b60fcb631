//! The verbs that look over the machine before anything is measured: kernel, storage, review.

use super::classic::Classic;
use super::run::RunFlags;
use super::{Command, Environment, RunArgs};
use bench::{Options, Review, Task};
use clap::Subcommand;
use std::path::PathBuf;

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
    /// Settings that cost performance, what each of them costs, then watching until Ctrl-C
    Review(ReviewArgs),
}

/// A review.
#[derive(Debug, Clone, Default, PartialEq, clap::Args)]
pub(crate) struct ReviewArgs {
    /// Only look, measure nothing
    #[arg(long)]
    pub(crate) no_benchmarks: bool,
    /// Print the Record as JSON instead of the review
    #[arg(long)]
    pub(crate) json: bool,
    /// Start although the system is busy (recorded in the results)
    #[arg(long)]
    force: bool,
    /// Do not watch after measuring
    #[arg(long)]
    no_watch: bool,
    /// Write the review here, and the Record beside it as .json
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Watch while this command runs, instead of until Ctrl-C
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
}

/// What the classic flags `-k`, `-S`, `-r`, `-j` and `-R` mean, with the options of a run beside them.
pub(super) fn of_flags(classic: &Classic, run: &RunFlags) -> Option<SurveyVerb> {
    if classic.kernel {
        return Some(SurveyVerb::Kernel {
            eol_file: None,
            json: run.json,
        });
    }
    if classic.storage {
        return Some(SurveyVerb::Storage { json: run.json });
    }
    let review = classic.review || classic.review_j || classic.review_only;
    review.then(|| {
        SurveyVerb::Review(ReviewArgs {
            no_benchmarks: classic.review_only,
            json: run.json,
            force: run.force,
            log: run.log.clone(),
            quiet: run.quiet,
            ..ReviewArgs::default()
        })
    })
}

impl SurveyVerb {
    /// What is to be done: a look, or for a review with benchmarks a run.
    ///
    /// # Errors
    /// One sentence about a variable that is wrong.
    pub(super) fn command(self, environment: &Environment) -> Result<Command, String> {
        match self {
            SurveyVerb::Review(args) if !args.no_benchmarks => {
                Ok(Command::Run(Box::new(RunArgs {
                    options: args.options(environment)?,
                    json: args.json,
                    given: environment.given(),
                    log: args.log,
                    cpuinfo_file: None,
                    quiet: args.quiet,
                })))
            }
            SurveyVerb::Review(args) if !args.command.is_empty() => Err(
                "--no-benchmarks only looks; leave it out to watch while a command runs.".into(),
            ),
            verb => Ok(Command::Survey(verb)),
        }
    }
}

impl ReviewArgs {
    /// The run behind a review with benchmarks.
    ///
    /// # Errors
    /// One sentence about a variable that is wrong.
    fn options(&self, environment: &Environment) -> Result<Options, String> {
        let mut command = self.command.clone();
        if command.is_empty()
            && let Some(line) = environment.get("ExecuteCommand")
        {
            // As the bash program: words, no shell.
            command = line.split_whitespace().map(str::to_owned).collect();
        }
        Ok(Options {
            task: Task::Review(Review {
                command,
                watch: !self.no_watch,
            }),
            force: self.force,
            ..environment.options()?
        })
    }
}
