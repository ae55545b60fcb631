//! Arguments of `efficiency` and of the classic `-g`. They end in a [`bench::Task`].

use bench::Task;
use bench::efficiency::{Efficiency, Sets};

/// What performance costs in watts and degrees.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct EfficiencyFlags {
    /// cores, clusters, coreclusters, all, or a list such as 0-3 [default: all cores together]
    #[arg(value_name = "SETS", default_value = "")]
    sets: String,
    /// What runs at each OPP: sevenzip, or lzma (built in) [default: sevenzip where it is installed]
    #[arg(long, value_name = "NAME")]
    load: Option<String>,
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
        Ok(Task::Efficiency(Efficiency { sets, load }))
    }
}

/// The task of `-g [SETS]`.
///
/// # Errors
/// One sentence about what is wrong.
pub(super) fn task(sets: &str) -> Result<Task, String> {
    let sets = Sets::parse(sets)?;
    Ok(Task::Efficiency(Efficiency { sets, load: None }))
}
