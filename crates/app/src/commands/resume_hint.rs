//! Command that resumes a run that died or was stopped.

use crate::paths::Paths;
use record::{End, Invocation, Run};
use std::path::Path;

/// Command line to type.
pub(super) fn line(asked: &Invocation) -> String {
    let words = workloads::job::definition::command_line(&asked.command_line);
    format!("sbc-bench {words}").trim_end().to_owned()
}

/// Reason why a run cannot be resumed; `None` if it died or was stopped.
pub(super) fn why_not_resumable(run: &Run) -> Option<&'static str> {
    match run.end {
        _ if run.is_unfinished() => None,
        End::Died | End::Interrupted { .. } => Some("it is not the result file of a run that died or was stopped"),
        End::Finished => Some("the run finished; nothing is missing"),
        End::Refused => Some("the run never started"),
    }
}

/// True if the run died or was stopped and its kind can be resumed. A `clock` run, for example, is started again instead.
pub(super) fn is_resumable(run: &Run) -> bool {
    let Some(asked) = run.asked.as_ref().filter(|_| why_not_resumable(run).is_none()) else { return false };
    let command = super::parse_recorded(&asked.command_line, &asked.variables);
    let started = command.ok().and_then(|command| command.into_run());
    started.is_some_and(|run| run.task.attributes().not_resumable.is_none())
}

/// Command that resumes the run of this Record; `None` if it cannot be resumed.
pub(super) fn way(run: &Run, path: &Path) -> Option<String> {
    if !is_resumable(run) {
        return None;
    }
    let usual = Paths::choose(machine::is_root(), None);
    let is_usual = path.parent() == Some(usual.history.as_path()) || usual.record.as_deref() == Some(path);
    let named = if is_usual { String::new() } else { format!(" {}", path.display()) };
    Some(format!("Use `sbc-bench --resume{named}` to continue it."))
}
