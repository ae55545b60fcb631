//! The verbs of the command line, and the command that each of them stands for. Verbs with more than a
//! few arguments have a file of their own beside this one.

use super::classic_loads::ClassicLoads;
use super::efficiency::EfficiencyFlags;
use super::monitor::MonitorFlags;
use super::program::{AbFlags, ProgramFlags};
use super::run::{RunFlags, run_command};
use super::sensitivity::SensitivityFlags;
use super::single::Single;
use super::thermal::ThermalFlags;
use super::{Command, Environment, Identify, Several, SurveyVerb};
use bench::{AnyTask, Watched};
use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
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
        /// Write every plot that the result has into this folder, as PNG and SVG
        #[arg(long, value_name = "DIR", conflicts_with = "format")]
        png: Option<PathBuf>,
    },
    /// Blank names, addresses, serial numbers and commands in logs, Records, recordings and board files, and say
    /// what was blanked
    Redact {
        /// Logs of any sbc-bench version, Records, streams, recordings, board files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Write to this file, or for several files into this folder, instead of standard output
        #[arg(long, short, value_name = "FILE|DIR")]
        output: Option<PathBuf>,
    },
    /// Say of runs that died in which step and why, and keep what they measured; other commands do it first
    Recover {
        /// Look beside this log, where a run was started with --log
        #[arg(long, value_name = "FILE")]
        log: Option<PathBuf>,
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
        #[arg(long)]
        places: Option<PathBuf>,
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

impl Verb {
    /// The command of this verb.
    ///
    /// # Errors
    /// One sentence about what is wrong with its arguments or a variable.
    pub(super) fn command(self, environment: &Environment) -> Result<Command, String> {
        let no_flags = ClassicLoads::default();
        Ok(match self {
            Verb::Run { flags, program } => {
                return run_command(flags, program.task()?, &no_flags, environment);
            }
            Verb::Ab { sides, flags, program } => {
                return run_command(flags, AnyTask::of(program.ab(&sides)?), &no_flags, environment);
            }
            Verb::Sensitivity { flags, sensitivity } => {
                return run_command(flags, AnyTask::of(sensitivity.task()?), &no_flags, environment);
            }
            Verb::Thermal { flags, thermal } => {
                return run_command(flags, AnyTask::of(thermal.task()?), &no_flags, environment);
            }
            Verb::Efficiency { flags, efficiency } => {
                return run_command(flags, AnyTask::of(efficiency.task()?), &no_flags, environment);
            }
            Verb::Monitor { interval, quiet, flags } => Command::Monitor(flags.checked(&interval, quiet)?),
            Verb::Mark { words, to } => Command::Mark { text: words.join(" "), to },
            Verb::Explain { files, json, verbose } => Command::Explain { files, json, verbose },
            Verb::Several(verb) => Command::Several(verb),
            Verb::Single(verb) => Command::Single(Box::new(verb.arguments(environment)?)),
            Verb::Survey(verb) => return verb.command(environment),
            Verb::Report { file, format, png } => Command::Report { file, format, png },
            Verb::Redact { files, output } => Command::Redact { files, output },
            Verb::Recover { log } => Command::Recover { log },
            Verb::Restore => Command::Restore,
            Verb::Guard { owner, journal, group, places } => Command::Guard(Watched { owner, journal, group, places }),
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
}
