//! `sbc-bench restore`: puts back what a killed run has left behind. `sbc-bench guard` does the same
//! as soon as the process that started it is gone.

use crate::paths::Paths;
use crate::{output, status};
use anyhow::Context;
use machine::Root;
use machine::settings::restore_from_journal;
use record::NotRestored;

pub(crate) fn run(root: &Root) -> anyhow::Result<u8> {
    anyhow::ensure!(root.is_system(), "restore needs the running system; it does not take --root.");
    let journal = Paths::choose(true, None).journal;
    let outcomes = restore_from_journal(root, &journal);
    let outcomes = if machine::is_root() { outcomes? } else { outcomes.context("restore needs root")? };
    if outcomes.is_empty() {
        output::print("Nothing to restore.\n")?;
    }
    for (path, outcome) in &outcomes {
        let left = NotRestored::of(path, outcome);
        output::print(&left.map_or_else(|| format!("{path} restored\n"), |left| left.sentence() + "\n"))?;
    }
    Ok(if NotRestored::among(&outcomes).any(|left| left.is_failure()) { status::NOT_RESTORED } else { 0 })
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
