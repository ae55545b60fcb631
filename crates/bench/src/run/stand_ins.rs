//! Programs that say who they are and then cannot do their work: the built-in workload of the same kind takes
//! their place, and the run says so. Which one that is stands in `plan`.

use super::Runner;
use crate::plan::stage::Stage;
use crate::plan::standard::fallback_workload;
use crate::run::context::Progress;
use record::{FailureKind, Outcome, Step, WorkloadId};

impl Runner<'_> {
    /// The program whose step, of this stage, has failed by its own fault, where the plan chose it and another can take
    /// its place. A wrong answer, a crash or a lack of memory or time is a finding about the machine: those stay.
    pub(super) fn broken_tool(&mut self, stage: &Stage, step: &Step) -> Option<WorkloadId> {
        let is_ours = self.context.task.attributes().replaces_programs;
        let job = stage.job().filter(|_| is_ours)?;
        let other = fallback_workload(job)?;
        let Outcome::Failed(failure) = &step.outcome else { return None };
        let is_programs_fault =
            matches!(failure.kind, FailureKind::NotStarted | FailureKind::ExitStatus | FailureKind::Garbled);
        if step.workload != job.workload || !is_programs_fault {
            return None;
        }
        let program = step.tool.as_ref().map(|tool| tool.path.as_str());
        let note = format!(
            "{} does not work: {} Using the built-in workload {} instead.",
            program.unwrap_or(job.workload.as_str()),
            failure.message,
            other.workload.as_str()
        );
        (self.context.progress)(Progress::Note(note));
        Some(job.workload)
    }
}
