//! Arguments of `efficiency` and of the classic `-g`. They end in a [`bench::Task`].

use bench::Task;
use bench::efficiency::Sets;

/// What performance costs in watts and degrees.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct EfficiencyFlags {
    /// cores, clusters, coreclusters, all, or a list such as 0-3 [default: all cores together]
    #[arg(value_name = "SETS", default_value = "")]
    sets: String,
}

impl EfficiencyFlags {
    /// # Errors
    /// One sentence about what is wrong.
    pub(crate) fn task(&self) -> Result<Task, String> {
        task(&self.sets)
    }
}

/// The task of `-g [SETS]`.
///
/// # Errors
/// One sentence about what is wrong.
pub(super) fn task(sets: &str) -> Result<Task, String> {
    Sets::parse(sets).map(Task::Efficiency)
}
