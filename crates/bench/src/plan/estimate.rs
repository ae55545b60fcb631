//! How long the rest of a run will take: first by the clock that this machine was measured to have, then
//! by what its own steps took. Nothing is decided by these estimates; people read them.

use crate::plan::stage::Stage;
use record::{Machine, Outcome, Step, StepMeasurement};
use std::time::Duration;
use workloads::job::Job;
use workloads::job::cpus::{fastest_cpu, online_clusters};
use workloads::{DurationRule, workload};

/// The clock for which [`model`] gives its times, in kHz: a middling board's.
const MODEL_KHZ: f64 = 2_000_000.0;
/// A program of the user's own, before it was run once.
const PROGRAM_S: f64 = 10.0;
/// Repetitions until a median is steady, mostly.
const REPETITIONS: f64 = 10.0;
/// Weight of each further step that took another time than was thought.
const LEARNING: f64 = 0.5;

/// Known speed of this machine.
#[derive(Debug, Clone)]
pub(crate) struct Estimates {
    clusters: usize,
    /// The clock of this CPU stands for the machine.
    fastest: u32,
    /// Time over the model's time, of steps that take as long as their work.
    slowness: f64,
    /// Jobs that were run, and how long the last one of each took, in seconds.
    known: Vec<(Job, f64)>,
    /// Seconds of one step of a clock pass.
    clock_s: f64,
}

impl Default for Estimates {
    fn default() -> Self {
        Self::of(&Machine::default())
    }
}

impl Estimates {
    /// Before anything was measured: the machine is taken to be a middling one.
    pub(crate) fn of(machine: &Machine) -> Self {
        Self {
            clusters: online_clusters(machine).len(),
            fastest: fastest_cpu(machine),
            slowness: 1.0,
            known: Vec::new(),
            clock_s: 1.0,
        }
    }

    /// A measured clock says how fast the machine is, as long as nothing else was measured.
    pub(crate) fn clock_step(&mut self, step: &Step) {
        let Outcome::Done(StepMeasurement::Clock(clocks)) = &step.outcome else { return };
        self.clock_s = seconds(step).max(0.1);
        let own = clocks.points.iter().filter(|p| p.cpu == self.fastest);
        let khz = own.flat_map(|point| &point.readings_khz).max();
        // Skipped steps took no time.
        let has_run = self.known.iter().any(|(_, took)| *took > 0.0);
        if let (Some(khz), false) = (khz, has_run) {
            self.slowness = MODEL_KHZ / f64::from(*khz).max(1.0);
        }
    }

    /// A job that has run tells how long its next repetition will take, and a bit about all others.
    pub(crate) fn job_took(&mut self, job: &Job, took: Duration) {
        let took = took.as_secs_f64();
        if let (Time::Work(model_s), None) = (model(job), self.find(job)) {
            let ratio = took / model_s;
            // A step that was skipped or failed says nothing about speed.
            if (0.02..50.0).contains(&ratio) {
                self.slowness += LEARNING * (ratio - self.slowness);
            }
        }
        self.known.retain(|(known, _)| !is_alike(known, job));
        self.known.push((job.clone(), took));
    }

    /// True if a job like this has run.
    pub(crate) fn knows(&self, job: &Job) -> bool {
        self.find(job).is_some()
    }

    /// False if a program of the user's own is among these stages that has not run yet: how long it takes is in no model.
    pub(crate) fn can_tell(&self, stages: &[Stage]) -> bool {
        let is_unknown = |job: &Job| job.definition.is_some() && job.time.is_none() && !self.knows(job);
        !stages.iter().filter_map(Stage::job).any(is_unknown)
    }

    /// Time of these stages.
    pub(crate) fn of_stages(&self, stages: &[Stage]) -> Duration {
        let sum = stages.iter().map(|stage| self.stage_s(stage)).sum();
        Duration::from_secs_f64(sum)
    }

    fn stage_s(&self, stage: &Stage) -> f64 {
        match stage {
            Stage::ColdClocks => (self.clusters + 2) as f64 * self.clock_s,
            Stage::HotClocks => (self.clusters + 1) as f64 * self.clock_s,
            Stage::Job(job) => self.job_s(job),
            Stage::UntilSteady(job) => REPETITIONS * self.job_s(job),
            Stage::UntilSteadyWithin(job, time) => time.as_secs_f64().min(REPETITIONS * self.job_s(job)),
            Stage::OppClock(..) => self.clock_s,
            // Most waits are short against the longest that is allowed.
            Stage::WaitFor(_, limit) => limit.as_secs_f64() / 4.0,
            Stage::Heat(thermal) => thermal.time.as_secs_f64(),
            Stage::Rest(_, time) => time.as_secs_f64(),
            Stage::Probe(job, _) => self.job_s(job),
            // Monitoring takes as long as the user wants.
            Stage::Side(_) | Stage::Raise(_) | Stage::Watch(_) | Stage::Survey => 0.0,
        }
    }

    fn job_s(&self, job: &Job) -> f64 {
        if let Some(took) = self.find(job) {
            return took;
        }
        match model(job) {
            Time::Fixed(seconds) => seconds,
            Time::Work(seconds) => seconds * self.slowness,
        }
    }

    fn find(&self, job: &Job) -> Option<f64> {
        let mut known = self.known.iter();
        known.find(|(known, _)| is_alike(known, job)).map(|(_, took)| *took)
    }
}

/// Repetitions of one another.
fn is_alike(a: &Job, b: &Job) -> bool {
    let of_definition = |job: &Job| job.definition.as_ref().map(|d| d.command.clone());
    (a.workload, &a.variant, &a.cpus) == (b.workload, &b.variant, &b.cpus) && of_definition(a) == of_definition(b)
}

/// Properties that determine the duration of a job.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Time {
    /// The job itself, in seconds.
    Fixed(f64),
    /// Its work: so many seconds at the clock of the model.
    Work(f64),
}

/// Duration of a workload outside of the table.
const UNKNOWN: DurationRule = DurationRule::Work(6.0);

/// Expected duration before the first run.
fn model(job: &Job) -> Time {
    if let Some(time) = job.time {
        return Time::Fixed(time.as_secs_f64());
    }
    if let Some(definition) = &job.definition {
        return Time::Fixed(definition.seconds.map_or(PROGRAM_S, |seconds| seconds as f64));
    }
    let workload = workload(job.workload);
    if let Some(shape) = workload.and_then(|workload| workload.shape) {
        return Time::Fixed(shape.seconds as f64);
    }
    match workload.map_or(UNKNOWN, |workload| workload.attributes.takes) {
        DurationRule::Fixed(seconds) => Time::Fixed(seconds),
        DurationRule::Work(seconds) => Time::Work(seconds),
        DurationRule::Pairs => Time::Work(1.0 + (job.cpus.len() * job.cpus.len()) as f64 / 500.0),
    }
}

fn seconds(step: &Step) -> f64 {
    (step.window.end_ms - step.window.start_ms) as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{ClockPoint, Clocks, Variant, Window, WorkloadId};

    fn job(workload: WorkloadId, variant: Variant) -> Job {
        Job { workload, variant, ..Job::default() }
    }

    fn clock(khz: u32) -> Step {
        Step {
            window: Window { end_ms: 500, ..Window::default() },
            outcome: Outcome::Done(StepMeasurement::Clock(Clocks {
                points: vec![ClockPoint { readings_khz: vec![khz], ..ClockPoint::default() }],
            })),
            ..workloads::testing::step(WorkloadId::Clock)
        }
    }

    #[test]
    fn estimate_improves_with_measurements() {
        let mut estimates = Estimates::default();
        let multi = [
            Stage::Job(job(WorkloadId::SevenZip, Variant::MULTI)),
            Stage::Job(job(WorkloadId::StressNg, Variant::own("cpu"))),
        ];
        let seconds = |estimates: &Estimates| estimates.of_stages(&multi).as_secs();
        assert_eq!(seconds(&estimates), 60 + 60);
        estimates.clock_step(&clock(1_000_000));
        assert_eq!(seconds(&estimates), 120 + 60);
        // Half as slow as its clock says.
        estimates.job_took(&job(WorkloadId::SevenZip, Variant::SINGLE), Duration::from_secs(60));
        assert_eq!(seconds(&estimates), 90 + 60);
        // A clock that falls in heat tells less than what ran.
        estimates.clock_step(&clock(100_000));
        estimates.job_took(&job(WorkloadId::SevenZip, Variant::MULTI), Duration::from_secs(33));
        assert_eq!(seconds(&estimates), 33 + 60);
    }

    #[test]
    fn program_that_never_ran_has_no_estimate() {
        let command = vec!["sleep".to_owned(), "0.1".to_owned()];
        let definition = Some(std::sync::Arc::new(workloads::job::definition::Definition::of_command(command)));
        let program = Job { definition, ..job(WorkloadId::Program, Variant::default()) };
        let stages = [Stage::Job(program.clone()), Stage::Job(job(WorkloadId::SevenZip, Variant::MULTI))];
        let mut estimates = Estimates::default();
        assert!(!estimates.can_tell(&stages) && estimates.can_tell(&stages[1..]));
        estimates.job_took(&Job { repetition: 7, ..program }, Duration::from_millis(100));
        assert!(estimates.can_tell(&stages));
    }

    #[test]
    fn skipped_steps_do_not_count() {
        let mut estimates = Estimates::default();
        estimates.job_took(&job(WorkloadId::SevenZip, Variant::SINGLE), Duration::ZERO);
        let left = |variant| {
            let stage = Stage::Job(job(WorkloadId::SevenZip, variant));
            estimates.of_stages(&[stage, Stage::Side(Vec::new())])
        };
        assert_eq!(left(Variant::SINGLE), Duration::ZERO);
        assert_eq!(left(Variant::MULTI), Duration::from_secs(60));
        estimates.clock_step(&clock(1_000_000));
        let stages = [Stage::Job(job(WorkloadId::SevenZip, Variant::MULTI))];
        assert_eq!(estimates.of_stages(&stages), Duration::from_secs(120));
    }
}
