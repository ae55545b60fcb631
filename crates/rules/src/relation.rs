//! What a finding can be to a cause, and under which condition. The table is in `relations`; `diagnosis` reads both.

use super::Rule;
use facts::Cause;

/// What findings of one rule are to causes. Lines are tried in their order, and the first that holds counts.
pub struct Related {
    /// The rule.
    pub rule: &'static Rule,
    /// What its findings are, and when.
    pub lines: &'static [(Relation, When)],
    /// The scores that it is for, where a finding does not name its steps.
    pub judges: Judges,
    /// What must be seen before it says that scores suffered.
    pub harm: &'static str,
    /// What its reader can do; empty where there is nothing to do beyond what the cause it belongs to says.
    pub remedy: &'static str,
}

/// What a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// It names this cause, if it harms.
    Root(Cause),
    /// It names this cause where no other explains it.
    Alone(Cause),
    /// It shows the same as the root of this cause.
    Evidence(Cause),
    /// It follows from this cause, and is none of its own.
    Follows(Cause),
    /// It speaks against this cause.
    Contradicts(Cause),
    /// It harms nothing by itself.
    Note,
    /// It answers what the run was made for.
    Answer,
}

impl Relation {
    /// The cause that it is about.
    pub fn cause(self) -> Option<Cause> {
        match self {
            Self::Root(cause) | Self::Alone(cause) => Some(cause),
            Self::Evidence(cause) | Self::Follows(cause) | Self::Contradicts(cause) => Some(cause),
            Self::Note | Self::Answer => None,
        }
    }
}

/// When a line of the table holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Always; with a root, if both are about the same scores.
    Always,
    /// The SoC was at the temperature from which this kind of machine slows down, while it was so.
    Hot,
    /// Memory was swapped during the run.
    Swapped,
    /// The kernel ended a program in the run because memory was full.
    OutOfMemory,
    /// The log's own words, or the kernel's, hold one of these.
    Says(&'static [&'static str]),
    /// It is about this bit of the firmware of a Raspberry Pi.
    Bit(i64),
    /// The firmware of a Raspberry Pi was asked what lowers the clock.
    FirmwareAsked,
    /// Only the ciphers of OpenSSL were hit.
    CiphersAlone,
    /// The machine has more than one NUMA node or package.
    ManyNodes,
    /// The temperature was read meanwhile, is not that of one core or cluster alone, and the finding does not say itself
    /// that its cause is unknown: without it nothing tells heat from other limits.
    TemperatureKnown,
    /// The same as `Hot`, and the clock is none that a ladder of OPPs shows to be capped: no cap comes from heat.
    HotUncapped,
    /// The clock is none that a ladder of OPPs shows to be capped.
    Uncapped,
    /// Readings of the same clock contradict each other.
    Unsteady,
    /// A setting of `config.txt` raises clocks.
    Overclocked,
    /// The finding says its reason.
    Reasoned,
    /// A step was not tried at all: it says its reason, and nothing that happened in the run is one.
    Skipped,
}

/// The scores that a rule is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judges {
    /// All that was measured.
    All,
    /// What keeps all CPUs busy.
    FullLoad,
    /// 7-zip and what stands in for it: they need much memory.
    Compression,
    /// 7-zip and what stands in for it, on all CPUs.
    CompressionMulti,
    /// 7-zip and what stands in for it, on one CPU.
    CompressionSingle,
    /// Latency and bandwidth of memory.
    Memory,
    /// None: it is about the machine, about a reading, or about what others wrote.
    Nothing,
}
