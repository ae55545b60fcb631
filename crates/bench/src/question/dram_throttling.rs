//! Question: is the memory controller throttled by heat?

use super::{Attributes, PlanInput, Question, Task};
use crate::plan::stage::Stage;
use crate::plan::standard::AvailableTools;
use record::{Machine, Mode, QuestionId, Variant, WorkloadId};
use std::time::Duration;
use workloads::job::Job;
use workloads::job::cpus::{fastest_cpu, online_cpus};

/// Measures latency and cipher before and after heat and memory traffic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DramThrottling;

pub(super) static QUESTION: Question = Question {
    id: QuestionId::DramThrottling,
    mode: Mode::DramThrottling,
    asked_by: "-M",
    about: "Is the memory controller throttled by heat?",
};

impl Task for DramThrottling {
    fn question(&self) -> &'static Question {
        &QUESTION
    }

    fn attributes(&self) -> Attributes {
        Attributes {
            not_resumable: Some("results before and after heating must come from one boot"),
            ..Attributes::default()
        }
    }

    fn stages(&self, planning: &PlanInput) -> Vec<Stage> {
        stages(planning.machine, planning.available)
    }
}

/// Duration of the load: as long as a chip takes to get hot.
const DRAM_LOAD: Duration = Duration::from_secs(120);

/// Latency and cipher, heat and memory traffic, then cipher and latency again. The difference shows a memory controller
/// that heat throttles and keeps throttled.
fn stages(machine: &Machine, available: AvailableTools) -> Vec<Stage> {
    let cipher = if available.openssl { WorkloadId::OpenSsl } else { WorkloadId::Aes };
    let one = |workload, variant, repetition| {
        Stage::Job(Job { repetition, ..Job::on(workload, variant, vec![fastest_cpu(machine)]) })
    };
    let everywhere =
        |workload, time| Stage::Job(Job { time, ..Job::on(workload, Variant::ONLY, online_cpus(machine)) });
    vec![
        Stage::ColdClocks,
        one(WorkloadId::MemoryLatency, Variant::ONLY, 0),
        one(WorkloadId::MemoryBandwidth, Variant::ONLY, 0),
        one(cipher, Variant::AES_256_CBC, 0),
        everywhere(WorkloadId::Simd, Some(DRAM_LOAD)),
        // The workload that heats the memory comes last, immediately before the measurement.
        everywhere(WorkloadId::MemoryScaling, None),
        one(WorkloadId::MemoryBandwidth, Variant::ONLY, 1),
        one(cipher, Variant::AES_256_CBC, 1),
        one(WorkloadId::MemoryLatency, Variant::ONLY, 1),
    ]
}
