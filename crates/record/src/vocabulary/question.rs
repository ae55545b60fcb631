//! What can be asked of a machine, independent of the kinds of runs that answer it.

use std::borrow::Cow;

/// A question. What asks it (the crate `bench`) and what answers it (the crate `explain`) find each other by this.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QuestionId {
    /// Whether something makes a difference.
    Ab,
    /// Which clocks the CPUs reach.
    Clock,
    /// How long data takes from one CPU to another.
    CoreToCore,
    /// Whether memory is throttled.
    DramThrottling,
    /// What a unit of work costs at each clock.
    Efficiency,
    /// What workloads come to that were asked for by name.
    Loads,
    /// How fast memory is.
    Memory,
    /// What a command of the user's own comes to.
    Program,
    /// Whether the machine is in order.
    Review,
    /// What the clock does to scores.
    Sensitivity,
    /// What the machine comes to in all.
    Standard,
    /// What the cooling can carry.
    Thermal,
    /// What one workload comes to.
    Workload,
    /// One that its own file alone asks for, or one of a newer program. It must not be the spelling of a
    /// [`Mode`](super::Mode) that is known.
    Other(Cow<'static, str>),
}

impl QuestionId {
    /// One that its own file alone asks for: the spelling of its mode.
    pub const fn own(text: &'static str) -> Self {
        Self::Other(Cow::Borrowed(text))
    }
}
