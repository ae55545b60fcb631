//! Parameters of a thermal test: start temperature, stress load, durations.

use crate::plan::variant::{Form, RepeatedWorkload};
use record::{Machine, Variant, WorkloadId};
use std::time::Duration;
use workloads::job::Job;
use workloads::job::cpus::online_cpus;

/// Duration of one run of the stress load, for workloads with a variable duration.
const RUN: Duration = Duration::from_secs(10);

/// A thermal test.
#[derive(Debug, Clone, PartialEq)]
pub struct Thermal {
    /// Temperature at which the load starts; `None` to start immediately.
    pub start: Option<StartAt>,
    /// Workload that heats.
    pub load: RepeatedWorkload,
    /// Duration of the load.
    pub time: Duration,
    /// Temperature that ends the load, in thousandths of a degree; by default below the critical trip point.
    pub max_millicelsius: Option<i64>,
    /// Maximum time to wait for the start temperature.
    pub wait: Duration,
    /// Time to record without load: after the load and, without a start temperature, partly before it.
    pub cool_down: Duration,
}

impl Default for Thermal {
    fn default() -> Self {
        Self {
            start: None,
            load: RepeatedWorkload::Form(Form { workload: WorkloadId::Simd, variant: Variant::ONLY }),
            time: Duration::from_secs(300),
            max_millicelsius: None,
            wait: Duration::from_secs(900),
            cool_down: Duration::from_secs(60),
        }
    }
}

/// Start temperature in thousandths of a degree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartAt {
    /// Wait until the machine has cooled to it.
    CoolTo(i64),
    /// Heat the machine to it.
    HeatTo(i64),
}

/// One run of the load on all CPUs.
pub(crate) fn heat_job(load: &RepeatedWorkload, machine: &Machine) -> Job {
    match load {
        RepeatedWorkload::Form(form) => Job { time: Some(RUN), ..form.job(online_cpus(machine)) },
        RepeatedWorkload::Program(definition) => Job::of_program(definition, Vec::new()),
    }
}
