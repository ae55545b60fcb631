//! OPP sweeps over a smooth efficiency curve, and over one with two faults.

use crate::rig::{RunOutcome, board, check_near, in_some_try, program};
use rules::efficiency::{Anomaly, OppWalk, walks};
use testkit::virtual_board::{Board, PolicySpec, core_w};

fn walk(board: &Board) -> (RunOutcome, OppWalk) {
    let words = ["efficiency", "0", "--log", "$LOG", "--workload", "lzma", "--point", "5s", "--idle", "3s"];
    let seen = program(board, &words);
    seen.check_left(&board.name);
    let found = walks(&facts::Facts::of(seen.record())).into_iter().next();
    (seen, found.expect("a set of cores was walked"))
}

/// Clock and power of the whole board with one core busy, by the model.
fn truth(board: &Board, policy: &PolicySpec, opp_khz: u32) -> (u32, f64) {
    let other = policy.not_honoured.iter().find(|(khz, _)| *khz == opp_khz);
    let real_khz = other.map_or(opp_khz, |(_, real)| *real);
    (real_khz, board.thermal.idle_w + core_w(policy, real_khz, opp_khz))
}

fn check(name: &str, expected: &[(u32, &str)]) {
    let board = testkit::found!(board(name));
    let (seen, walk) = walk(&board);
    let policy = &board.policy[0];
    for point in &walk.points {
        let (khz, watts) = truth(&board, policy, point.opp_khz);
        let opp = point.opp_khz / 1000;
        let measured = f64::from(point.measured_khz.expect("a clock was measured"));
        // One reading of 300 ms, of a clock that is pauses.
        check_near(&format!("clock at {opp} MHz, in kHz"), measured, f64::from(khz), 10.0);
        let milliwatts = point.milliwatts.expect("there is a meter");
        check_near(&format!("power at {opp} MHz, in W"), milliwatts / 1000.0, watts, 5.0);
    }
    let cheapest = policy.opps.iter().map(|(opp, _)| *opp).min_by(|a, b| {
        let cost = |opp: u32| {
            let (khz, watts) = truth(&board, policy, opp);
            watts / f64::from(khz)
        };
        cost(*a).total_cmp(&cost(*b))
    });
    let sweet_spot = walk.sweet_spot.map(|at| walk.points[at].opp_khz);
    assert_eq!(sweet_spot, cheapest, "{:#?}", walk.points);
    let found: Vec<(u32, String)> =
        walk.anomalies.iter().map(|(at, anomaly)| (walk.points[*at].opp_khz, kind(anomaly).to_owned())).collect();
    let expected: Vec<(u32, String)> = expected.iter().map(|(khz, kind)| (*khz, (*kind).to_owned())).collect();
    assert_eq!(found, expected, "{:#?}", walk.points);
    assert!(!seen.has("power-limit") && !seen.has("series-declines"), "{:#?}", seen.sentences());
}

fn kind(anomaly: &Anomaly) -> &'static str {
    match anomaly {
        Anomaly::NotHonoured(_) => "not honoured",
        Anomaly::HeldBack => "held back",
        Anomaly::OutOfProportion(_) => "out of proportion",
        Anomaly::FlatVoltage(_) => "flat voltage",
    }
}

#[test]
fn clean_curve_has_sweet_spot_and_no_anomaly() {
    in_some_try(|| {
        check("efficiency-clean", &[]);
    });
}

#[test]
fn anomalies_are_detected() {
    in_some_try(|| {
        let planted = [(1_416_000, "out of proportion"), (1_800_000, "not honoured")];
        check("efficiency-odd", &planted);
    });
}
