//! Question: real clocks of the CPUs.

use super::{Attributes, LOAD_TIME, PlanInput, Question, Task};
use crate::plan::stage::Stage;
use record::{Machine, Mode, QuestionId};
use std::time::Duration;
use workloads::job::pinning::CpuSelection;

/// Measures clocks only, without waiting for an idle system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    /// CPUs to measure.
    pub cpus: CpuSelection,
    /// Successive readings of each CPU.
    pub readings: usize,
    /// Duration of a load on all CPUs, after which clocks are measured again under this load.
    pub heat: Option<Duration>,
}

pub(super) static QUESTION: Question =
    Question { id: QuestionId::Clock, mode: Mode::Clock, asked_by: "clock", about: "Which clocks do the CPUs reach?" };

impl Task for Clock {
    fn question(&self) -> &'static Question {
        &QUESTION
    }

    fn attributes(&self) -> Attributes {
        Attributes {
            has_ramps: true,
            readings: self.readings.max(1),
            load_time: self.heat.unwrap_or(LOAD_TIME),
            ..Attributes::at_once()
        }
    }

    fn stages(&self, _: &PlanInput) -> Vec<Stage> {
        std::iter::once(Stage::ColdClocks).chain(self.heat.map(|_| Stage::HotClocks)).collect()
    }

    fn cpus(&self, machine: &Machine) -> Vec<u32> {
        self.cpus.of_one_measurement(machine)
    }
}
