//! Who looks at all boards while a play runs: which of them measure, how many of one power supply at once, and when one is to be struck.

use super::board::Board;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// Observations.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The most boards of one power supply that measured at once.
    pub(super) at_once_max: usize,
    /// The most boards that measured at once.
    pub(super) boards_max: usize,
    /// Runs that were begun, by board.
    pub(super) begun: BTreeMap<usize, usize>,
    pub(super) elapsed: Duration,
    /// End of the play; `None` if it was abandoned.
    pub(super) status: Option<ExitStatus>,
}

/// A run goes on for so long before its board is struck.
const STRIKE_AFTER: Duration = Duration::from_secs(2);

/// Looks until the play ends, or until it has taken too long: then it is ended.
pub(super) fn watch(play: &mut Child, boards: &mut [Board], patience: Duration) -> Result<Seen> {
    let begin = Instant::now();
    let mut seen = Seen::default();
    // The process that measures, of each board, and since when.
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
