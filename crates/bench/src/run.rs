//! The standard run: gate, identify, tune, measure clocks, run the workloads under watch, measure
//! the clocks again hot, restore. Every step is on disk before the next one begins.

mod clocks;
mod heat;
mod sides;

use crate::child::failure;
use crate::context::{Context, Finished, Progress};
use crate::gate;
use crate::guard::Guard;
use crate::lab::{Job, Lab};
use crate::meters::{self, Meter};
use crate::plan::{self, Available, online_clusters};
use crate::recorder::Recorder;
use crate::repeat;
use crate::switch::Switch;
use crate::task::{self, Stage};
use crate::tools::Tools;
use crate::workloads::workload;
use machine::kernel_log::KernelLog;
use machine::settings::{Node, Settings};
use machine::{Group, Sampler, SamplerOptions, SamplerThread};
use record::{
    End, Event, Failure, FailureKind, Machine, Outcome, Reading, Restored, Run, State, Step, Window,
};
use std::sync::atomic::Ordering;

/// While a program runs, samples go to disk this often.
const FLUSH_MS: i64 = 5_000;

/// What a program of the user's own is taken to need, in seconds, before it was run once.
const RUN_S: u64 = 10;

/// Runs everything.
pub fn run(context: Context) -> Finished {
    let recorder = start(&context);
    let mut runner = Runner {
        recorder,
        settings: None,
        guard: None,
        sampler: None,
        meters: Vec::new(),
        kernel_log: KernelLog::open(context.root),
        tools: Tools::on_path(),
        group: Group::new(context.root, &format!("sbc-bench-{}", std::process::id())).ok(),
        switch: Switch::default(),
        refused: None,
        share_percent: None,
        done_s: 0,
        step_s: 0,
        total_s: 0,
        context,
    };
    let end = runner.everything();
    runner.finish(end)
}

fn start(context: &Context) -> Recorder {
    let root = context.root;
    let run = Run {
        started: record::Fact::Known(context.timeline.start_utc_ms()),
        utc_offset_minutes: context.utc_offset_minutes,
        boot_id: root
            .read_value("/proc/sys/kernel/random/boot_id")
            .unwrap_or_default(),
        uptime_ms: machine::uptime_ms(root).into(),
        load_hundredths: machine::load_hundredths(root).into(),
        mode: context.options.task.mode(context.options).into(),
        sides: context.options.task.sides(),
        options: context.given.clone(),
        as_root: rustix::process::geteuid().is_root(),
        ..Run::default()
    };
    Recorder::start(context.source.clone(), run, context.stream)
}

struct Runner<'a> {
    context: Context<'a>,
    recorder: Recorder,
    settings: Option<Settings>,
    guard: Option<Guard>,
    sampler: Option<SamplerThread>,
    meters: Vec<Meter>,
    kernel_log: Reading<KernelLog>,
    tools: Tools,
    group: Option<Group>,
    switch: Switch,
    /// Why the settings of the side that is to run are not in place.
    refused: Option<String>,
    /// Share of its CPUs that a step gets, where a slower clock is emulated.
    share_percent: Option<u32>,
    /// Seconds of work by the plan's estimate: done, of the step that runs, and in all.
    done_s: u64,
    step_s: u64,
    total_s: u64,
}

impl Runner<'_> {
    fn everything(&mut self) -> End {
        let (root, timeline) = (self.context.root, self.context.timeline);
        let machine = machine::identify(root);
        let may_start = !self.context.options.task.is_whole_run() || self.gate(&machine);
        self.recorder.append(Event::Machine {
            machine: Box::new(machine.clone()),
        });
        if let Some(end) = self.interrupted() {
            return end;
        }
        if !may_start {
            return End::Refused;
        }
        (self.context.progress)(Progress::Identified(&machine));
        self.recorder.append(Event::State {
            state: machine::state(root, timeline.now_ms()),
        });
        self.recorder.sync();
        if self.context.options.task.has_ramps() {
            self.ramps(&machine);
        }
        self.tune(&machine);
        if self.context.options.task.is_whole_run() {
            self.start_sampler();
        }

        let stages = task::stages(&machine, self.context.options, self.available());
        let clusters = online_clusters(&machine).len() as u64;
        let estimate_s = |stage| task::estimate_s(stage, clusters, RUN_S);
        self.total_s = stages.iter().map(estimate_s).sum();
        for stage in &stages {
            if self.interrupted().is_some() {
                break;
            }
            self.stage(&machine, stage);
        }
        self.interrupted().unwrap_or(End::Finished)
    }

    /// Waits for a quiet system; true if the run may start.
    fn gate(&mut self, machine: &Machine) -> bool {
        let Context {
            root,
            timeline,
            options,
            cancelled,
            progress,
            ..
        } = &mut self.context;
        let mut gate =
            gate::wait_until_quiet((root, timeline), options, cancelled, &mut |gate, left| {
                progress(Progress::Waiting(gate, left));
            });
        let boot_messages = match &self.kernel_log {
            Ok(log) => Ok(log.boot_messages_present()),
            Err(missing) => Err(missing.clone()),
        };
        gate::check_facts(&mut gate, root, machine, boot_messages);
        let may_start = gate.passed || gate.forced;
        self.recorder.append(Event::Gate { gate });
        may_start
    }

    fn interrupted(&self) -> Option<End> {
        match self.context.cancelled.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(End::Interrupted { signal }),
        }
    }

    fn available(&self) -> Available {
        let found = |id| {
            let tool = workload(id).and_then(|workload| workload.tool);
            tool.is_some_and(|tool| self.tools.find(tool).is_ok())
        };
        Available {
            sevenzip: found("sevenzip"),
            openssl: found("openssl"),
        }
    }

    /// Governors to performance, the highest clock allowed. Each change is on disk before it is made.
    fn tune(&mut self, machine: &Machine) {
        let Some(journal) = self.context.journal.filter(|_| self.context.options.tune) else {
            return;
        };
        if machine.policies.is_empty() {
            return;
        }
        let mut settings = match Settings::new(self.context.root, journal) {
            Ok(settings) => settings,
            Err(missing) => {
                let note = format!("Nothing is tuned: {missing}.");
                return (self.context.progress)(Progress::Note(note));
            }
        };
        match Guard::start(journal) {
            Ok(guard) => self.guard = Some(guard),
            Err(error) => (self.context.progress)(Progress::Note(format!(
                "No guard against being killed: {error}. `sbc-bench restore` does its work."
            ))),
        }
        for policy in &machine.policies {
            let top = policy.clock_khz_max.known().copied();
            let max = match (top, self.context.options.clock_khz_max) {
                (Some(top), Some(max)) => Some(top.min(max)),
                (top, _) => top,
            };
            let mut wanted = vec![(Node::Governor(policy.policy), "performance".to_owned())];
            wanted.extend(max.map(|khz| (Node::ClockMax(policy.policy), khz.to_string())));
            for (node, value) in wanted {
                if let Ok(Some(change)) = settings.set(node, &value) {
                    self.recorder.append(Event::SettingChanged { change });
                }
            }
        }
        self.recorder.sync();
        self.settings = Some(settings);
    }

    fn start_sampler(&mut self) {
        let progress = &mut self.context.progress;
        let tell = |sentence| progress(Progress::Note(sentence));
        self.meters = meters::start(&self.context.options.meters, tell);
        let options = SamplerOptions {
            interval: self.context.options.interval,
            measures: true,
            feeds: self.meters.iter().map(Meter::feed).collect(),
            ..SamplerOptions::default()
        };
        let sampler = Sampler::new(self.context.root, &options);
        match SamplerThread::start(sampler, self.context.timeline) {
            Ok(thread) => self.sampler = Some(thread),
            Err(error) => {
                let note = format!("Nothing is watched in the background: {error}.");
                (self.context.progress)(Progress::Note(note));
            }
        }
    }

    fn stage(&mut self, machine: &Machine, stage: &Stage) {
        match stage {
            Stage::ColdClocks => self.cold_clocks(machine),
            Stage::HotClocks => self.hot_clocks(machine),
            Stage::Job(job) => {
                self.job(machine, job);
            }
            Stage::UntilSteady(job) => self.until_steady(machine, job, repeat::TIME_CAP),
            Stage::Side(settings) => self.side(machine, settings),
            Stage::WaitFor(start, limit) => self.wait_for(machine, *start, *limit),
            Stage::Heat(thermal) => self.heat(machine, thermal),
            Stage::Rest(name, time) => self.rest(name, *time),
            Stage::OppClock(cpus, khz) => self.opp_clock(machine, cpus, *khz),
            Stage::UntilSteadyWithin(job, time) => self.until_steady(machine, job, *time),
        }
    }

    /// Runs one step and returns its score, or the scores of its turns; nothing if it has none.
    fn job(&mut self, machine: &Machine, job: &Job) -> Vec<f64> {
        let name = step_name(job);
        let estimate_s = if job.definition.is_some() {
            RUN_S
        } else {
            plan::estimate_s(job)
        };
        self.step_begins(&name, estimate_s);
        self.emulate_clock(machine, job);
        let timeline = self.context.timeline;
        let start = (timeline.now_ms(), timeline.utc_ms());
        let mut flushed_ms = start.0;
        let (sampler, recorder) = (&mut self.sampler, &mut self.recorder);
        let progress = &mut self.context.progress;
        let external = job.definition.is_some()
            || workload(job.workload).is_some_and(|workload| workload.tool.is_some());
        let mut watch = || {
            // Built-in kernels are timed in this very process: nothing may happen beside them.
            if !external {
                return;
            }
            progress(Progress::Beat);
            if timeline.now_ms() - flushed_ms >= FLUSH_MS {
                flushed_ms = timeline.now_ms();
                flush(sampler, recorder);
            }
        };
        let places = (self.context.root, machine, timeline);
        let mut lab = Lab::new(places, &self.tools, job, self.context.cancelled, &mut watch);
        lab.group = self.group.as_ref();
        let open_counters = |pid: u32| crate::counters::open(self.context.root, pid);
        lab.open_counters = Some(&open_counters);
        let outcome = match &self.refused {
            Some(why) => Outcome::Failed(failure(FailureKind::NotStarted, why.clone(), "")),
            None => outcome(&mut lab),
        };
        let own_name = job
            .definition
            .as_ref()
            .map(|definition| definition.name.clone());
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
            not_comparable: lab.not_comparable.take(),
            counters: std::mem::take(&mut lab.counters),
            repeated: std::mem::take(&mut lab.repeated),
            outcome,
            set_clock: job.set_clock,
            line: None,
        };
        let scores = repeat::scores(&step);
        self.step_ended(step);
        scores
    }

    fn step_begins(&mut self, name: &str, step_s: u64) {
        let (done, total) = (self.done_s, self.total_s);
        (self.context.progress)(Progress::Step { name, done, total });
        self.step_s = step_s;
        let at_ms = self.context.timeline.now_ms();
        self.recorder.append(Event::StepBegins {
            step: name.to_owned(),
            at_ms,
        });
        self.recorder.sync();
    }

    fn step_ended(&mut self, step: Step) {
        self.done_s += self.step_s;
        flush(&mut self.sampler, &mut self.recorder);
        self.read_kernel_log();
        self.recorder.append(Event::Step {
            step: Box::new(step),
        });
        self.recorder.sync();
    }

    /// Kernel messages since the last time, or why there are none to read.
    fn read_kernel_log(&mut self) {
        let messages = match &mut self.kernel_log {
            Ok(log) => log.since(self.context.timeline),
            Err(missing) => Err(missing.clone()),
        };
        self.recorder.append(Event::KernelMessages {
            messages: messages.into(),
        });
    }

    /// Stops watching, restores every setting, and closes the Record.
    fn finish(mut self, end: End) -> Finished {
        let (root, timeline) = (self.context.root, self.context.timeline);
        if let Some(sampler) = self.sampler.take() {
            sampler
                .stop()
                .into_iter()
                .for_each(|event| self.recorder.append(event));
        }
        let restored = self.settings.take().map(|mut settings| settings.restore());
        for (path, restored) in restored.unwrap_or_default() {
            if let Restored::Failed(why) | Restored::LeftAlone(why) = &restored {
                let note = format!("{path} was not put back: {why}.");
                (self.context.progress)(Progress::Note(note));
            }
            self.recorder
                .append(Event::SettingRestored { path, restored });
        }
        drop(self.guard.take());
        if end != End::Refused {
            let state: State = machine::state(root, timeline.now_ms());
            self.recorder.append(Event::State { state });
        }
        self.read_kernel_log();
        let elapsed_ms = timeline.now_ms() as u64;
        self.recorder.append(Event::Ended { end, elapsed_ms });
        let (record, stream, trouble) = self.recorder.finish();
        Finished {
            record,
            stream,
            trouble,
        }
    }
}

/// What the sampler has seen goes to the Record.
fn flush(sampler: &mut Option<SamplerThread>, recorder: &mut Recorder) {
    if let Some(sampler) = sampler {
        sampler
            .drain()
            .into_iter()
            .for_each(|event| recorder.append(event));
        recorder.sync();
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
    match (workload.run)(lab) {
        Ok(measured) => Outcome::Done(measured),
        Err(failure) => Outcome::Failed(failure),
    }
}

fn step_name(job: &Job) -> String {
    let workload = match &job.definition {
        Some(definition) => definition.name.as_str(),
        None => job.workload,
    };
    format!("{workload} {}", job.variant).trim_end().to_owned()
}
