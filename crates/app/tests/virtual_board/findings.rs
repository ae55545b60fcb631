//! Findings of a run of any command on each board.

use crate::rig::{RunOutcome, board, check_near, in_some_try, program, program_in_haste, slow_board};
use record::Variant;
use testkit::virtual_board::Board;

/// A run that keeps both CPUs busy for this time.
fn loaded(board: &Board, run: fn(&Board, &[&str]) -> RunOutcome, seconds: u32) -> RunOutcome {
    let script = format!("for i in 1 2; do timeout {seconds} sh -c 'while :; do :; done' & done; wait; true");
    let words = ["run", "--log", "$LOG", "--repeat", "1", "--", "sh", "-c", &script];
    let seen = run(board, &words);
    seen.check_left(&board.name);
    assert_eq!(seen.record().machine.policies.len(), board.policy.len());
    seen
}

#[test]
fn good_heatsink_has_no_throttling() {
    in_some_try(|| {
        let board = testkit::found!(board("good-heatsink"));
        let seen = loaded(&board, program_in_haste, 5);
        assert!(seen.done.trace.iter().all(|truth| truth.level == 0));
        for rule in ["thermal-throttling", "power-limit", "cores-killed", "clock-below-claim"] {
            assert!(!seen.has(rule), "{rule}: {:#?}", seen.sentences());
        }
    });
}

#[test]
fn wrong_reported_clock_is_found() {
    in_some_try(|| {
        let board = testkit::found!(board("fake-clock"));
        let seen = loaded(&board, program, 2);
        assert!(seen.has("clock-below-claim"), "{:#?}", seen.sentences());
        let cold = facts::Facts::of(seen.record()).cluster_clocks(&Variant::COLD);
        let measured = cold.iter().map(|clock| clock.measured_khz).max();
        let measured = f64::from(measured.expect("a clock was measured"));
        let real = f64::from(board.policy[0].real_khz_max.unwrap());
        check_near("measured clock, in kHz", measured, real, 5.0);
    });
}

#[test]
fn offline_core_is_found() {
    in_some_try(|| {
        let board = testkit::found!(slow_board("lost-core"));
        let seen = loaded(&board, program_in_haste, 10);
        assert_eq!(seen.done.model.off_cpu, Some(1), "the board took it away");
        assert!(seen.has("cores-killed"), "{:#?}", seen.sentences());
        let online = std::fs::read_to_string("/sys/devices/system/cpu/cpu1/online").unwrap();
        assert_eq!(online.trim(), "1", "it is back");
    });
}

#[test]
fn under_voltage_of_a_raspberry_pi_is_found() {
    in_some_try(|| {
        let board = testkit::found!(board("under-voltage"));
        let seen = loaded(&board, program_in_haste, 10);
        assert_eq!(seen.done.model.firmware_bits >> 16, 0b111, "it happened");
        // A mailbox of the firmware cannot be made here; its voltage monitor in hwmon can.
        for rule in ["low-voltage", "clock-lower-hot"] {
            assert!(seen.has(rule), "{rule}: {:#?}", seen.sentences());
        }
    });
}
