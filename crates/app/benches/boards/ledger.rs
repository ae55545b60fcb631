//! Losses in the ledger against the trace of the board.
//!
//! Boards are drawn at random. No second run without the fault is needed: the trace says at every moment which clock
//! programs had, and which they would have had without each fault.

use crate::rig::{RunOutcome, in_some_try, program};
use facts::view::ScoreKey;
use facts::{Cause, Ledger};
use testkit::virtual_board::{Board, Fault, lacking};

/// Maximum error in percent of the score.
const POINTS_MAX: f64 = 2.0;
/// Boards for each set of faults.
const BOARDS: u64 = 8;
/// Losses up to this value count as none.
const NOTHING: f64 = 1.0;
/// Both CPUs have the same to do, which takes some seconds.
const WORK: &str = "for i in 1 2; do sh -c 'i=0; while [ $i -lt 6000000 ]; do i=$((i+1)); done' & done; wait";

/// Loss in percent, and the part of each cause.
struct Truth {
    lost: f64,
    parts: Vec<(Cause, f64)>,
}

impl Truth {
    /// By the trace, in the time in which the score was measured.
    fn of(seen: &RunOutcome, board: &Board, score: &ScoreKey) -> Self {
        let steps = seen.record().steps.iter().filter(|step| ScoreKey::of(step) == *score);
        let windows: Vec<(i64, i64)> =
            steps.filter_map(|step| Some((step.window.start_utc_ms?, step.window.end_utc_ms?))).collect();
        let is_measured = |at_ms: i64| windows.iter().any(|(from_ms, to_ms)| (*from_ms..=*to_ms).contains(&at_ms));
        let (mut wanted, mut cool, mut real, mut there) = (0.0, 0.0, 0.0, 0.0);
        for moment in seen.done.trace.iter().filter(|moment| is_measured(moment.at_utc_ms)) {
            for (index, policy) in board.policy.iter().enumerate() {
                for cpu in &policy.cpus {
                    wanted += f64::from(moment.wanted_khz[index]);
                    cool += f64::from(moment.cool_khz[index]);
                    real += f64::from(moment.real_khz[index]);
                    there += if moment.off_cpu == Some(*cpu) { 0.0 } else { f64::from(moment.real_khz[index]) };
                }
            }
        }
        let factors =
            [(Cause::FirmwareCap, cool / wanted), (Cause::Heat, real / cool), (Cause::CpusTakenAway, there / real)];
        let kept = there / wanted;
        let lost = 100.0 * (1.0 - kept);
        let share = |factor: f64| if kept < 1.0 { lost * factor.ln() / kept.ln() } else { 0.0 };
        Self { lost, parts: factors.map(|(cause, factor)| (cause, share(factor))).to_vec() }
    }
}

fn check(seed: u64, faults: &[Fault]) {
    let board = Board::drawn(seed, faults);
    let words = ["run", "--log", "$LOG", "--repeat", "3", "--", "sh", "-c", WORK];
    let seen = program(&board, &words);
    seen.check_left(&board.name);
    let explained = explain::explain(seen.record());
    let main =
        |ledger: &&Ledger| explained.assessment.scores.iter().any(|score| score.is_main && score.score == ledger.score);
    let ledger = explained.assessment.ledgers.iter().find(main).expect("the command has a ledger");
    let truth = Truth::of(&seen, &board, &ledger.score);
    let mut wrong = Vec::new();
    let mut compare = |what: &str, found: f64, expected: f64| {
        eprintln!("{}: {what} took {found:.1} %, on the board {expected:.1} %", board.name);
        if (found - expected).abs() > POINTS_MAX {
            wrong.push(format!("{what}: {found:.1} instead of {expected:.1}"));
        }
    };
    compare("all", ledger.lost().as_percent(), truth.lost);
    for (cause, expected) in &truth.parts {
        let part = ledger.parts.iter().find(|part| part.cause == *cause);
        let found = part.map_or(0.0, |part| part.points.percent.as_percent());
        if expected.max(found) >= NOTHING {
            compare(&format!("{cause:?}"), found, *expected);
        }
    }
    assert!(wrong.is_empty(), "{}: {wrong:?}\n{ledger:#?}\n{:#?}", board.name, seen.sentences());
}

fn check_boards(faults: &[Fault]) {
    if let Some(what) = lacking() {
        return testkit::skip(&format!("no virtual board can run here: {what}"));
    }
    (1..=BOARDS).for_each(|seed| in_some_try(|| check(seed, faults)));
}

/// Each fault alone, and two at once.
#[test]
fn faults_take_what_each_took() {
    check_boards(&[Fault::FirmwareCap]);
    check_boards(&[Fault::Heat]);
    check_boards(&[Fault::KilledCore]);
    check_boards(&[Fault::FirmwareCap, Fault::Heat]);
    check_boards(&[Fault::FirmwareCap, Fault::KilledCore]);
}
