//! Arguments of `efficiency` and of the classic `-g`. They end in an [`Efficiency`].

use bench::efficiency::{Efficiency, Sets};
use bench::{Form, names_with_forms};
use bench::{Workload, parse_duration, workloads};
use record::Variant;
use std::time::Duration;

/// What performance costs in watts and degrees.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct EfficiencyFlags {
    /// cores, clusters, coreclusters, all, or a list such as 0-3 [default: all cores together]
    #[arg(value_name = "SETS", default_value = "")]
    sets: String,
    /// What runs at each OPP: sevenzip, lzma (built in), or one form of another workload such as
    /// video:h264-1080p [default: sevenzip where it is installed]
    #[arg(long, value_name = "NAME")]
    load: Option<String>,
    /// Repeat each OPP until its score is steady, at most so long [default: 11s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    point: Option<Duration>,
    /// Watch power and temperature without load for so long first [default: 20s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    idle: Option<Duration>,
}

impl EfficiencyFlags {
    /// # Errors
    /// One sentence about what is wrong.
    pub(crate) fn task(&self) -> Result<Efficiency, String> {
        let load = self.load.as_deref().map(load).transpose()?;
        let sets = Sets::parse(&self.sets)?;
        let own = Efficiency::default();
        Ok(Efficiency { sets, load, point: self.point.unwrap_or(own.point), idle: self.idle.unwrap_or(own.idle) })
    }
}

/// What runs at each OPP: a packer as it does there, or a form of another workload.
fn load(name: &str) -> Result<Form, String> {
    let walks = |workload: &&Workload| workload.attributes.at_an_opp.is_some();
    if let Some(workload) = workloads::named(name).filter(walks) {
        return Ok(Form { workload: workload.id, variant: Variant::OPP });
    }
    let form = Form::first(name).map_err(|why| format!("{why}."))?;
    form.ok_or_else(|| {
        let others = names_with_forms().join(", ");
        format!("--load takes sevenzip, lzma or one of {others}, not {name:?}.")
    })
}

/// The task of `-g [SETS]`.
///
/// # Errors
/// One sentence about what is wrong.
pub(super) fn task(sets: &str) -> Result<Efficiency, String> {
    let sets = Sets::parse(sets)?;
    Ok(Efficiency { sets, ..Efficiency::default() })
}
