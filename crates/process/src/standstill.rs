//! Times in which nothing went on: Ctrl-Z, SIGSTOP, sleep of the whole machine. They are told in the Record, since
//! the time of a step with one of them in it says nothing any more.
//!
//! The loads stop with this program and go on with it. They have process groups of their own, which the terminal
//! does not stop; one that ran on alone would heat the board with nobody watching. At Ctrl-Z this process stops
//! them itself; if it is stopped by SIGSTOP, which it cannot hear, its guard does.

use crate::child::{signal_all, stop_programs_of};
use machine::Root;
use machine::settings::RestoreHandle;
use machine::timeline::{SUSPEND_MS_MIN, suspended_ms};
use record::{Gap, Missing};
use rustix::process::{Signal, getpid, kill_process};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Pause between looks whether another thread has taken the signal.
const STOP_LOOK: Duration = Duration::from_millis(1);
/// Wait for it where `/proc` does not tell.
const STOP_WAIT: Duration = Duration::from_millis(20);

/// Why nothing went on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    CtrlZ,
    SigStop,
    SuspendClock,
}

/// A time in which nothing went on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standstill {
    pub(crate) cause: Cause,
    pub(crate) time: Duration,
}

/// Times for which everything stood still, until a run takes them.
static PAUSES: Mutex<Vec<Duration>> = Mutex::new(Vec::new());

/// Stops all programs of this process, restores settings, and stops the process itself until it is continued (`fg`, `bg`).
/// Then sets the settings again and continues the programs. Returns the time, or none if nothing could continue the process.
pub fn pause(way_back: Option<&RestoreHandle>) -> Option<Duration> {
    let root = Root::system();
    if !machine::signals::can_be_continued(&root) {
        return None;
    }
    let stopped = stop_programs_of(&root, std::process::id());
    let since = Instant::now();
    let stop = || {
        #[expect(clippy::disallowed_methods, reason = "this process has its number")]
        let _ = kill_process(getpid(), Signal::STOP);
        // Programs continue after this: not before the stop, which another thread takes when it gets a CPU.
        loop {
            match machine::signals::is_stop_pending(&root) {
                Some(true) => std::thread::sleep(STOP_LOOK),
                Some(false) => break,
                None => break std::thread::sleep(STOP_WAIT),
            }
        }
    };
    match way_back {
        Some(way_back) => way_back.suspend(stop),
        None => stop(),
    }
    signal_all(&stopped, Signal::CONT);
    let time = since.elapsed();
    PAUSES.lock().unwrap_or_else(PoisonError::into_inner).push(time);
    Some(time)
}

/// Duration of a stop by Ctrl-Z since the last call, if any.
pub fn take() -> Option<Standstill> {
    let mut pauses = PAUSES.lock().unwrap_or_else(PoisonError::into_inner);
    let time: Duration = pauses.drain(..).sum();
    let cause = Cause::CtrlZ;
    (!time.is_zero()).then_some(Standstill { cause, time })
}

/// Notices that the machine has slept.
#[derive(Debug)]
pub struct SuspendClock {
    suspended_ms: i64,
}

impl SuspendClock {
    /// Discards earlier suspends.
    pub fn reset() -> Self {
        let suspended_ms = suspended_ms();
        Self { suspended_ms }
    }

    /// For how long the machine slept since the last call.
    pub fn take(&mut self) -> Option<Standstill> {
        let before_ms = self.suspended_ms;
        let now_ms = suspended_ms();
        let slept_ms = now_ms - before_ms;
        if slept_ms < SUSPEND_MS_MIN {
            return None;
        }
        self.suspended_ms = now_ms;
        let time = Duration::from_millis(slept_ms.unsigned_abs());
        let cause = Cause::SuspendClock;
        Some(Standstill { cause, time })
    }
}

impl Standstill {
    /// Why the score of a step that stood still is none.
    pub fn sentence(self) -> String {
        let seconds = self.time.as_secs_f64();
        match self.cause {
            Cause::CtrlZ => format!("it was stopped (Ctrl-Z) for {seconds:.1} s while it ran"),
            Cause::SigStop => format!("it was stopped (SIGSTOP) for {seconds:.1} s while it ran"),
            Cause::SuspendClock => format!("the machine was suspended for {seconds:.1} s while it ran"),
        }
    }

    /// The same between the samples; a sampler notices by itself that the machine slept.
    pub fn gap(self, at_ms: i64) -> Option<Gap> {
        let how = match self.cause {
            Cause::CtrlZ => "Ctrl-Z",
            Cause::SigStop => "SIGSTOP",
            Cause::SuspendClock => return None,
        };
        let seconds = self.time.as_secs_f64();
        let why = format!("the run was stopped ({how}) for {seconds:.1} s");
        Some(Gap {
            at_ms: at_ms - i64::try_from(self.time.as_millis()).unwrap_or(0),
            missing: Missing::unsupported("", why),
        })
    }
}
