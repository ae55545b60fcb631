//! `sbc-bench efficiency`, `-g`: score, temperature and power at every OPP.

use super::{CommandResult, Verb};
use crate::args::Environment;
use crate::args::groups::{ResumeFlags, TuneFlags};
use crate::args::run::TaskFlags;
use bench::AnyTask;
use bench::efficiency::{CpuSets, Efficiency};
use bench::{Form, workloads_with_variants};
use record::Variant;
use std::time::Duration;
use workloads::Workload;
use workloads::job::duration::parse_duration;

/// Measure score, temperature and power at every OPP
#[derive(Debug, Default, clap::Args)]
pub(crate) struct EfficiencyFlags {
    /// CPUs to test: cores, clusters, coreclusters, all, or a list such as 0-3 [default: all CPUs together]
    #[arg(value_name = "CPUS", default_value = "", hide_default_value = true)]
    sets: String,
    /// Same as CPUS
    #[arg(long, value_name = "CPUS", conflicts_with = "sets")]
    cpus: Option<String>,
    /// Workload to run at each OPP: sevenzip, lzma (built-in), or WORKLOAD:VARIANT such as video:h264-1080p [default:
    /// sevenzip if installed, else lzma]
    #[arg(long = "workload", alias = "load", value_name = "NAME")]
    load: Option<String>,
    /// Maximum time per OPP; the workload is repeated until its score is stable [default: 12s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    point: Option<Duration>,
    /// Time to measure idle power and temperature first [default: 20s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    idle: Option<Duration>,
    #[command(flatten)]
    resume: ResumeFlags,
    #[command(flatten)]
    run: TaskFlags,
}

impl Verb for EfficiencyFlags {
    fn checked(self, environment: &Environment) -> CommandResult {
        let task = self.task()?;
        let workloads: Vec<_> = task.load.iter().map(|load| load.workload).collect();
        Ok(Box::new(self.run.run(AnyTask::of(task), &workloads, TuneFlags::default(), self.resume, environment)?))
    }
}

impl EfficiencyFlags {
    pub(crate) fn task(&self) -> Result<Efficiency, String> {
        let load = self.load.as_deref().map(load).transpose()?;
        let sets = CpuSets::parse(self.cpus.as_ref().unwrap_or(&self.sets))?;
        let own = Efficiency::default();
        Ok(Efficiency { sets, load, point: self.point.unwrap_or(own.point), idle: self.idle.unwrap_or(own.idle) })
    }
}

/// Workload at each OPP: a packer, or a form of another workload.
fn load(name: &str) -> Result<Form, String> {
    let walks = |workload: &&Workload| workload.attributes.at_an_opp.is_some();
    if let Some(workload) = workloads::named(name).filter(walks) {
        return Ok(Form { workload: workload.id, variant: Variant::OPP });
    }
    let form = Form::first(name).map_err(|why| format!("{why}."))?;
    form.ok_or_else(|| {
        let others = workloads_with_variants().join(", ");
        format!("--workload must be sevenzip, lzma or one of {others}, not {name:?}.")
    })
}

/// The task of `-g [SETS]`.
pub(crate) fn task(sets: &str) -> Result<Efficiency, String> {
    let sets = CpuSets::parse(sets)?;
    Ok(Efficiency { sets, ..Efficiency::default() })
}
