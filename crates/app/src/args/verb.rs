//! The verbs of the command line, and the command that each of them stands for. Verbs with more than a
//! few arguments have their own file in this directory.

use super::efficiency::EfficiencyFlags;
use super::groups::{ResumeFlags, RootFlags, ScreenFlags, TuneFlags};
use super::meters::MeterFlags;
use super::monitor::MonitorFlags;
use super::program::{AbFlags, ProgramFlags, RepeatFlags};
use super::run::{Extra, RunFlags, run_command};
use super::sensitivity::SensitivityFlags;
use super::single::OneShot;
use super::targets::TargetFlags;
use super::thermal::ThermalFlags;
use super::{Command, Environment, FileCommand, Identify, ReportTo, SurveyVerb, UpdateArgs, UploadArgs};
use bench::{AnyTask, Watched};
use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Run the standard benchmark, a workload, or a command (-- CMD)
    Run {
        #[command(flatten)]
        program: ProgramFlags,
        #[command(flatten)]
        repeat: RepeatFlags,
        #[command(flatten)]
        targets: TargetFlags,
        #[command(flatten)]
        tune: TuneFlags,
        #[command(flatten)]
        resume: ResumeFlags,
        #[command(flatten)]
        screen: ScreenFlags,
        #[command(flatten)]
        flags: RunFlags,
    },
    /// Compare two settings or commands in alternating runs
    ///
    /// Runs A and B in blocks of A-B-B-A and reports the difference with its 95 % interval.
    Ab {
        #[command(flatten)]
        sides: AbFlags,
        #[command(flatten)]
        program: ProgramFlags,
        #[command(flatten)]
        tune: TuneFlags,
        #[command(flatten)]
        screen: ScreenFlags,
        #[command(flatten)]
        flags: RunFlags,
    },
    /// Measure how workloads depend on the CPU clock
    ///
    /// Reports the elasticity of each workload (by how much its score follows the clock) and what limits it.
    Sensitivity {
        #[command(flatten)]
        sensitivity: SensitivityFlags,
        #[command(flatten)]
        targets: TargetFlags,
        #[command(flatten)]
        resume: ResumeFlags,
        #[command(flatten)]
        screen: ScreenFlags,
        #[command(flatten)]
        flags: RunFlags,
    },
    /// Thermal test: time to throttling, sustained clock, K/W
    ///
    /// Runs a stress load and reports the time to throttling, sustained clock and score, time constant and thermal
    /// resistance.
    Thermal {
        #[command(flatten)]
        thermal: ThermalFlags,
        #[command(flatten)]
        targets: TargetFlags,
        #[command(flatten)]
        screen: ScreenFlags,
        #[command(flatten)]
        flags: RunFlags,
    },
    /// Measure score, temperature and power at every OPP
    Efficiency {
        #[command(flatten)]
        efficiency: EfficiencyFlags,
        #[command(flatten)]
        targets: TargetFlags,
        #[command(flatten)]
        resume: ResumeFlags,
        #[command(flatten)]
        screen: ScreenFlags,
        #[command(flatten)]
        flags: RunFlags,
    },
    /// Show clocks, load, temperatures and throttling
    Monitor {
        /// Sampling interval in seconds, or with unit such as 500ms [default: 5s, full screen 1s]
        #[arg(value_name = "INTERVAL", default_value = "", hide_default_value = true)]
        interval: String,
        /// Print nothing (with --record, --prometheus, --web or --textfile)
        #[arg(long, short)]
        quiet: bool,
        #[command(flatten)]
        flags: MonitorFlags,
        #[command(flatten)]
        meters: MeterFlags,
        #[command(flatten)]
        root: RootFlags,
    },
    /// Add a mark to the current recording
    Mark {
        /// Text of the mark
        #[arg(required = true, value_name = "TEXT")]
        words: Vec<String>,
        /// Mark this recording instead of those in progress
        #[arg(long = "record", alias = "to", value_name = "FILE")]
        to: Option<PathBuf>,
    },
    /// Explain logs or result files
    ///
    /// Prints whether the scores are valid, what they lost to which cause, and what helps.
    Explain {
        /// Logs of any sbc-bench version, or result files; `-` reads standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Print verdict, main results, causes and findings of each file as a JSON array
        #[arg(long)]
        json: bool,
        /// Show the evidence behind each statement, with the lines of the log
        #[arg(long, short = 'v', alias = "verbose", conflicts_with = "json")]
        details: bool,
        /// Exit with 2 if any result is degraded and with 3 if any is invalid
        #[arg(long)]
        check: bool,
    },
    #[command(flatten)]
    OneShot(OneShot),
    #[command(flatten)]
    FileCommand(FileCommand),
    #[command(flatten)]
    Survey(SurveyVerb),
    /// Convert a log or result file to another format
    Report {
        /// Log or result file
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Report to print (see `list reports`)
        #[arg(long, value_name = "ID", default_value = "text")]
        format: String,
        /// Write an HTML page with verdict, causes, timeline, plots and figures to FILE
        #[arg(long, value_name = "FILE", conflicts_with = "format")]
        html: Option<PathBuf>,
        /// Write all plots of the result to DIR as PNG and SVG
        #[arg(long, alias = "png", value_name = "DIR", conflicts_with_all = ["format", "html"])]
        plots: Option<PathBuf>,
    },
    /// Remove private data from logs, result files and snapshots
    ///
    /// Removes names, addresses, serial numbers and commands; also from recordings and streams.
    Redact {
        /// Logs of any sbc-bench version, result files, streams, recordings, .board snapshots
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Write to this file (several inputs: to this directory) instead of standard output
        #[arg(long, short, value_name = "FILE|DIR")]
        output: Option<PathBuf>,
    },
    /// Send results to a hub
    ///
    /// Redacts them, shows what is sent and asks once. Prints a short address for each. What could not be sent is kept
    /// and sent by the next upload to the same hub.
    Upload(UploadArgs),
    /// Replace this program by a newer one
    ///
    /// Verifies the signature and sum of the newer program, shows it and asks. The new one must start; otherwise the old
    /// one stays. Programs of a package are left to the package manager.
    Update(UpdateArgs),
    /// Recover runs that died and report the cause
    ///
    /// Saves the results of runs that died and reports the step and the likely cause. Every other command does this
    /// first.
    Recover {
        /// Look for runs that were started with --log FILE
        #[arg(long, value_name = "FILE")]
        log: Option<PathBuf>,
    },
    /// Restore settings that a killed run left changed
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
    /// List questions, sensors, workloads, rules, reports, tools, definitions
    List {
        /// What to list: questions, sensors, workloads, rules, reports, tools or definitions [default: all but tools]
        what: Option<String>,
    },
    /// Install missing external tools
    ///
    /// Uses the distribution's package manager and shows the command before it runs.
    InstallTools {
        /// Tools from `sbc-bench list tools` [default: all missing ones]
        #[arg(value_name = "NAME")]
        names: Vec<String>,
        /// Do not ask for confirmation
        #[arg(long, short)]
        yes: bool,
    },
    /// Print a snapshot (.board file) of this machine
    ///
    /// The snapshot holds this machine's /proc and /sys as text, without names, addresses and serial numbers, for bug
    /// reports and for --root.
    Snapshot {
        #[command(flatten)]
        root: RootFlags,
    },
    /// Identify board, SoC, CPUs and memory
    Identify(Identify),
    /// Print shell completions
    Completions {
        /// bash, elvish, fish, powershell or zsh
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(hide = true)]
    Manual,
}

impl Verb {
    /// The other machine that this verb is to read, where it takes one.
    pub(super) fn root(&self) -> Option<&PathBuf> {
        match self {
            Verb::Monitor { root, .. } | Verb::Snapshot { root } => root.root.as_ref(),
            Verb::Identify(identify) => identify.root.root.as_ref(),
            Verb::Survey(verb) => verb.root(),
            _ => None,
        }
    }

    /// The command of this verb.
    ///
    /// # Errors
    /// One sentence about what is wrong with its arguments or a variable.
    pub(super) fn command(self, environment: &Environment) -> Result<Command, String> {
        let extra = Extra::default();
        Ok(match self {
            Verb::Run { flags, program, repeat, targets, tune, resume, screen } => {
                let program = ProgramFlags { repeat: repeat.repeat, ..program };
                targets.check(&program.workload_ids())?;
                let extra = Extra { targets, tune, resume, screen, ..extra };
                return run_command(flags, extra, program.task()?, environment);
            }
            Verb::Ab { sides, flags, program, tune, screen } => {
                let task = AnyTask::of(program.ab(&sides)?);
                return run_command(flags, Extra { tune, screen, ..extra }, task, environment);
            }
            Verb::Sensitivity { flags, sensitivity, targets, resume, screen } => {
                let task = sensitivity.task()?;
                targets.check(&task.workload_ids())?;
                return run_command(flags, Extra { targets, resume, screen, ..extra }, AnyTask::of(task), environment);
            }
            Verb::Thermal { flags, thermal, targets, screen } => {
                let task = thermal.task()?;
                targets.check(task.load.workload_id().as_ref())?;
                return run_command(flags, Extra { targets, screen, ..extra }, AnyTask::of(task), environment);
            }
            Verb::Efficiency { flags, efficiency, targets, resume, screen } => {
                let task = efficiency.task()?;
                targets.check(task.load.as_ref().map(|load| &load.workload))?;
                return run_command(flags, Extra { targets, resume, screen, ..extra }, AnyTask::of(task), environment);
            }
            Verb::Monitor { interval, quiet, flags, meters, .. } => {
                Command::Monitor(flags.checked(&interval, quiet, meters, environment)?)
            }
            Verb::Mark { words, to } => Command::Mark { text: words.join(" "), to },
            Verb::Explain { files, json, details, check } => Command::Explain { files, json, details, check },
            Verb::FileCommand(verb) => Command::FileCommand(verb),
            Verb::OneShot(verb) => Command::OneShot(Box::new(verb.arguments(environment)?)),
            Verb::Survey(verb) => return verb.command(environment),
            Verb::Report { file, format, html, plots } => Command::Report {
                file,
                to: match (html, plots) {
                    (Some(page), _) => ReportTo::Page(page),
                    (_, Some(folder)) => ReportTo::Plots(folder),
                    (None, None) => ReportTo::Output(format),
                },
            },
            Verb::Redact { files, output } => Command::Redact { files, output },
            Verb::Upload(args) => Command::Upload(args),
            Verb::Update(args) => Command::Update(args),
            Verb::Recover { log } => Command::Recover { log },
            Verb::Restore => Command::Restore,
            Verb::Guard { owner, journal, group, places } => Command::Guard(Watched { owner, journal, group, places }),
            Verb::List { what } => Command::List { what },
            Verb::InstallTools { names, yes } => Command::InstallTools { names, yes },
            Verb::Snapshot { .. } => Command::Snapshot,
            Verb::Identify(mut identify) => {
                if identify.file.is_none() && !identify.has_text_facts() {
                    identify.cpuinfo = environment.get("CPUINFOFILE").map(PathBuf::from);
                }
                Command::Identify(identify)
            }
            Verb::Completions { shell } => Command::Completions { shell },
            Verb::Manual => Command::Manual,
        })
    }
}
