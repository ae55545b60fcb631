//! The command line: one file for each verb with its flags and code, and the classic flags of the bash program. All arguments
//! are checked before anything runs.

pub(crate) mod ab;
mod arrange;
mod classic;
mod classic_loads;
pub(crate) mod compare;
pub(crate) mod doctor;
pub(crate) mod efficiency;
pub(crate) mod explain;
pub(crate) mod explained_files;
mod help;
pub(crate) mod identify;
#[cfg(test)]
mod ignored;
pub(crate) mod inspect;
pub(crate) mod kernel;
pub(crate) mod known;
pub(crate) mod limits;
mod list;
pub(crate) mod measure;
pub(crate) mod monitor;
mod plain;
pub(crate) mod power;
pub(crate) mod recover;
pub(crate) mod redact;
pub(crate) mod restore;
pub(crate) mod results;
mod resume;
mod resume_hint;
pub(crate) mod review;
pub(crate) mod run;
pub(crate) mod sending;
pub(crate) mod sensitivity;
pub(crate) mod share;
pub(crate) mod site;
pub(crate) mod snapshot;
mod start;
pub(crate) mod storage;
#[cfg(test)]
mod tests;
pub(crate) mod thermal;
pub(crate) mod tools;
pub(crate) mod trend;
mod unread;
pub(crate) mod update;
pub(crate) mod upload;
mod usage_error;
pub(crate) mod view;
mod workers;
pub(crate) mod workloads;

pub(crate) use usage_error::sentence;

use crate::args::Environment;
use crate::args::groups::{ReportFlags, ResumeFlags, TuneFlags};
use crate::args::run::{RunArgs, RunFlags};
use arrange::reorder;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};
use classic::Classic;
use machine::Root;
use monitor::MonitorFlags;
use std::ffi::OsString;
use std::fmt::Debug;
use std::path::PathBuf;

/// A command with valid arguments.
pub(crate) trait Command: Debug {
    /// Whether to recover runs that died before it starts.
    fn recovers_first(&self) -> bool {
        true
    }

    /// Runs the command. Returns the exit status.
    fn run(self: Box<Self>, root: &Root) -> anyhow::Result<u8>;

    /// The benchmark run that it starts, if it can be resumed.
    fn into_run(self: Box<Self>) -> Option<RunArgs> {
        None
    }
}

/// A valid command, or one sentence about the error in the arguments or a variable.
pub(crate) type CommandResult = Result<Box<dyn Command>, String>;

/// The flags of a verb.
pub(crate) trait Verb {
    /// Checks constraints that the parser cannot express.
    fn checked(self, environment: &Environment) -> CommandResult;
}

/// Flags that the parser checks completely are the command.
impl<C: Command + 'static> Verb for C {
    fn checked(self, _: &Environment) -> CommandResult {
        Ok(Box::new(self))
    }
}

/// The verbs of the command line: a line for each file.
macro_rules! verbs {
    ($($verb:ident($flags:ty)),* $(,)?) => {
        /// A verb with its flags.
        #[derive(Debug, clap::Subcommand)]
        pub(crate) enum Verbs {
            $($verb($flags)),*
        }

        impl Verb for Verbs {
            fn checked(self, environment: &Environment) -> CommandResult {
                match self {
                    $(Self::$verb(flags) => flags.checked(environment)),*
                }
            }
        }
    };
}

verbs! {
    Run(run::Run),
    Ab(ab::AbFlags),
    Sensitivity(sensitivity::SensitivityFlags),
    Thermal(thermal::ThermalFlags),
    Efficiency(efficiency::EfficiencyFlags),
    Measure(measure::Measure),
    Monitor(monitor::MonitorVerb),
    Inspect(inspect::Inspect),
    Explain(explain::Explain),
    Compare(compare::Compare),
    Results(results::Results),
    View(view::View),
    Review(review::ReviewFlags),
    Share(share::Share),
    Redact(redact::Redact),
    Upload(upload::Upload),
    Update(update::Update),
    Recover(recover::Recover),
    Guard(restore::Guard),
    List(list::List),
    InstallTools(tools::InstallTools),
    Snapshot(snapshot::Snapshot),
    Completions(list::Completions),
    Manual(list::Manual),
    Licences(list::Licences),
}

/// Benchmark a single-board computer or small server, and explain the result.
///
/// Without a command, run the standard benchmark. It takes a few minutes and needs no installation. As root it also
/// sets the cpufreq governors to performance during the run and restores them afterwards.
#[derive(Debug, Parser)]
#[command(name = "sbc-bench", version = env!("SBC_BENCH_VERSION"), max_term_width = 80, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    verb: Option<Verbs>,
    #[command(flatten)]
    classic: Classic,
    #[command(flatten)]
    run: RunFlags,
    #[command(flatten)]
    tune: TuneFlags,
    #[command(flatten)]
    resume: ResumeFlags,
    #[command(flatten)]
    report: ReportFlags,
    /// With -m, -k or -S: read from this directory or .board snapshot instead of the running system
    #[arg(long, value_name = "DIR|FILE.board")]
    pub(crate) root: Option<PathBuf>,
    #[command(flatten)]
    monitor: MonitorFlags,
}

/// The `--root` of a verb or its subcommand.
fn root_of(matches: &ArgMatches) -> Option<PathBuf> {
    let (mut found, mut verb) = (None, Some(matches));
    while let Some(matches) = verb {
        found = matches.try_get_one::<PathBuf>("root").ok().flatten().cloned().or(found);
        verb = matches.subcommand().map(|(_, verb)| verb);
    }
    found
}

/// The grammar of the command line.
pub(crate) fn grammar() -> clap::Command {
    help::with_help(Cli::command())
}

/// Parses the words of a command line, beginning with the name of the program.
///
/// # Errors
/// Output of clap: an error or a help text.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let grammar = grammar();
    let matches = grammar.clone().try_get_matches_from(reorder(words, &grammar))?;
    Ok(Cli { root: root_of(&matches), ..Cli::from_arg_matches(&matches)? })
}

/// The command of the recorded words and variables of an earlier run.
pub(crate) fn parse_recorded(words: &[String], variables: &[String]) -> CommandResult {
    let words = std::iter::once("sbc-bench").chain(words.iter().map(String::as_str));
    let cli = parse(words.map(OsString::from));
    let pairs = variables.iter().filter_map(|text| text.split_once('='));
    let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let environment = Environment { variables: pairs.map(own).collect() };
    command(cli.map_err(|error| error.to_string())?, &environment)
}

/// The command, or one sentence about the error in the arguments.
pub(crate) fn command(cli: Cli, environment: &Environment) -> CommandResult {
    match cli.verb {
        Some(verb) => verb.checked(environment),
        None if cli.root.is_some() && !cli.classic.reads_other_machines() => {
            Err("--root applies to -m, -k and -S only: a benchmark measures the running system.".into())
        }
        None => cli.classic.command(cli.run, (cli.tune, cli.report), cli.resume, cli.monitor, environment),
    }
}
