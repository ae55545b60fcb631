//! Execution of stages and steps, with their events.

use super::Runner;
use super::belief::believed;
use super::gate::NAMED_MAX;
use crate::plan::stage::Stage;
use crate::plan::standard::AvailableTools;
use crate::run::context::{Progress, moment, window_since};
use crate::run::hotplug;
use machine::processes::CpuTimeBaseline;
use process::child::failure;
use process::guard::Guard;
use process::interruption;
use record::{BusyProcess, Event, FailureKind, Machine, Outcome, Step, WorkloadId};
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;
use workloads::job::Job;
use workloads::measure::context::WorkloadContext;
use workloads::measure::counters;
use workloads::measure::repeat;
use workloads::measure::report::StepReport;
use workloads::{Workload, sevenzip, workload};

/// Minimum change of the start time to record, in milliseconds.
const START_MS: i64 = 500;

/// Minimum duration of a step for the CPU time of processes, which the kernel counts in ticks of 10 ms.
const BUSY_MS_MIN: i64 = 1_000;
/// Minimum use of one CPU by a named process, in hundredths of a percent.
const BUSY_HUNDREDTHS_MIN: u32 = 200;

impl Runner<'_> {
    pub(super) fn available(&self) -> AvailableTools {
        let found = |id| workload(id).is_some_and(|workload| self.has_tool(workload));
        AvailableTools {
            sevenzip: found(WorkloadId::SevenZip),
            sevenzip_pair: sevenzip::other_version(&self.tools).is_ok(),
            openssl: found(WorkloadId::OpenSsl),
            cpuminer: found(WorkloadId::Cpuminer),
        }
    }

    /// True if the workload needs no external program, or it is installed.
    fn has_tool(&self, workload: &Workload) -> bool {
        workload.tool.is_none_or(|tool| self.tools.find(tool).is_ok())
    }

    /// Sets the estimates of steps that will not run to zero, and of completed steps to their duration.
    pub(super) fn estimate_known(&mut self, stages: &[Stage]) {
        for job in stages.iter().filter_map(Stage::job) {
            if self.estimates.knows(job) {
                continue;
            }
            let is_missing = workload(job.workload).is_some_and(|workload| !self.has_tool(workload));
            if is_missing || self.why_left_out(&step_name(job)).is_some() {
                self.estimates.job_took(job, Duration::ZERO);
                continue;
            }
            let is_repetition = |step: &&Step| job.is_of(step) && matches!(step.outcome, Outcome::Done(_));
            if let Some(step) = self.recorder.record().steps.iter().rfind(is_repetition) {
                self.estimates.job_took(job, elapsed(step));
            }
        }
    }

    /// Executes a stage and returns its last step, if it has steps.
    pub(super) fn stage(&mut self, machine: &Machine, stage: &Stage) -> Option<Step> {
        // Steps sync at their start; these stages may wait long before their first step.
        let waits = matches!(
            stage,
            Stage::Survey
                | Stage::WaitFor(..)
                | Stage::Heat(_)
                | Stage::Rest(..)
                | Stage::Watch(_)
                | Stage::Power(_)
                | Stage::LoadStep
        );
        if waits {
            self.recorder.sync();
        }
        let has_step = matches!(
            stage,
            Stage::Job(_) | Stage::UntilSteady(_) | Stage::UntilSteadyWithin(..) | Stage::Probe(..) | Stage::Watch(_)
        );
        if let Some(words) = stage.words()
            && !self.begins(&words)
        {
            return None;
        }
        // The only step of the stage may be measured already.
        if !stage.has_several_steps()
            && let Some(step) = self.is_already_measured()
        {
            return Some(step);
        }
        if !has_step {
            // These stages use all CPUs.
            self.switch_cpus(&[]);
        }
        match stage {
            Stage::ColdClocks => self.cold_clocks(machine),
            Stage::HotClocks => self.hot_clocks(machine),
            Stage::Job(job) => return Some(self.job(machine, job)),
            Stage::UntilSteady(job) => return self.until_steady(machine, job, repeat::TIME_CAP),
            Stage::UntilSteadyWithin(job, time) => return self.until_steady(machine, job, *time),
            Stage::ApplySettings(settings) => self.side(machine, settings),
            Stage::WaitFor(start, limit) => self.wait_for(machine, *start, *limit),
            Stage::Heat(thermal) => self.heat(machine, thermal),
            Stage::Rest(name, time) => self.rest(name, *time, |_, _| false),
            Stage::OppClock(cpus, khz) => self.opp_clock(machine, cpus, *khz),
            Stage::Survey => {
                self.survey();
            }
            Stage::Raise(group) => self.raise(group),
            Stage::Probe(job, raised) => return Some(self.probe(machine, job, raised)),
            Stage::Watch(command) => self.watch(machine, command.as_ref()),
            Stage::LoadStep => self.load_step(machine),
            Stage::Power(state) => self.power(machine, state),
            Stage::Suspend(state, time) => self.suspend(state, *time),
        }
        None
    }

    /// Runs one step and returns it in the form of the Record.
    pub(super) fn job(&mut self, machine: &Machine, job: &Job) -> Step {
        let name = step_name(job);
        if let Some(why) = self.why_left_out(&name) {
            return self.job_left_out(job, why);
        }
        let step = self.step_of(machine, job, &name);
        self.step_ended(step)
    }

    /// Runs one step with this name.
    pub(super) fn step_of(&mut self, machine: &Machine, job: &Job, name: &str) -> Step {
        self.recorder.keep_off(&job.cpus);
        // Built-in workloads are timed in this process, so nothing else runs, except beside those that count whole
        // seconds for minutes of heat.
        let is_shown = |workload: &Workload| workload.tool.is_some() || workload.attributes.ticks;
        let is_watched = job.definition.is_some() || workload(job.workload).is_some_and(is_shown);
        self.silent_step_begins(name, job.repetition, !is_watched);
        self.switch_cpus(&hotplug::cpus_to_hide(machine, job));
        self.emulate_clock(machine, job);
        let timeline = self.context.timeline;
        let busy = CpuTimeBaseline::start(self.context.root);
        let start = moment(timeline);
        let progress = &mut self.context.progress;
        let (recorder, shows_samples) = (&mut self.recorder, self.context.shows_samples);
        let show_progress = RefCell::new(|| {
            progress(Progress::ProgramRuns);
            if shows_samples {
                recorder.flush();
                progress(Progress::Sampled(recorder.record()));
            }
        });
        let watch = || {
            if is_watched {
                (*show_progress.borrow_mut())();
            }
        };
        let places = (self.context.root, machine, timeline);
        let context = WorkloadContext {
            group: self.group.as_ref(),
            site: Arc::clone(&self.site),
            open_counters: Some(counters::open),
            not_comparable: self.not_comparable.clone(),
            ..WorkloadContext::new(places, &self.tools, job, self.context.cancelled, &watch)
        };
        let (report, outcome) = match &self.side_refused {
            Some(why) => (StepReport::new(context.not_comparable.clone()), not_started(why.clone())),
            None => measured(&context),
        };
        let window = window_since(timeline, start);
        let mut step = report.into_step(job, window, outcome);
        if window.elapsed_ms() >= BUSY_MS_MIN {
            step.busiest = busy.map(|busy| others(&busy)).unwrap_or_default();
        }
        self.estimates.job_took(job, elapsed(&step));
        step
    }

    /// Records pauses since the last call; returns a sentence about them.
    fn report_pause(&mut self) -> Option<String> {
        let of_guard = self.guard.as_mut().and_then(Guard::stopped);
        // At Ctrl-Z the guard sees the same as this process.
        let stopped = interruption::take().or(of_guard);
        let all = [stopped, self.sleep.take()];
        let at_ms = self.context.timeline.now_ms();
        let mut sentences = Vec::new();
        for interruption in all.into_iter().flatten() {
            if let Some(gap) = interruption.gap(at_ms) {
                let channel = record::ChannelId::ALL_CHANNELS_GAP;
                self.recorder.append(Event::Gap { channel, gap });
            }
            sentences.push(interruption.sentence());
        }
        (!sentences.is_empty()).then(|| sentences.join(", and "))
    }

    /// Records the start time again if the time of day was set.
    pub(super) fn record_start(&mut self) {
        let known = self.recorder.record().run.started.known().copied();
        let told = |started: i64| known.is_some_and(|known| (known - started).abs() < START_MS);
        let started = self.context.timeline.corrected_start_utc_ms();
        if let Some(started) = started.filter(|started| !told(*started)) {
            self.recorder.append(Event::TimeSet { started });
        }
    }

    /// Reports new samples, if shown; never while this process times something.
    pub(super) fn show_samples(&mut self) {
        if self.context.shows_samples {
            self.recorder.flush();
            (self.context.progress)(Progress::Sampled(self.recorder.record()));
        }
    }

    pub(super) fn step_begins(&mut self, name: &str, repetition: u32) {
        self.silent_step_begins(name, repetition, false);
    }

    /// Begins a step; `is_silent` if it is timed in this process, so that no progress is reported until its end.
    pub(super) fn silent_step_begins(&mut self, name: &str, repetition: u32, is_silent: bool) {
        self.check_guard();
        self.record_start();
        // Pauses between steps belong to no step.
        self.report_pause();
        let left = self.time_left();
        name.clone_into(&mut self.step_name);
        self.show_samples();
        (self.context.progress)(Progress::Step { name, left, is_silent });
        let at_ms = self.context.timeline.now_ms();
        self.recorder.append(Event::StepBegins { step: name.to_owned(), repetition, at_ms });
        self.check_settings(name);
        self.recorder.sync();
    }

    /// Adds a step to the Record and returns it.
    pub(super) fn step_ended(&mut self, mut step: Step) -> Step {
        self.look_at_time_of(&mut step);
        self.recorder.flush();
        self.record_unread();
        self.recorder.append(Event::Step { step: Box::new(step.clone()) });
        // A step that is reported as measured survives a power loss.
        self.recorder.sync();
        // Skipped and monitored steps have no name yet.
        let name = Some(std::mem::take(&mut self.step_name)).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| format!("{} {}", step.workload, step.variant));
        let runs = self.planned_runs(&step);
        (self.context.progress)(Progress::StepEnded { name: name.trim_end(), step: &step, runs });
        step
    }

    /// Planned repetitions of a step; 0 to repeat until the median is stable.
    fn planned_runs(&self, step: &Step) -> u32 {
        let runs = self.stages.iter().filter_map(|stage| match stage {
            Stage::Job(job) if job.is_of(step) => Some(job.repetition + 1),
            _ => None,
        });
        runs.max().unwrap_or(0)
    }

    /// Marks a step with a pause as not comparable.
    pub(super) fn look_at_time_of(&mut self, step: &mut Step) {
        if let Some(why) = self.report_pause() {
            step.not_comparable.get_or_insert(why);
        }
    }
}

/// Other busy processes; empty if unknown.
fn others(busy: &CpuTimeBaseline) -> Vec<BusyProcess> {
    let mut found = busy.finish().map(|window| window.processes).unwrap_or_default();
    found.retain(|process| process.hundredths_percent >= BUSY_HUNDREDTHS_MIN);
    found.truncate(NAMED_MAX);
    found
}

/// Runs the workload of the context's job.
fn measured(context: &WorkloadContext) -> (StepReport, Outcome) {
    let Some(workload) = workload(context.job.workload) else {
        let why = format!("Unknown workload {:?}.", context.job.workload.as_str());
        return (StepReport::new(context.not_comparable.clone()), not_started(why));
    };
    let (report, outcome) = workload.measure(context);
    let outcome = match outcome {
        // Figures of users' programs are not checked.
        Outcome::Done(measured) if workload.tool.is_some() => {
            believed(measured).map_or_else(Outcome::Failed, Outcome::Done)
        }
        other => other,
    };
    (report, outcome)
}

pub(super) fn not_started(why: String) -> Outcome {
    Outcome::Failed(failure(FailureKind::NotStarted, why, ""))
}

pub(super) fn step_name(job: &Job) -> String {
    let name = format!("{} {}", job.name(), job.variant);
    name.trim_end().to_owned()
}

fn elapsed(step: &Step) -> Duration {
    let ms = step.window.end_ms - step.window.start_ms;
    Duration::from_millis(u64::try_from(ms).unwrap_or(0))
}
