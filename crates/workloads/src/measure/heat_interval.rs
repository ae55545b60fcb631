//! Built-in load for thermal tests: in every second multiply-adds on the widest unit, then a short reading of the clock of every
//! CPU.

use crate::measure::window_gate;
use machine::Root;
use machine::cgroup::has_quota;
use microbench::clock::{ClockPlan, measure};
use std::sync::atomic::{AtomicI32, Ordering};

/// Turns between checks of the time: well under a millisecond.
const TURNS: usize = 4096;
/// Duration of a clock reading under a quota, which applies in slices.
const QUOTA_READING_NS: u64 = 100_000_000;
/// Duration of an interval.
pub const INTERVAL_NS: u64 = 1_000_000_000;

/// One interval of one thread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeatInterval {
    /// Operations per second of work.
    pub operations_per_s: f64,
    /// The clock at its end, in kHz.
    pub khz: u32,
}

/// Works for a number of intervals, or until `stop` is set.
pub fn intervals(root: &Root, intervals: usize, stop: &AtomicI32) -> Vec<HeatInterval> {
    let mut done = Vec::with_capacity(intervals);
    let start_ns = microbench::timer::now_ns();
    while done.len() < intervals && stop.load(Ordering::Relaxed) == 0 {
        let end_ns = start_ns + (done.len() as u64 + 1) * INTERVAL_NS;
        let limited = has_quota(root);
        let reading_ns = if limited { QUOTA_READING_NS } else { 0 };
        let begin_ns = microbench::timer::now_ns();
        let mut operations = 0;
        let mut now_ns = begin_ns;
        while now_ns < end_ns - reading_ns && stop.load(Ordering::Relaxed) == 0 {
            operations += microbench::load::heat(TURNS);
            now_ns = microbench::timer::now_ns();
        }
        let _window = window_gate::window();
        let reading = if limited {
            measure(&ClockPlan { preheat_ns_max: 0, ..ClockPlan::lasting(QUOTA_READING_NS) })
        } else {
            measure(&ClockPlan::warm())
        };
        let worked_s = now_ns.saturating_sub(begin_ns).max(1) as f64 / 1e9;
        done.push(HeatInterval {
            operations_per_s: operations as f64 / worked_s,
            khz: if limited { reading.sustained_khz } else { reading.best_khz },
        });
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_have_work_and_clock() {
        let root = Root::system();
        let done = intervals(&root, 1, &AtomicI32::new(0));
        assert_eq!(done.len(), 1);
        assert!(done[0].operations_per_s > 0.0 && done[0].khz > 0);
        assert!(intervals(&root, 1, &AtomicI32::new(2)).is_empty());
    }
}
