//! States of a power measurement: each lasts until its mean is known, or its time is over.

use super::Runner;
use super::steps::{not_started, step_name};
use crate::plan::stage::PowerState;
use crate::question::power::is_whole_power;
use machine::faults::haste;
use machine::suspend::{SleepState, Suspend};
use microbench::load::{Load, spin};
use process::child::move_to;
use record::{Machine, Missing, Outcome, Record, Score, Scores, Step, StepMeasurement, Variant, WorkloadId};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use workloads::job::Job;
use workloads::job::cpus::online_cpus;
use workloads::measure::crew::{Gate, crew};

/// Minimum time of a state.
const TIME_MIN: Duration = Duration::from_secs(10);
/// Power settles after a change: capacitors, governors and the delay of meters.
const SETTLING: Duration = Duration::from_secs(3);
/// A mean is known if half of its 95 % interval is below this share.
const KNOWN_WITHIN: f64 = 0.02;
/// The interval is that of this many means of successive readings, which are independent where single readings are not.
const BATCHES: usize = 8;
/// Student's t of a 95 % interval with [`BATCHES`] - 1 degrees of freedom.
const STUDENT_T: f64 = 2.365;

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
        let (stop, gate) = (AtomicBool::new(false), Gate::default());
        let step: Result<Step, Missing> = std::thread::scope(|scope| {
            let stop = &stop;
            let work = |cpu| move || move_to(&[cpu]).map(|()| spin(stop, Load::Widest));
            let started = crew(scope, &gate, online_cpus(machine).into_iter().map(work));
            let step = started.map(|_| self.step_of(machine, job, &name));
            stop.store(true, Ordering::Relaxed);
            step
        });
        let mut step =
            step.unwrap_or_else(|missing| Step::new(job.workload, 1, job.variant.clone(), Outcome::Skipped(missing)));
        step.variant = format!("{}, all CPUs busy", job.variant).into();
        step.not_comparable.get_or_insert_with(|| "all CPUs were busy meanwhile".into());
        self.step_ended(step);
    }

    /// True if the mean power since this time is known within [`KNOWN_WITHIN`].
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
    let middle = mean(&batches);
    let variance = batches.iter().fold(0.0, |sum, batch| sum + (batch - middle).powi(2)) / (BATCHES - 1) as f64;
    let half = STUDENT_T * (variance / BATCHES as f64).sqrt();
    middle > 0.0 && half <= KNOWN_WITHIN * middle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_is_known_when_batches_agree() {
        let wave = |height: f64| (0..80).map(|at| 5_000.0 + height * f64::from(at % 7)).collect::<Vec<f64>>();
        let rising: Vec<f64> = (0..80).map(|at| 5_000.0 + 30.0 * f64::from(at)).collect();
        for (values, expected) in
            [(wave(0.0), true), (wave(200.0), true), (rising, false), (vec![5_000.0; 7], false), (vec![0.0; 80], false)]
        {
            assert_eq!(is_known(&values), expected, "{:?}", &values[..7]);
        }
    }
}
