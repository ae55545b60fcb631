//! Fault plans for system calls: for tests only, never in a release build.
//!
//! `SBC_BENCH_FAULTS` contains rules separated by `;`, each of five words: `run write /cpufreq/ 3 ENOSPC`. In the
//! process `run` or `guard`, the third write to a path with `/cpufreq/` in it (`*` is any path; number 0 means every
//! one) fails with `ENOSPC`. The word `change` matches every call that changes something. Instead of an error:
//!
//! * `torn`: half of the data is written, then the disk is full;
//! * `kill-run`, `kill-guard`, `kill-both` (the guard first), `kill-group` (the run's process group):
//!   SIGKILL before the call, or after it with the suffix `-after`;
//! * `hang`: the call never returns;
//! * `panic`: the thread panics before the call.
//!
//! `SBC_BENCH_FAULTS_HASTE` is the divisor of configurable durations and sizes, so that a whole run takes a moment. Its
//! measurements are meaningless.
//!
//! `SBC_BENCH_FAULTS_CLOCKS` names a file that a test changes while the program runs: simulated suspend time and step of
//! the system time, in milliseconds.
//!
//! `SBC_BENCH_FAULTS_TRACE` names a file to which every call is appended: role, process, word, path, action of the plan,
//! written data. Calls of one kind on one path have the same order in every run; those of several threads interleave.

use super::{Call, ClockShift};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_current_process_group, kill_process};
use std::cell::RefCell;
use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Variable with the rules.
pub const VARIABLE: &str = "SBC_BENCH_FAULTS";
/// Variable with the trace file.
pub const TRACE_VARIABLE: &str = "SBC_BENCH_FAULTS_TRACE";

/// Variable with the divisor of durations.
pub const HASTE_VARIABLE: &str = "SBC_BENCH_FAULTS_HASTE";

/// Variable with a file of two numbers: see [`ClockShift`].
pub const CLOCKS_VARIABLE: &str = "SBC_BENCH_FAULTS_CLOCKS";

/// Errors that a plan can use.
pub const ERRNOS: [(&str, Errno); 11] = [
    ("ENOSPC", Errno::NOSPC),
    ("EIO", Errno::IO),
    ("EAGAIN", Errno::AGAIN),
    ("EINTR", Errno::INTR),
    ("ENODEV", Errno::NODEV),
    ("EPERM", Errno::PERM),
    ("EBUSY", Errno::BUSY),
    ("EROFS", Errno::ROFS),
    ("EINVAL", Errno::INVAL),
    ("ENOENT", Errno::NOENT),
    ("EMFILE", Errno::MFILE),
];

static GUARD: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// Plan of a test in its own thread.
    static OF_THIS_THREAD: RefCell<Option<&'static Plan>> = const { RefCell::new(None) };
}

/// Planned faults, and how often each rule matched.
#[derive(Debug)]
pub struct Plan {
    rules: Vec<Rule>,
    trace: Option<File>,
}

#[derive(Debug)]
struct Rule {
    /// `None` matches every call that changes something.
    call: Option<Call>,
    path: String,
    /// Number of the matching call; 0 for all.
    number: u32,
    what: FaultKind,
    matches: AtomicU32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FaultKind {
    Fail(Errno),
    Torn,
    Hang,
    Panic,
    Kill(Victim, Moment),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victim {
    Run,
    Guard,
    Both,
    Group,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    Before,
    After,
}

/// Plan of this thread's test or of the environment; `None` without faults.
pub(super) fn active() -> Option<&'static Plan> {
    static PLAN: OnceLock<Option<Plan>> = OnceLock::new();
    if let Some(plan) = OF_THIS_THREAD.with_borrow(|plan| *plan) {
        return Some(plan);
    }
    PLAN.get_or_init(from_environment).as_ref()
}

/// Runs a function with a plan for this thread only.
///
/// # Panics
/// The plan is invalid.
pub fn under<T>(plan: &str, run: impl FnOnce() -> T) -> T {
    struct EndsWithThis;
    impl Drop for EndsWithThis {
        fn drop(&mut self) {
            OF_THIS_THREAD.set(None);
        }
    }
    // Leaked, because tests are few and end soon.
    let plan = Box::leak(Box::new(Plan::parse(plan, "run")));
    OF_THIS_THREAD.set(Some(plan));
    let _ends = EndsWithThis;
    run()
}

pub(super) fn guarded_by(process: u32) {
    GUARD.store(process, Ordering::Relaxed);
}

/// Path of an open file, from the kernel.
pub(super) fn path_of(file: BorrowedFd<'_>) -> String {
    let link = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
    link.map_or_else(|_| "?".into(), |path| path.display().to_string())
}

/// Divisor of durations.
pub(super) fn haste() -> u32 {
    static HASTE: OnceLock<u32> = OnceLock::new();
    *HASTE.get_or_init(|| {
        let given = std::env::var(HASTE_VARIABLE).ok();
        given.and_then(|text| text.parse().ok()).unwrap_or(1).max(1)
    })
}

/// Current offsets in the file: milliseconds of suspend, and step of the system time. Keeps the previous values while
/// the file is being written.
#[allow(clippy::disallowed_methods)]
pub(super) fn clock_shift() -> ClockShift {
    static PATH: OnceLock<Option<OsString>> = OnceLock::new();
    static LAST: Mutex<ClockShift> = Mutex::new(ClockShift { suspended_ms: 0, utc_ms: 0 });
    let Some(path) = PATH.get_or_init(|| std::env::var_os(CLOCKS_VARIABLE)) else { return ClockShift::default() };
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let numbers: Vec<i64> = text.split_whitespace().flat_map(str::parse).collect();
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let [suspended_ms, utc_ms] = numbers[..] {
        *last = ClockShift { suspended_ms, utc_ms };
    }
    *last
}

fn role() -> &'static str {
    if std::env::args_os().nth(1).is_some_and(|word| word == "guard") { "guard" } else { "run" }
}

fn from_environment() -> Option<Plan> {
    let rules = std::env::var(VARIABLE).ok();
    let trace = std::env::var_os(TRACE_VARIABLE).and_then(|path| {
        let file = File::options().create(true).append(true).open(path);
        file.ok()
    });
    if rules.is_none() && trace.is_none() {
        return None;
    }
    let plan = Plan::parse(&rules.unwrap_or_default(), role());
    Some(Plan { trace, ..plan })
}

impl Plan {
    /// Rules for a process with this role.
    fn parse(text: &str, role: &str) -> Self {
        let texts = text.split(';').map(str::trim);
        let rules = texts.filter(|rule| !rule.is_empty()).filter_map(|rule| {
            let words: Vec<&str> = rule.split_whitespace().collect();
            let [whose, call_word, path, number, what] = words.as_slice() else {
                panic!("a rule has five words: {rule:?}");
            };
            let mut calls = Call::ALL.into_iter();
            let call = calls.find(|known| known.word() == *call_word);
            let parsed = Rule {
                call: call.or_else(|| {
                    assert!(*call_word == "change", "there is no such call: {rule:?}");
                    None
                }),
                path: path.trim_matches('*').to_owned(),
                number: number.parse().unwrap_or_else(|_| panic!("no number: {rule:?}")),
                what: FaultKind::parse(what).unwrap_or_else(|| panic!("nothing known: {rule:?}")),
                matches: AtomicU32::new(0),
            };
            (*whose == role).then_some(parsed)
        });
        Self { rules: rules.collect(), trace: None }
    }

    /// Planned fault for this call.
    fn fault_for(&self, call: Call, path: &str, content: &[u8]) -> Option<FaultKind> {
        let is_call = |rule: &Rule| rule.call.map_or(call.changes(), |wanted| wanted == call);
        let fits = |rule: &&Rule| is_call(rule) && path.contains(&rule.path);
        let mut planned = None;
        for rule in self.rules.iter().filter(fits) {
            let number = rule.matches.fetch_add(1, Ordering::Relaxed) + 1;
            if rule.number == 0 || rule.number == number {
                planned = Some(rule.what);
            }
        }
        if let Some(mut trace) = self.trace.as_ref() {
            let planned = planned.map_or("-".to_owned(), |what| format!("{what:?}"));
            let content = String::from_utf8_lossy(content).replace(['\n', '\t'], " ");
            let (role, process, word) = (role(), std::process::id(), call.word());
            let line = format!("{role}\t{process}\t{word}\t{path}\t{planned}\t{content}\n");
            // A test that reads the trace detects a failed write.
            let _ = trace.write_all(line.as_bytes());
        }
        planned
    }

    pub(super) fn around<T, E: From<Errno>>(
        &self,
        call: Call,
        path: &str,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let planned = self.fault_for(call, path, &[]);
        self.before(planned)?;
        let made = make();
        self.after(planned);
        made
    }

    pub(super) fn write_all(&self, mut file: &File, bytes: &[u8]) -> std::io::Result<()> {
        use std::os::fd::AsFd;
        let planned = self.fault_for(Call::Write, &path_of(file.as_fd()), bytes);
        if planned == Some(FaultKind::Torn) {
            file.write_all(&bytes[..bytes.len() / 2])?;
        }
        self.before::<std::io::Error>(planned)?;
        let written = file.write_all(bytes);
        self.after(planned);
        written
    }

    fn before<E: From<Errno>>(&self, planned: Option<FaultKind>) -> Result<(), E> {
        match planned {
            Some(FaultKind::Fail(errno)) => Err(errno.into()),
            Some(FaultKind::Torn) => Err(Errno::NOSPC.into()),
            Some(FaultKind::Hang) => loop {
                std::thread::park();
            },
            Some(FaultKind::Panic) => panic!("planned"),
            Some(FaultKind::Kill(victim, Moment::Before)) => {
                kill(victim);
                Ok(())
            }
            Some(FaultKind::Kill(_, Moment::After)) | None => Ok(()),
        }
    }

    fn after(&self, planned: Option<FaultKind>) {
        if let Some(FaultKind::Kill(victim, Moment::After)) = planned {
            kill(victim);
        }
    }
}

impl FaultKind {
    fn parse(word: &str) -> Option<Self> {
        let (word, moment) = match word.strip_suffix("-after") {
            Some(word) => (word, Moment::After),
            None => (word, Moment::Before),
        };
        let victim = match word {
            "torn" => return Some(Self::Torn),
            "hang" => return Some(Self::Hang),
            "panic" => return Some(Self::Panic),
            "kill-run" => Victim::Run,
            "kill-guard" => Victim::Guard,
            "kill-both" => Victim::Both,
            "kill-group" => Victim::Group,
            word => {
                let errno = ERRNOS.iter().find(|(name, _)| *name == word);
                return errno.map(|(_, errno)| Self::Fail(*errno));
            }
        };
        Some(Self::Kill(victim, moment))
    }
}

/// Same effect as `kill -9` or the OOM killer.
fn kill(victim: Victim) {
    let guard = Pid::from_raw(GUARD.load(Ordering::Relaxed) as i32);
    if let (Some(guard), Victim::Guard | Victim::Both) = (guard, victim) {
        let _ = kill_process(guard, Signal::KILL);
    }
    match victim {
        // A guard killed by its own plan is this process.
        Victim::Guard if role() == "run" => {}
        Victim::Group => {
            let _ = kill_current_process_group(Signal::KILL);
        }
        _ => {
            let _ = kill_process(rustix::process::getpid(), Signal::KILL);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> Result<(), Errno> {
        super::super::pass(Call::Read, path, || Ok(()))
    }

    #[test]
    fn call_of_that_number_fails_and_no_other() {
        under("run read /a 2 EIO; guard read * 0 EPERM", || {
            assert_eq!(read("/a/x"), Ok(()));
            assert_eq!(read("/b"), Ok(()));
            assert_eq!(read("/a/y"), Err(Errno::IO));
            assert_eq!(read("/a/x"), Ok(()));
        });
        assert_eq!(read("/a"), Ok(()));
    }

    #[test]
    fn every_call_can_fail_by_every_error() {
        for call in Call::ALL {
            for (name, errno) in ERRNOS {
                let outcome = under(&format!("run {} * 0 {name}", call.word()), || {
                    super::super::pass(call, "/x", || Ok::<(), Errno>(()))
                });
                assert_eq!(outcome, Err(errno));
            }
        }
    }

    #[test]
    fn torn_write_leaves_half() {
        let folder = testkit::Scratch::new("torn");
        let path = folder.join("torn");
        let file = File::create(&path).unwrap();
        let outcome = under("run write torn 2 torn", || {
            super::super::write_all(&file, b"whole\n").unwrap();
            super::super::write_all(&file, b"halves")
        });
        let left = std::fs::read(&path);
        assert_eq!(outcome.unwrap_err().raw_os_error(), Some(libc::ENOSPC));
        assert_eq!(left.unwrap(), b"whole\nhal");
    }

    #[test]
    fn invalid_plans_are_refused() {
        for text in ["x", "run read * 1", "run fly * 1 EIO", "run read * a EIO", "run read * 1 EWHAT"] {
            assert!(std::panic::catch_unwind(|| Plan::parse(text, "run")).is_err(), "{text}");
        }
    }
}
