//! Intermediate values of the section readers, before the Record is assembled.

use super::rows::{CipherPlace, MemoryPlace, Phase, Row, StateDraft, TopologyRow};
use super::sections::{Line, Section};
use record::{
    Counters, Fact, KernelMessage, Log, LogBlock, LogLine, Outcome, Residency, Run, Step, StepMeasurement, Tool, Total,
    Variant, WorkloadName,
};
use std::collections::{BTreeMap, BTreeSet};

/// CPUs that the log measures as one cluster, with the OPPs measured.
#[derive(Debug, Clone, Default)]
pub(super) struct MeasuredCluster {
    /// CPUs; empty if the heading names none because the machine has one cluster.
    pub(super) cpus: Vec<u32>,
    /// Core type in the heading.
    pub(super) core_type: Option<String>,
    /// OPPs in kHz, in the order of the log.
    pub(super) opps_khz: Vec<u32>,
}

/// Values of all sections read so far.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) log: Log,
    pub(super) run: Run,
    pub(super) machine: record::Machine,
    pub(super) steps: Vec<Step>,
    /// True for a review without its log.
    pub(super) is_review_alone: bool,
    /// Clusters of the first clock pass.
    pub(super) clusters: Vec<MeasuredCluster>,
    /// Index of the step of each clock pass.
    pub(super) clock_steps: BTreeMap<Variant, usize>,
    /// True after the start of the second clock pass.
    pub(super) second_pass: bool,
    /// CPU and version of the last bandwidth table, for the latency table below it.
    pub(super) membench: Option<MemoryPlace>,
    /// Indices of steps on a CPU that an old log calls only `big`.
    pub(super) on_big_core: BTreeSet<usize>,
    /// Places of the rows of OpenSSL.
    pub(super) cipher_places: Vec<CipherPlace>,
    /// Core types that console output names, in order, without CPU numbers.
    pub(super) console_core_types: Vec<String>,
    /// Core type of steps of console output, by the index of the step.
    pub(super) step_core_types: BTreeMap<usize, String>,
    pub(super) topology: Vec<TopologyRow>,
    /// Number of CPUs according to iostat or lscpu.
    pub(super) cpu_count: Option<u32>,
    /// CPUs online according to lscpu, which runs last.
    pub(super) online_cpus: Vec<u32>,
    /// Time of day at the start, in milliseconds since midnight.
    pub(super) start_of_day_ms: Option<i64>,
    pub(super) phases: Vec<Phase>,
    pub(super) rows: Vec<Row>,
    /// Row before the second clock pass, a copy of the last row of the monitoring.
    pub(super) health: Option<Row>,
    pub(super) states: Vec<StateDraft>,
    /// True after a state after the benchmarks.
    pub(super) finished: bool,
    pub(super) residencies: Vec<(u32, Residency)>,
    pub(super) firmware_bits: Option<(u32, u32)>,
    pub(super) kernel_messages: Option<Vec<KernelMessage>>,
}

/// Maximum plausible number of steps; real logs have up to a few hundred.
const STEPS_MAX: usize = 4096;

impl Draft {
    /// Adds a step. Beyond [`STEPS_MAX`] only its line number is kept.
    pub(super) fn push(&mut self, step: Step) {
        if self.steps.len() < STEPS_MAX {
            self.steps.push(step);
        } else {
            self.log.unread.push(LogLine {
                line: step.line.unwrap_or(0),
                text: format!("one of more than {STEPS_MAX} steps: {}", step.workload),
            });
        }
    }

    /// Adds a step of console output, which names core types but no CPUs.
    pub(super) fn push_on_core_type(&mut self, step: Step, core_type: Option<String>) {
        if let Some(core_type) = core_type {
            self.console_core_types.push(core_type.clone());
            self.step_core_types.insert(self.steps.len(), core_type);
        }
        self.push(step);
    }

    pub(super) fn unread(&mut self, line: &Line<'_>) {
        self.log.unread.push(LogLine { line: line.number, text: line.text.to_string() });
    }

    pub(super) fn verdict(&mut self, line: &Line<'_>, text: &str) {
        self.log.verdicts.push(LogLine { line: line.number, text: text.to_string() });
    }

    /// Keeps a complete section under a name.
    pub(super) fn block(&mut self, name: &str, section: &Section<'_, '_>) {
        self.block_of(name, section.lines);
    }

    /// Keeps complete lines under a name.
    pub(super) fn block_of(&mut self, name: &str, lines: &[Line<'_>]) {
        let Some(first) = lines.first() else { return };
        let length = lines.iter().map(|line| line.text.len() + 1).total();
        let mut text = String::with_capacity(length);
        for line in lines {
            text.push_str(line.text);
            text.push('\n');
        }
        text.truncate(text.trim_end().len());
        self.log.blocks.push(LogBlock { line: first.number, heading: name.to_string(), text });
    }

    /// State of the current `free` and `swapon` tables: the first before the benchmarks, the second after them.
    pub(super) fn state(&mut self) -> &mut StateDraft {
        if self.states.is_empty() {
            self.states.push(StateDraft::default());
        }
        let last = self.states.len() - 1;
        &mut self.states[last]
    }

    pub(super) fn named(&mut self, to: NamedGroup, name: String, value: &str, line: &Line<'_>) {
        let list = match to {
            NamedGroup::Firmware => &mut self.machine.firmware,
            NamedGroup::Feature => &mut self.machine.features,
        };
        list.push(record::NamedValue { name, value: value.trim().to_string(), from: format!("line {}", line.number) });
    }
}

/// Group of a name and its value.
#[derive(Debug, Clone, Copy)]
pub(super) enum NamedGroup {
    Firmware,
    Feature,
}

/// Creates a step of a log. Its time window is set after reading the monitoring.
pub(super) fn step(
    workload: impl Into<WorkloadName>,
    method: u32,
    variant: impl Into<Variant>,
    outcome: Outcome,
    line: u32,
) -> Step {
    Step { counters: no_counters(), line: Some(line), ..Step::new(workload, method, variant, outcome) }
}

fn no_counters() -> Counters {
    Counters {
        cycles: Fact::not_in_log(),
        task_clock_ns: Fact::not_in_log(),
        run_delay_ns: Fact::not_in_log(),
        user_ms: Fact::not_in_log(),
        system_ms: Fact::not_in_log(),
        peak_resident_kib: Fact::not_in_log(),
    }
}

/// Creates a completed step with figures.
pub(super) fn done(
    workload: impl Into<WorkloadName>,
    method: u32,
    variant: impl Into<Variant>,
    measured: StepMeasurement,
    line: u32,
) -> Step {
    step(workload, method, variant, Outcome::Done(measured), line)
}

/// Creates a tool from name and version; a log contains no more.
pub(super) fn tool(name: &str, version: &str) -> Option<Tool> {
    Some(Tool { name: name.to_string(), path: String::new(), version: version.to_string(), argv: Vec::new() })
}
