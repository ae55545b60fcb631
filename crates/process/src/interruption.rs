//! Interruptions of a run: Ctrl-Z, SIGSTOP, suspend of the machine. The Record contains them, because the time of an
//! interrupted step is meaningless.
//!
//! Loads stop and continue with this program. They have separate process groups, which the terminal does not stop; a
//! load that continued alone would heat the board unobserved. At Ctrl-Z this process stops them; SIGSTOP cannot be
//! caught, so the guard stops them.

use crate::child::{signal_all, stop_programs_of};
use machine::Root;
use machine::settings::RestoreHandle;
use machine::threads::lock;
use machine::timeline::{SUSPEND_MS_MIN, suspended_ms};
use record::{Gap, Missing};
use rustix::process::{Signal, getpid, kill_process};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Interval of checks whether another thread has taken the signal.
const STOP_LOOK: Duration = Duration::from_millis(1);
/// Wait if `/proc` does not report pending signals.
const STOP_WAIT: Duration = Duration::from_millis(20);

/// Cause of an interruption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    CtrlZ,
    SigStop,
    SuspendClock,
}

/// Interruption of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interruption {
    pub(crate) cause: Cause,
    pub(crate) time: Duration,
}

/// Durations of interruptions, until a run takes them.
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
        // Programs must continue only after the stop, which another thread takes when it gets a CPU.
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
    lock(&PAUSES).push(time);
    Some(time)
}

/// Duration of a stop by Ctrl-Z since the last call, if any.
pub fn take() -> Option<Interruption> {
    let time: Duration = lock(&PAUSES).drain(..).sum();
    let cause = Cause::CtrlZ;
    (!time.is_zero()).then_some(Interruption { cause, time })
}

/// Detects suspends of the machine.
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

    /// Duration of suspends since the last call, if any.
    pub fn take(&mut self) -> Option<Interruption> {
        let before_ms = self.suspended_ms;
        let now_ms = suspended_ms();
        let slept_ms = now_ms - before_ms;
        if slept_ms < SUSPEND_MS_MIN {
            return None;
        }
        self.suspended_ms = now_ms;
        let time = Duration::from_millis(slept_ms.unsigned_abs());
        let cause = Cause::SuspendClock;
        Some(Interruption { cause, time })
    }
}

impl Interruption {
    /// Reason why an interrupted step has no score.
    pub fn sentence(self) -> String {
        let seconds = self.time.as_secs_f64();
        match self.cause {
            Cause::CtrlZ => format!("it was stopped (Ctrl-Z) for {seconds:.1} s while it ran"),
            Cause::SigStop => format!("it was stopped (SIGSTOP) for {seconds:.1} s while it ran"),
            Cause::SuspendClock => format!("the machine was suspended for {seconds:.1} s while it ran"),
        }
    }

    /// Gap in the samples; `None` for a suspend, which the sampler records itself.
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
