//! Questions about a machine, independent of the modes of runs that answer them.

use std::borrow::Cow;

/// Question. The crates `bench` (which runs it) and `explain` (which answers it) are linked by this id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QuestionId {
    /// A/B comparison.
    Ab,
    /// Clocks that the CPUs reach.
    Clock,
    /// Core-to-core latency.
    CoreToCore,
    /// Whether memory is throttled.
    DramThrottling,
    /// Energy per unit of work at each clock.
    Efficiency,
    /// Scores of workloads selected by name.
    Loads,
    /// Speed of memory.
    Memory,
    /// Score of a user's own command.
    Program,
    /// Condition of the machine.
    Review,
    /// Sensitivity of scores to the clock.
    Sensitivity,
    /// Overall performance of the machine.
    Standard,
    /// Capacity of the cooling.
    Thermal,
    /// Score of one workload.
    Workload,
    /// Private question of one file, or of a newer program. Its text must differ from all known [`Mode`](super::Mode)s.
    Other(Cow<'static, str>),
}

impl QuestionId {
    /// Private question of one file, named by its mode.
    pub const fn own(text: &'static str) -> Self {
        Self::Other(Cow::Borrowed(text))
    }
}
