//! What the thermal test makes of a board of which little can be known.

use crate::rig::{PROGRAM, board, command, in_some_try};
use explain::thermal::result;

#[test]
fn without_a_temperature_nothing_is_made_up() {
    in_some_try(|| {
        let Some(mut board) = board("quick") else {
            return testkit::was_skipped();
        };
        board.thermal.has_sensor = false;
        board.meter = None;
        let script = format!(
            "exec {PROGRAM} thermal --force --quiet --log $LOG --minutes 0.1 --cool-down 5s"
        );
        let seen = command(&board, &["sh", "-c", &script]);
        seen.check_left("thermal");
        let answer = result(seen.record()).expect("a thermal test is in the Record");
        assert_eq!(answer.temperature, None);
        assert_eq!(answer.power_fit, None);
        assert_eq!(answer.step_fit, None);
        assert_eq!(answer.milliwatts, None);
        assert!(answer.score.is_some());
        assert!(seen.has("no-temperature"), "{:#?}", seen.sentences());
    });
}
