//! Relations between findings and causes, with conditions. The table is in `relations`; `diagnosis` uses both.

use facts::Cause;
use serde::Deserialize;

/// Relation of a finding to a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Identifies this cause, if the finding is harmful.
    Root(Cause),
    /// Identifies this cause if no other finding explains it.
    Alone(Cause),
    /// Shows the same as the root finding of this cause.
    Evidence(Cause),
    /// Effect of this cause, not a separate cause.
    Follows(Cause),
    /// Evidence against this cause.
    Contradicts(Cause),
    /// Harmless by itself.
    Note,
    /// Answers the question of the run.
    Answer,
}

impl Relation {
    /// Cause that the relation refers to.
    pub fn cause(self) -> Option<Cause> {
        match self {
            Self::Root(cause) | Self::Alone(cause) => Some(cause),
            Self::Evidence(cause) | Self::Follows(cause) | Self::Contradicts(cause) => Some(cause),
            Self::Note | Self::Answer => None,
        }
    }
}

/// Condition of a relation in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RelationCondition {
    /// Always; for a relation to a root, if both findings affect the same scores.
    Always,
    /// The SoC was at the throttling temperature of this kind of machine at that time.
    Hot,
    /// Memory was swapped during the run.
    Swapped,
    /// The kernel killed a process during the run because memory was full.
    OutOfMemory,
    /// The text of the log or the kernel message contains this: `says "..."`.
    #[serde(skip)]
    Says(&'static str),
    /// The finding refers to this bit of the Raspberry Pi firmware: `bit 0`.
    #[serde(skip)]
    Bit(i64),
    /// The clock of the finding is that of the Raspberry Pi firmware during under-voltage.
    SupplyClock,
    /// The finding names a design of the machine as its reason.
    ByDesign,
    /// The throttling flags of the Raspberry Pi firmware were read.
    FirmwareAsked,
    /// Only OpenSSL ciphers were affected.
    CiphersAlone,
    /// The machine has more than one NUMA node or package.
    ManyNodes,
    /// The temperature was read at that time, covers more than one core or cluster, and the finding does not state an
    /// unknown cause: otherwise heat and other limits are indistinguishable.
    TemperatureKnown,
    /// Like `Hot`, and the ladder of OPPs shows no cap, which heat does not explain.
    HotUncapped,
    /// The ladder of OPPs shows no cap of the clock.
    Uncapped,
    /// Readings of the same clock are inconsistent.
    Unsteady,
    /// A setting of `config.txt` raises clocks.
    Overclocked,
    /// The threads of the score got less CPU time.
    UseFell,
    /// The threads of the score did less work with the CPU time that they got.
    RateFell,
    /// Steal time took the CPU time that the threads lacked.
    Stolen,
    /// CPU time was withheld from a guest, a container, or by a limit.
    Withheld,
    /// No CPU is known to have idled while threads of the score lacked CPU time.
    CpusWereBusy,
    /// The finding is no harm by itself.
    Harmless,
    /// The finding includes a reason.
    Reasoned,
    /// The step was skipped for its own reason; events of the run are unrelated.
    Skipped,
}

/// Scores that a rule applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreScope {
    /// All scores.
    All,
    /// Loads on all CPUs.
    FullLoad,
    /// 7-zip and its built-in replacement, which need much memory.
    Compression,
    /// 7-zip and its built-in replacement, on all CPUs.
    CompressionMulti,
    /// 7-zip and its built-in replacement, on one CPU.
    CompressionSingle,
    /// Memory latency and bandwidth.
    Memory,
    /// No relation: the rule checks the machine, a reading, or text by other programs.
    Nothing,
}
