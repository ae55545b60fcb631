//! Kills on virtual boards: the same test as on a folder, at every write to a board whose kernel rounds, forgets
//! and cools.

use crate::fake_tree::kills::kill_at_every_call_restores_settings_and_keeps_results;
use crate::fake_tree::tree::ON_BOARD;
use std::ffi::OsString;
use std::path::Path;
use testkit::virtual_board::{Board, Model, lacking, run};

/// Clock of this machine for the boards; measurements do not matter here.
const HOST_KHZ: u32 = 1_800_000;

/// The board `quick` with five OPPs and a change.
fn quick(change: impl Fn(&mut Board)) -> Board {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../boards/virtual/quick.toml");
    let mut board = Board::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    let opps = [720_000, 1_008_000, 1_200_000, 1_416_000, 1_800_000];
    board.policy[0].opps = opps.map(|khz| (khz, f64::from(khz) / 1.5e6)).to_vec();
    change(&mut board);
    board
}

/// Every OPP is walked.
const CLOCK: &str = "clock --quiet";
/// As found, then with settings, then as found.
const RUN: &str = "run --force --wait 0s --quiet --repeat 1 -- true";

/// Runs the test with this line on a board, and verifies that the board is unchanged afterwards.
fn check(name: &str, line: &str, change: impl Fn(&mut Board)) {
    let board = quick(change);
    let program = std::env::current_exe().unwrap();
    let on_board = format!("{ON_BOARD}={line}");
    let [exact, test] = testkit::only(&kill_at_every_call_restores_settings_and_keeps_results);
    let words = [exact, test, "--nocapture"].map(OsString::from);
    let command = ["env".into(), on_board.into(), program.into_os_string()];
    let command: Vec<OsString> = command.into_iter().chain(words).collect();
    let done = run(board.clone(), Some(HOST_KHZ), &command).unwrap();
    assert!(done.status.success(), "{name}: {}", done.status);
    assert_eq!(done.left_running, [""; 0], "{name}");
    assert_eq!(
        Model::new(board).policies.iter().map(settings).collect::<Vec<_>>(),
        done.model.policies.iter().map(settings).collect::<Vec<_>>(),
        "{name}"
    );
}

fn settings(policy: &testkit::virtual_board::PolicyState) -> (String, u32, u32, u32) {
    let governor = policy.governor.clone();
    (governor, policy.khz_min, policy.khz_max, policy.rate_limit_us)
}

#[test]
fn settings_restored_after_kill_on_every_board() {
    if let Some(what) = lacking() {
        return testkit::skip(&format!("no virtual board can run here: {what}"));
    }
    check("a kernel that rounds and refuses", CLOCK, |board| {
        board.kernel.rounds_limits = true;
        board.kernel.refuses_crossed_limits = true;
    });
    check("two clusters with tunables", RUN, |board| {
        board.policy[0].cpus = vec![0];
        board.policy[0].rate_limit_us = Some(20_000);
        let mut big = board.policy[0].clone();
        big.cpus = vec![1];
        big.opps.truncate(2);
        board.policy.push(big);
    });
}
