//! Intermediate rows of the section readers, one type per kind of row.

use record::{Fact, MemoryState, State, SwapState};

/// A phase: rows under one heading.
#[derive(Debug, Clone)]
pub(super) struct Phase {
    /// Name, for example `7-zip multi core benchmark`.
    pub(super) name: String,
}

/// A quantity of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Quantity {
    /// Clock reported by the kernel for this policy, in kHz.
    Policy(u32),
    /// Clock of the fast cluster if only its rank is known, in kHz.
    Big,
    /// Clock of the other cluster, in kHz.
    Little,
    /// Clock reported by the Raspberry Pi's firmware, in kHz.
    Firmware,
    /// Load average times 100.
    Load,
    Busy,
    System,
    User,
    Nice,
    IoWait,
    Irq,
    /// Temperature in millidegrees Celsius.
    Temperature,
    CoreMicrovolts,
    PmicMilliwatts,
    InputMicrovolts,
    /// Power meter at the socket, with the number of the socket, from 0.
    Milliwatts(u8),
}

/// One row of the monitoring.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) line: u32,
    /// Milliseconds since midnight.
    pub(super) time_of_day_ms: i64,
    /// Index of the phase.
    pub(super) phase: usize,
    /// True for the first row of a phase, which shows the average since boot.
    pub(super) first: bool,
    pub(super) values: Vec<(Quantity, i64)>,
    /// An impossible temperature, as printed.
    pub(super) garbled_temperature: Option<String>,
}

/// One CPU in the table `CPU sysfs topology`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TopologyRow {
    pub(super) cpu: u32,
    pub(super) cluster: i32,
    /// Number of the cpufreq policy; `None` without cpufreq.
    pub(super) policy: Option<u32>,
    pub(super) khz_min: Option<u32>,
    pub(super) khz_max: Option<u32>,
    pub(super) core_type: Option<String>,
    pub(super) stepping: Option<String>,
}

/// Place of measurement of a row.
#[derive(Debug)]
pub(super) struct CipherPlace {
    /// Core type at the end of the row.
    pub(super) core_type: Option<String>,
    /// Index of the cluster in the heading.
    pub(super) cluster: Option<usize>,
}

impl CipherPlace {
    /// Place with the row's core type, if any.
    pub(super) fn of_type(core_type: Option<String>) -> Self {
        Self { core_type, cluster: None }
    }
}

/// Place of measurement of a table.
#[derive(Debug, Clone, Default)]
pub(super) struct MemoryPlace {
    /// CPU, if the heading names one.
    pub(super) cpu: Option<u32>,
    /// True for `a big core` of old headings; resolved to a CPU when the clusters are known.
    pub(super) is_big: bool,
    /// Version of tinymembench.
    pub(super) version: String,
}

/// Values of a state in a log.
#[derive(Debug, Default)]
pub(super) struct StateDraft {
    pub(super) line: Option<u32>,
    pub(super) memory: Option<MemoryState>,
    pub(super) swaps: Option<Vec<SwapState>>,
    /// Number of CPUs online according to iostat.
    pub(super) online: Option<u32>,
}

impl StateDraft {
    /// Completes the state; values absent from the log become missing.
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
