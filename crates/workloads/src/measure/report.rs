//! Output of a run of a workload besides its result: program, counters, CPUs, start of the measurement.

use super::counter_reading::{CounterReading, sum};
use crate::job::Job;
use machine::Timeline;
use record::{Counters, Fact, Outcome, RepetitionStats, Step, Tool, Window};
use std::time::Duration;

/// Properties of a run of a workload.
#[derive(Debug, Default)]
pub struct StepReport {
    /// Rises when scores stop being comparable.
    pub method: u32,
    /// The external program that ran last.
    pub tool: Option<Tool>,
    /// Counters during a run.
    pub counters: Counters,
    /// Duration of the last external program.
    pub program_elapsed: Duration,
    /// Why the score must not be compared.
    pub not_comparable: Option<String>,
    /// CPUs on which it ran, by samples.
    pub seen_on: Vec<u32>,
    /// Start of the measurement on both clocks of the timeline, for workloads with preparation.
    pub began_ms: Option<(i64, i64)>,
    /// Statistics of its repetitions.
    pub repeated: Vec<RepetitionStats>,
}

impl StepReport {
    /// A report before the run, with the reason why no result can be compared.
    pub fn new(not_comparable: Option<String>) -> Self {
        Self { not_comparable, ..Self::default() }
    }

    /// Ends the preparation of the step; the measurement begins.
    pub fn start_timing(&mut self, timeline: &Timeline) {
        self.began_ms = Some((timeline.now_ms(), timeline.utc_ms()));
    }

    /// The step for the Record. Its window does not include the preparation.
    pub fn into_step(self, job: &Job, window: Window, outcome: Outcome) -> Step {
        let (start_ms, start_utc_ms) = match self.began_ms {
            Some((ms, utc_ms)) => (ms, Some(utc_ms)),
            None => (window.start_ms, window.start_utc_ms),
        };
        Step {
            workload: job.name(),
            method: self.method,
            variant: job.variant.clone(),
            cpus: job.cpus.clone(),
            threads: job.threads,
            repetition: job.repetition,
            window: Window { start_ms, start_utc_ms, ..window },
            seen_on: self.seen_on,
            tool: self.tool,
            not_comparable: self.not_comparable,
            counters: self.counters,
            busiest: Vec::new(),
            repeated: self.repeated,
            outcome,
            set_clock: job.set_clock,
            line: None,
        }
    }

    pub(super) fn take_counters(&mut self, counted: Vec<CounterReading>) {
        let (cycles, clocks) = counted.into_iter().map(|thread| (thread.cycles, thread.task_clock_ns)).unzip();
        self.counters.cycles = sum(cycles);
        // The scheduler's value stays if the counters have none.
        if let clock @ Fact::Known(_) = sum(clocks) {
            self.counters.task_clock_ns = clock;
        }
    }

    /// Stores the CPUs on which it ran, and marks CPUs to which it was not pinned: the kernel moves threads of a CPU that is
    /// switched off.
    pub(super) fn take_cpus_used(&mut self, cpus: &[u32], mut seen_on: Vec<u32>) {
        seen_on.sort_unstable();
        seen_on.dedup();
        if !cpus.is_empty() && seen_on.iter().any(|cpu| !cpus.contains(cpu)) {
            let places = format!("pinned to CPUs {cpus:?} but ran on CPUs {seen_on:?}");
            self.not_comparable.get_or_insert(places);
        }
        self.seen_on = seen_on;
    }
}
