//! One workload at one place, once.

use super::refusal::{Asked, no_stage_runs};
use super::{Attributes, Planning, Task};
use crate::job::cpus::fastest_cpu;
use crate::job::definition::Repeat;
use crate::plan::load::Load;
use crate::plan::options::Options;
use crate::plan::stage::Stage;
use crate::plan::standard;
use crate::{CpuSelection, Job};
use record::{Machine, Mode, QuestionId, Variant, WorkloadId};

/// One workload at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SingleWorkload {
    /// Its id.
    pub workload: WorkloadId,
    /// Which form of it; empty for its only one.
    pub variant: Variant,
    /// On these CPUs, a thread on each; empty for the fastest CPU.
    pub cpus: Vec<u32>,
}

impl Task for SingleWorkload {
    fn id(&self) -> QuestionId {
        QuestionId::Workload
    }

    fn mode(&self, _: &Options) -> Mode {
        Mode::Workload
    }

    fn attributes(&self) -> Attributes {
        Attributes::at_once()
    }

    fn stages(&self, planning: &Planning) -> Vec<Stage> {
        stages(planning.machine, self)
    }

    fn refusal(&self, asked: &Asked) -> Option<String> {
        no_stage_runs(asked, stages(asked.identified.machine(), self))
    }

    fn cpus(&self) -> &[u32] {
        &self.cpus
    }
}

/// One workload; all its forms if it has several and none is named.
fn stages(machine: &Machine, one: &SingleWorkload) -> Vec<Stage> {
    let has_forms = crate::workloads::workload(one.workload).is_some_and(|w| w.shape.is_some());
    if !has_forms {
        return vec![Stage::Job(job(machine, one))];
    }
    let variant = Some(one.variant.clone()).filter(|variant| !variant.is_only());
    let load = Load {
        variants: variant.into_iter().collect(),
        pinning: (!one.cpus.is_empty()).then(|| CpuSelection::Cpus(one.cpus.clone())),
        repeat: Some(Repeat::Times(1)),
        ..Load::usual(one.workload)
    };
    load.stages(machine)
}

/// One workload where it was asked for, or on the fastest CPU.
fn job(machine: &Machine, one: &SingleWorkload) -> Job {
    let cpus = match one.cpus.as_slice() {
        [] => vec![fastest_cpu(machine)],
        cpus => cpus.to_vec(),
    };
    let threads = cpus.len() as u32;
    standard::job(one.workload, one.variant.clone(), cpus, threads)
}
