//! A job: one step of a plan with its workload, variant and CPUs. It runs in a
//! [`WorkloadContext`](crate::measure::context::WorkloadContext).

pub mod cpus;
pub mod definition;
pub mod duration;
pub mod pinning;
pub mod score;
pub mod setting;

use crate::job::definition::Definition;
use record::{SetClock, Step, Variant, WorkloadId, WorkloadName};
use std::sync::Arc;
use std::time::Duration;

/// One workload at one place, once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Job {
    /// Id in the table of workloads.
    pub workload: WorkloadId,
    /// Variant: `single`, `multi`, `aes-256-cbc` ...
    pub variant: Variant,
    /// CPUs to which it is pinned; empty for all.
    pub cpus: Vec<u32>,
    /// Number of threads.
    pub threads: u32,
    /// Number of the repetition, from 0.
    pub repetition: u32,
    /// Whether workloads with their own repetition repeat more often than usual.
    pub is_extensive: bool,
    /// Definition of a user's program, for the workload `program`.
    pub definition: Option<Arc<Definition>>,
    /// Approximate duration, in place of the workload's.
    pub time: Option<Duration>,
    /// Clock that is set for it, for the Record.
    pub set_clock: Option<SetClock>,
}

impl Job {
    /// A workload with one thread on each of these CPUs.
    pub fn on(workload: WorkloadId, variant: Variant, cpus: Vec<u32>) -> Self {
        Self { workload, variant, threads: cpus.len() as u32, cpus, ..Self::default() }
    }

    /// A program of the user on these CPUs; empty for all.
    pub fn of_program(definition: &Definition, cpus: Vec<u32>) -> Self {
        let own = Some(Arc::new(definition.clone()));
        Self { definition: own, ..Self::on(WorkloadId::Program, definition.variant.clone(), cpus) }
    }

    /// Name in the Record; for a user's program the name of its definition.
    pub fn name(&self) -> WorkloadName {
        match &self.definition {
            Some(definition) => definition.name.as_str().into(),
            None => self.workload.into(),
        }
    }

    /// Whether a step is a repetition of this job.
    pub fn is_of(&self, step: &Step) -> bool {
        (self.name(), &self.variant, &self.cpus) == (step.workload.clone(), &step.variant, &step.cpus)
    }
}
