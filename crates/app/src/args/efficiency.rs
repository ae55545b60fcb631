//! Arguments of `efficiency` and of the classic `-g`. They end in a [`bench::Task`].

use bench::efficiency::{Efficiency, Sets};
use bench::{Task, parse_duration};
use std::time::Duration;

/// What performance costs in watts and degrees.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct EfficiencyFlags {
    /// cores, clusters, coreclusters, all, or a list such as 0-3 [default: all cores together]
    #[arg(value_name = "SETS", default_value = "")]
    sets: String,
    /// What runs at each OPP: sevenzip, or lzma (built in) [default: sevenzip where it is installed]
    #[arg(long, value_name = "NAME")]
    load: Option<String>,
    /// Repeat each OPP until its score is steady, at most so long [default: 15s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    point: Option<Duration>,
    /// Watch power and temperature without load for so long first [default: 20s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    idle: Option<Duration>,
}

impl EfficiencyFlags {
    /// # Errors
    /// One sentence about what is wrong.
    pub(crate) fn task(&self) -> Result<Task, String> {
        let load = match self.load.as_deref() {
            None => None,
            Some("lzma") => Some("lzma"),
            Some("sevenzip") => Some("sevenzip"),
            Some(other) => return Err(format!("--load takes sevenzip or lzma, not {other:?}.")),
        };
        let sets = Sets::parse(&self.sets)?;
        let own = Efficiency::default();
        Ok(Task::Efficiency(Efficiency {
            sets,
            load,
            point: self.point.unwrap_or(own.point),
            idle: self.idle.unwrap_or(own.idle),
        }))
    }
}

/// The task of `-g [SETS]`.
///
/// # Errors
/// One sentence about what is wrong.
pub(super) fn task(sets: &str) -> Result<Task, String> {
    let sets = Sets::parse(sets)?;
    Ok(Task::Efficiency(Efficiency {
        sets,
        ..Efficiency::default()
    }))
}
