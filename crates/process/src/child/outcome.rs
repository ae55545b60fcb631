//! Failures in words: exit status, signal, time limit, or lack of memory.

use super::{Child, End};
use machine::Root;
use record::{Failure, FailureKind};

/// Number of characters of the output kept in a failure.
const OUTPUT_TAIL_CHARS: usize = 2000;
impl Child<'_> {
    pub(super) fn outcome(&self, end: &End, output: &str, out_of_memory: impl Fn() -> bool) -> Result<(), Failure> {
        let name = &self.name;
        let (kind, message) = match end {
            End::Exited(status) => match (status.exit_status(), status.terminating_signal()) {
                (Some(0), _) => return Ok(()),
                // Exit status of a shell whose program was killed.
                (Some(137), _) if out_of_memory() => {
                    (FailureKind::OutOfMemory, format!("The OOM killer killed a child process of {name}."))
                }
                (Some(code), _) => (FailureKind::ExitStatus, format!("{name} exited with status {code}.")),
                (None, Some(9)) if out_of_memory() => {
                    (FailureKind::OutOfMemory, format!("{name} was killed by the OOM killer."))
                }
                (None, signal) => {
                    let signal = signal_name(signal.unwrap_or(0));
                    (FailureKind::Signal, format!("{name} was terminated by {signal}."))
                }
            },
            End::Enough => return Ok(()),
            End::Lost => (FailureKind::ExitStatus, format!("{name} exited; its exit status is unknown.")),
            End::TimedOut => (
                FailureKind::TimedOut,
                format!("{name} exceeded its time limit of {:?} and was killed.", self.time_limit),
            ),
            End::Cancelled(signal) => (
                FailureKind::Interrupted,
                format!("{name} was terminated because {} interrupted the run.", signal_name(*signal)),
            ),
        };
        let exit_status = match end {
            End::Exited(status) => {
                status.exit_status().or_else(|| status.terminating_signal().map(|signal| 128 + signal))
            }
            _ => None,
        };
        Err(Failure { exit_status, ..failure(kind, message, output) })
    }
}

/// Creates a failure with the end of the output.
pub fn failure(kind: FailureKind, message: String, output: &str) -> Failure {
    let skipped = output.chars().count().saturating_sub(OUTPUT_TAIL_CHARS);
    Failure { kind, message, output_tail: output.chars().skip(skipped).collect(), exit_status: None }
}

/// Failure of a step that the user interrupted.
pub fn interruption() -> Failure {
    failure(FailureKind::Interrupted, "The run was interrupted.".into(), "")
}

/// Number of OOM kills of the machine and its own cgroups; 0 before Linux 4.13, which does not count them.
pub(super) fn oom_kills(root: &Root) -> u64 {
    let counters = root.read("/proc/vmstat").unwrap_or_default();
    let count = counters.lines().find_map(|line| line.strip_prefix("oom_kill "));
    count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        2 => "SIGINT (Ctrl-C)",
        1 => "SIGHUP",
        3 => "SIGQUIT",
        4 => "SIGILL (illegal instruction on this CPU)",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        _ => return format!("signal {signal}"),
    };
    name.to_owned()
}
