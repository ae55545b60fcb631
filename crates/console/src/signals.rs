//! Signals that end a run. The first one sets a flag that every wait checks. A second Ctrl-C restores settings, ends the
//! programs of the run and exits, even while the run is blocked. Signals ignored at the start (`nohup`) stay ignored. Ctrl-Z
//! stops the loads as well, and restores settings until the run continues.

use crate::{status, stderr};
use machine::settings::RestoreHandle;
use machine::threads;
use record::{RestoreOutcome, UnrestoredSetting};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGXFSZ};
use signal_hook::iterator::Signals;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Maximum time to restore settings, which takes milliseconds unless a file of the kernel hangs.
const RESTORE_TIME_MAX: Duration = Duration::from_secs(2);

/// Some tools send one signal twice, to a process and to its group; within this time it counts once.
const TWICE: Duration = Duration::from_millis(500);

/// Gives the terminal back at an exit that drops nothing.
static GIVES_BACK: OnceLock<fn()> = OnceLock::new();

/// Number of the first signal, or 0.
static RECEIVED: AtomicI32 = AtomicI32::new(0);

/// Answer to the first Ctrl-C.
static ANSWER: OnceLock<&'static str> = OnceLock::new();

/// Signals that ask for the end.
const ENDS: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// Sets the function that gives the terminal back.
pub fn give_back_by(give_back: fn()) {
    let _ = GIVES_BACK.set(give_back);
}

/// Sets the sentence that is printed at once after the first Ctrl-C.
pub fn answer(sentence: &'static str) {
    let _ = ANSWER.set(sentence);
}

/// Number of the first signal that asked for the end, or 0.
pub fn received() -> i32 {
    RECEIVED.load(Ordering::Relaxed)
}

/// Starts to handle signals. Returns the number of the first signal, or 0; a signal wakes the calling thread.
pub fn watch() -> anyhow::Result<&'static AtomicI32> {
    let heard = ENDS.into_iter().chain([SIGTSTP]);
    let heard = heard.filter(|signal| !machine::signals::is_ignored(*signal));
    let mut signals = Signals::new(heard)?;
    let waiting = std::thread::current();
    let listen = move || {
        let mut first: Option<Instant> = None;
        for signal in signals.forever() {
            if signal == SIGTSTP {
                stop();
                continue;
            }
            let before = RECEIVED.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed);
            if let (Ok(_), SIGINT, Some(answer)) = (before, signal, ANSWER.get()) {
                stderr::line(answer);
            }
            match (before, first) {
                (Ok(_), _) | (_, None) => first = Some(Instant::now()),
                (Err(_), Some(first)) if signal == SIGINT && first.elapsed() > TWICE => {
                    exit_now();
                }
                _ => {}
            }
            waiting.unpark();
        }
    };
    threads::spawn("signals", listen)?;
    Ok(&RECEIVED)
}

/// Makes a limit of the file size (`ulimit -f`) an error like a full disk, not the end of the program. Child processes get the
/// original signal.
pub fn outlive_full_files() {
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Ignores signals that ask for the end, for a process that has to outlive them.
pub fn ignore_hangup() {
    let ignored = Arc::new(AtomicBool::new(false));
    for signal in ENDS {
        let _ = signal_hook::flag::register(signal, Arc::clone(&ignored));
    }
}

/// Ctrl-Z: restores settings and stops everything until the process is continued. Reports the time afterwards.
fn stop() {
    let way_back = RESTORE_HANDLE.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(time) = process::interruption::pause(way_back.as_ref()) {
        let seconds = time.as_secs_f64();
        stderr::note(&format!("Stopped for {seconds:.1} s; the step running at that time is not comparable."));
    }
}

/// Restores the settings that the run changed.
static RESTORE_HANDLE: Mutex<Option<RestoreHandle>> = Mutex::new(None);

/// Keeps the restore handle for a second Ctrl-C.
pub fn set_restore_handle(way_back: RestoreHandle) {
    *RESTORE_HANDLE.lock().unwrap_or_else(PoisonError::into_inner) = Some(way_back);
}

/// A second Ctrl-C exits without waiting for output or anything that hangs. Settings are restored, by the guard if this process
/// cannot do it in time, and programs end. The stream on disk has all measurements; the next start recovers it.
fn exit_now() {
    let (sender, back) = std::sync::mpsc::channel();
    // The receiver is gone after the timeout.
    let outcomes = match threads::spawn("restore", move || drop(sender.send(put_back()))) {
        Ok(_) => back.recv_timeout(RESTORE_TIME_MAX).unwrap_or_default(),
        Err(_) => put_back(),
    };
    let left: Vec<UnrestoredSetting> = UnrestoredSetting::among(&outcomes).collect();
    left.iter().for_each(|left| stderr::note(&left.sentence()));
    stderr::settle();
    let status =
        if left.iter().any(UnrestoredSetting::is_failure) { status::NOT_RESTORED } else { status::INTERRUPTED };
    std::process::exit(status.into());
}

fn put_back() -> Vec<(String, RestoreOutcome)> {
    let way_back = RESTORE_HANDLE.lock().map(|mut way_back| way_back.take());
    let way_back = way_back.ok().flatten();
    let outcomes = way_back.map(|way_back| way_back.go()).unwrap_or_default();
    process::child::end_programs();
    if let Some(give_back) = GIVES_BACK.get() {
        give_back();
    }
    outcomes
}

/// Waits for at most `time`; a signal or an unpark ends the wait. For the thread that called [`watch`].
pub fn wait(time: Duration) {
    if received() == 0 {
        std::thread::park_timeout(time);
    }
}
