//! Signals that end a run: the first one is remembered, and everything that waits looks at it. A second Ctrl-C
//! restores settings, ends the programs that were started and this program itself, even while it is blocked. Signals that
//! were ignored before this program began (`nohup`) stay ignored. Ctrl-Z also stops the loads, and restores settings until
//! the run is continued.

use crate::{status, stderr};
use machine::settings::RestoreHandle;
use machine::threads;
use record::{NotRestored, RestoreOutcome};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGXFSZ};
use signal_hook::iterator::Signals;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Putting everything back takes milliseconds; a file of the kernel that takes this long hangs.
const WAY_BACK_TIME: Duration = Duration::from_secs(2);

/// Some send one signal twice, to a process and to its group, and mean it once.
const TWICE: Duration = Duration::from_millis(500);

/// Gives back what an end that drops nothing would leave behind.
static GIVES_BACK: OnceLock<fn()> = OnceLock::new();

/// The number of the first signal that came, or 0.
static RECEIVED: AtomicI32 = AtomicI32::new(0);

/// What is answered at once to the first Ctrl-C.
static ANSWER: OnceLock<&'static str> = OnceLock::new();

/// Each of them asks for the end.
const ENDS: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// Remembers how a terminal is given back that was taken over.
pub fn give_back_by(give_back: fn()) {
    let _ = GIVES_BACK.set(give_back);
}

/// Remembers what is answered to the first Ctrl-C, before anything else is done about it.
pub fn answer(sentence: &'static str) {
    let _ = ANSWER.set(sentence);
}

/// The number of the first signal that asked for the end, or 0: for those who cannot be handed it.
pub fn received() -> i32 {
    RECEIVED.load(Ordering::Relaxed)
}

/// The number of the first signal that came, or 0. A thread that called this and is parked is woken.
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

/// A file that may not grow any more (`ulimit -f`) is an error like a full disk, and not the end of the program. What is
/// started gets the signal as it was.
pub fn outlive_full_files() {
    // One that cannot be handled ends it as before.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// For a process that has to outlive them: none of them does anything to it.
pub fn ignore_hangup() {
    let nobody_looks = Arc::new(AtomicBool::new(false));
    for signal in ENDS {
        // One that cannot be handled would end it; nothing else can be done about it.
        let _ = signal_hook::flag::register(signal, Arc::clone(&nobody_looks));
    }
}

/// Ctrl-Z: restores settings and stops everything until the process is continued. Reports the time afterwards.
fn stop() {
    let way_back = RESTORE_HANDLE.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(time) = process::standstill::pause(way_back.as_ref()) {
        let seconds = time.as_secs_f64();
        stderr::note(&format!("Stopped for {seconds:.1} s; the step running at that time is not comparable."));
    }
}

/// The way back of the settings that are changed now, if any are.
static RESTORE_HANDLE: Mutex<Option<RestoreHandle>> = Mutex::new(None);

/// Keeps the restore handle for a second Ctrl-C.
pub fn set_restore_handle(way_back: RestoreHandle) {
    *RESTORE_HANDLE.lock().unwrap_or_else(PoisonError::into_inner) = Some(way_back);
}

/// A second Ctrl-C: the user does not want to wait for what a run still tells and writes, or for what
/// hangs. Settings go back, by the guard where this process cannot do it in time; programs end. What was measured
/// is on the disk, and the next start finds it.
fn exit_now() {
    let (sender, back) = std::sync::mpsc::channel();
    // The receiver is gone after the timeout.
    let outcomes = match threads::spawn("way-back", move || drop(sender.send(put_back()))) {
        Ok(_) => back.recv_timeout(WAY_BACK_TIME).unwrap_or_default(),
        Err(_) => put_back(),
    };
    let left: Vec<NotRestored> = NotRestored::among(&outcomes).collect();
    left.iter().for_each(|left| stderr::note(&left.sentence()));
    stderr::settle();
    let status = if left.iter().any(NotRestored::is_failure) { status::NOT_RESTORED } else { status::INTERRUPTED };
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

/// Waits, at most so long; ends early after a signal, for the thread that watches signals, or if another one unparks it.
pub fn wait(time: Duration) {
    if received() == 0 {
        std::thread::park_timeout(time);
    }
}
