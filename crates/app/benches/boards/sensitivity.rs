//! What programs lose when the clock falls to 40 %: a loop all of it, a program that waits for its drive
//! next to nothing.

use crate::rig::{RunOutcome, board, check_near, in_some_try, program};

/// So much is read past the cache, and the drive gives it in half a second.
const BYTES: u64 = 2 << 20;

fn elasticity(seen: &RunOutcome) -> f64 {
    let found = rules::sensitivity::results(&facts::Facts::of(seen.record()));
    let found = found.first().expect("clocks were compared");
    let elasticity = found.elasticity;
    elasticity.unwrap_or_else(|| panic!("{found:#?}")).value
}

#[test]
fn elasticity_of_loop_and_drive() {
    in_some_try(|| {
        let mut board = testkit::found!(board("quick"));
        let words =
            |script| ["sensitivity", "--log", "$LOG", "--rounds", "6", "--cpus", "fastest", "--", "sh", "-c", script];
        let looped = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done";
        let seen = program(&board, &words(looped));
        seen.check_left("a loop");
        check_near("elasticity of a loop", elasticity(&seen), 1.0, 3.0);
        board.drive_bytes_per_s = Some(BYTES * 2);
        let script = format!(
            "[ -e $LOG.data ] || head -c {BYTES} /dev/zero >$LOG.data; \
         dd if=$LOG.data of=/dev/null bs=64k iflag=direct 2>/dev/null"
        );
        let seen = program(&board, &words(&script));
        seen.check_left("a drive");
        let found = elasticity(&seen);
        eprintln!("elasticity of waiting for a drive: {found:.3}");
        assert!(found < 0.1, "{found}");
    });
}
