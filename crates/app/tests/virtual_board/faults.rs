//! Runs that are cut short, at any moment and in any way: the settings come back, nothing runs on.

use crate::rig::{Concurrency, HASTE, PROGRAM, RunOutcome, board, command, command_with};
use record::{End, Step};

/// Lets the program run for this time, then sends a signal to it and, as a terminal does, to its group.
fn cut(verb: &str, signal: &str, after_s: &str) -> Option<RunOutcome> {
    let script = format!("exec timeout --preserve-status -s {signal} {after_s} {PROGRAM} {verb}");
    let seen = command_with(Concurrency::Others, &board("quick")?, &["sh", "-c", &script]);
    let what = format!("{signal} after {after_s} s of {verb}");
    seen.check_left(&what);
    seen.check_agreement(&what);
    Some(seen)
}

const THERMAL: &str = "thermal --force --quiet --log $LOG --duration 1min";
/// Every OPP: the quickest that walks through them.
const CLOCK: &str = "clock --quiet";
const EFFICIENCY: &str = "efficiency --force --quiet --log $LOG --workload lzma --idle 1s";

#[test]
fn interrupted_run_restores_settings() {
    // As found, when there is nothing to be kept yet; at work; within a walk.
    for (verb, signal, after_s, is_kept) in
        [(THERMAL, "INT", "1.3", false), (THERMAL, "TERM", "7", true), (EFFICIENCY, "INT", "6", true)]
    {
        let seen = testkit::found!(cut(verb, signal, after_s));
        let status = seen.done.status.code();
        assert_eq!(status, Some(130), "{signal} after {after_s} s");
        assert!(!is_kept || seen.record.is_some(), "what was measured is kept");
    }
}

/// The last line of a run that Ctrl-C ends names the command that continues it, which measures the rest.
#[test]
fn interrupted_run_is_continued_by_the_command_that_it_names() {
    let Some(board) = board("quick") else {
        return testkit::was_skipped();
    };
    let script = format!(
        "export {HASTE}; timeout --preserve-status -s INT 6 {PROGRAM} {EFFICIENCY}; test $? = 130 || exit 90; \
         $(sed -n 's,.*Use `sbc-bench \\(--resume .*\\)` to continue it.$,{PROGRAM} --quiet \\1,p' $LOG.out)"
    );
    let seen = command(&board, &["sh", "-c", &script]);
    seen.check_left(&seen.said);
    let run = &seen.record().run;
    assert_eq!((&run.end, run.resumed.len()), (&End::Finished, 1), "{}", seen.said);
    assert_eq!(run.resumed[0].died_in.signal, Some(2));
    let said = seen.said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("The run was stopped during ") && said.contains("Signal 2 stopped it."), "{said}");
    assert!(!said.contains("run that died") && !said.contains("power supply"), "{said}");
    let name =
        |step: &Step| format!("{:?}", (&step.workload, &step.variant, &step.cpus, step.repetition, step.set_clock));
    let mut steps: Vec<String> = seen.record().steps.iter().map(name).collect();
    let count = steps.len();
    steps.sort();
    steps.dedup();
    assert_eq!(steps.len(), count, "a step was measured twice");
}

/// A run that is killed at a write of a clock setting, so that those before it were made; with or without its
/// guard. What ends with `finish` has to find something to put back.
fn killed(whom: &str, finish: &str) -> Option<RunOutcome> {
    let plan = format!("run write /cpufreq/ 4 kill-{whom}");
    // It is the number of the write that counts, not how long it takes to get there.
    let script = format!("export {HASTE}; SBC_BENCH_FAULTS='{plan}' {PROGRAM} {CLOCK}; {finish}");
    let seen = command(&board("quick")?, &["sh", "-c", &script]);
    seen.check_left(&script);
    Some(seen)
}

#[test]
fn guard_restores_settings_of_killed_run() {
    let seen = testkit::found!(killed("run", "exit $?"));
    assert_eq!(seen.done.status.code(), Some(137));
}

#[test]
fn restore_command_and_next_start_restore_settings() {
    for finish in [
        format!("{PROGRAM} restore | grep ' restored'"),
        format!("{PROGRAM} clock --quiet 2>&1 | grep 'An earlier run left .* restored'"),
    ] {
        let seen = testkit::found!(killed("both", &finish));
        assert!(seen.done.status.success(), "{finish}");
    }
}

/// Killed when it is about to switch the other CPU on again. The next run that needs that CPU works.
#[test]
fn offline_cpu_of_killed_run_is_brought_online() {
    const OTHER: &str = "/sys/devices/system/cpu/cpu1/online";
    let run = "run --force --quiet --log $LOG --repeat 1 --cpus 0 --others-off -- true";
    for next in ["clock --cpus 1 --quiet", "run --force --quiet --log $LOG --repeat 1 --cpus 1 -- true"] {
        let board = testkit::found!(board("quick"));
        let script = format!(
            "export {HASTE}; SBC_BENCH_FAULTS='run write /online 2 kill-both' {PROGRAM} {run}; \
             grep -q 0 {OTHER} || exit 99; \
             {PROGRAM} {next}; status=$?; echo 1 >{OTHER}; exit $status"
        );
        let seen = command(&board, &["sh", "-c", &script]);
        seen.check_left(next);
        let status = seen.done.status.code();
        assert!(matches!(status, Some(0 | 2 | 3)), "{next}: {status:?}");
    }
}

#[test]
fn crashed_and_escaped_loads_are_cleaned_up() {
    let board = testkit::found!(board("quick"));
    for script in [
        "sleep 1; kill -SEGV $$",
        "sh -c 'while :; do :; done' & sleep 1; kill -ABRT $$",
        "setsid sh -c 'while :; do :; done' & sleep 1; exit 3",
    ] {
        let run = format!("export {HASTE}; exec {PROGRAM} run --force --quiet --log $LOG --repeat 1 -- sh -c \"$1\"");
        let seen = command_with(Concurrency::Others, &board, &["sh", "-c", &run, "sh", script]);
        seen.check_left(script);
        seen.check_agreement(script);
        assert!(!seen.done.status.success(), "{script}");
    }
}
