//! Options for limits of figures against a baseline.

use compare::Limit;
use std::path::PathBuf;

/// Limits and their baseline.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct LimitFlags {
    /// Fail (exit 1) where the noise of both leaves no doubt, for example 'sevenzip-multi < baseline - 5 %'
    ///
    /// The name is that of a main figure, without its method: the words of `compare --format csv`, joined by `-`. Where noise
    /// may hide it, the answer is "not enough to tell", which does not fail.
    #[arg(long, value_name = "LIMIT", requires = "baseline")]
    pub(crate) fail_if: Vec<Limit>,
    /// Results that --fail-if compares with: a log, a result file, a directory of them, or the address of a hub, of which results
    /// of this board count; of several the median
    #[arg(long, value_name = "FILE|DIR|URL", requires = "fail_if")]
    pub(crate) baseline: Option<PathBuf>,
}
