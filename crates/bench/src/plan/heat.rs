//! A load that heats, and what it starts from: what a thermal test asks of the runner.

use crate::plan::variant::Form;
use record::{Machine, WorkloadId};
use std::sync::Arc;
use std::time::Duration;
use workloads::job::Job;
use workloads::job::cpus::online_cpus;
use workloads::job::definition::Definition;

/// One run of a program that heats again and again, where its time can be chosen.
const RUN: Duration = Duration::from_secs(10);

/// A thermal test.
#[derive(Debug, Clone, PartialEq)]
pub struct Thermal {
    /// Temperature at which the load begins; as it is where none is given.
    pub start: Option<StartAt>,
    /// Workload that heats.
    pub load: HeatLoad,
    /// For how long.
    pub time: Duration,
    /// The load ends here, in thousandths of a degree; by default below the critical trip point.
    pub max_millicelsius: Option<i64>,
    /// The start temperature is waited for at most so long.
    pub wait: Duration,
    /// For how long it is watched without load: the cooling afterwards and, where no start temperature
    /// is waited for, some of it before.
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

/// The temperature before the load, in thousandths of a degree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartAt {
    /// Wait until the machine has cooled to it.
    CoolTo(i64),
    /// Heat it up to it.
    HeatTo(i64),
}

/// Workload that heats.
#[derive(Debug, Clone, PartialEq)]
pub enum HeatLoad {
    /// Multiply-adds on the widest unit of all CPUs, built in.
    Simd,
    /// A known program, run again and again.
    Workload(WorkloadId),
    /// One form of a workload that has several, again and again.
    Form(Form),
    /// A program of the user's own, run again and again.
    Program(Box<Definition>),
}

impl HeatLoad {
    /// One run of it, on all CPUs.
    pub(crate) fn job(&self, machine: &Machine) -> Job {
        let cpus = online_cpus(machine);
        let threads = cpus.len() as u32;
        match self {
            Self::Program(definition) => Job {
                workload: WorkloadId::Program,
                variant: definition.variant.clone(),
                threads,
                definition: Some(Arc::new((**definition).clone())),
                ..Job::default()
            },
            Self::Workload(id) => Job {
                workload: *id,
                variant: workloads::workload(*id).map(|workload| workload.attributes.heats.clone()).unwrap_or_default(),
                cpus,
                threads,
                time: Some(RUN),
                ..Job::default()
            },
            Self::Form(form) => Job {
                workload: form.workload,
                variant: form.variant.clone(),
                cpus,
                threads,
                time: Some(RUN),
                ..Job::default()
            },
            Self::Simd => Job::default(),
        }
    }
}
