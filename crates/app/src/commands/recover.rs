//! `sbc-bench recover`: makes Records of runs that died, and reports step and cause. Every other command does so first; a
//! systemd unit can do so at each start of the machine.

use super::resume_hint::way;
use super::{Command, restore};
use crate::paths::Paths;
use bench::{DeadRun, Leftover, Runs};
use console::output;
use explain::Document;
use machine::Root;
use record::{End, Fact, Record};
use std::path::{Path, PathBuf};

/// Recover runs that died; restore their settings
///
/// Saves the results of runs that died and reports the step and the likely cause, as every other command does first.
/// Then restores settings that a killed run left changed, as every new run does.
#[derive(Debug, clap::Args)]
pub(crate) struct Recover {
    /// Look for runs that were started with --log FILE
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Only restore settings
    #[arg(long, conflicts_with = "log")]
    settings: bool,
}

impl Command for Recover {
    fn recovers_first(&self) -> bool {
        self.settings
    }

    fn run(self: Box<Self>, root: &Root) -> anyhow::Result<u8> {
        if self.settings { restore::run(root) } else { recover(root, self.log.as_deref()) }
    }
}

fn recover(root: &Root, log: Option<&Path>) -> anyhow::Result<u8> {
    let paths = Paths::choose(machine::is_root(), log);
    let sentences = recovered(root, &paths.history);
    if sentences.is_empty() {
        output::print(&format!("No runs to recover in {}.\n", paths.history.display()))?;
    }
    for sentence in sentences {
        output::print(&format!("{sentence}\n"))?;
    }
    if log.is_some() { Ok(0) } else { restore::after_runs(root) }
}

/// Recovery at the start of every command; reads one directory if no run died.
pub(crate) fn at_start(root: &Root) {
    if !root.is_system() {
        return;
    }
    let paths = Paths::choose(machine::is_root(), None);
    for sentence in recovered(root, &paths.history) {
        output::note(&sentence);
    }
}

/// Makes Records of all dead runs in a directory. Returns a sentence about each.
pub(super) fn recovered(root: &Root, history: &Path) -> Vec<String> {
    let unknown = |error| format!("Whether an earlier run died is unknown: {error}.");
    let runs = match Runs::existing(history) {
        Ok(Some(runs)) => runs,
        Ok(None) => return Vec::new(),
        Err(error) => return vec![unknown(error)],
    };
    let tell = |left: Leftover| match left {
        Leftover::Run(left) => keep(root, &runs, *left),
        Leftover::Unreadable { why, kept } => {
            let way = match kept {
                Some(kept) => {
                    format!("It is kept as {} as long as other old runs, and not looked at again.", kept.display())
                }
                None => "Every start looks at it again, until it is moved away.".to_owned(),
            };
            format!("An earlier run may have died, but its event stream is unreadable: {why}. {way}")
        }
    };
    match runs.left_behind() {
        Ok(left) => left.into_iter().map(tell).collect(),
        Err(error) => vec![unknown(error)],
    }
}

fn keep(root: &Root, runs: &Runs, mut left: DeadRun) -> String {
    if left.has_ended {
        ended(&mut left.record);
        // The run restored settings that its stream still calls pending.
        bench::settle(root, &mut left.record);
    } else {
        died(root, &mut left.record);
    }
    let explained = explain::explain(&left.record);
    let told = if left.has_ended {
        "An earlier run finished, but its result file was not written.".to_owned()
    } else {
        let death = explained.assessment.findings.iter().find(|finding| finding.rule == rules::BOARD_DIED);
        let death = death.map(|finding| format!(" {}", finding.sentence()));
        format!("An earlier run did not finish.{}", death.unwrap_or_default())
    };
    let json = Document::saved(&explained.facts, &explained.assessment);
    match runs.recover(&left, &json) {
        Ok(path) => {
            let goes_on = match way(&left.record.run, &path) {
                Some(way) => format!(" {way}"),
                None => String::new(),
            };
            format!("{told}{goes_on} Its results are in {}.", path.display())
        }
        Err(error) => format!("{told} Its results could not be saved and remain in the stream: {error}."),
    }
}

/// Marks a run as finished whose end did not fit on the disk.
fn ended(record: &mut Record) {
    if record.run.end == End::Died {
        record.run.end = End::Finished;
        record.run.died_in = None;
    }
}

/// Adds the kernel's records of the death.
fn died(root: &Root, record: &mut Record) {
    let now_utc_ms = machine::Timeline::start().start_utc_ms();
    let aftermath = machine::aftermath(root, &record.run.boot_id, now_utc_ms);
    if let Some(died) = &mut record.run.died_in {
        died.aftermath = Fact::Known(aftermath);
    }
}
