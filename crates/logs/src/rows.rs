//! What the readers of sections leave for the Record, one type for each kind of row.

use record::{Fact, MemoryState, State, SwapState};

/// A stretch of rows under one heading.
#[derive(Debug, Clone)]
pub(super) struct Phase {
    /// Its name, for example `7-zip multi core benchmark`.
    pub(super) name: String,
}

/// A quantity of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Quantity {
    /// Clock the kernel claims for this policy, kHz.
    Policy(u32),
    /// Clock of the fast cluster where only its rank is known, kHz.
    Big,
    /// Clock of the other cluster, kHz.
    Little,
    /// Clock in the words of the Raspberry Pi's firmware, kHz.
    Firmware,
    /// Load average times 100.
    Load,
    Busy,
    System,
    User,
    Nice,
    IoWait,
    Irq,
    /// Thousandths of a degree.
    Temperature,
    CoreMicrovolts,
    PmicMilliwatts,
    InputMicrovolts,
    /// Power meter at the socket; the number of the socket, from 0.
    Milliwatts(u8),
}

/// One row of the monitoring.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) line: u32,
    /// Milliseconds since midnight.
    pub(super) time_of_day_ms: i64,
    /// Index of its phase.
    pub(super) phase: usize,
    /// True for the first row of a phase, which shows the average since boot.
    pub(super) first: bool,
    pub(super) values: Vec<(Quantity, i64)>,
    /// A temperature that cannot be one, as printed.
    pub(super) garbled_temperature: Option<String>,
}

/// One CPU in the table `CPU sysfs topology`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TopologyRow {
    pub(super) cpu: u32,
    pub(super) cluster: i32,
    /// Number of the cpufreq policy; none without cpufreq.
    pub(super) policy: Option<u32>,
    pub(super) khz_min: Option<u32>,
    pub(super) khz_max: Option<u32>,
    pub(super) core_type: Option<String>,
    pub(super) stepping: Option<String>,
}

/// What a row says about where it was measured.
#[derive(Debug)]
pub(super) struct CipherPlace {
    /// Core type behind the row.
    pub(super) core_type: Option<String>,
    /// Index of the cluster in the heading.
    pub(super) cluster: Option<usize>,
}

impl CipherPlace {
    /// A row that names its core type, or nothing.
    pub(super) fn of_type(core_type: Option<String>) -> Self {
        Self { core_type, cluster: None }
    }
}

/// Where a table was measured.
#[derive(Debug, Clone, Default)]
pub(super) struct MemoryPlace {
    /// CPU, if the heading names one.
    pub(super) cpu: Option<u32>,
    /// True for `a big core` of old headings, to be turned into a CPU once the clusters are known.
    pub(super) is_big: bool,
    /// Version of tinymembench.
    pub(super) version: String,
}

/// A state as far as a log tells it.
#[derive(Debug, Default)]
pub(super) struct StateDraft {
    pub(super) line: Option<u32>,
    pub(super) memory: Option<MemoryState>,
    pub(super) swaps: Option<Vec<SwapState>>,
}

impl StateDraft {
    /// The state with what the log does not say marked as such.
    pub(super) fn finish(self, at_ms: i64) -> State {
        let no_swap = self.memory.as_ref().is_some_and(|memory| memory.swap_total_kib == 0);
        let swaps = self.swaps.or(no_swap.then(Vec::new));
        State {
            at_ms,
            memory: self.memory.map_or_else(Fact::not_in_log, Fact::Known),
            swaps: swaps.map_or_else(Fact::not_in_log, Fact::Known),
            online_cpus: Vec::new(),
            residencies: Vec::new(),
            firmware_throttle_bits: Fact::not_in_log(),
            line: self.line,
        }
    }
}
