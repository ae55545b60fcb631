//! The standard run: gate, identify, tune, measure clocks, run the workloads under watch, measure
//! the clocks again hot, restore. Every step is on disk before the next one begins.

use crate::clock_pass::ClockPass;
use crate::context::{Context, Finished, Progress};
use crate::gate;
use crate::guard::Guard;
use crate::lab::{Job, Lab};
use crate::plan::{self, Available, online_clusters};
use crate::recorder::Recorder;
use crate::tools::Tools;
use crate::workloads::workload;
use machine::kernel_log::KernelLog;
use machine::settings::{Node, Settings};
use machine::{Sampler, SamplerOptions, SamplerThread};
use record::{
    End, Event, Failure, FailureKind, Gate, Machine, Outcome, Reading, Restored, Run, State, Step,
    Window,
};
use std::sync::atomic::Ordering;

/// While a program runs, samples go to disk this often.
const FLUSH_MS: i64 = 5_000;

/// A clock pass over one cluster takes about so long.
const CLOCK_STEP_S: u64 = 1;

/// Runs everything.
pub fn run(context: Context) -> Finished {
    let recorder = start(&context);
    let mut runner = Runner {
        recorder,
        settings: None,
        guard: None,
        sampler: None,
        kernel_log: KernelLog::open(context.root),
        tools: Tools::on_path(),
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
        mode: if context.options.extensive {
            "extensive"
        } else {
            "standard"
        }
        .into(),
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
    kernel_log: Reading<KernelLog>,
    tools: Tools,
    /// Seconds of work by the plan's estimate: done, of the step that runs, and in all.
    done_s: u64,
    step_s: u64,
    total_s: u64,
}

impl Runner<'_> {
    fn everything(&mut self) -> End {
        let (root, timeline) = (self.context.root, self.context.timeline);
        let machine = machine::identify(root);
        let mut gate = self.gate();
        let boot_messages = match &self.kernel_log {
            Ok(log) => Ok(log.boot_messages_present()),
            Err(missing) => Err(missing.clone()),
        };
        gate::check_facts(&mut gate, root, &machine, boot_messages);
        let may_start = gate.passed || gate.forced;
        self.recorder.append(Event::Gate { gate });
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
        self.tune(&machine);
        self.start_sampler();

        let jobs = plan::jobs(&machine, self.context.options, self.available());
        let clusters = online_clusters(&machine);
        // Two clock passes over the clusters and three passes over all of them at once.
        let clock_steps = 2 * clusters.len() as u64 + 3;
        self.total_s = jobs.iter().map(plan::estimate_s).sum::<u64>() + clock_steps * CLOCK_STEP_S;
        self.cold_clocks(&machine);
        for job in &jobs {
            if self.interrupted().is_some() {
                break;
            }
            self.job(&machine, job);
        }
        self.hot_clocks(&machine);
        self.interrupted().unwrap_or(End::Finished)
    }

    fn gate(&mut self) -> Gate {
        let Context {
            root,
            timeline,
            options,
            cancelled,
            progress,
            ..
        } = &mut self.context;
        gate::wait_until_quiet((root, timeline), options, cancelled, &mut |gate, left| {
            progress(Progress::Waiting(gate, left));
        })
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
        let options = SamplerOptions {
            interval: self.context.options.interval,
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

    fn cold_clocks(&mut self, machine: &Machine) {
        for cluster in online_clusters(machine) {
            let name = format!("clock of CPUs {}", first_and_last(&cluster.cpus));
            self.clock_step(machine, &name, |pass, settings, on_event| {
                pass.cluster(&cluster, settings, on_event)
            });
        }
        self.clock_step(machine, "clock of every CPU alone", |pass, _, _| {
            pass.every_cpu()
        });
        self.clock_step(machine, "clock of all CPUs at once", |pass, _, _| {
            pass.all_at_once()
        });
    }

    fn hot_clocks(&mut self, machine: &Machine) {
        self.clock_step(machine, "clock under load", |pass, _, _| pass.under_load());
        for cluster in online_clusters(machine) {
            let name = format!("clock of CPUs {} after load", first_and_last(&cluster.cpus));
            self.clock_step(machine, &name, |pass, _, _| pass.after_load(&cluster));
        }
    }

    fn clock_step(
        &mut self,
        machine: &Machine,
        name: &str,
        measure: impl FnOnce(&ClockPass, Option<&mut Settings>, &mut dyn FnMut(Event)) -> Step,
    ) {
        if self.interrupted().is_some() {
            return;
        }
        self.step_begins(name, CLOCK_STEP_S);
        let pass = ClockPass {
            root: self.context.root,
            machine,
            timeline: self.context.timeline,
            options: self.context.options,
            cancelled: self.context.cancelled,
        };
        let mut events = Vec::new();
        let step = measure(&pass, self.settings.as_mut(), &mut |event| {
            events.push(event)
        });
        events
            .into_iter()
            .for_each(|event| self.recorder.append(event));
        self.step_ended(step);
    }

    fn job(&mut self, machine: &Machine, job: &Job) {
        let name = format!("{} {}", job.workload, job.variant);
        self.step_begins(name.trim_end(), plan::estimate_s(job));
        let timeline = self.context.timeline;
        let start = (timeline.now_ms(), timeline.utc_ms());
        let mut flushed_ms = start.0;
        let (sampler, recorder) = (&mut self.sampler, &mut self.recorder);
        let progress = &mut self.context.progress;
        let external = workload(job.workload).is_some_and(|workload| workload.tool.is_some());
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
        let open_counters = |pid: u32| crate::counters::open(self.context.root, pid);
        lab.open_counters = Some(&open_counters);
        let outcome = outcome(&mut lab);
        let step = Step {
            workload: job.workload.into(),
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
            outcome,
            line: None,
        };
        self.step_ended(step);
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

fn first_and_last(cpus: &[u32]) -> String {
    match cpus {
        [first, .., last] => format!("{first}-{last}"),
        [one] => one.to_string(),
        [] => String::new(),
    }
}
