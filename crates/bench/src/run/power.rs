//! States of a power measurement: each lasts until its mean is known, or its time is over.

use super::Runner;
use super::steps::{not_started, step_name};
use crate::plan::stage::PowerState;
use crate::question::power::is_whole_power;
use machine::faults::haste;
use machine::suspend::{SleepState, Suspend};
use record::{Machine, Outcome, Record, Score, Scores, Step, StepMeasurement, StoppingRule, Variant, WorkloadId};
use std::time::Duration;
use workloads::job::Job;
use workloads::job::cpus::online_cpus;
use workloads::measure::crew::while_busy;

/// Minimum time of a state.
const TIME_MIN: Duration = Duration::from_secs(10);
/// Power settles after a change: capacitors, governors and the delay of meters.
const SETTLING: Duration = Duration::from_secs(3);
/// The mean is known if half of the interval of its batches is below this share.
const RULE: StoppingRule = StoppingRule { half_width: 0.02, ..StoppingRule::new(usize::MAX, Duration::MAX) };
/// Number of batches of readings whose means the stopping rule judges. Successive readings are not independent; the means of
/// batches nearly are. The rule decides at this number of values.
const BATCHES: usize = 7;

impl Runner<'_> {
    /// Measures the power of one state.
    pub(super) fn power(&mut self, machine: &Machine, state: &PowerState) {
        match (&state.job, self.side_refused.clone()) {
            (None, None) => self.rest(&state.name, state.limit / haste(), Self::is_power_known),
            (None, Some(why)) => {
                self.step_begins(state.name.as_str(), 0);
                let begin = self.moment();
                let step = self.heat_step(WorkloadId::Wait, state.name.clone(), Vec::new(), begin, not_started(why));
                self.step_ended(step);
            }
            (Some(job), _) if state.loads_cpus => self.power_of_all(machine, job),
            (Some(job), _) => self.power_of_job(machine, state, job),
        }
    }

    /// Repeats a job until the power is known.
    fn power_of_job(&mut self, machine: &Machine, state: &PowerState, job: &Job) {
        let start_ms = self.context.timeline.now_ms();
        for repetition in 0.. {
            let step = self.job(machine, &Job { repetition, time: job.time.map(|time| time / haste()), ..job.clone() });
            let elapsed_ms = self.context.timeline.now_ms() - start_ms;
            let is_over = elapsed_ms >= (state.limit / haste()).as_millis() as i64;
            let is_done = matches!(step.outcome, Outcome::Done(_));
            if !is_done || is_over || self.interrupted().is_some() || self.is_power_known(start_ms) {
                return;
            }
        }
    }

    /// One run of a job while all CPUs work. Its score is disturbed by them.
    fn power_of_all(&mut self, machine: &Machine, job: &Job) {
        let name = format!("{}, all CPUs busy", step_name(job));
        let step = while_busy(online_cpus(machine), || self.step_of(machine, job, &name));
        let mut step =
            step.unwrap_or_else(|missing| Step::new(job.workload, 1, job.variant.clone(), Outcome::Skipped(missing)));
        step.variant = format!("{}, all CPUs busy", job.variant).into();
        step.not_comparable.get_or_insert_with(|| "all CPUs were busy meanwhile".into());
        self.step_ended(step);
    }

    /// True if the mean power since this time is known by [`RULE`].
    fn is_power_known(&mut self, start_ms: i64) -> bool {
        let now_ms = self.context.timeline.now_ms();
        if now_ms - start_ms < (TIME_MIN / haste()).as_millis() as i64 {
            return false;
        }
        self.recorder.flush();
        is_known(&power_since(self.recorder.record(), start_ms + (SETTLING / haste()).as_millis() as i64))
    }

    /// Suspends the machine. If it does not return, the stream on disk has the name of this step.
    pub(super) fn suspend(&mut self, state: &SleepState, time: Duration) {
        let (root, timeline) = (self.context.root, self.context.timeline);
        let variant = Variant::from(format!("suspend, {}", state.name()));
        self.step_begins(variant.as_str(), 0);
        let begin = self.moment();
        let outcome = match self.side_refused.clone() {
            Some(why) => not_started(why),
            None => match machine::suspend::suspend(root, timeline, state, time) {
                Ok(suspend) => Outcome::Done(StepMeasurement::Scores(scores(suspend))),
                Err(missing) => Outcome::Skipped(missing),
            },
        };
        let step = self.heat_step(WorkloadId::Wait, variant, Vec::new(), begin, outcome);
        self.step_ended(step);
    }
}

fn scores(suspend: Suspend) -> Scores {
    let seconds = |name: &str, ms: Option<i64>| {
        let value = ms? as f64 / 1000.0;
        Some(Score { name: name.to_owned(), value, unit: "s".into(), higher_is_better: false })
    };
    let rows = [
        seconds("time to wake", suspend.to_wake_ms),
        seconds("time to sleep", suspend.to_sleep_ms),
        seconds("asleep", Some(suspend.asleep_ms)),
    ];
    let early = if suspend.to_wake_ms.is_none() { "it woke before its alarm; " } else { "" };
    let woken_by = suspend.woken_by.unwrap_or_else(|_| "not reported".to_owned());
    Scores {
        rows: rows.into_iter().flatten().collect(),
        detail: format!("{early}woken by: {woken_by}"),
        ..Scores::default()
    }
}

/// Readings of the first source of the whole board since this time.
fn power_since(record: &Record, start_ms: i64) -> Vec<f64> {
    let samples = &record.samples;
    let first = samples.at_ms.partition_point(|at_ms| *at_ms < start_ms);
    let mut channels = samples.channels.iter().filter(|channel| is_whole_power(channel));
    let values = channels.find_map(|channel| channel.values.get(first..).filter(|own| own.iter().any(Option::is_some)));
    values.unwrap_or_default().iter().flatten().map(|value| *value as f64).collect()
}

fn is_known(values: &[f64]) -> bool {
    let size = values.len() / BATCHES;
    if size == 0 {
        return false;
    }
    let mean = |values: &[f64]| values.iter().fold(0.0, |sum, value| sum + value) / values.len() as f64;
    let batches: Vec<f64> = values[values.len() - size * BATCHES..].chunks(size).map(mean).collect();
    mean(&batches) > 0.0 && RULE.ended(&batches, Duration::ZERO).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_is_known_when_batches_agree() {
        let wave = |height: f64| (0..80).map(|at| 5_000.0 + height * f64::from(at % 7)).collect::<Vec<f64>>();
        let rising: Vec<f64> = (0..80).map(|at| 5_000.0 + 30.0 * f64::from(at)).collect();
        for (values, expected) in
            [(wave(0.0), true), (wave(200.0), true), (rising, false), (vec![5_000.0; 6], false), (vec![0.0; 80], false)]
        {
            assert_eq!(is_known(&values), expected, "{:?}", &values[..6]);
        }
    }
}
