//! Skipped tests: printed, counted at the end of `./test`, and failures if skips are not permitted.
//!
//! A test that lacks a prerequisite calls [`skip`] and returns; if a helper has called it, the test returns by
//! [`needs!`](crate::needs) or [`found!`](crate::found). `cargo xtask tidy` rejects a bare `return` in a test, because the harness would print
//! `ok` for a test that checked nothing.

use std::cell::Cell;
use std::io::Write;
use std::panic::Location;

/// File to which every skip is appended as a line. `./test` sets it and prints its content.
const SKIPS: &str = "SBC_BENCH_SKIPS";
/// Set to 1 if all prerequisites must be available: a skip is then a failure.
const NO_SKIP: &str = "SBC_BENCH_NO_SKIP";

thread_local! {
    /// Whether this thread has reported a skip. The harness runs each test in its own thread.
    static REPORTED: Cell<bool> = const { Cell::new(false) };
}

/// Prerequisites that no machine is required to have: a skip is counted but never a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excuse {
    /// Collection of logs that the tables in `data/` are based on.
    Corpus,
    /// Hardware cycle counter.
    CycleCounter,
    /// Schemathesis, whose requests differ in each run.
    Schemathesis,
}

impl Excuse {
    /// Reason why it is not required, as a sentence.
    fn reason(self) -> &'static str {
        match self {
            Excuse::Corpus => {
                "the collection of published logs is not in this repository; SBC_BENCH_CORPUS can name its place"
            }
            Excuse::CycleCounter => "this CPU or hypervisor has no cycle counter",
            Excuse::Schemathesis => "random requests are not part of every test; `cargo xtask hub` sends them",
        }
    }
}

/// Reports that a test cannot run here because `what` is missing. The test must return afterwards.
///
/// # Panics
/// `SBC_BENCH_NO_SKIP` is 1.
#[track_caller]
pub fn skip(what: &str) {
    report("skipped", what);
    assert!(
        !std::env::var(NO_SKIP).is_ok_and(|value| value == "1"),
        "nothing may be skipped here ({NO_SKIP}=1): {what}"
    );
}

/// Reports that a test cannot run here because of a missing optional prerequisite.
#[track_caller]
pub fn excuse(excuse: Excuse) {
    report("excused", excuse.reason());
}

/// Confirms before a return that a helper has skipped this test.
///
/// # Panics
/// Nothing was skipped in this thread, so the test would pass silently.
#[track_caller]
pub fn was_skipped() {
    assert!(REPORTED.get(), "a test returns early without a reason: call `testkit::skip` before");
}

/// Returns from a test if a helper has reported a skip and returned `false`.
#[macro_export]
macro_rules! needs {
    ($can_run:expr) => {
        if !$can_run {
            return $crate::was_skipped();
        }
    };
}

/// Unwraps the value of a helper. Returns from the test if the helper has reported a skip and returned `None`.
#[macro_export]
macro_rules! found {
    ($found:expr) => {
        match $found {
            Some(found) => found,
            None => return $crate::was_skipped(),
        }
    };
}

#[track_caller]
#[expect(clippy::print_stderr, reason = "a user running a single test reads it there")]
fn report(kind: &str, what: &str) {
    REPORTED.set(true);
    let line = line(kind, test_name().as_deref(), Location::caller(), what);
    eprint!("{line}");
    if let Some(path) = std::env::var_os(SKIPS) {
        let file = std::fs::OpenOptions::new().append(true).create(true).open(&path);
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        assert!(written.is_ok(), "{}: {written:?}", path.display());
    }
}

/// The harness names the thread after the test, unless it runs single-threaded.
fn test_name() -> Option<String> {
    let name = std::thread::current().name()?.to_owned();
    (name != "main").then_some(name)
}

/// One line, written by a single call so that lines of several processes do not mix.
fn line(kind: &str, test: Option<&str>, place: &Location<'_>, what: &str) -> String {
    let what = what.replace(['\n', '\r'], " ");
    let test = test.map(|test| format!(" {test}")).unwrap_or_default();
    format!("{kind}:{test} ({}): {what}\n", place.file())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Output of a process that skips in this environment, and whether it fails.
    fn child(environment: &[(&str, &str)], test: &str) -> (bool, String) {
        let folder = std::env::temp_dir().join(format!("sbc-bench-skip-{test}-{}", std::process::id()));
        let _ = std::fs::remove_file(&folder);
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", &format!("skip::tests::{test}")]);
        child.env_remove(NO_SKIP).env("SBC_BENCH_SKIP_INSIDE", "1").env(SKIPS, &folder);
        let status = child.envs(environment.iter().copied()).output().unwrap().status;
        let told = std::fs::read_to_string(&folder).unwrap_or_default();
        let _ = std::fs::remove_file(&folder);
        (status.success(), told)
    }

    fn is_inside() -> bool {
        std::env::var_os("SBC_BENCH_SKIP_INSIDE").is_some()
    }

    #[test]
    fn skip_fails_with_no_skip() {
        if is_inside() {
            return skip("a moon\nof cheese");
        }
        let test = "skip_fails_with_no_skip";
        let expected = format!("skipped: skip::tests::{test} (crates/testkit/src/skip.rs): a moon of cheese\n");
        assert_eq!(child(&[], test), (true, expected.clone()));
        assert_eq!(child(&[(NO_SKIP, "0")], test), (true, expected.clone()));
        assert_eq!(child(&[(NO_SKIP, "1")], test), (false, expected));
    }

    #[test]
    fn excuse_never_fails() {
        if is_inside() {
            return excuse(Excuse::Corpus);
        }
        let (passes, told) = child(&[(NO_SKIP, "1")], "excuse_never_fails");
        assert!(passes && told.starts_with("excused: ") && told.contains("SBC_BENCH_CORPUS"), "{told}");
    }

    #[test]
    #[should_panic = "without a reason"]
    fn silent_return_is_refused() {
        was_skipped();
    }
}
