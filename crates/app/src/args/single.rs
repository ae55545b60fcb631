//! The verbs that answer one question at once: clock, core-to-core and memory.

use super::Environment;
use super::targets::TargetFlags;
use bench::Form;
use bench::{AnyTask, Clock, CoreToCore, Memory, Options, SingleWorkload, parse_duration, workloads};
use clap::Subcommand;
use std::time::Duration;

/// One question to the machine.
#[derive(Debug, Clone, PartialEq, Subcommand)]
pub(crate) enum Single {
    /// Which clocks the CPUs really have: every OPP, each CPU alone, all at once
    ///
    /// As root the governors are set to performance for its time, and every OPP is tried; all is put
    /// back at the end.
    Clock {
        #[command(flatten)]
        common: Common,
        /// Change no settings: the clocks as they are, without the lower OPPs
        #[arg(long)]
        quick: bool,
        /// Successive readings of each clock
        #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u16).range(1..=1000))]
        readings: u16,
        /// Let all CPUs work for so long, then measure the clocks again, for example 60s or 10min
        #[arg(long, value_name = "TIME", value_parser = parse_duration)]
        heat: Option<Duration>,
    },
    /// All about memory: bandwidth, latency by size, both under load, caches found and claimed
    Memory {
        #[command(flatten)]
        common: Common,
    },
    /// One workload of `sbc-bench list workloads`, once, for example aes aes-256-cbc
    Workload {
        /// Its id
        #[arg(value_name = "ID")]
        id: String,
        /// Which form of it
        #[arg(value_name = "VARIANT", default_value = "")]
        variant: String,
        #[command(flatten)]
        targets: TargetFlags,
        #[command(flatten)]
        common: Common,
    },
    /// How long data takes from every CPU to every other; clusters show without any table
    CoreToCore {
        #[command(flatten)]
        common: Common,
    },
}

/// What all of them take.
#[derive(Debug, Clone, PartialEq, clap::Args)]
pub(crate) struct Common {
    /// Only these CPUs, for example 0-3,6
    #[arg(long, value_name = "LIST")]
    cpu: Option<String>,
    /// Print the Record as JSON instead of the text
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// One of them, validated.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SingleArgs {
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

impl Single {
    /// The options of the run that answers the question, or one sentence about what is wrong.
    pub(crate) fn arguments(self, environment: &Environment) -> Result<SingleArgs, String> {
        let mut options = environment.options()?;
        let (task, report, common) = match self {
            Single::Clock { common, quick, readings, heat } => {
                options.tune &= !quick;
                let task = Clock { cpus: common.cpus()?, readings: readings.into(), heat };
                (AnyTask::of(task), "clock", common)
            }
            Single::Memory { common } => (AnyTask::of(Memory { cpus: common.cpus()? }), "memory", common),
            Single::Workload { id, variant, targets, common } => {
                options.targets = targets.targets()?;
                check_form(&id, &variant)?;
                let known = workloads::named(&id);
                let known = known.filter(|workload| !workload.attributes.is_users_own);
                let workload =
                    known.ok_or_else(|| format!("there is no workload {id:?}; see sbc-bench list workloads."))?;
                let task = SingleWorkload { workload: workload.id, variant: variant.into(), cpus: common.cpus()? };
                (AnyTask::of(task), "text", common)
            }
            Single::CoreToCore { common } => (AnyTask::of(CoreToCore { cpus: common.cpus()? }), "core-to-core", common),
        };
        let mut given = environment.given();
        given.extend(common.cpu.map(|list| format!("--cpu {list}")));
        Ok(SingleArgs { task, options, report, json: common.json, quiet: common.quiet, given })
    }
}

/// Refuses a form that the workload does not have.
fn check_form(id: &str, variant: &str) -> Result<(), String> {
    let text = match variant {
        "" => id.to_owned(),
        variant => format!("{id}:{variant}"),
    };
    let has_forms = bench::names_with_forms().contains(&id);
    match has_forms {
        true => Form::parse(&text).map(|_| ()).map_err(|why| format!("{why}.")),
        false => Ok(()),
    }
}

impl Common {
    /// The CPUs that are wanted, in order; empty for all.
    fn cpus(&self) -> Result<Vec<u32>, String> {
        let Some(list) = &self.cpu else {
            return Ok(Vec::new());
        };
        record::parse_cpu_list(list)
            .filter(|cpus| !cpus.is_empty())
            .ok_or_else(|| format!("--cpu is a list of CPUs such as 0-3,6, not {list:?}."))
    }
}
