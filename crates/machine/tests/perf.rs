//! Counters on the running system: CPU time works everywhere, cycles need a PMU.

#![allow(clippy::disallowed_methods)]

use machine::Root;
use machine::perf::{Counters, Target};
use record::MissingReason;
use std::hint::black_box;

fn work() -> u64 {
    (0..3_000_000_u64).fold(0, |sum, step| black_box(sum ^ step))
}

/// Counted time so far; `None` with a skip if the system does not permit counting.
#[track_caller]
fn task_clock_ns(counters: &Counters) -> Option<u64> {
    match counters.read().task_clock_ns {
        Ok(time_ns) => Some(time_ns),
        Err(missing) => {
            assert!(matches!(missing.why, MissingReason::Denied | MissingReason::Unsupported(_)), "{missing}");
            testkit::skip(&format!("time on a CPU cannot be counted: {missing}"));
            None
        }
    }
}

#[test]
fn thread_and_children_counters() {
    let counters = Counters::open(&Root::system(), Target::ThisThread);
    black_box(work());
    let first = testkit::found!(task_clock_ns(&counters));
    assert!(first > 0);
    std::thread::spawn(work).join().unwrap();
    assert!(task_clock_ns(&counters).unwrap() > first);
}

#[test]
fn child_counters_exclude_self() {
    let counters = Counters::open(&Root::system(), Target::ProgramsStarted);
    black_box(work());
    let before = testkit::found!(task_clock_ns(&counters));
    assert_eq!(before, 0, "nothing was started yet");
    // Counting of programs can only be tested with a program.
    let status = std::process::Command::new("/bin/sh")
        .args(["-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"])
        .status()
        .unwrap();
    assert!(status.success());
    assert!(task_clock_ns(&counters).unwrap() > 0);
}

#[test]
fn running_process_with_all_its_threads() {
    let counters = Counters::open(&Root::system(), Target::Process(std::process::id()));
    black_box(work());
    let gone = Counters::open(&Root::system(), Target::Process(u32::MAX));
    assert!(gone.read().task_clock_ns.is_err());
    let time_ns = testkit::found!(task_clock_ns(&counters));
    assert!(time_ns > 0);
}

#[test]
fn cycles_are_counted_or_their_absence_has_a_reason() {
    let counters = Counters::open(&Root::system(), Target::ThisThread);
    black_box(work());
    match counters.read().cycles {
        Ok(cycles) => assert!(cycles.iter().any(|cycles| cycles.cycles > 0)),
        Err(missing) => match missing.why {
            MissingReason::Unsupported(_) => testkit::excuse(testkit::Excuse::CycleCounter),
            MissingReason::Denied => testkit::skip(&format!("cycles cannot be counted: {missing}")),
            _ => panic!("{missing}"),
        },
    }
}
