//! What one run of a workload leaves behind besides its result: the program, its counters, where it was seen, when it
//! began to measure.
//!
//! It is only written to while the workload runs; what the workload is given is the
//! [`WorkloadContext`](super::context::WorkloadContext).

use super::counted::{CounterReading, sum};
use crate::job::Job;
use machine::Timeline;
use record::{Counters, Fact, Outcome, Reading, RepetitionStats, Step, Tool, Window};
use std::time::Duration;

/// Result of a run of a workload.
#[derive(Debug, Default)]
pub struct StepReport {
    /// Rises when scores stop being comparable.
    pub method: u32,
    /// The external program that ran last.
    pub tool: Option<Tool>,
    /// Counters during a run.
    pub counters: Counters,
    /// Of the external program that ran last: from its start to its end.
    pub program_elapsed: Duration,
    /// Why the score must not be compared.
    pub not_comparable: Option<String>,
    /// CPUs on which it was seen.
    pub seen_on: Vec<u32>,
    /// When it began to measure, on both clocks of the timeline, where it had to make something first.
    pub began_ms: Option<(i64, i64)>,
    /// Outcome of its repetitions.
    pub repeated: Vec<RepetitionStats>,
}

impl StepReport {
    /// Of what has not run yet; with why it cannot be compared, regardless of what it measures.
    pub fn new(not_comparable: Option<String>) -> Self {
        Self { not_comparable, ..Self::default() }
    }

    /// What the step needs is there; what happened until now is not measured.
    pub fn start_timing(&mut self, timeline: &Timeline) {
        self.began_ms = Some((timeline.now_ms(), timeline.utc_ms()));
    }

    /// The step as it goes to the Record. What was made before measuring began is no part of its window.
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

    pub(super) fn take_counters(&mut self, counted: Vec<Reading<CounterReading>>) {
        let (mut cycles, mut clocks) = (Vec::new(), Vec::new());
        for thread in counted {
            match thread {
                Ok(thread) => {
                    cycles.push(thread.cycles);
                    clocks.push(thread.task_clock_ns);
                }
                Err(missing) => cycles.push(missing.into()),
            }
        }
        self.counters.cycles = sum(cycles);
        // What the scheduler says stands where the counters have nothing better.
        if let clock @ Fact::Known(_) = sum(clocks) {
            self.counters.task_clock_ns = clock;
        }
    }

    /// Keeps where it ran; says so if that was not where it was pinned to, which happens when the
    /// kernel switches a CPU off under it.
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
