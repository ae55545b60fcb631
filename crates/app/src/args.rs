//! The command line: the classic flags of the bash program and the modern verbs, both ending in
//! one validated [`Command`]. Everything that can be wrong with the arguments is found here.

mod arrange;
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
mod thermal;

pub(crate) use arrange::arranged;
use classic_loads::ClassicLoads;
use efficiency::EfficiencyFlags;
pub(crate) use environment::Environment;
pub(crate) use identify::Identify;
use meters::MeterFlags;
use monitor::MonitorFlags;
pub(crate) use monitor::{MonitorArgs, Replay, View};
pub(crate) use program::definitions;
use program::{AbFlags, ProgramFlags};
use run::{RunFlags, run_command};
use sensitivity::SensitivityFlags;
pub(crate) use several::Several;
pub(crate) use single::{Single, SingleArgs};
pub(crate) use survey::{ReviewArgs, SurveyVerb};
use thermal::ThermalFlags;

use bench::{Options, Watched};
use clap::{Parser, Subcommand};
use std::path::PathBuf;

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
    Explain {
        files: Vec<PathBuf>,
        json: bool,
        verbose: bool,
    },
    /// Compare results, put them into tables, follow them over time.
    Several(Several),
    /// One question: clock, core-to-core.
    Single(Box<SingleArgs>),
    /// Look over the machine: kernel, storage, review.
    Survey(SurveyVerb),
    /// Write a Record in another form.
    Report { file: PathBuf, format: String },
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

/// A run: its options and where its results go.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunArgs {
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
}

/// Find out what a single-board computer or small server really does, and why.
///
/// Without a command: the standard run. It takes a few minutes, needs no installation, and as root
/// also sets governors to performance for its time and restores them.
#[derive(Debug, Parser)]
#[command(name = "sbc-bench", version, after_help = AFTER_HELP, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    /// Read this directory or board file instead of the running system.
    #[arg(long, global = true, value_name = "DIR|FILE.board")]
    pub(crate) root: Option<PathBuf>,
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
Environment: MODE=extensive|unattended, MaxKHz, MinKHz, NotReadyYet=yes, NOTUNING=yes, ExecuteCommand,
CPUINFOFILE, Netio=host/socket, NO_COLOR=1.

Exit status: 0 finished and valid; 1 usage or failure; 3 finished, but the results are not valid;
4 refused to start because the system is busy; 5 a setting could not be restored; 130 interrupted.";

/// The flags that people know.
#[derive(Debug, clap::Args)]
struct Classic {
    #[command(flatten)]
    loads: ClassicLoads,
    /// Watch the machine; every SECONDS, fractions allowed (default 5)
    #[arg(short = 'm', value_name = "SECONDS", num_args = 0..=1, default_missing_value = "")]
    monitor: Option<String>,
    /// Efficiency: every OPP of SETS (cpulist, cores, clusters, coreclusters, all; default all cores)
    #[arg(short = 'g', value_name = "SETS", num_args = 0..=1, default_missing_value = "")]
    graph: Option<String>,
    /// As -r
    #[arg(short = 'j')]
    review_j: bool,
    /// Whose kernel this is, and whether it is still supported
    #[arg(short = 'k')]
    kernel: bool,
    /// Is the memory controller throttled by heat? AES, a heavy load, AES again
    #[arg(short = 'M')]
    memory_throttle: bool,
    /// Review: settings that cost performance, what each costs, then watching until Ctrl-C
    #[arg(short = 'r')]
    review: bool,
    /// Review without benchmarks
    #[arg(short = 'R')]
    review_only: bool,
    /// Disks, cards, their buses and health
    #[arg(short = 'S')]
    storage: bool,
    /// Thermal test: wait until the SoC has cooled to CELSIUS (default 50), then heat for 5 minutes
    #[arg(short = 't', value_name = "CELSIUS", num_args = 0..=1, default_missing_value = "")]
    cool: Option<String>,
    /// Thermal test: heat the SoC up to CELSIUS (default 50) first
    #[arg(short = 'T', value_name = "CELSIUS", num_args = 0..=1, default_missing_value = "")]
    heat_to: Option<String>,
    #[arg(short = 'u', hide = true)]
    update: bool,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// The standard run, or with `-- CMD` any command under the same gate, watch and validation
    Run {
        #[command(flatten)]
        flags: RunFlags,
        #[command(flatten)]
        program: ProgramFlags,
    },
    /// Does a setting or another command make a difference? Both sides in turns, with an interval
    Ab {
        #[command(flatten)]
        sides: AbFlags,
        #[command(flatten)]
        flags: RunFlags,
        #[command(flatten)]
        program: ProgramFlags,
    },
    /// What do workloads lose when the clock falls? Elasticity, what limits, use of each core
    Sensitivity {
        #[command(flatten)]
        flags: RunFlags,
        #[command(flatten)]
        sensitivity: SensitivityFlags,
    },
    /// What does the machine make of heat? Throttling, steady clock, time constant, K per W
    Thermal {
        #[command(flatten)]
        flags: RunFlags,
        #[command(flatten)]
        thermal: ThermalFlags,
    },
    /// What does performance cost? Every OPP with clock, score, temperature and power, sweet spot
    Efficiency {
        #[command(flatten)]
        flags: RunFlags,
        #[command(flatten)]
        efficiency: EfficiencyFlags,
    },
    /// Watch clocks, load, temperatures and throttling until interrupted
    Monitor {
        /// Seconds between two lines, fractions allowed
        #[arg(value_name = "SECONDS", default_value = "", hide_default_value = true)]
        interval: String,
        /// Show nothing; for --record, --prometheus and --textfile
        #[arg(long, short)]
        quiet: bool,
        #[command(flatten)]
        flags: MonitorFlags,
    },
    /// Write a note into the recording that is being made
    Mark {
        /// The note
        #[arg(required = true, value_name = "TEXT")]
        words: Vec<String>,
        /// This recording, instead of those that are being made now
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
    },
    /// Say what logs or Records mean: scores, what went wrong, how sure that is
    Explain {
        /// Logs of any sbc-bench version, or Records; `-` is standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Findings as JSON
        #[arg(long)]
        json: bool,
        /// With all evidence
        #[arg(long, short)]
        verbose: bool,
    },
    #[command(flatten)]
    Single(Single),
    #[command(flatten)]
    Several(Several),
    #[command(flatten)]
    Survey(SurveyVerb),
    /// Write a log or Record in another form (see `list reports`)
    Report {
        /// A log or a Record
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Which report
        #[arg(long, default_value = "text")]
        format: String,
    },
    /// Put back settings that a killed run has left behind
    Restore,
    #[command(hide = true)]
    Guard {
        #[arg(long)]
        owner: u32,
        #[arg(long)]
        journal: Option<PathBuf>,
        #[arg(long)]
        group: Option<String>,
    },
    /// Show the tables: sensors, workloads, rules, reports; external tools; your own definitions
    List {
        /// One of them: sensors, workloads, rules, reports, tools, definitions
        what: Option<String>,
    },
    /// Install external programs from the distribution's packages, after showing the command
    InstallTools {
        /// Which of `sbc-bench list tools`; all that are missing by default
        #[arg(value_name = "NAME")]
        names: Vec<String>,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// Write what this machine says of itself as a board file, for bug reports
    Snapshot,
    /// Show board, SoC with its evidence, CPUs, clusters and memory
    Identify(Identify),
    /// Print completions for a shell
    Completions {
        /// bash, zsh, fish ...
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(hide = true)]
    Manual,
}

/// Modes of the bash program that this version does not have, each with what to do instead.
fn absent(classic: &Classic) -> Option<&'static str> {
    classic
        .update
        .then_some("-u (self-update: install a newer binary over this one instead)")
}

/// The command, or one sentence about what is wrong with the arguments.
pub(crate) fn command(mut cli: Cli, environment: &Environment) -> Result<Command, String> {
    let meters = std::mem::take(&mut cli.meters).all(environment)?;
    let mut command = without_meters(cli, environment)?;
    match &mut command {
        Command::Run(args) => args.options.meters = meters,
        Command::Monitor(args) => args.meters = meters,
        _ => {}
    }
    Ok(command)
}

fn without_meters(cli: Cli, environment: &Environment) -> Result<Command, String> {
    let Cli {
        root: _,
        verb,
        classic,
        run,
        meters: _,
        monitor,
    } = cli;
    match verb {
        None => {}
        Some(verb) => return verb_command(verb, environment),
    }
    if let Some(name) = absent(&classic) {
        return Err(format!("{name} is not part of this version."));
    }
    if let Some(verb) = survey::of_flags(&classic, &run) {
        return verb.command(environment);
    }
    if let Some(interval) = classic.monitor {
        return Ok(Command::Monitor(monitor.checked(&interval, run.quiet)?));
    }
    if let Some(given) = monitor.first_given() {
        return Err(format!(
            "{given} belongs to the monitor: sbc-bench -m {given} ..."
        ));
    }
    let task = thermal::classic_task(&classic)?;
    run_command(run, task, &classic.loads, environment)
}

fn verb_command(verb: Verb, environment: &Environment) -> Result<Command, String> {
    let no_flags = ClassicLoads::default();
    Ok(match verb {
        Verb::Run { flags, program } => {
            return run_command(flags, program.task()?, &no_flags, environment);
        }
        Verb::Ab {
            sides,
            flags,
            program,
        } => return run_command(flags, program.ab(&sides)?, &no_flags, environment),
        Verb::Sensitivity { flags, sensitivity } => {
            return run_command(flags, sensitivity.task()?, &no_flags, environment);
        }
        Verb::Thermal { flags, thermal } => {
            return run_command(flags, thermal.task()?, &no_flags, environment);
        }
        Verb::Efficiency { flags, efficiency } => {
            return run_command(flags, efficiency.task()?, &no_flags, environment);
        }
        Verb::Monitor {
            interval,
            quiet,
            flags,
        } => Command::Monitor(flags.checked(&interval, quiet)?),
        Verb::Mark { words, to } => Command::Mark {
            text: words.join(" "),
            to,
        },
        Verb::Explain {
            files,
            json,
            verbose,
        } => Command::Explain {
            files,
            json,
            verbose,
        },
        Verb::Several(verb) => Command::Several(verb),
        Verb::Single(verb) => Command::Single(Box::new(verb.arguments(environment)?)),
        Verb::Survey(verb) => return verb.command(environment),
        Verb::Report { file, format } => Command::Report { file, format },
        Verb::Restore => Command::Restore,
        Verb::Guard {
            owner,
            journal,
            group,
        } => Command::Guard(Watched {
            owner,
            journal,
            group,
        }),
        Verb::List { what } => Command::List { what },
        Verb::InstallTools { names, yes } => Command::InstallTools { names, yes },
        Verb::Snapshot => Command::Snapshot,
        Verb::Identify(mut identify) => {
            if identify.file.is_none() && !identify.is_of_texts() {
                identify.cpuinfo = environment.get("CPUINFOFILE").map(PathBuf::from);
            }
            Command::Identify(identify)
        }
        Verb::Completions { shell } => Command::Completions { shell },
        Verb::Manual => Command::Manual,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;
    use std::time::Duration;

    fn parse(line: &str, variables: &[(&str, &str)]) -> Result<Command, String> {
        let words = std::iter::once("sbc-bench").chain(line.split_whitespace());
        let cli = Cli::try_parse_from(arranged(words.map(OsString::from)))
            .map_err(|error| error.to_string())?;
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        command(
            cli,
            &Environment {
                variables: variables.iter().map(own).collect(),
            },
        )
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
            ("-m fast", &[][..], "number of seconds"),
            ("-m 0", &[], "0.02 to 3600"),
            ("-m nan", &[], "0.02 to 3600"),
            ("--record x", &[], "belongs to the monitor"),
            ("-m --tui --jsonl", &[], "cannot be used with"),
            ("-m --speed 2", &[], "--replay"),
            ("--nonsense", &[], "--nonsense"),
            ("nonsense", &[], "nonsense"),
            ("-u", &[], "not part of this version"),
            ("--wait soon", &[], "120s"),
            ("", &[("MODE", "fast")], "extensive or unattended"),
            ("", &[("MaxKHz", "1.4GHz")], "kHz"),
            ("", &[("NOTUNING", "maybe")], "yes or no"),
            (
                "",
                &[("MaxKHz", "400000"), ("MinKHz", "500000")],
                "no clock is left",
            ),
            ("explain", &[], "FILE"),
        ] {
            let error = parse(line, variables).unwrap_err();
            assert!(error.contains(expected), "{line} {variables:?}: {error}");
        }
    }

    #[test]
    fn the_root_may_stand_before_and_behind_the_command() {
        for line in [
            "--root x.board identify",
            "identify --root x.board",
            "--root x.board -m",
        ] {
            let words = std::iter::once("sbc-bench").chain(line.split_whitespace());
            let cli = Cli::try_parse_from(arranged(words.map(OsString::from))).unwrap();
            assert_eq!(cli.root, Some("x.board".into()), "{line}");
        }
    }

    #[test]
    fn the_environment_is_honoured() {
        let variables = [
            ("MODE", "extensive"),
            ("MaxKHz", "1416000"),
            ("NotReadyYet", "yes"),
        ];
        let Ok(Command::Run(args)) = parse("-c --wait 5s --force", &variables) else {
            panic!()
        };
        assert!(args.options.extensive && args.options.heat && args.options.force);
        assert!(!args.options.scores && args.options.tune);
        assert_eq!(args.options.clock_khz_max, Some(1_416_000));
        assert_eq!(args.options.wait, Duration::from_secs(5));
        assert_eq!(
            args.given,
            [
                "MODE=extensive",
                "MaxKHz=1416000",
                "NotReadyYet=yes",
                "--force",
                "-c"
            ]
        );
    }
}
