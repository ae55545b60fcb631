//! `sbc-bench recover --settings`: restores settings that a killed run left changed. `sbc-bench guard` does so as soon as its
//! owner is gone.

use super::Command;
use crate::paths::Paths;
use anyhow::Context;
use console::{output, signals, status};
use machine::Root;
use machine::settings::restore_from_journal;
use record::{RestoreOutcome, UnrestoredSetting};
use std::path::PathBuf;

/// Settings of a killed run with their outcomes.
type Outcomes = Vec<(String, RestoreOutcome)>;

pub(super) fn run(root: &Root) -> anyhow::Result<u8> {
    anyhow::ensure!(root.is_system(), "restore needs the running system; it does not take --root.");
    let outcomes = outcomes(root)?;
    if outcomes.is_empty() {
        output::print("Nothing to restore.\n")?;
    }
    tell(&outcomes)
}

/// As [`run`], after runs were recovered, which needs no root.
pub(super) fn after_runs(root: &Root) -> anyhow::Result<u8> {
    if !root.is_system() {
        return Ok(0);
    }
    match outcomes(root) {
        Ok(outcomes) => tell(&outcomes),
        Err(error) if machine::is_root() => Err(error),
        Err(_) => {
            output::note("Settings that a killed run left changed are restored by `sudo sbc-bench recover`.");
            Ok(0)
        }
    }
}

fn outcomes(root: &Root) -> anyhow::Result<Outcomes> {
    let outcomes = restore_from_journal(root, &Paths::choose(true, None).journal);
    Ok(if machine::is_root() { outcomes? } else { outcomes.context("restore needs root")? })
}

fn tell(outcomes: &Outcomes) -> anyhow::Result<u8> {
    for (path, outcome) in outcomes {
        let left = UnrestoredSetting::of(path, outcome);
        output::print(&left.map_or_else(|| format!("{path} restored\n"), |left| left.sentence() + "\n"))?;
    }
    Ok(if UnrestoredSetting::among(outcomes).any(|left| left.is_failure()) { status::NOT_RESTORED } else { 0 })
}

/// Ends programs and restores settings when the process at the other end of standard input is gone.
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct Guard {
    #[arg(long)]
    owner: u32,
    #[arg(long)]
    journal: Option<PathBuf>,
    #[arg(long)]
    group: Option<String>,
    #[arg(long)]
    places: Option<PathBuf>,
}

impl Command for Guard {
    fn recovers_first(&self) -> bool {
        false
    }

    fn run(self: Box<Self>, root: &Root) -> anyhow::Result<u8> {
        let Self { owner, journal, group, places } = *self;
        let watched = process::guard::GuardResources { owner, journal, group, places };
        // These signals are for the owner, which the guard outlives.
        signals::ignore_hangup();
        match process::guard::run_guard(root, &watched, &mut std::io::stdin(), &mut std::io::stdout()) {
            Ok(()) => Ok(0),
            Err(_) => Ok(status::NOT_RESTORED),
        }
    }
}
