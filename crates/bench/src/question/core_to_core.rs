//! Question: latency of data between each pair of CPUs.

use super::refusal::{StartFacts, fewer_than_two};
use super::{AnyTask, Attributes, PlainVerb, Planning, Question, Task};
use crate::plan::options::Options;
use crate::plan::stage::Stage;
use crate::plan::standard;
use record::{Machine, Mode, QuestionId};
use workloads::job::pinning::CpuSelection;

/// Measures the latency only, without waiting for an idle system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoreToCore {
    /// CPUs to measure.
    pub cpus: CpuSelection,
}

pub(super) static QUESTION: Question = Question {
    id: QuestionId::CoreToCore,
    asked_by: "core-to-core",
    about: "How long does a cache line take from one CPU to another?",
    plain_verb: Some(PlainVerb {
        help: "Measure core-to-core latency and show clusters",
        more: "Half of the round trip of a cache line between every two CPUs, and the groups that show in it.",
        task: |cpus| AnyTask::of(CoreToCore { cpus }),
    }),
};

impl Task for CoreToCore {
    fn question(&self) -> &'static Question {
        &QUESTION
    }

    fn mode(&self, _: &Options) -> Mode {
        Mode::CoreToCore
    }

    fn attributes(&self) -> Attributes {
        Attributes::at_once()
    }

    fn stages(&self, planning: &Planning) -> Vec<Stage> {
        vec![Stage::Job(standard::core_to_core(planning.machine, &self.cpus(planning.machine)))]
    }

    fn refusal(&self, asked: &StartFacts) -> Option<String> {
        let machine = asked.identified.machine();
        fewer_than_two(machine, &self.cpus(machine), "the latency between them")
    }

    fn cpus(&self, machine: &Machine) -> Vec<u32> {
        self.cpus.of_one_measurement(machine)
    }
}
