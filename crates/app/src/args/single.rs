//! The verbs that answer one question at once: clock, workload, and those that take nothing but CPUs.

use super::Environment;
use super::groups::{OneShotFlags, UserFlags};
use super::plain::Plain;
use super::program::calling_user;
use super::targets::TargetFlags;
use bench::{AnyTask, Clock, Load, Options, SingleWorkload, parse_duration, workloads};
use clap::Subcommand;
use record::{Variant, WorkloadId};
use std::sync::Arc;
use std::time::Duration;

/// Workloads of one thread run on the fastest CPU.
const CPUS_OF_WORKLOAD: &str = "CPUs to run on: all, fastest, core-types or a list such as 0-3,6 [default: as in a standard run: the fastest one, or all of them]";

/// One question to the machine.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum OneShot {
    /// Measure the real CPU clocks
    ///
    /// Measures every OPP, each CPU alone and all CPUs at once. As root, governors are set to performance and every OPP is measured; all settings are restored at the end.
    Clock {
        #[command(flatten)]
        common: OneShotFlags,
        /// Number of readings per clock
        #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u16).range(1..=1000))]
        readings: u16,
        /// Load all CPUs for TIME, then measure the clocks again, for example 60s or 10min
        #[arg(long, value_name = "TIME", value_parser = parse_duration)]
        heat: Option<Duration>,
    },
    #[command(flatten)]
    Plain(Plain),
    /// Run one workload once
    ///
    /// For example `aes aes-256-cbc` or `aes:aes-256-cbc`; see `sbc-bench list workloads`.
    #[command(mut_arg("cpus", |cpus| cpus.help(CPUS_OF_WORKLOAD)))]
    Workload {
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
    },
}

/// One of them, validated.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OneShotArgs {
    /// The question.
    pub(crate) task: AnyTask,
    pub(crate) options: Options,
    /// Report that tells the answer.
    pub(crate) report: &'static str,
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    /// What was asked for, in words, for the Record.
    pub(crate) given: Vec<String>,
}

impl OneShot {
    /// The options of the run that answers the question, or one sentence about what is wrong.
    pub(crate) fn arguments(self, environment: &Environment) -> Result<OneShotArgs, String> {
        let mut options = environment.options()?;
        let (task, report, common) = match self {
            OneShot::Clock { common, readings, heat } => {
                let task = Clock { cpus: common.cpus()?, readings: readings.into(), heat };
                (AnyTask::of(task), "clock", common)
            }
            OneShot::Workload { id, variant, targets, user, common } => {
                options.targets = targets.targets()?;
                if !user.as_root {
                    options.user = calling_user()?.map(Arc::new);
                }
                let (workload, variant) = workload(&id, &variant)?;
                targets.check([&workload])?;
                let task = SingleWorkload { workload, variant, cpus: common.selection()? };
                (AnyTask::of(task), "text", common)
            }
            OneShot::Plain(Plain { question, verb, common }) => {
                ((verb.task)(common.cpus()?), question.asked_by, common)
            }
        };
        let mut given = environment.given();
        options.tune &= !common.tune.no_tuning;
        given.extend(common.cpus.map(|list| format!("--cpus {list}")));
        Ok(OneShotArgs { task, options, report, json: common.json, quiet: common.quiet, given })
    }
}

/// The workload and its variant, which may stand behind a colon.
///
/// # Errors
/// One sentence: it is unknown, or does not have this variant.
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
