//! Parameters of a thermal test: start temperature, stress load, durations.

use crate::plan::variant::Form;
use record::{Machine, WorkloadId};
use std::sync::Arc;
use std::time::Duration;
use workloads::job::Job;
use workloads::job::cpus::online_cpus;
use workloads::job::definition::Definition;

/// Duration of one run of the stress load, for workloads with a variable duration.
const RUN: Duration = Duration::from_secs(10);

/// A thermal test.
#[derive(Debug, Clone, PartialEq)]
pub struct Thermal {
    /// Temperature at which the load starts; `None` to start immediately.
    pub start: Option<StartAt>,
    /// Workload that heats.
    pub load: HeatLoad,
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
            load: HeatLoad::Simd,
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

/// Workload that heats.
#[derive(Debug, Clone, PartialEq)]
pub enum HeatLoad {
    /// Built-in multiply-adds on the widest unit of all CPUs.
    Simd,
    /// A known program, run repeatedly.
    Workload(WorkloadId),
    /// One form of a workload that has several, run repeatedly.
    Form(Form),
    /// A user's program, run repeatedly.
    Program(Box<Definition>),
}

impl HeatLoad {
    /// Job of one run on all CPUs.
    pub(crate) fn job(&self, machine: &Machine) -> Job {
        let cpus = online_cpus(machine);
        let job = Job { threads: cpus.len() as u32, cpus, time: Some(RUN), ..Job::default() };
        match self {
            Self::Program(definition) => Job {
                workload: WorkloadId::Program,
                variant: definition.variant.clone(),
                cpus: Vec::new(),
                time: None,
                definition: Some(Arc::new((**definition).clone())),
                ..job
            },
            Self::Workload(id) => {
                let heats = workloads::workload(*id).map(|workload| workload.attributes.heats.clone());
                Job { workload: *id, variant: heats.unwrap_or_default(), ..job }
            }
            Self::Form(form) => Job { workload: form.workload, variant: form.variant.clone(), ..job },
            Self::Simd => Job::default(),
        }
    }
}
