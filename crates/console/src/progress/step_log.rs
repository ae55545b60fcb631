//! Progress where standard error is not a terminal, such as the log of a CI job: a line for each step with its result and the
//! time left, and once a minute a line for a long step that is not timed in this process.

use super::{clock, time_left};

/// Time without a line after which the current step is named.
const SILENCE_S: u64 = 60;

/// Pending lines, and the time of the last line.
#[derive(Debug, Default)]
pub(super) struct StepLog {
    /// Result of the last step, printed with the time left after it.
    ended: Option<String>,
    said_s: u64,
}

impl StepLog {
    /// Takes the result of a step.
    pub(super) fn ended(&mut self, line: &str) {
        self.ended = Some(line.to_owned());
    }

    /// Takes the current step; returns a line that is due.
    pub(super) fn step(&mut self, at_s: u64, name: &str, left_s: Option<u64>) -> Option<String> {
        let left = time_left(left_s);
        let line = match self.ended.take() {
            Some(ended) => format!("{} {ended}; {left}, next: {name}", clock(at_s)),
            None if at_s >= self.said_s + SILENCE_S => format!("{} {name}; {left}", clock(at_s)),
            None => return None,
        };
        self.said_s = at_s;
        Some(line)
    }

    /// Line at the end.
    pub(super) fn finish(&mut self, at_s: u64) -> Option<String> {
        Some(format!("{} {}", clock(at_s), self.ended.take()?))
    }

    /// True if no line was printed for [`SILENCE_S`]; the caller then prints one.
    pub(super) fn was_silent(&mut self, at_s: u64) -> bool {
        let was_silent = self.said_s == 0 || at_s >= self.said_s + SILENCE_S;
        if was_silent {
            self.said_s = at_s.max(1);
        }
        was_silent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_has_a_line_and_a_long_one_more() {
        let mut log = StepLog::default();
        assert_eq!(log.step(2, "clock of CPUs 0-3", Some(250)), None);
        log.ended("clock of CPUs 0-3: 1415 MHz");
        let line = log.step(5, "heating", Some(240));
        assert_eq!(line.as_deref(), Some("00:00:05 clock of CPUs 0-3: 1415 MHz; about 4 min left, next: heating"));
        assert_eq!(log.step(6, "61.0 °C now", Some(239)), None);
        assert_eq!(log.step(65, "70.2 °C now", Some(179)).as_deref(), Some("00:01:05 70.2 °C now; about 179 s left"));
        assert_eq!(log.step(66, "70.3 °C now", Some(178)), None);
        log.ended("heating: failed: no output");
        assert_eq!(log.finish(245).as_deref(), Some("00:04:05 heating: failed: no output"));
        assert_eq!(log.finish(245), None);
    }

    #[test]
    fn silence_is_broken_once_a_minute() {
        let mut log = StepLog::default();
        let said = [0, 2, 4, 58, 61, 63, 121].map(|at_s| log.was_silent(at_s));
        assert_eq!(said, [true, false, false, false, true, false, true]);
    }
}
