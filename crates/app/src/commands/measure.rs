//! `sbc-bench measure`: answers one question. It restores settings and writes no files, unless the machine dies.

use super::known;
use super::plain::Plain;
use super::power::PowerFlags;
use super::resume;
use super::start::{begin, places, restore_leftovers, source, stamp, utc_offset_minutes};
use super::{Command, CommandResult, Verb};
use crate::args::Environment;
use crate::args::groups::{OneShotFlags, UserFlags};
use crate::args::program::{calling_user, without_sensors};
use crate::args::targets::TargetFlags;
use crate::paths::Paths;
use bench::{AnyTask, CpuMeasurement, Load, Options, RunContext, SingleWorkload};
use console::progress::ProgressBar;
use console::terminal_caps::text_columns;
use console::{output, signals, status};
use explain::Document;
use machine::{LazyMachine, Root, Timeline};
use record::{End, Machine, Outcome, Record, Variant, WorkloadId};
use std::sync::Arc;
use std::time::Duration;
use workloads::job::duration::parse_duration;

const CPUS_OF_WORKLOAD: &str = "CPUs to run on: all, fastest, core-types or a list such as 0-3,6 [default: as in a standard run: the fastest one, or all of them]";

/// Measure one thing: clock, memory, scaling, power, one workload
///
/// `sbc-bench measure ID` runs the workload ID of `sbc-bench list workloads` once.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = false)]
pub(crate) struct Measure {
    #[command(subcommand)]
    what: OneShot,
}

#[derive(Debug, clap::Subcommand)]
#[command(subcommand_value_name = "WHAT", subcommand_help_heading = "What")]
enum OneShot {
    Clock(Clock),
    #[command(flatten)]
    Plain(Plain),
    Workload(Workload),
    Power(Box<PowerFlags>),
}

/// Measure the real CPU clocks
///
/// Measures every OPP, each CPU alone and all CPUs at once. As root, governors are set to performance and every OPP is measured; all settings are restored at the end.
#[derive(Debug, clap::Args)]
struct Clock {
    #[command(flatten)]
    common: OneShotFlags,
    /// Number of readings per clock
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u16).range(1..=1000))]
    readings: u16,
    /// Load all CPUs for TIME, then measure the clocks again, for example 60s or 10min
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    heat: Option<Duration>,
}

/// Run one workload once
///
/// For example `aes aes-256-cbc` or `aes:aes-256-cbc`; see `sbc-bench list workloads`.
#[derive(Debug, clap::Args)]
#[command(mut_arg("cpus", |cpus| cpus.help(CPUS_OF_WORKLOAD)))]
struct Workload {
    /// Workload id, or ID:VARIANT
    #[arg(value_name = "ID")]
    id: String,
    /// Variant of the workload
    #[arg(value_name = "VARIANT", default_value = "", hide_default_value = true)]
    variant: String,
    #[command(flatten)]
    targets: TargetFlags,
    #[command(flatten)]
    user: UserFlags,
    #[command(flatten)]
    common: OneShotFlags,
}

/// One question with its options.
#[derive(Debug)]
struct Query {
    task: AnyTask,
    options: Options,
    /// Report of the answer.
    report: &'static str,
    json: bool,
    quiet: bool,
    /// Command line in words, for the Record.
    given: Vec<String>,
}

impl Verb for Measure {
    fn checked(self, environment: &Environment) -> CommandResult {
        let mut options = environment.options()?;
        let (task, report, common) = match self.what {
            OneShot::Power(flags) => return (*flags).checked(environment),
            OneShot::Clock(Clock { common, readings, heat }) => {
                let task = bench::Clock { cpus: common.cpus()?, readings: readings.into(), heat };
                (AnyTask::of(task), "clock", common)
            }
            OneShot::Workload(Workload { id, variant, targets, user, common }) => {
                options.targets = targets.targets()?;
                if !user.as_root {
                    options.user = calling_user()?.map(Arc::new);
                }
                let (workload, variant) = workload(&id, &variant)?;
                targets.check([&workload])?;
                let task = SingleWorkload { workload, variant, cpus: common.selection()? };
                (AnyTask::of(task), "text", common)
            }
            OneShot::Plain(Plain { verb, common }) => {
                (AnyTask::of(CpuMeasurement { verb, cpus: common.cpus()? }), verb.question.asked_by, common)
            }
        };
        let mut given = environment.given();
        options.tune &= !common.tune.no_tuning;
        options.ignored_sensors.clone_from(&common.meters.ignored_sensors);
        if common.meters.is_given() {
            options.meters = common.meters.all(environment)?;
        }
        given.extend(common.cpus.map(|list| format!("--cpus {list}")));
        Ok(Box::new(Query { task, options, report, json: common.json, quiet: common.quiet, given }))
    }
}

impl Command for Query {
    fn run(self: Box<Self>, root: &Root) -> anyhow::Result<u8> {
        run(root, &self)
    }
}

/// The workload and its variant, which may follow a colon.
fn workload(id: &str, variant: &str) -> Result<(WorkloadId, Variant), String> {
    let text = match variant {
        "" => id.to_owned(),
        variant => format!("{id}:{variant}"),
    };
    let load = Load::parse(&text).map_err(|why| format!("{why}."))?;
    let is_built_in =
        |load: &Load| workloads::workload(load.workload).is_some_and(|workload| !workload.attributes.is_users_own);
    let load = load.filter(is_built_in);
    let load = load.ok_or_else(|| format!("Unknown workload {id:?}; see `sbc-bench list workloads`."))?;
    match &load.variants[..] {
        [] => Ok((load.workload, Variant::ONLY)),
        [variant] => Ok((load.workload, variant.clone())),
        _ => Err("workload runs one variant; use `sbc-bench run --workload` for several.".into()),
    }
}

fn run(root: &Root, args: &Query) -> anyhow::Result<u8> {
    begin(root)?;
    let as_root = machine::is_root();
    let paths = Paths::choose(as_root, None);
    let cancelled = signals::watch()?;
    let bar = ProgressBar::new(args.quiet);
    if as_root {
        // A killed run may have left the requested CPU offline.
        restore_leftovers(root, &paths, args.options.tune, &bar);
    }
    let root = &without_sensors(root, &args.options.ignored_sensors);
    let machine = LazyMachine::new(root);
    check_cpus(machine.machine(), &args.task.cpus(machine.machine()))?;
    if let Some(why) = bench::refusal(&*args.task, &machine, &args.options) {
        anyhow::bail!(why);
    }
    let timeline = Timeline::start();
    let (place, kept) = places(root, &paths, &stamp(timeline.start_utc_ms()), &bar);
    let finished = bench::run(RunContext {
        root,
        machine: &machine,
        timeline: &timeline,
        task: &*args.task,
        options: &args.options,
        given: args.given.clone(),
        asked: resume::asked(&args.options),
        earlier: None,
        utc_offset_minutes: utc_offset_minutes(timeline.start_utc_ms()),
        source: source(),
        place,
        journal: as_root.then_some(paths.journal.as_path()),
        cancelled,
        marks: None,
        while_waiting: || {},
        expected_mips: |_, _| None,
        on_settings: &signals::set_restore_handle,
        shows_samples: false,
        progress: &mut |progress| bar.show(&progress),
    });
    bar.finish();
    // Only a machine that dies leaves a stream.
    kept.iter().for_each(|kept| kept.runs.forget(&kept.stem));
    conclude(&finished.record, args)
}

/// Refuses CPUs that are not online.
fn check_cpus(machine: &Machine, wanted: &[u32]) -> anyhow::Result<()> {
    let online = |cpu: &&u32| machine.cpus.iter().any(|c| c.cpu == **cpu && c.online);
    let missing: Vec<u32> = wanted.iter().filter(|cpu| !online(cpu)).copied().collect();
    let known = machine.cpus.iter().filter(|cpu| cpu.online);
    let known: Vec<u32> = known.map(|cpu| cpu.cpu).collect();
    anyhow::ensure!(
        missing.is_empty() || known.is_empty(),
        "CPU {} is not online; online CPUs: {}.",
        record::cpu_list(&missing),
        record::cpu_list(&known)
    );
    Ok(())
}

fn conclude(record: &Record, args: &Query) -> anyhow::Result<u8> {
    let explained = explain::explain(record);
    if args.json {
        output::print(&(Document::printed(&explained.facts, &explained.assessment) + "\n"))?;
    } else if let Some(report) = report::find(args.report) {
        output::print_text(&report.text_in(&explained, known::reference, text_columns()))?;
    }
    let is_done = |step: &record::Step| matches!(step.outcome, Outcome::Done(_));
    Ok(match record.run.end {
        _ if let Some(status) = status::of_settings(record) => status,
        End::Interrupted { .. } => status::INTERRUPTED,
        _ if !record.steps.iter().any(is_done) => status::FAILURE,
        _ => status::of(explained.assessment.verdict),
    })
}
