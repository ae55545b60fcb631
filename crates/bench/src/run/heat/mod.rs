//! The stages of a thermal test: waiting for a temperature, heating under watch, cooling down.

mod gauge;
mod limits;

use super::Runner;
use crate::plan::heat::{StartAt, Thermal, heat_job};
use crate::plan::variant::RepeatedWorkload;
use crate::run::context::{Moment, Progress, moment, window_since};
use process::child::move_to;
use workloads::job::cpus::online_cpus;
use workloads::measure::context::WorkloadContext;
use workloads::measure::counters;
use workloads::measure::heat_interval::{self, HeatInterval, INTERVAL_NS};
use workloads::measure::repeat;
use workloads::measure::thread_team::{Gate, joined, start_team, while_busy};

use gauge::Gauge;
use limits::{SensorTimeout, StopCondition, TargetWait};
use machine::critical_millicelsius;
use record::soc_temperature::SocTemperature;
use record::{ClockSeries, Fact, Machine, Missing, Outcome, Series, Step, StepMeasurement, Variant, Wait, WorkloadId};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

/// Interval between temperature checks.
const LOOK: Duration = Duration::from_secs(1);
/// Default limit below the critical trip point, where the kernel cuts the power: more than a chip without heatsink
/// warms between two checks.
const BELOW_CRITICAL_MILLICELSIUS: i64 = 5_000;
/// Default limit without trip points.
const MAX_MILLICELSIUS: i64 = 105_000;
/// Rises when these stages change.
const METHOD: u32 = 1;

impl Runner<'_> {
    /// Waits for the start temperature; heats with all CPUs if requested.
    pub(super) fn wait_for(&mut self, machine: &Machine, start: StartAt, limit: Duration) {
        let (word, target) = match start {
            StartAt::CoolTo(target) => (Variant::COOLING, target),
            StartAt::HeatTo(target) => (Variant::HEATING, target),
        };
        let root = self.context.root;
        self.step_begins(&format!("{word} to {} °C", target / 1000), 0);
        let begin = self.moment();
        let outcome = match Gauge::find(root, self.chosen().as_ref()) {
            Err(missing) => Outcome::Skipped(missing),
            Ok(gauge) => {
                let cpus = online_cpus(machine).into_iter().filter(|_| matches!(start, StartAt::HeatTo(_)));
                match while_busy(cpus, || self.watch_temperature(&gauge, start, limit)) {
                    Ok(wait) => {
                        Outcome::Done(StepMeasurement::Wait(Wait { target_millicelsius: Some(target), ..wait }))
                    }
                    Err(missing) => Outcome::Skipped(missing),
                }
            }
        };
        let step = self.heat_step(WorkloadId::Wait, word, Vec::new(), begin, outcome);
        self.step_ended(step);
    }

    fn watch_temperature(&mut self, gauge: &Gauge, start: StartAt, limit: Duration) -> Wait {
        let timeline = self.context.timeline;
        let first = gauge.now();
        let mut sight = SensorTimeout::default();
        let mut waiting =
            TargetWait { start, began: timeline.now_ms(), moved: (first.clone().unwrap_or(0), timeline.now_ms()) };
        let (end, not_reached) = loop {
            let (now, now_ms) = (gauge.now(), timeline.now_ms());
            let verdict = match &now {
                Ok(value) => waiting.verdict(now_ms, *value, limit),
                Err(_) => None,
            };
            let verdict = verdict.or(sight.lost(&now, now_ms));
            let interrupted = self.interrupted().map(|_| "the run was interrupted".to_owned());
            if let Some(why) = interrupted.or(verdict) {
                break (now, Some(why).filter(|why| !why.is_empty()));
            }
            self.report_temperature(&now);
            timeline.sleep(LOOK);
        };
        if let Some(why) = &not_reached {
            let note = format!("Start temperature not reached: {why}.");
            (self.context.progress)(Progress::Note(note));
        }
        Wait { target_millicelsius: None, start_millicelsius: first.into(), end_millicelsius: end.into(), not_reached }
    }

    fn report_temperature(&mut self, now: &record::Reading<i64>) {
        if let Ok(value) = now {
            let name = format!("{:.1} °C now", *value as f64 / 1000.0);
            let left = self.time_left();
            (self.context.progress)(Progress::Step { name: &name, left, is_silent: false });
        }
        self.recorder.flush();
        self.show_samples();
    }

    /// Runs the load until its time is over, a temperature is reached or the run is interrupted.
    pub(super) fn heat(&mut self, machine: &Machine, thermal: &Thermal) {
        let root = self.context.root;
        let id = thermal.load.workload_id();
        let name = match &thermal.load {
            RepeatedWorkload::Form(form) => form.workload.as_str(),
            RepeatedWorkload::Program(definition) => &definition.name,
        };
        self.step_begins(&format!("heating with {name}"), 0);
        let begin = self.moment();
        let max = thermal.max_millicelsius.unwrap_or_else(|| {
            let below = critical_millicelsius(root).map(|limit| limit - BELOW_CRITICAL_MILLICELSIUS);
            below.unwrap_or(MAX_MILLICELSIUS)
        });
        let end_ms = begin.0 + thermal.time.as_millis() as i64;
        let gauge = Gauge::find(root, self.chosen().as_ref());
        let mut brake = StopCondition::new(gauge.ok(), max, end_ms);
        let is_warm = matches!(thermal.start, Some(StartAt::HeatTo(_)));
        brake.sensor_responds = id == Some(WorkloadId::Simd) && !is_warm;
        let mut outcome = match id {
            Some(WorkloadId::Simd) => self.heat_built_in(machine, thermal, &mut brake),
            _ => self.repeat_heat_load(machine, &thermal.load, &mut brake),
        };
        if let Outcome::Done(StepMeasurement::Series(series)) = &mut outcome {
            series.ended_early = brake.why.take();
        }
        let (cpus, variant) = (online_cpus(machine), Variant::from(name));
        let step = self.heat_step(WorkloadId::Heat, variant, cpus, begin, outcome);
        self.step_ended(step);
    }

    fn heat_built_in(&mut self, machine: &Machine, thermal: &Thermal, brake: &mut StopCondition) -> Outcome {
        let (root, timeline) = (self.context.root, self.context.timeline);
        let cpus = online_cpus(machine);
        let seconds = thermal.time.as_secs().max(1) as usize;
        let stop = AtomicI32::new(0);
        let gate = Gate::default();
        let threads: Result<Vec<Vec<HeatInterval>>, Missing> = std::thread::scope(|scope| {
            let one = |cpu: &u32| {
                let (cpu, stop) = (*cpu, &stop);
                // An offline CPU has no intervals.
                move || match move_to(&[cpu]) {
                    Ok(()) => heat_interval::intervals(root, seconds, stop),
                    Err(_) => Vec::new(),
                }
            };
            let threads = start_team(scope, &gate, cpus.iter().map(one))?;
            while threads.iter().any(|thread| !thread.is_finished()) {
                timeline.sleep(LOOK / 4);
                let now = brake.look(timeline.now_ms(), self.context.cancelled);
                if brake.stop.load(Ordering::Relaxed) != 0 && brake.why.is_some() {
                    stop.store(1, Ordering::Relaxed);
                }
                self.report_temperature(&now);
            }
            Ok(joined(threads))
        });
        let threads = match threads {
            Ok(threads) => threads,
            Err(missing) => return Outcome::Skipped(missing),
        };
        let working = || threads.iter().filter(|intervals| !intervals.is_empty());
        let count = working().map(Vec::len).min().unwrap_or(0);
        let rate = |at: usize| working().map(|own| own[at].operations_per_s).sum::<f64>() / 1e9;
        let clocks = cpus.iter().zip(&threads).filter(|(_, own)| !own.is_empty());
        Outcome::Done(StepMeasurement::Series(Series {
            unit: "Gop/s".into(),
            higher_is_better: true,
            detail: "multiply-adds on the widest SIMD unit; each lane counts as two operations".into(),
            at_ms: (1..=count as i64).map(|at| at * (INTERVAL_NS / 1_000_000) as i64).collect(),
            values: (0..count).map(rate).collect(),
            clocks: clocks
                .map(|(cpu, own)| ClockSeries {
                    cpu: *cpu,
                    khz: own[..count].iter().map(|interval| interval.khz).collect(),
                })
                .collect(),
            ended_early: None,
        }))
    }

    /// Runs a program repeatedly until the brake stops it; an interrupted run does not count.
    fn repeat_heat_load(&mut self, machine: &Machine, load: &RepeatedWorkload, brake: &mut StopCondition) -> Outcome {
        let (root, timeline) = (self.context.root, self.context.timeline);
        let begin_ms = timeline.now_ms();
        let job = heat_job(load, machine);
        let Some(workload) = workloads::workload(job.workload) else {
            let missing = Missing::unsupported(job.workload.as_str(), "unknown workload");
            return Outcome::Skipped(missing);
        };
        let mut series = Series::default();
        while brake.stop.load(Ordering::Relaxed) == 0 {
            let stop = Arc::new(AtomicI32::new(0));
            let look = RefCell::new(|| {
                drop(brake.look(timeline.now_ms(), self.context.cancelled));
                stop.store(brake.stop.load(Ordering::Relaxed), Ordering::Relaxed);
                self.recorder.flush();
                (self.context.progress)(Progress::ProgramRuns);
                if self.context.shows_samples {
                    (self.context.progress)(Progress::Sampled(self.recorder.record()));
                }
            });
            let watch = || (*look.borrow_mut())();
            let places = (root, machine, timeline);
            let context = WorkloadContext {
                group: self.group.as_ref(),
                site: Arc::clone(&self.site),
                open_counters: Some(counters::open),
                ..WorkloadContext::new(places, &self.tools, &job, &stop, &watch)
            };
            let started_ms = timeline.now_ms() - begin_ms;
            let (_, outcome) = workload.measure(&context);
            let ended_ms = timeline.now_ms() - begin_ms;
            match outcome {
                Outcome::Done(measured) => add(&mut series, measured, started_ms, ended_ms),
                Outcome::Failed(_) if brake.stop.load(Ordering::Relaxed) != 0 => break,
                other => return other,
            }
        }
        Outcome::Done(StepMeasurement::Series(series))
    }

    /// Records the idle machine until `ends` returns true for the start time, or for at most `time`.
    pub(super) fn rest(&mut self, name: &Variant, time: Duration, mut ends: impl FnMut(&mut Self, i64) -> bool) {
        let (root, timeline) = (self.context.root, self.context.timeline);
        self.step_begins(name.as_str(), 0);
        let begin = self.moment();
        // Power is recorded even without a thermometer.
        let gauge = Gauge::find(root, self.chosen().as_ref());
        let now = || gauge.as_ref().map_err(Missing::clone).and_then(Gauge::now);
        let first: Fact<i64> = now().into();
        let end_ms = begin.0 + time.as_millis() as i64;
        while timeline.now_ms() < end_ms && self.interrupted().is_none() {
            timeline.sleep(LOOK);
            self.report_temperature(&now());
            if ends(self, begin.0) {
                break;
            }
        }
        let outcome = Outcome::Done(StepMeasurement::Wait(Wait {
            target_millicelsius: None,
            start_millicelsius: first,
            end_millicelsius: now().into(),
            not_reached: None,
        }));
        let (cpus, variant) = (Vec::new(), name.clone());
        let step = self.heat_step(WorkloadId::Wait, variant, cpus, begin, outcome);
        self.step_ended(step);
    }

    /// Sensor of the SoC chosen by this run.
    fn chosen(&mut self) -> Option<SocTemperature> {
        self.recorder.flush();
        self.recorder.record().soc_temperature.known().cloned()
    }

    pub(super) fn moment(&self) -> Moment {
        moment(self.context.timeline)
    }

    pub(super) fn heat_step(
        &self,
        workload: WorkloadId,
        variant: Variant,
        cpus: Vec<u32>,
        begin: Moment,
        outcome: Outcome,
    ) -> Step {
        Step {
            threads: cpus.len() as u32,
            window: window_since(self.context.timeline, begin),
            ..Step::new(workload, METHOD, variant, outcome)
        }
    }
}

/// Adds the score of one run: all values of a series, else one value.
fn add(series: &mut Series, measured: StepMeasurement, started_ms: i64, ended_ms: i64) {
    match measured {
        StepMeasurement::Series(own) => {
            series.unit = own.unit;
            series.higher_is_better = own.higher_is_better;
            series.detail = own.detail;
            let at = |index: usize| own.at_ms.get(index).map_or(ended_ms, |at| started_ms + at);
            series.at_ms.extend((0..own.values.len()).map(at));
            series.values.extend(own.values);
        }
        other => {
            if let Some((value, unit, higher_is_better)) = repeat::measured_score(&other) {
                series.unit = unit;
                series.higher_is_better = higher_is_better;
                series.at_ms.push(ended_ms);
                series.values.push(value);
            }
        }
    }
}
