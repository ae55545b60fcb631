//! What a plan asks of a workload: one step, where and in which form. Where it runs is the
//! [`WorkloadContext`].
//!
//! [`WorkloadContext`]: crate::measure::context::WorkloadContext

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
    /// Which form of it: `single`, `multi`, `aes-256-cbc` ...
    pub variant: Variant,
    /// CPUs it is pinned to; empty for all.
    pub cpus: Vec<u32>,
    /// Number of threads that do the work.
    pub threads: u32,
    /// Which repetition, from 0.
    pub repetition: u32,
    /// For workloads that decide by themselves how often they repeat: more often than usual.
    pub is_extensive: bool,
    /// The program of the user's own, for the workload `program`.
    pub definition: Option<Arc<Definition>>,
    /// For workloads of their own length: run about so long instead.
    pub time: Option<Duration>,
    /// The clock that it is made to run at, for the Record.
    pub set_clock: Option<SetClock>,
}

impl Job {
    /// What the Record calls what it runs: a program of the user's own goes by the name that it was given.
    pub fn name(&self) -> WorkloadName {
        match &self.definition {
            Some(definition) => definition.name.as_str().into(),
            None => self.workload.into(),
        }
    }

    /// True if this step is a repetition of it.
    pub fn is_of(&self, step: &Step) -> bool {
        (self.name(), &self.variant, &self.cpus) == (step.workload.clone(), &step.variant, &step.cpus)
    }
}
