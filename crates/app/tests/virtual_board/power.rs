//! `sbc-bench power` on a board with a panel, a transmitter and sleep states: its figures, and what it leaves when it is cut
//! short.

use crate::rig::{Company, HASTE, PROGRAM, Seen, board, command_with};
use testkit::virtual_board::Board;

/// Panel that draws about half of the idle board.
const PANEL_W: f64 = 1.2;

fn with_panel() -> Option<Board> {
    Some(Board { panel_w: Some(PANEL_W), ..board("quick")? })
}

fn played(board: &Board, script: &str) -> Seen {
    let script = format!("export {HASTE}; {script}");
    let seen = command_with(Company::Others, board, &["sh", "-c", &script]);
    seen.check_left(&script);
    seen
}

const POWER: &str = "measure power --force --quiet --log $LOG";

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
        // A busy host loses readings, which is said.
        let cell = row.split(" | ").nth(1).and_then(|cell| cell.split(' ').next()?.parse::<f64>().ok());
        assert!(cell.is_some() || row.contains("not measured, because no reading for"), "{row}: {}", seen.said);
        cell
    };
    if let (Some(idle), Some(dark)) = (watts("Idle |"), watts("Idle, backlight panel off")) {
        let share = (idle - dark) / PANEL_W;
        assert!((0.5..1.5).contains(&share), "{idle} W, without the panel {dark} W");
    }
    watts("Idle, performance");
    watts("Idle, wifi rfkill0 off");
    assert!(seen.said.contains("| Suspend deep |") && seen.said.contains("| Suspend s2idle |"), "{}", seen.said);
}

#[test]
fn dry_run_and_a_board_without_a_source_switch_nothing() {
    let mut board = testkit::found!(with_panel());
    let seen = played(&board, &format!("{PROGRAM} power --dry-run --all-devices"));
    assert!(seen.said.contains("set /sys/class/backlight/panel/bl_power to 4"), "{}", seen.said);
    board.meter = None;
    let seen = played(&board, &format!("{PROGRAM} {POWER} --all-devices"));
    assert!(seen.said.contains("Nothing measures the power of the whole board"), "{}", seen.said);
    assert!(seen.record.is_none() && seen.done.status.code() == Some(1), "{}", seen.said);
}

#[test]
fn power_that_is_cut_short_leaves_no_setting_changed() {
    let board = testkit::found!(with_panel());
    for (signal, after_s) in [("INT", "7"), ("TERM", "12"), ("KILL", "9")] {
        let power = format!("{POWER} --only idle,devices --all-devices");
        played(&board, &format!("timeout --preserve-status -s {signal} {after_s} {PROGRAM} {power}; sleep 1"));
    }
    // At the write that switches the panel off, and at that which switches it on again.
    for (whom, write, finish) in [("run", 1, ":"), ("run", 2, ":"), ("both", 1, "recover"), ("both", 2, "recover")] {
        let plan = format!("run write /bl_power {write} kill-{whom}");
        let finish = if finish == ":" { ":".to_owned() } else { format!("{PROGRAM} recover") };
        let power = format!("{POWER} --only devices --off display");
        played(&board, &format!("SBC_BENCH_FAULTS='{plan}' {PROGRAM} {power}; sleep 1; {finish}"));
    }
}

#[test]
fn suspend_that_does_not_return_is_told_at_the_next_start() {
    let board = testkit::found!(with_panel());
    let power = "measure power --force --quiet --only suspend";
    let plan = "run write /power/state 1 kill-both";
    let seen = command_with(
        Company::Others,
        &board,
        &["sh", "-c", &format!("export {HASTE}; SBC_BENCH_FAULTS='{plan}' {PROGRAM} {power}; {PROGRAM} recover")],
    );
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
    assert!(seen.said.contains("power when off, at the meter") && !seen.said.contains("INVALID"), "{}", seen.said);
    let silent = "command:while :; do sleep 1; done";
    let seen = played(&board, &format!("{PROGRAM} {watch} --meter '{silent}'; echo code $?"));
    for words in ["The power of no state is known, because", "Results are invalid", "code 3"] {
        assert!(seen.said.contains(words), "{words}: {}", seen.said);
    }
}
