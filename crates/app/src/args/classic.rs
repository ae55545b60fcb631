//! The flags of the bash program that people know, and what is to be done where no verb is given.
//! Their loads (`-c`, `-s`, ...) are in `classic_loads`, their order in `arrange`.

use super::classic_loads::ClassicLoads;
use super::monitor::MonitorFlags;
use super::run::{RunFlags, run_command};
use super::{Command, Environment, ReviewArgs, SurveyVerb, efficiency, survey, thermal};
use bench::thermal::StartAt;
use bench::{AnyTask, DramThrottling};

/// The flags that people know.
#[derive(Debug, clap::Args)]
pub(super) struct Classic {
    #[command(flatten)]
    pub(super) loads: ClassicLoads,
    /// Watch the machine; every SECONDS, fractions allowed (default 5)
    #[arg(short = 'm', value_name = "SECONDS", num_args = 0..=1, default_missing_value = "")]
    monitor: Option<String>,
    /// Efficiency: every OPP of SETS (cpulist, cores, clusters, coreclusters, all; default all cores)
    #[arg(short = 'g', value_name = "SETS", num_args = 0..=1, default_missing_value = "")]
    pub(super) graph: Option<String>,
    /// As -r
    #[arg(short = 'j')]
    pub(super) review_j: bool,
    /// Whose kernel this is, and whether it is still supported
    #[arg(short = 'k')]
    pub(super) kernel: bool,
    /// Is the memory controller throttled by heat? AES, a heavy load, AES again
    #[arg(short = 'M')]
    pub(super) memory_throttle: bool,
    /// Review: look, measure, raise settings, measure; watch until Ctrl-C or until CMD ends; report
    #[arg(short = 'r')]
    pub(super) review: bool,
    /// Review without benchmarks: look, raise settings, watch until Ctrl-C or until CMD ends; report
    #[arg(short = 'R')]
    pub(super) review_only: bool,
    /// Disks, cards, their buses and health
    #[arg(short = 'S')]
    pub(super) storage: bool,
    /// Thermal test: wait until the SoC has cooled to CELSIUS (default 50), then heat for 5 minutes
    #[arg(short = 't', value_name = "CELSIUS", num_args = 0..=1, default_missing_value = "")]
    pub(super) cool: Option<String>,
    /// Thermal test: heat the SoC up to CELSIUS (default 50) first
    #[arg(short = 'T', value_name = "CELSIUS", num_args = 0..=1, default_missing_value = "")]
    pub(super) heat_to: Option<String>,
    #[arg(short = 'u', hide = true)]
    update: bool,
    /// With -r or -R: watch while this command runs, instead of until Ctrl-C
    #[arg(last = true, value_name = "CMD")]
    pub(super) command: Vec<String>,
}

impl Classic {
    /// The command of these flags, with those of a run or of the monitor beside them.
    ///
    /// # Errors
    /// One sentence about what is wrong with the arguments or a variable.
    pub(super) fn command(
        self,
        run: RunFlags,
        monitor: MonitorFlags,
        environment: &Environment,
    ) -> Result<Command, String> {
        if let Some(name) = absent(&self) {
            return Err(format!("{name} is not part of this version."));
        }
        self.one_question()?;
        if run.resume.is_some() && (self.survey_flag().is_some() || self.monitor.is_some()) {
            return Err("--resume goes on with a run that measures: sbc-bench --resume".into());
        }
        if let Some(verb) = survey_of(&self, &run)? {
            return verb.command(environment);
        }
        if !self.command.is_empty() {
            return Err(format!("This runs no command: {}.", survey::COMMANDS));
        }
        if let Some(interval) = self.monitor {
            return Ok(Command::Monitor(monitor.checked(&interval, run.quiet)?));
        }
        if let Some(given) = monitor.first_given() {
            return Err(format!("{given} belongs to the monitor: sbc-bench -m {given} ..."));
        }
        let task = task_of(&self)?;
        run_command(run, task, &self.loads, environment)
    }
}

impl Classic {
    /// `-r`, `-j` or `-R`.
    pub(super) fn is_review(&self) -> bool {
        self.review || self.review_j || self.review_only
    }

    /// The flag among those that look over the machine, if there is one.
    pub(super) fn survey_flag(&self) -> Option<&'static str> {
        let flags = [("-k", self.kernel), ("-S", self.storage), ("-R", self.review_only), ("-r", self.is_review())];
        let given = flags.into_iter().find(|(_, is)| *is);
        given.map(|(flag, _)| flag)
    }

    /// Flags of which each is a run of its own: two of them would be two runs.
    ///
    /// # Errors
    /// One sentence that names them.
    fn one_question(&self) -> Result<(), String> {
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
            ("-G", self.loads.is_geekbench()),
            ("-P", self.loads.is_phoronix()),
        ];
        let given = flags.iter().filter(|(_, is)| *is);
        let given: Vec<&str> = given.map(|(flag, _)| *flag).collect();
        // -G and -P run one after the other.
        if given.len() < 2 || given == ["-G", "-P"] {
            return Ok(());
        }
        Err(format!("{} are runs of their own: start them one after the other.", given.join(" and ")))
    }
}

/// What the classic flags `-k`, `-S`, `-r`, `-j` and `-R` mean, with the options of a run beside them.
///
/// # Errors
/// One sentence about what does not go with them.
fn survey_of(classic: &Classic, run: &RunFlags) -> Result<Option<SurveyVerb>, String> {
    let Some(flag) = classic.survey_flag() else {
        return Ok(None);
    };
    let is_review = classic.is_review();
    if !is_review && !classic.command.is_empty() {
        return Err(format!("{flag} runs no command: {}.", survey::COMMANDS));
    }
    if classic.loads.stockfish() {
        return Err(format!("-s does not go with {flag}: start sbc-bench -s before or afterwards."));
    }
    Ok(Some(match (classic.kernel, classic.storage) {
        (true, _) => SurveyVerb::Kernel { eol_file: None, json: run.json },
        (false, true) => SurveyVerb::Storage { json: run.json },
        (false, false) => SurveyVerb::Review(ReviewArgs {
            no_benchmarks: classic.review_only,
            json: run.json,
            force: run.force,
            wait: run.wait,
            heat: classic.loads.heat,
            log: run.log.clone(),
            quiet: run.quiet,
            command: classic.command.clone(),
            ..ReviewArgs::default()
        }),
    }))
}

/// The task of the classic flags: `-t`, `-T`, `-M`, `-g`, else that of the
/// loads, which is the standard run without any.
///
/// # Errors
/// One sentence about what is wrong.
fn task_of(flags: &Classic) -> Result<AnyTask, String> {
    match (&flags.cool, &flags.heat_to, &flags.graph) {
        (Some(celsius), ..) => thermal::classic("-t", celsius, StartAt::CoolTo).map(AnyTask::of),
        (None, Some(celsius), _) => thermal::classic("-T", celsius, StartAt::HeatTo).map(AnyTask::of),
        (None, None, _) if flags.memory_throttle => Ok(AnyTask::of(DramThrottling)),
        (None, None, Some(sets)) => efficiency::task(sets).map(AnyTask::of),
        (None, None, None) => flags.loads.task(),
    }
}

/// Modes of the bash program that this version does not have, each with what to do instead.
fn absent(classic: &Classic) -> Option<&'static str> {
    classic.update.then_some("-u (self-update: install a newer binary over this one instead)")
}
