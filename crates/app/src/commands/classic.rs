//! Flags of the bash program, and the command without a verb. Flags of loads (`-c`, `-s`, ...) are in `classic_loads`, their
//! order is in `arrange`.

use super::classic_loads::ClassicLoads;
use super::kernel::Kernel;
use super::monitor::MonitorFlags;
use super::review::{self, ReviewFlags};
use super::storage::Storage;
use super::update::Update;
use super::{CommandResult, Verb, efficiency, thermal};
use crate::args::Environment;
use crate::args::groups::{ReportFlags, ResumeFlags, TuneFlags, chosen};
use crate::args::run::{RunArgs, RunFlags};
use bench::thermal::StartAt;
use bench::{AnyTask, DramThrottling};

#[derive(Debug, clap::Args)]
pub(crate) struct Classic {
    #[command(flatten)]
    pub(crate) loads: ClassicLoads,
    /// Monitor the machine, one sample every SECONDS (default 5; fractions allowed)
    #[arg(short = 'm', value_name = "SECONDS", num_args = 0..=1, default_missing_value = "")]
    monitor: Option<String>,
    /// Efficiency test: sweep all OPPs of CPUS (a list such as 0-3, cores, clusters, coreclusters or all; default: all
    /// CPUs together)
    #[arg(short = 'g', value_name = "CPUS", num_args = 0..=1, default_missing_value = "")]
    pub(crate) graph: Option<String>,
    /// Same as -r
    #[arg(short = 'j')]
    pub(crate) review_j: bool,
    /// Show the kernel's origin and support status
    #[arg(short = 'k')]
    pub(crate) kernel: bool,
    /// Test for thermal throttling of the memory controller: measure AES and memory before and after a heavy load
    #[arg(short = 'M')]
    pub(crate) memory_throttle: bool,
    /// Review: inspect, benchmark, tune settings, benchmark again, then monitor until Ctrl-C or until CMD exits, and
    /// report
    #[arg(short = 'r')]
    pub(crate) review: bool,
    /// Review without benchmarks: inspect, tune settings, monitor until Ctrl-C or until CMD exits, and report
    #[arg(short = 'R')]
    pub(crate) review_only: bool,
    /// Show disks and SD cards with their bus speed and health
    #[arg(short = 'S')]
    pub(crate) storage: bool,
    /// Thermal test: wait until the SoC has cooled to CELSIUS (default 50), then run a stress load for 5 minutes
    #[arg(short = 't', value_name = "CELSIUS", num_args = 0..=1, default_missing_value = "")]
    pub(crate) cool: Option<String>,
    /// Thermal test: heat the SoC to CELSIUS (default 50) first, then run a stress load for 5 minutes
    #[arg(short = 'T', value_name = "CELSIUS", num_args = 0..=1, default_missing_value = "")]
    pub(crate) heat_to: Option<String>,
    /// Replace this program by a newer one, as the verb update does
    #[arg(short = 'u')]
    update: bool,
    /// With -r or -R: monitor while this command runs instead of until Ctrl-C
    #[arg(last = true, value_name = "CMD")]
    pub(crate) command: Vec<String>,
}

impl Classic {
    /// The command of these flags with those of a run or of the monitor.
    pub(crate) fn command(
        self,
        run: RunFlags,
        (tune, report): (TuneFlags, ReportFlags),
        resume: ResumeFlags,
        monitor: MonitorFlags,
        environment: &Environment,
    ) -> CommandResult {
        self.check_exclusive()?;
        if self.update {
            return Ok(Box::new(Update::default()));
        }
        if resume.resume.is_some() && (self.survey_flag().is_some() || self.monitor.is_some()) {
            return Err("--resume continues a benchmark run; use it without -k, -S, -m, -r or -R.".into());
        }
        if tune.no_tuning
            && let Some(flag) =
                chosen([(self.monitor.is_some(), "-m"), (self.kernel, "-k"), (self.storage, "-S")]).next()
        {
            return Err(format!("--no-tuning does not apply to {flag}."));
        }
        if report.details && (self.survey_flag().is_some() || self.monitor.is_some()) {
            return Err("--details is for the standard run; use it without -k, -S, -m, -r or -R.".into());
        }
        if self.survey_flag().is_some() {
            return self.survey(run, tune, environment);
        }
        if !self.command.is_empty() {
            let what = if self.monitor.is_some() { "-m" } else { "A standard run" };
            return Err(format!("{what} takes no command. {}.", review::COMMANDS));
        }
        if let Some(interval) = self.monitor {
            if let Some(option) = run.first_not_of_monitor() {
                let instead = if option == "--json" { "; use --jsonl" } else { "" };
                return Err(format!("{option} does not apply to -m{instead}."));
            }
            return Ok(Box::new(monitor.checked(&interval, run.output.quiet, run.meters, environment)?));
        }
        if let Some(given) = monitor.first_given() {
            return Err(format!("{given} is a monitor option; use sbc-bench -m {given} ..."));
        }
        let task = task_of(&self)?;
        let mut run = RunArgs::of(task, run, tune, environment)?;
        run.options.heat = self.loads.heat;
        run.options.stockfish = self.loads.stockfish();
        run.given.extend(self.loads.given());
        Ok(Box::new(RunArgs { resume: resume.resume, details: report.details, ..run }))
    }

    /// True for flags that take `--root`.
    pub(crate) fn reads_other_machines(&self) -> bool {
        self.monitor.is_some() || self.kernel || self.storage
    }

    /// `-r`, `-j` or `-R`.
    pub(crate) fn is_review(&self) -> bool {
        self.review || self.review_j || self.review_only
    }

    /// The given flag among `-k`, `-S`, `-R` and `-r`.
    pub(crate) fn survey_flag(&self) -> Option<&'static str> {
        let flags = [("-k", self.kernel), ("-S", self.storage), ("-R", self.review_only), ("-r", self.is_review())];
        let given = flags.into_iter().find(|(_, is)| *is);
        given.map(|(flag, _)| flag)
    }

    /// The command of `-k`, `-S`, `-r`, `-j` or `-R`.
    fn survey(self, run: RunFlags, tune: TuneFlags, environment: &Environment) -> CommandResult {
        let flag = self.survey_flag().unwrap_or_default();
        if self.is_review() {
            let (no_benchmarks, heat, command) = (self.review_only, self.loads.heat, self.command);
            return ReviewFlags { no_benchmarks, run, tune, heat, command, ..ReviewFlags::default() }
                .checked(environment);
        }
        if !self.command.is_empty() {
            return Err(format!("{flag} runs no command: {}.", review::COMMANDS));
        }
        if let Some(option) = run.first_of_run() {
            return Err(format!("{option} does not apply to {flag}."));
        }
        if self.kernel {
            Ok(Box::new(Kernel { json: run.output.json, ..Kernel::default() }))
        } else {
            Ok(Box::new(Storage { json: run.output.json, ..Storage::default() }))
        }
    }

    /// Refuses two flags that each start a run.
    fn check_exclusive(&self) -> Result<(), String> {
        let flags = [
            ("-k", self.kernel),
            ("-S", self.storage),
            ("-m", self.monitor.is_some()),
            ("-r", self.review || self.review_j),
            ("-R", self.review_only),
            ("-t", self.cool.is_some()),
            ("-T", self.heat_to.is_some()),
            ("-M", self.memory_throttle),
            ("-g", self.graph.is_some()),
            ("-G", self.loads.geekbench),
            ("-P", self.loads.phoronix.is_some()),
            ("-u", self.update),
        ];
        let given = flags.iter().filter(|(_, is)| *is);
        let given: Vec<&str> = given.map(|(flag, _)| *flag).collect();
        // -c is a part of the standard run and of reviews, -s of the standard run; scripts bundle -c with -m.
        let heats = self.loads.heat && given.iter().any(|flag| !["-r", "-m"].contains(flag));
        let more = chosen([(heats, "-c"), (self.loads.stockfish() && !given.is_empty(), "-s")]).next();
        if let Some(more) = more {
            return Err(format!(
                "{more} cannot be combined with {}; run them one after the other.",
                given.join(" and ")
            ));
        }
        // -G and -P run one after the other.
        if given.len() < 2 || given == ["-G", "-P"] {
            return Ok(());
        }
        Err(format!("{} cannot be combined; run them one after the other.", given.join(" and ")))
    }
}

/// The task of `-t`, `-T`, `-M` or `-g`, else of the loads, else the standard run.
fn task_of(flags: &Classic) -> Result<AnyTask, String> {
    match (&flags.cool, &flags.heat_to, &flags.graph) {
        (Some(celsius), ..) => thermal::classic("-t", celsius, StartAt::CoolTo).map(AnyTask::of),
        (None, Some(celsius), _) => thermal::classic("-T", celsius, StartAt::HeatTo).map(AnyTask::of),
        (None, None, _) if flags.memory_throttle => Ok(AnyTask::of(DramThrottling)),
        (None, None, Some(sets)) => efficiency::task(sets).map(AnyTask::of),
        (None, None, None) => flags.loads.task(),
    }
}
