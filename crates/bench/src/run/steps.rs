//! The stages of a run, one after the other: what is told before a step, what is written down after it.

use super::Runner;
use super::belief::believed;
use crate::child::failure;
use crate::context::Progress;
use crate::hotplug;
use crate::job::Job;
use crate::lab::Lab;
use crate::pause;
use crate::plan::Available;
use crate::repeat;
use crate::task::Stage;
use crate::workloads::{Workload, workload};
use record::{Event, Failure, FailureKind, Machine, Outcome, Step, Window};
use std::sync::Arc;
use std::time::Duration;

impl Runner<'_> {
    pub(super) fn available(&self) -> Available {
        let found = |id| workload(id).is_some_and(|workload| self.has_tool(workload));
        Available {
            sevenzip: found("sevenzip"),
            openssl: found("openssl"),
            cpuminer: found("cpuminer"),
        }
    }

    /// True if nothing external is needed, or it is there.
    fn has_tool(&self, workload: &Workload) -> bool {
        workload
            .tool
            .is_none_or(|tool| self.tools.find(tool).is_ok())
    }

    /// Steps without their program take no time.
    pub(super) fn estimate_skipped(&mut self, stages: &[Stage]) {
        for stage in stages {
            let (Stage::Job(job) | Stage::UntilSteady(job)) = stage else {
                continue;
            };
            if workload(job.workload).is_some_and(|workload| !self.has_tool(workload)) {
                self.estimates.job_took(job, Duration::ZERO);
            }
        }
    }

    pub(super) fn stage(&mut self, machine: &Machine, stage: &Stage) {
        // Steps bring everything to disk when they begin; these stages can take long before their first.
        let waits = matches!(
            stage,
            Stage::Survey | Stage::WaitFor(..) | Stage::Heat(_) | Stage::Rest(..) | Stage::Watch(_)
        );
        if waits {
            self.recorder.sync();
        }
        let has_step = matches!(
            stage,
            Stage::Job(_)
                | Stage::UntilSteady(_)
                | Stage::UntilSteadyWithin(..)
                | Stage::Probe(..)
                | Stage::Watch(_)
        );
        if !has_step {
            // What is set or measured here is about all CPUs; steps say for themselves.
            self.switch_cpus(&[]);
        }
        match stage {
            Stage::ColdClocks => self.cold_clocks(machine),
            Stage::HotClocks => self.hot_clocks(machine),
            Stage::Job(job) => {
                self.job(machine, job);
            }
            Stage::UntilSteady(job) => self.until_steady(machine, job, repeat::TIME_CAP),
            Stage::UntilSteadyWithin(job, time) => self.until_steady(machine, job, *time),
            Stage::Side(settings) => self.side(machine, settings),
            Stage::WaitFor(start, limit) => self.wait_for(machine, *start, *limit),
            Stage::Heat(thermal) => self.heat(machine, thermal),
            Stage::Rest(name, time) => self.rest(name, *time),
            Stage::OppClock(cpus, khz) => self.opp_clock(machine, cpus, *khz),
            Stage::Survey => {
                self.survey();
            }
            Stage::Raise(group) => self.raise(group),
            Stage::Probe(job, raised) => self.probe(machine, job, raised),
            Stage::Watch(command) => self.watch(machine, command.as_ref()),
        }
    }

    /// Runs one step and returns its score, or the scores of its turns; nothing if it has none.
    pub(super) fn job(&mut self, machine: &Machine, job: &Job) -> Vec<f64> {
        let name = step_name(job);
        let step = self.step_of(machine, job, &name);
        let scores = repeat::scores(&step);
        self.step_ended(step);
        scores
    }

    /// Runs one step under this name and returns it. What stood still meanwhile says nothing by its time.
    pub(super) fn step_of(&mut self, machine: &Machine, job: &Job, name: &str) -> Step {
        self.tell_pauses();
        let mut step = self.measured_step(machine, job, name);
        if let Some(time) = self.tell_pauses() {
            step.not_comparable.get_or_insert(pause::sentence(time));
        }
        step
    }

    fn measured_step(&mut self, machine: &Machine, job: &Job, name: &str) -> Step {
        self.recorder.keep_off(&job.cpus);
        self.step_begins(name, job.repetition);
        self.switch_cpus(&hotplug::not_to_be_seen(machine, job));
        self.emulate_clock(machine, job);
        let timeline = self.context.timeline;
        let start = (timeline.now_ms(), timeline.utc_ms());
        let progress = &mut self.context.progress;
        // Built-in kernels are timed in this very process: nothing may happen beside them. That one counts
        // whole seconds for minutes, in a heat in which machines freeze.
        let is_watched = job.definition.is_some()
            || job.workload == "simd"
            || workload(job.workload).is_some_and(|workload| workload.tool.is_some());
        let mut watch = || {
            if !is_watched {
                return;
            }
            progress(Progress::Beat);
        };
        let places = (self.context.root, machine, timeline);
        let mut lab = Lab::new(places, &self.tools, job, self.context.cancelled, &mut watch);
        lab.group = self.group.as_ref();
        lab.site = Arc::clone(&self.site);
        let open_counters = |pid: u32| crate::counters::open(self.context.root, pid);
        lab.open_counters = Some(&open_counters);
        lab.not_comparable = self.crowded.clone();
        let outcome = match &self.refused {
            Some(why) => Outcome::Failed(failure(FailureKind::NotStarted, why.clone(), "")),
            None => outcome(&mut lab),
        };
        // What was made before is no part of what was measured.
        let start = lab.began_ms.unwrap_or(start);
        let own_name = job
            .definition
            .as_ref()
            .map(|definition| definition.name.clone());
        let not_comparable = lab.not_comparable.take();
        let step = Step {
            workload: own_name.unwrap_or_else(|| job.workload.into()),
            method: lab.method,
            variant: job.variant.clone(),
            cpus: job.cpus.clone(),
            threads: job.threads,
            repetition: job.repetition,
            window: Window {
                start_ms: start.0,
                end_ms: timeline.now_ms(),
                start_utc_ms: Some(start.1),
                end_utc_ms: Some(timeline.utc_ms()),
            },
            seen_on: std::mem::take(&mut lab.seen_on),
            tool: lab.tool.take(),
            not_comparable,
            counters: std::mem::take(&mut lab.counters),
            repeated: std::mem::take(&mut lab.repeated),
            outcome,
            set_clock: job.set_clock,
            line: None,
        };
        self.estimates.job_took(job, elapsed(&step));
        step
    }

    /// What everything stood still for since the last time goes to the Record.
    fn tell_pauses(&mut self) -> Option<Duration> {
        let time = pause::take()?;
        let gap = pause::gap(time, self.context.timeline.now_ms());
        let channel = "sampler.cpu".to_owned();
        self.recorder.append(Event::Gap { channel, gap });
        Some(time)
    }

    pub(super) fn step_begins(&mut self, name: &str, repetition: u32) {
        self.look_after_guard();
        let left = self.estimates.of_stages(&self.ahead);
        (self.context.progress)(Progress::Step { name, left });
        let at_ms = self.context.timeline.now_ms();
        self.recorder.append(Event::StepBegins {
            step: name.to_owned(),
            repetition,
            at_ms,
        });
        self.check_settings(name);
        self.recorder.sync();
    }

    pub(super) fn step_ended(&mut self, step: Step) {
        self.recorder.flush();
        self.tell_unread();
        self.recorder.append(Event::Step {
            step: Box::new(step),
        });
    }
}

/// Runs the workload of the lab's job.
fn outcome(lab: &mut Lab) -> Outcome {
    let Some(workload) = workload(lab.job.workload) else {
        return Outcome::Failed(Failure {
            kind: FailureKind::NotStarted,
            message: format!("There is no workload {:?}.", lab.job.workload),
            output_tail: String::new(),
            exit_status: None,
        });
    };
    if let Some(missing) = (workload.lacking)(lab) {
        return Outcome::Skipped(missing);
    }
    // Users say themselves what the figures of their own programs are.
    let is_of_table = workload.tool.is_some();
    let measured = (workload.run)(lab);
    let measured = match is_of_table {
        true => measured.and_then(believed),
        false => measured,
    };
    match measured {
        Ok(measured) => Outcome::Done(measured),
        Err(failure) => Outcome::Failed(failure),
    }
}

pub(super) fn step_name(job: &Job) -> String {
    let workload = match &job.definition {
        Some(definition) => definition.name.as_str(),
        None => job.workload,
    };
    format!("{workload} {}", job.variant).trim_end().to_owned()
}

fn elapsed(step: &Step) -> Duration {
    let ms = step.window.end_ms - step.window.start_ms;
    Duration::from_millis(u64::try_from(ms).unwrap_or(0))
}
