//! Watches all boards during a play: which of them run, how many of one power supply at once, and when to strike one.

use super::board::Board;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

#[derive(Debug, Default)]
pub(super) struct Observation {
    /// Maximum number of boards of one power supply that ran at once.
    pub(super) at_once_max: usize,
    /// Maximum number of boards that ran at once.
    pub(super) boards_max: usize,
    /// Number of runs begun, by board.
    pub(super) begun: BTreeMap<usize, usize>,
    pub(super) elapsed: Duration,
    /// Exit status of the play; `None` if it was killed.
    pub(super) status: Option<ExitStatus>,
}

/// Duration of a run before its board is struck.
const STRIKE_AFTER: Duration = Duration::from_secs(2);

/// Watches until the play ends; kills it after `patience`.
pub(super) fn watch(play: &mut Child, boards: &mut [Board], patience: Duration) -> Result<Observation> {
    let begin = Instant::now();
    let mut seen = Observation::default();
    // The benchmark process of each board, and its first observation.
    let mut running: BTreeMap<usize, (u32, Instant)> = BTreeMap::new();
    let mut struck: BTreeSet<usize> = BTreeSet::new();
    loop {
        seen.status = play.try_wait()?;
        if seen.status.is_some() || begin.elapsed() > patience {
            break;
        }
        let mut supplies: BTreeMap<usize, usize> = BTreeMap::new();
        for board in boards.iter_mut() {
            match board.program() {
                Some(pid) => {
                    *supplies.entry(board.power_supply()).or_default() += 1;
                    if running.get(&board.number).is_none_or(|(known, _)| *known != pid) {
                        running.insert(board.number, (pid, Instant::now()));
                        *seen.begun.entry(board.number).or_default() += 1;
                    }
                }
                None => drop(running.remove(&board.number)),
            }
            let is_due = running.get(&board.number).is_some_and(|(_, since)| since.elapsed() > STRIKE_AFTER);
            if board.fate.is_death() && is_due && struck.insert(board.number) {
                board.strike()?;
            }
        }
        seen.at_once_max = seen.at_once_max.max(supplies.values().copied().max().unwrap_or(0));
        seen.boards_max = seen.boards_max.max(supplies.values().sum());
        std::thread::sleep(Duration::from_millis(200));
    }
    if seen.status.is_none() {
        play.kill()?;
        play.wait()?;
    }
    seen.elapsed = begin.elapsed();
    Ok(seen)
}
