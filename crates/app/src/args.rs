//! The command line: the classic flags of the bash program and the modern verbs, both ending in
//! one validated [`Command`]. Everything that can be wrong with the arguments is found here.

mod arrange;
mod classic;
mod classic_loads;
mod efficiency;
mod environment;
mod groups;
mod identify;
#[cfg(test)]
mod ignored;
mod meters;
mod monitor;
mod plain;
mod program;
mod run;
mod sensitivity;
mod several;
mod single;
mod site;
mod survey;
mod targets;
#[cfg(test)]
mod tests;
mod thermal;
mod update;
mod upload;
mod usage_error;
mod verb;
mod view;
mod written;

use arrange::reorder;
pub(crate) use environment::Environment;
pub(crate) use identify::Identify;
pub(crate) use monitor::{JsonlRows, MonitorArgs, Replay, View};
pub(crate) use program::{calling_user, definitions};
pub(crate) use several::{FileCommand, ResultsArgs};
pub(crate) use single::OneShotArgs;
pub(crate) use site::SiteArgs;
pub(crate) use survey::{ReviewArgs, SurveyVerb};
pub(crate) use update::UpdateArgs;
pub(crate) use upload::{RunUploadFlags, SendFlags, UploadArgs};
pub(crate) use usage_error::sentence;
pub(crate) use view::ViewArgs;
pub(crate) use written::{Form, WrittenFlags};

use bench::{AnyTask, Options, Watched};
use clap::{Args, CommandFactory, FromArgMatches, Parser};
use classic::Classic;
use groups::{ResumeFlags, TuneFlags};
use monitor::MonitorFlags;
use run::RunFlags;
use std::ffi::OsString;
use std::path::PathBuf;
use verb::Verb;

/// Where a report goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReportTo {
    /// The report of this id to standard output.
    Output(String),
    /// The page to this file.
    Page(PathBuf),
    /// All plots to this folder.
    Plots(PathBuf),
}

/// What is to be done, validated.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Command {
    /// The standard run.
    Run(Box<RunArgs>),
    /// Watch the machine until interrupted.
    Monitor(MonitorArgs),
    /// Write a note into a recording.
    Mark { text: String, to: Option<PathBuf> },
    /// Say what a log or a Record means.
    Explain { files: Vec<PathBuf>, json: bool, details: bool, check: bool },
    /// Compare results, put them into tables, follow them over time.
    FileCommand(FileCommand),
    /// One question, answered at once.
    OneShot(Box<OneShotArgs>),
    /// Look over the machine: kernel, storage, doctor, review.
    Survey(SurveyVerb),
    /// Write a Record in another form.
    Report { file: PathBuf, to: ReportTo },
    /// Blank what is private in results.
    Redact { files: Vec<PathBuf>, output: Option<PathBuf> },
    /// Send results to a hub.
    Upload(UploadArgs),
    /// Replace this program by a newer one.
    Update(UpdateArgs),
    /// Make Records of runs that died, of the usual folder or the one next to this log.
    Recover { log: Option<PathBuf> },
    /// Put back what a killed run has left.
    Restore,
    /// End programs and restore settings when the process at the other end of standard input is gone.
    Guard(Watched),
    /// Show what there is: sensors, workloads, rules, reports.
    List { what: Option<String> },
    /// Install external programs from the distribution's packages.
    InstallTools { names: Vec<String>, yes: bool },
    /// Write this machine as a board file.
    Snapshot,
    /// Show what this machine is.
    Identify(Identify),
    /// Print shell completions.
    Completions { shell: clap_complete::Shell },
    /// Print the manual page.
    Manual,
}

impl Command {
    /// True for those that look first whether an earlier run died: all that people ask something, but `doctor`, which
    /// changes nothing.
    pub(crate) fn recovers_first(&self) -> bool {
        !matches!(
            self,
            Self::Recover { .. }
                | Self::Guard(_)
                | Self::List { .. }
                | Self::Completions { .. }
                | Self::Manual
                | Self::Survey(SurveyVerb::Doctor { .. })
        )
    }
}

/// A run: its options and where its results go.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunArgs {
    /// What the run is for.
    pub(crate) task: AnyTask,
    /// How it is to be.
    pub(crate) options: Options,
    /// Print the Record as JSON instead of the report.
    pub(crate) json: bool,
    /// Where log and Record go; by default the system's log folder or the user's state folder.
    pub(crate) log: Option<PathBuf>,
    /// What was asked for, in words, for the Record.
    pub(crate) given: Vec<String>,
    /// Use this instead of `/proc/cpuinfo` for identification.
    pub(crate) cpuinfo_file: Option<PathBuf>,
    /// Show no progress.
    pub(crate) quiet: bool,
    /// Show the run on a whole screen.
    pub(crate) screen: bool,
    /// Go on with the run that left this Record; with the newest that died for `latest`.
    pub(crate) resume: Option<PathBuf>,
    /// Where the result is sent.
    pub(crate) upload: RunUploadFlags,
}

/// Benchmark a single-board computer or small server, and explain the result.
///
/// Without a command, run the standard benchmark. It takes a few minutes and needs no installation. As root it also
/// sets the cpufreq governors to performance during the run and restores them afterwards.
#[derive(Debug, Parser)]
#[command(name = "sbc-bench", version = env!("SBC_BENCH_VERSION"), after_help = AFTER_HELP, max_term_width = 80, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    classic: Classic,
    #[command(flatten)]
    run: RunFlags,
    #[command(flatten)]
    tune: TuneFlags,
    #[command(flatten)]
    resume: ResumeFlags,
    /// With -m, -k or -S: read from this directory or .board snapshot instead of the running system
    #[arg(long, value_name = "DIR|FILE.board")]
    root: Option<PathBuf>,
    #[command(flatten)]
    monitor: MonitorFlags,
}

impl Cli {
    /// The other machine that is to be read, where the command takes one.
    pub(crate) fn root(&self) -> Option<PathBuf> {
        self.verb.as_ref().map_or(self.root.as_ref(), Verb::root).cloned()
    }
}

/// The grammar of the command line. Options of the monitor stand in the help of `monitor` alone, although `-m` takes
/// them as well.
pub(crate) fn grammar() -> clap::Command {
    let of_monitor = MonitorFlags::augment_args(clap::Command::new("monitor"));
    let is_of_monitor = move |arg: &clap::Arg| of_monitor.get_arguments().any(|known| known.get_id() == arg.get_id());
    Cli::command().mut_args(move |arg| {
        let hide = is_of_monitor(&arg) || arg.is_hide_set();
        arg.hide(hide)
    })
}

/// Reads the words of a command line, the name of the program first.
///
/// # Errors
/// What clap says: wrong words, or a help text.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let matches = grammar().try_get_matches_from(reorder(words))?;
    Cli::from_arg_matches(&matches)
}

const AFTER_HELP: &str = "Environment: MODE=extensive|unattended, MaxKHz, MinKHz, NotReadyYet=yes,
NOTUNING=yes, ExecuteCommand (of -r and -R), CPUINFOFILE, Netio=host/socket,
NO_COLOR=1.

Exit status: 0 finished, results valid; 1 usage error or failure; 2 finished,
results degraded; 3 finished, results invalid; 4 not started because the system
is busy; 5 a setting was left changed; 6 the results could not be written; 130
interrupted. If your own command fails, its exit status is returned.";

/// The command of these words and variables, as they were typed for an earlier run.
///
/// # Errors
/// One sentence about what is wrong with them.
pub(crate) fn parse_recorded(words: &[String], variables: &[String]) -> Result<Command, String> {
    let words = std::iter::once("sbc-bench").chain(words.iter().map(String::as_str));
    let cli = parse(words.map(OsString::from));
    let pairs = variables.iter().filter_map(|text| text.split_once('='));
    let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let environment = Environment { variables: pairs.map(own).collect() };
    command(cli.map_err(|error| error.to_string())?, &environment)
}

/// The command, or one sentence about what is wrong with the arguments.
pub(crate) fn command(cli: Cli, environment: &Environment) -> Result<Command, String> {
    match cli.verb {
        Some(verb) => verb.command(environment),
        None if cli.root.is_some() && !cli.classic.reads_other_machines() => {
            Err("--root applies to -m, -k and -S only: a benchmark measures the running system.".into())
        }
        None => cli.classic.command(cli.run, cli.tune, cli.resume, cli.monitor, environment),
    }
}
