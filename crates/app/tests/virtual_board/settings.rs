//! Kernels that round, cool, forget and list more than can be set: each
//! value is back at the end, and workloads do not run under what a walk has left.

use crate::rig::{Concurrency, HASTE, PROGRAM, RunOutcome, board, command_with};
use testkit::virtual_board::Board;

/// Clocks alone: every OPP, then all CPUs under load.
const CLOCK: &str = "clock --quiet --json >$LOG.json";
/// Nothing changes the limits after they are set.
const NO_WALK: &str = "run --force --wait 0s --quiet --repeat 1 --log $LOG -- true";
/// A workload that runs while settings are checked.
const LOADED: &str = "run --force --wait 0s --quiet --repeat 1 --log $LOG --workload lzma";
const CLOCK_MAX: &str = "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq";

/// The board `quick` with three OPPs and a change.
fn quick(change: impl Fn(&mut Board)) -> Option<Board> {
    let mut board = board("quick")?;
    board.policy[0].opps = vec![(720_000, 0.85), (1_200_000, 1.0), (1_800_000, 1.2)];
    change(&mut board);
    Some(board)
}

fn run(board: &Board, variables: &str, words: &str) -> RunOutcome {
    let script = format!("export {HASTE}; {variables} {PROGRAM} {words}");
    let seen = command_with(Concurrency::Others, board, &["sh", "-c", &script]);
    seen.check_left(words);
    seen.check_agreement(words);
    seen
}

/// The last limit that was set.
fn last_limit(seen: &RunOutcome) -> Option<&str> {
    let changes = seen.record().settings.iter().rev();
    let mut limits = changes.filter(|change| change.path == CLOCK_MAX);
    limits.next().map(|change| change.new.as_str())
}

#[test]
fn disabled_boost_is_skipped_and_limit_restored() {
    let board = testkit::found!(quick(|board| board.policy[0].boost_khz = vec![2_400_000]));
    let seen = run(&board, "", CLOCK);
    assert_eq!(last_limit(&seen), Some("1800000"));
    assert_eq!(seen.record().unmet_settings, []);
    assert!(!seen.has("limited-by-setting"), "{:?}", seen.sentences());
}

#[test]
fn rounded_limits_are_restored() {
    let board = testkit::found!(quick(|board| board.kernel.rounds_limits = true));
    for words in [CLOCK, NO_WALK] {
        let seen = run(&board, "MaxKHz=1300000", words);
        assert_eq!(seen.record().unmet_settings, [], "{words}");
        assert!(!seen.has("limited-by-setting"), "{words}: {:?}", seen.sentences());
    }
}

/// A limit between two OPPs is what the user asked for, also while a workload runs.
#[test]
fn requested_limit_between_two_opps_is_no_accusation() {
    let board = testkit::found!(quick(|board| board.kernel.rounds_limits = true));
    let seen = run(&board, "MaxKHz=1300000", LOADED);
    let limits: Vec<&str> = seen.record().settings.iter().map(|change| change.new.as_str()).collect();
    assert!(limits.contains(&"1300000"), "{limits:?}");
    assert!(!seen.has("limited-by-setting"), "{:?}", seen.sentences());
}

/// A limit of the owner is lifted, with a note on its effect.
#[test]
fn lifted_limit_of_the_owner_is_a_note() {
    let board = testkit::found!(quick(|_| ()));
    let script = format!(
        "export {HASTE}; echo 1200000 >{CLOCK_MAX}; {PROGRAM} {NO_WALK}; status=$?; grep -q 1200000 {CLOCK_MAX} || exit 99; \
         echo 1800000 >{CLOCK_MAX}; exit $status"
    );
    let seen = command_with(Concurrency::Others, &board, &["sh", "-c", &script]);
    seen.check_left(NO_WALK);
    seen.check_agreement(NO_WALK);
    assert_ne!(seen.done.status.code(), Some(99), "the limit of the owner is gone");
    let sentence = "was lifted to 1800 MHz for this run; at 1200 MHz expect about -33 %.";
    assert!(seen.sentences().iter().any(|said| said.contains(sentence)), "{:?}", seen.sentences());
    let said = seen.said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(sentence), "{said}");
}

#[test]
fn hot_start_leaves_no_limit_behind() {
    let board = quick(|board| {
        board.thermal.start_c = Some(90.0);
        board.thermal.tau_s = 20.0;
        board.kernel.refuses_crossed_limits = true;
    });
    let board = testkit::found!(board);
    run(&board, "", CLOCK);
}

#[test]
fn governor_tunables_are_restored() {
    let board = testkit::found!(quick(|board| board.policy[0].rate_limit_us = Some(20_000)));
    run(&board, "", CLOCK);
}

#[test]
fn refused_settings_are_reported() {
    let board = testkit::found!(quick(|board| board.kernel.refuses = vec!["performance".into()]));
    let seen = run(&board, "", CLOCK);
    assert!(seen.has("setting-unmet"), "{:?}", seen.sentences());
}
