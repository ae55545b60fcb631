//! Replacement of programs that are present but fail. `plan` defines the replacements.

use super::Runner;
use crate::plan::stage::Stage;
use crate::plan::standard::fallback_workload;
use crate::run::context::Progress;
use record::{FailureKind, Outcome, Step, WorkloadId};

impl Runner<'_> {
    /// The program of this step if it failed by its own fault and can be replaced. Wrong answers, crashes and lack of
    /// memory or time are findings on the machine.
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
