//! `sbc-bench restore`: puts back what a killed run has left behind. `sbc-bench guard` does the same
//! as soon as the process that started it is gone.

use crate::paths::Paths;
use crate::{output, status};
use anyhow::Context;
use machine::Root;
use machine::settings::restore_from_journal;
use record::Restored;

pub(crate) fn run(root: &Root) -> anyhow::Result<u8> {
    anyhow::ensure!(root.is_system(), "restore needs the running system; it does not take --root.");
    let journal = Paths::choose(true, None).journal;
    let outcomes = restore_from_journal(root, &journal);
    let outcomes = if machine::is_root() { outcomes? } else { outcomes.context("restore needs root")? };
    if outcomes.is_empty() {
        output::print("Nothing to restore.\n")?;
    }
    for (path, outcome) in &outcomes {
        output::print(&format!("{}\n", told(path, outcome)))?;
    }
    let is_failed = outcomes.iter().any(|(_, outcome)| matches!(outcome, Restored::Failed(_)));
    Ok(if is_failed { status::NOT_RESTORED } else { 0 })
}

/// The outcome for a setting that an earlier run left changed.
pub(super) fn told(path: &str, outcome: &Restored) -> String {
    match outcome {
        Restored::Done => format!("{path} restored"),
        Restored::LeftAlone(value) => format!("{path} was set to {value} by something else since and stays so"),
        Restored::Pending => format!("{path} was not checked"),
        Restored::Failed(why) => format!("{path} could not be restored: {why}"),
    }
}

/// Waits until standard input closes, then ends programs and restores.
pub(crate) fn guard(root: &Root, watched: &bench::Watched) -> u8 {
    // A guard outlives what kills its owner: these signals are for the owner.
    crate::signals::ignore_hangup();
    match bench::run_guard(root, watched, &mut std::io::stdin(), &mut std::io::stdout()) {
        Ok(()) => 0,
        Err(_) => status::NOT_RESTORED,
    }
}
