//! Ctrl-Z: the loads stop with this program and go on with it. They have process groups of their own, which
//! the terminal does not stop; one that ran on alone would heat the board with nobody watching. What was
//! stopped is told in the Record, since its time says nothing any more.

use crate::child::{descendants_of, signal_all};
use machine::Root;
use record::{Gap, Missing};
use rustix::process::{Signal, getpid, kill_process};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The signal is due before `kill` returns, or a moment later where another thread takes it.
const UNTIL_DUE: Duration = Duration::from_millis(20);
/// While one looks, a program can start another one.
const LOOKS: usize = 3;

/// Times for which everything stood still, until a run takes them.
static PAUSES: Mutex<Vec<Duration>> = Mutex::new(Vec::new());

/// Stops all programs of this process, then the process itself until somebody lets it go on (`fg`, `bg`), and
/// then lets them go on. Returns how long that was, or nothing where nobody could let it go on.
pub fn pause() -> Option<Duration> {
    let root = Root::system();
    if !machine::signals::can_be_continued(&root) {
        return None;
    }
    let mut stopped: Vec<u32> = Vec::new();
    for _ in 0..LOOKS {
        let new: Vec<u32> = descendants_of(&root, std::process::id());
        let new: Vec<u32> = new
            .into_iter()
            .filter(|pid| !stopped.contains(pid))
            .collect();
        if new.is_empty() {
            break;
        }
        signal_all(&new, Signal::STOP);
        stopped.extend(new);
    }
    let since = Instant::now();
    let _ = kill_process(getpid(), Signal::STOP);
    std::thread::sleep(UNTIL_DUE);
    signal_all(&stopped, Signal::CONT);
    let time = since.elapsed();
    PAUSES
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(time);
    Some(time)
}

/// What everything stood still for since the last call, if it did.
pub(crate) fn take() -> Option<Duration> {
    let mut pauses = PAUSES.lock().unwrap_or_else(PoisonError::into_inner);
    let all: Duration = pauses.drain(..).sum();
    (!all.is_zero()).then_some(all)
}

/// Why the score of a step that stood still is none.
pub(crate) fn sentence(time: Duration) -> String {
    format!(
        "it was stopped (Ctrl-Z) for {:.1} s while it ran",
        time.as_secs_f64()
    )
}

/// The same between the samples.
pub(crate) fn gap(time: Duration, at_ms: i64) -> Gap {
    let why = format!(
        "everything was stopped (Ctrl-Z) for {:.1} s",
        time.as_secs_f64()
    );
    Gap {
        at_ms: at_ms - i64::try_from(time.as_millis()).unwrap_or(0),
        missing: Missing::unsupported("", why),
    }
}
