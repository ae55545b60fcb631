//! A small second process that puts settings back when the first one is killed.
//!
//! It waits at the other end of a pipe. When the pipe closes, the process that changed settings
//! is gone: either it has restored them and removed its journal, or the guard does it now.

use machine::Root;
use machine::settings::restore_from_journal;
use record::Restored;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// The guard of this process; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Guard {
    child: Child,
    pipe: Option<ChildStdin>,
}

impl Guard {
    /// Starts the guard: this very program with the words `guard JOURNAL`.
    ///
    /// # Errors
    /// The program cannot be started again.
    pub(crate) fn start(journal: &Path) -> std::io::Result<Self> {
        let mut child = Command::new("/proc/self/exe")
            .arg("guard")
            .arg(journal)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Out of the terminal's foreground group, so that Ctrl-C does not reach it.
            .process_group(0)
            .spawn()?;
        let pipe = child.stdin.take();
        Ok(Self { child, pipe })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.pipe.take());
        // It ends by itself now; a failure to wait leaves nothing behind but a zombie until our end.
        let _ = self.child.wait();
    }
}

/// What the guard does: waits for the end of its input, then restores what is left.
///
/// # Errors
/// The settings that could not be put back, each with its reason.
pub fn stand_guard(
    root: &Root,
    journal: &Path,
    input: &mut dyn Read,
) -> Result<(), Vec<(String, Restored)>> {
    let mut byte = [0];
    // Nobody writes to this pipe; a read ends with its closing, or is interrupted by a signal.
    while matches!(input.read(&mut byte), Ok(1..)) {}
    match restore_from_journal(root, journal) {
        Ok(outcomes) => {
            let failed = |(_, outcome): &(String, Restored)| matches!(outcome, Restored::Failed(_));
            let failures: Vec<_> = outcomes.into_iter().filter(failed).collect();
            if failures.is_empty() {
                Ok(())
            } else {
                Err(failures)
            }
        }
        Err(missing) => Err(vec![(
            journal.display().to_string(),
            Restored::Failed(missing.to_string()),
        )]),
    }
}
