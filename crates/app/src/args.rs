//! The command line: the classic flags of the bash program and the modern verbs, both ending in
//! one validated [`Command`]. Everything that can be wrong with the arguments is found here.

mod arrange;
mod classic;
mod classic_loads;
mod efficiency;
mod environment;
mod identify;
mod meters;
mod monitor;
mod program;
mod run;
mod sensitivity;
mod several;
mod single;
mod survey;
mod targets;
mod thermal;
mod verb;
mod wrong;

pub(crate) use arrange::arranged;
pub(crate) use environment::Environment;
pub(crate) use identify::Identify;
pub(crate) use monitor::{MonitorArgs, Replay, View};
pub(crate) use program::{calling_user, definitions};
pub(crate) use several::Several;
pub(crate) use single::SingleArgs;
pub(crate) use survey::{ReviewArgs, SurveyVerb};
pub(crate) use wrong::sentence;

use bench::{AnyTask, Options, Watched};
use clap::Parser;
use classic::Classic;
use meters::MeterFlags;
use monitor::MonitorFlags;
use run::RunFlags;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use verb::Verb;

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
    Explain { files: Vec<PathBuf>, json: bool, verbose: bool },
    /// Compare results, put them into tables, follow them over time.
    Several(Several),
    /// One question: clock, core-to-core.
    Single(Box<SingleArgs>),
    /// Look over the machine: kernel, storage, review.
    Survey(SurveyVerb),
    /// Write a Record in another form.
    Report { file: PathBuf, format: String, png: Option<PathBuf> },
    /// Blank what is private in results.
    Redact { files: Vec<PathBuf>, output: Option<PathBuf> },
    /// Make Records of runs that died, of the usual folder or the one beside this log.
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
    /// True for those that look first whether an earlier run died: all that people ask something.
    pub(crate) fn looks_back(&self) -> bool {
        !matches!(
            self,
            Self::Recover { .. } | Self::Guard(_) | Self::List { .. } | Self::Completions { .. } | Self::Manual
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
    /// Go on with the run that left this Record; with the newest that died for `latest`.
    pub(crate) resume: Option<PathBuf>,
}

/// Find out what a single-board computer or small server really does, and why.
///
/// Without a command: the standard run. It takes a few minutes, needs no installation, and as root
/// also sets governors to performance for its time and restores them.
#[derive(Debug, Parser)]
#[command(name = "sbc-bench", version = env!("SBC_BENCH_VERSION"), after_help = AFTER_HELP, max_term_width = 80, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    /// Read this directory or board file instead of the running system.
    #[arg(long, global = true, value_name = "DIR|FILE.board")]
    pub(crate) root: Option<PathBuf>,
    /// Under sudo: run commands of yours as root, too, and not as the user who called
    #[arg(long, global = true)]
    as_root: bool,
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    classic: Classic,
    #[command(flatten)]
    run: RunFlags,
    #[command(flatten)]
    meters: MeterFlags,
    #[command(flatten)]
    monitor: MonitorFlags,
}

const AFTER_HELP: &str = "\
Environment: MODE=extensive|unattended, MaxKHz, MinKHz, NotReadyYet=yes,
NOTUNING=yes, ExecuteCommand (of -r and -R), CPUINFOFILE, Netio=host/socket,
NO_COLOR=1.

Exit status: 0 finished and valid; 1 usage or failure; 3 finished, but the
results are not valid; 4 refused to start because the system is busy; 5 a
setting could not be restored; 130 interrupted. A command of your own that
fails hands on its own status.";

/// The command of these words and variables, as they were typed for an earlier run.
///
/// # Errors
/// One sentence about what is wrong with them.
pub(crate) fn of_words(words: &[String], variables: &[String]) -> Result<Command, String> {
    let words = std::iter::once("sbc-bench").chain(words.iter().map(String::as_str));
    let cli = Cli::try_parse_from(arranged(words.map(OsString::from)));
    let pairs = variables.iter().filter_map(|text| text.split_once('='));
    let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let environment = Environment { variables: pairs.map(own).collect() };
    command(cli.map_err(|error| error.to_string())?, &environment)
}

/// The command, or one sentence about what is wrong with the arguments.
pub(crate) fn command(mut cli: Cli, environment: &Environment) -> Result<Command, String> {
    let meters = std::mem::take(&mut cli.meters).all(environment)?;
    let mut command = match cli.verb {
        Some(verb) => verb.command(environment)?,
        None => cli.classic.command(cli.run, cli.monitor, environment)?,
    };
    let user = match cli.as_root {
        true => None,
        false => program::calling_user()?.map(Arc::new),
    };
    match &mut command {
        Command::Run(args) => {
            args.options.meters = meters;
            args.options.user = user;
        }
        Command::Single(args) => args.options.user = user,
        Command::Monitor(args) => args.meters = meters,
        _ => {}
    }
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn parse(line: &str, variables: &[(&str, &str)]) -> Result<Command, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let pair = |(name, value): &(&str, &str)| format!("{name}={value}");
        of_words(&words, &variables.iter().map(pair).collect::<Vec<_>>())
    }

    fn seconds(line: &str) -> f64 {
        match parse(line, &[]) {
            Ok(Command::Monitor(args)) => args.interval.map_or(0.0, |time| time.as_secs_f64()),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn the_monitor_takes_its_interval_anywhere() {
        for (line, expected) in [
            ("-m", 0.0),
            ("-m 2", 2.0),
            ("-m 0.5", 0.5),
            ("-m0.5", 0.5),
            ("-m .5", 0.5),
            ("-m 2s", 2.0),
            ("-cm 2", 2.0),
            ("-mc 2", 2.0),
            ("-mc2", 2.0),
            ("-mc", 0.0),
            ("-m -c", 0.0),
            ("-m -c 2", 2.0),
            ("-c -m 2", 2.0),
            ("2 -m", 2.0),
            ("2 -mc", 2.0),
            ("-m --count 3", 0.0),
            ("-m --count 3 --record x", 0.0),
            ("-m 0.1 --count 3", 0.1),
            ("--count 3 -m 2", 2.0),
            ("monitor", 0.0),
            ("monitor 0.2", 0.2),
            ("monitor --count 3 0.2", 0.2),
            ("--root 5 -m", 0.0),
        ] {
            assert_eq!(seconds(line), expected, "{line}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, variables, expected) in [
            ("-m fast", &[][..], "takes a time of 20ms to 1h"),
            ("-m 0", &[], "20ms to 1h"),
            ("-m nan", &[], "20ms to 1h"),
            ("--record x", &[], "belongs to the monitor"),
            ("-m --resume", &[], "goes on with a run that measures"),
            ("-k --resume x.json", &[], "goes on with a run that measures"),
            ("-m --tui --jsonl", &[], "cannot be used with"),
            ("-m --speed 2", &[], "--replay"),
            ("--nonsense", &[], "--nonsense"),
            ("nonsense", &[], "nonsense"),
            ("-u", &[], "not part of this version"),
            ("--wait soon", &[], "a time is a number with its unit such as 90s or 10min"),
            ("", &[("MODE", "fast")], "extensive or unattended"),
            ("", &[("MaxKHz", "1.4GHz")], "kHz"),
            ("", &[("NOTUNING", "maybe")], "yes or no"),
            ("", &[("MaxKHz", "400000"), ("MinKHz", "500000")], "no clock is left"),
            ("explain", &[], "FILE"),
        ] {
            let error = parse(line, variables).unwrap_err();
            assert!(error.contains(expected), "{line} {variables:?}: {error}");
        }
    }

    #[test]
    fn a_run_is_resumed_by_name_or_the_newest_is() {
        for (line, expected) in [
            ("--resume", Some("latest")),
            ("--resume x.json --quiet", Some("x.json")),
            ("efficiency --resume", Some("latest")),
            ("run --resume -- true", Some("latest")),
            ("run -- true --resume", None),
        ] {
            let Ok(Command::Run(args)) = parse(line, &[]) else {
                panic!("{line}");
            };
            assert_eq!(args.resume.as_deref(), expected.map(std::path::Path::new), "{line}");
        }
    }

    #[test]
    fn the_root_may_stand_before_and_behind_the_command() {
        for line in ["--root x.board identify", "identify --root x.board", "--root x.board -m"] {
            let words = std::iter::once("sbc-bench").chain(line.split_whitespace());
            let cli = Cli::try_parse_from(arranged(words.map(OsString::from))).unwrap();
            assert_eq!(cli.root, Some("x.board".into()), "{line}");
        }
    }

    #[test]
    fn the_environment_is_honoured() {
        let variables = [("MODE", "extensive"), ("MaxKHz", "1416000"), ("NotReadyYet", "yes")];
        let Ok(Command::Run(args)) = parse("-c --wait 5s --force", &variables) else { panic!() };
        assert!(args.options.extensive && args.options.heat && args.options.force);
        assert!(!args.options.scores && args.options.tune);
        assert_eq!(args.options.clock_khz_max, Some(1_416_000));
        assert_eq!(args.options.wait, Duration::from_secs(5));
        assert_eq!(args.given, ["MODE=extensive", "MaxKHz=1416000", "NotReadyYet=yes", "--force", "-c"]);
    }
}
