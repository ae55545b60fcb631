//! `sbc-bench power` on a board with a panel, a transmitter and sleep states: its figures, and what it leaves when it is cut
//! short.

use crate::rig::{
    Concurrency, HASTE, PROGRAM, RunOutcome, board, check_near, command, command_with, in_some_try, program, slow_board,
};
use facts::Facts;
use testkit::virtual_board::Board;

/// Panel that draws about half of the idle board.
const PANEL_W: f64 = 1.2;

fn with_panel() -> Option<Board> {
    Some(Board { panel_w: Some(PANEL_W), ..board("quick")? })
}

fn played(board: &Board, script: &str) -> RunOutcome {
    let script = format!("export {HASTE}; {script}");
    let seen = command_with(Concurrency::Others, board, &["sh", "-c", &script]);
    seen.check_left(&script);
    seen
}

const POWER: &str = "measure power --force --quiet --log $LOG";

/// True for the reasons of a run whose meter lost readings, as on a busy host.
fn is_lost_reading(why: &str) -> bool {
    why.starts_with("no reading for") || why.starts_with("too few readings")
}

#[test]
fn states_of_a_board() {
    let board = testkit::found!(with_panel());
    let seen = played(
        &board,
        &format!(
            "{PROGRAM} {POWER} --only idle,devices,suspend --all-devices; {PROGRAM} explain $LOG.json --format power"
        ),
    );
    let table = seen.said.lines().filter_map(|line| line.strip_prefix("| ")).collect::<Vec<_>>();
    let watts = |name: &str| {
        let row = table.iter().find(|row| row.starts_with(name)).unwrap_or_else(|| panic!("{name}: {}", seen.said));
        let cell = row.split(" | ").nth(1).and_then(|cell| cell.split(' ').next()?.parse::<f64>().ok());
        let why = row.split_once("not measured, because ").map(|(_, why)| why);
        assert!(cell.is_some() || why.is_some_and(is_lost_reading), "{row}: {}", seen.said);
        cell
    };
    if let (Some(idle), Some(dark)) = (watts("Idle |"), watts("Idle, backlight panel off")) {
        let share = (idle - dark) / PANEL_W;
        assert!((0.5..1.5).contains(&share), "{idle} W, without the panel {dark} W");
    }
    watts("Idle, performance");
    for device in ["wifi rfkill0", "display card0-HDMI-A-1", "link lan9", "USB Camera 9-1"] {
        watts(&format!("Idle, {device} off"));
    }
    assert!(seen.said.contains("| Suspend deep |") && seen.said.contains("| Suspend s2idle |"), "{}", seen.said);
}

#[test]
fn dry_run_and_a_board_without_a_source_switch_nothing() {
    let mut board = testkit::found!(with_panel());
    let seen = played(&board, &format!("{PROGRAM} power --dry-run --all-devices"));
    let time = "s in all, without the pauses between";
    assert!(seen.said.contains(time) && seen.said.contains("put all settings back"), "{}", seen.said);
    assert!(seen.said.contains("set /sys/class/backlight/panel/bl_power to 4"), "{}", seen.said);
    board.meter = None;
    for power in [POWER.to_owned(), format!("{POWER} --meter auto"), "power --dry-run".to_owned()] {
        let seen = played(&board, &format!("{PROGRAM} {power} --all-devices"));
        let is_auto = power.ends_with("auto");
        let why = if is_auto {
            "No power meter is on USB; name one"
        } else {
            "Nothing measures the power of the whole board"
        };
        assert!(seen.said.contains(why), "{power}: {}", seen.said);
        assert!(seen.record.is_none() && seen.done.status.code() == Some(1), "{power}: {}", seen.said);
    }
}

#[test]
fn meter_that_never_answers_ends_the_run_in_its_first_state() {
    let mut board = testkit::found!(with_panel());
    board.meter = None;
    // Nothing listens at this port.
    let seen = played(&board, &format!("{PROGRAM} {POWER} --all-devices --meter netio:127.0.0.1:1"));
    assert!(seen.said.contains("Nothing read the power of idle, because "), "{}", seen.said);
    let steps: Vec<&str> = seen.record().steps.iter().map(|step| step.variant.as_str()).collect();
    assert_eq!(steps, ["idle"], "{}", seen.said);
}

#[test]
fn five_rails_are_not_the_board() {
    let board = testkit::found!(board("five-rails"));
    let seen = played(&board, &format!("{PROGRAM} {POWER}; {PROGRAM} doctor"));
    for words in ["Nothing measures the power of the whole board", "parts of the board only"] {
        assert!(seen.said.contains(words), "{words}: {}", seen.said);
    }
    let seen = played(&board, &format!("{PROGRAM} run --force --quiet --log $LOG -- sleep 8"));
    let facts = Facts::of(seen.record());
    let sources = facts.power_sources();
    assert_eq!(sources.iter().filter(|source| !source.is_whole()).count(), 5, "{sources:?}");
    assert!(facts.power_source().is_none() && sources.len() == 5, "{sources:?}");
}

/// The readings are 3 s old, and the counter wraps every few seconds. An idle machine shows the delay by the step of the load
/// alone.
#[test]
fn slow_meter_has_its_delay_and_no_wrong_joules() {
    let board = testkit::found!(slow_board("slow-meter"));
    in_some_try(|| {
        let seen = command(&board, &["sh", "-c", &format!("{PROGRAM} {POWER} --only devices")]);
        let facts = Facts::of(seen.record());
        let energy = facts.energy().as_ref().unwrap();
        eprintln!("late by {:?} ms; the board stood still for {} s", energy.late_ms, seen.done.stood_still_s);
        let delay_s = f64::midpoint(energy.late_ms.0, energy.late_ms.1) / 1000.0;
        check_near("delay of the meter in s", delay_s, 3.0, 10.0);
        if let (_, Ok(idle)) = &energy.rests[0] {
            check_near("idle power in W", idle.mean_mw / 1000.0, 1.5, 5.0);
        }
    });
    in_some_try(|| {
        let script = "timeout 15 sh -c 'while :; do :; done'; true";
        let words = ["run", "--repeat", "1", "--log", "$LOG", "--", "sh", "-c", script];
        let seen = program(&board, &words);
        let record = seen.record();
        let facts = Facts::of(record);
        let energy = facts.energy().as_ref().unwrap();
        let longest = energy.steps.iter().max_by_key(|(step, _)| record.steps[*step].window.elapsed_ms());
        let (step, joules) = longest.unwrap();
        let window = record.steps[*step].window;
        let start_ms = window.start_utc_ms.unwrap();
        let own = start_ms..start_ms + window.elapsed_ms();
        let moments = seen.done.trace.iter().filter(|truth| own.contains(&truth.at_utc_ms));
        let watts: Vec<f64> = moments.map(|truth| truth.power_w).collect();
        let true_j = watts.iter().sum::<f64>() / watts.len() as f64 * window.elapsed_ms() as f64 / 1000.0;
        match joules {
            Ok(joules) => check_near("joules", joules.joules, true_j, 5.0),
            Err(why) => assert!(is_lost_reading(why), "{why}"),
        }
    });
}

#[test]
fn power_that_is_cut_short_leaves_no_setting_changed() {
    let board = testkit::found!(with_panel());
    let cut = [("INT", "7"), ("TERM", "12"), ("KILL", "9")].map(|(signal, after_s)| {
        let power = format!("{POWER} --only idle,devices --all-devices");
        format!("timeout --preserve-status -s {signal} {after_s} {PROGRAM} {power}; sleep 1")
    });
    // At the write that switches a device off, and at that which switches it on again.
    let recover = format!("{PROGRAM} recover");
    let killed = [
        ("panel", "bl_power", "run", 1, ":"),
        ("panel", "bl_power", "run", 2, ":"),
        ("panel", "bl_power", "both", 1, &recover),
        ("panel", "bl_power", "both", 2, &recover),
        ("lan9", "flags", "run", 1, ":"),
        ("lan9", "flags", "both", 2, &recover),
        ("9-1", "authorized", "run", 2, ":"),
        ("9-1", "authorized", "both", 1, &recover),
        ("wifi", "soft", "run", 1, ":"),
        ("wifi", "soft", "both", 1, &recover),
        ("card0-HDMI-A-1", "status", "run", 1, ":"),
        ("card0-HDMI-A-1", "status", "both", 1, &recover),
    ];
    let killed = killed.map(|(device, file, whom, write, finish)| {
        let power = format!("{POWER} --only devices --off {device}");
        format!("SBC_BENCH_FAULTS='run write /{file} {write} kill-{whom}' {PROGRAM} {power}; sleep 1; {finish}")
    });
    let board = &board;
    std::thread::scope(|scope| {
        for script in cut.iter().chain(&killed) {
            scope.spawn(move || {
                let seen = played(board, script);
                assert!(!seen.said.contains("can be switched off"), "{script}: {}", seen.said);
            });
        }
    });
}

#[test]
fn suspend_that_does_not_return_is_told_at_the_next_start() {
    let board = testkit::found!(board("no-wake"));
    let power = "measure power --force --quiet --only suspend";
    let script = format!("export {HASTE}; {PROGRAM} {power}; {PROGRAM} recover");
    // Another board that runs meanwhile stays on.
    let (seen, other) = std::thread::scope(|scope| {
        let other = Board { kernel: testkit::virtual_board::KernelSpec::default(), ..board.clone() };
        let other =
            scope.spawn(move || played(&other, &format!("{PROGRAM} run --force --quiet --repeat 1 -- sleep 10")));
        let seen = command_with(Concurrency::Others, &board, &["sh", "-c", &script]);
        (seen, other.join().unwrap())
    });
    assert!(other.said.contains("sleep 10: 10.0 s"), "{}", other.said);
    assert!(seen.said.contains("suspend, s2idle"), "{}", seen.said);
    assert_eq!(seen.done.model.switches["power/mem_sleep"], "deep", "it is restored");
}

#[test]
fn machine_that_is_off_is_read_by_the_meter_of_another() {
    let mut board = testkit::found!(with_panel());
    board.meter = None;
    let meter = "command:while :; do echo 0.40 W; sleep 0.1; echo 0.42 W; sleep 0.1; done";
    let watch = "measure power --quiet --log $LOG --watch-off";
    let seen = played(
        &board,
        &format!("{PROGRAM} {watch}; {PROGRAM} {watch} --meter '{meter}'; {PROGRAM} explain $LOG.json --format power"),
    );
    assert!(seen.said.contains("--watch-off needs the meter of the other machine"), "{}", seen.said);
    assert!(seen.said.contains("| Off | 0.4"), "{}", seen.said);
    let seen = played(
        &board,
        &format!(
            "{PROGRAM} {watch} --meter '{meter}'; cp $LOG.json $LOG.a.json; {PROGRAM} compare $LOG.json $LOG.a.json"
        ),
    );
    // The sentence may be broken into lines.
    let unbroken = seen.said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(unbroken.contains("power when off, at the meter") && !unbroken.contains("INVALID"), "{}", seen.said);
    let silent = "command:while :; do sleep 1; done";
    let seen = played(&board, &format!("{PROGRAM} {watch} --meter '{silent}'; echo code $?"));
    for words in ["The power of no state is known, because", "Results are invalid", "code 3"] {
        assert!(seen.said.contains(words), "{words}: {}", seen.said);
    }
}
