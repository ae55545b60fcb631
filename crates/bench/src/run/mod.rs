//! Runner: gate, identification, settings, stages, restoration. Every step is on disk before the next one starts.

// The outcome of a setting must not be discarded.
#![deny(clippy::let_underscore_must_use, unused_must_use)]

mod arms;
mod belief;
pub(crate) mod clock_pass;
mod clocks;
pub(crate) mod context;
mod gate;
mod heat;
pub(crate) mod history;
pub(crate) mod hotplug;
mod power;
pub(crate) mod recorder;
pub(crate) mod resume;
mod resumed;
mod review;
pub(crate) mod settings_switcher;
mod stand_ins;
mod steps;
mod stream_writer;
mod tell;
mod tuning;

pub use resumed::settle;

use crate::plan::estimate::Estimates;
use crate::plan::options::Options;
use crate::plan::stage::{Stage, replace_program};
use crate::plan::standard::AvailableTools;
use crate::plan::time_left::TimeLeft;
use crate::question::{Attributes, PlanInput};
use crate::run::context::{Plan, Progress, RunContext};
use crate::run::hotplug::Hotplug;
use crate::run::recorder::{FinishedRun, Recorder};
use crate::run::resume::StageProgress;
use crate::run::settings_switcher::SettingsSwitcher;
use machine::kernel_log::KernelLog;
use machine::settings::Settings;
use machine::{Group, LazyMachine, Root, Sampler, SamplerOptions, SamplerThread, threads};
use net::meters::{self, Meter};
use process::guard::{self, Guard};
use process::interruption::SuspendClock;
use process::scratch::ScratchDirs;
use process::scratch::places::Places;
use process::tools::Tools;
use record::{End, Event, Gate, Machine, Reading, Run, State, Survey};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use workloads::measure::emulation::with_emulation;

/// Minimum remaining time to report.
const WORTH_TELLING: Duration = Duration::from_secs(30);

/// Runs a task.
pub fn run(mut context: RunContext) -> FinishedRun {
    if context.options.user.is_some() {
        machine::keep_descriptors(&Root::system());
    }
    let kernel_log = KernelLog::open(context.root);
    let boot_messages_present = match &kernel_log {
        Ok(log) => Ok(log.boot_messages_present()),
        Err(missing) => Err(missing.clone()),
    };
    let stream = context.place.as_ref().map(|place| place.path.clone());
    let begun = context.earlier.as_ref();
    let begun = begun.map_or_else(StageProgress::default, |earlier| StageProgress::of(&earlier.record));
    let mut recorder = start(&mut context);
    recorder.listen(kernel_log);
    let state = context.journal.or(stream.as_deref()).and_then(Path::parent);
    for sentence in guard::clean_up(context.root, state) {
        (context.progress)(Progress::Note(sentence));
    }
    let places = places(context.root, state, context.progress);
    let site = ScratchDirs::of(&context.options.targets).noted_in(places);
    let mut runner = Runner {
        recorder,
        boot_messages_present,
        settings: None,
        guard: None,
        meters: Vec::new(),
        tools: Tools::of_user(context.options.user.clone()),
        site: Arc::new(site),
        group: Group::new(context.root, &format!("sbc-bench.{}", std::process::id())).ok(),
        switch: SettingsSwitcher::default(),
        hotplug: Hotplug::default(),
        is_untunable: false,
        why_not_tuned: if machine::is_root() {
            "Changing settings is disabled by NOTUNING or --no-tuning.".into()
        } else {
            "Changing settings needs root.".into()
        },
        not_comparable: None,
        side_refused: None,
        share_percent: None,
        begun,
        measured: 0,
        stages: Vec::new(),
        at: 0,
        step_name: String::new(),
        estimates: Estimates::default(),
        sleep: SuspendClock::reset(),
        context,
    };
    let end = runner.run_all();
    runner.finish(end)
}

/// Register of temporary directories; in memory, with a note, if no file can hold it.
fn places(root: &Root, state: Option<&Path>, tell: &mut dyn FnMut(Progress)) -> Option<Places> {
    match state.map(|state| Places::note(root, state)) {
        Some(Ok(places)) => return Some(places),
        Some(Err(why)) => tell(Progress::Note(format!(
            "Temporary files of this run cannot be tracked and will remain if it and its guard are killed: {why}."
        ))),
        None => {}
    }
    Places::in_memory(root).ok()
}

fn start(context: &mut RunContext) -> Recorder {
    let root = context.root;
    let boot_id = root.read_value("/proc/sys/kernel/random/boot_id");
    let boot_id = boot_id.unwrap_or_default();
    if let Some(mut earlier) = context.earlier.take() {
        settle(root, &mut earlier.record);
        let place = context.place.take();
        return Recorder::resume(earlier, boot_id, context.timeline, place);
    }
    let run = Run {
        started: record::Fact::Known(context.timeline.start_utc_ms()),
        utc_offset_minutes: context.utc_offset_minutes,
        boot_id,
        uptime_ms: machine::uptime_ms(root).into(),
        load_hundredths: machine::load_hundredths(root).into(),
        mode: context.task.mode(context.options),
        sides: context.task.sides(),
        options: context.given.clone(),
        asked: context.asked.clone(),
        as_root: rustix::process::geteuid().is_root(),
        ..Run::default()
    };
    let place = context.place.take();
    Recorder::start(context.source.clone(), run, context.timeline, place)
}

struct Runner<'a> {
    context: RunContext<'a>,
    recorder: Recorder,
    settings: Option<Settings>,
    guard: Option<Guard>,
    meters: Vec<Meter>,
    boot_messages_present: Reading<bool>,
    tools: Tools,
    site: Arc<ScratchDirs>,
    group: Option<Group>,
    switch: SettingsSwitcher,
    hotplug: Hotplug,
    /// Reason why CPUs are online that the step should not see.
    not_comparable: Option<String>,
    /// True if opening the journal failed.
    is_untunable: bool,
    /// Reason why settings cannot be changed.
    why_not_tuned: String,
    /// Reason why the settings of the current side are not in force.
    side_refused: Option<String>,
    /// CPU share of a step that emulates a slower clock, in percent.
    share_percent: Option<u32>,
    /// Steps completed before the run died, if it is resumed.
    begun: StageProgress,
    /// Number of measured steps of the current stage that are still to be skipped.
    measured: usize,
    /// Progress: completed, current and remaining steps.
    stages: Vec<Stage>,
    /// Index of the current stage.
    at: usize,
    /// Name of the current step; empty between steps.
    step_name: String,
    /// Estimated durations.
    estimates: Estimates,
    /// Suspends of the machine.
    sleep: SuspendClock,
}

impl Runner<'_> {
    fn run_all(&mut self) -> End {
        let (root, timeline) = (self.context.root, self.context.timeline);
        let attributes = self.context.task.attributes();
        let Attributes { is_whole_run, has_ramps, looks_first, is_tuned, .. } = attributes;
        // A meter that was named is read, even by a run that samples nothing else.
        let is_watched = attributes.is_watched || !self.context.options.meters.is_empty();
        if is_watched || looks_first {
            self.start_meters();
        }
        let machine = self.context.machine.machine();
        if !looks_first {
            // Reports the plan before the first wait. Settings may still change it.
            let (options, begun) = (self.context.options.clone(), self.begun.clone());
            self.stages = self.plan(machine, &Survey::default(), &options);
            self.begun = begun;
        }
        let (sampler, may_start) = if is_whole_run {
            let (sampler, may_start) = self.gate();
            (Some(sampler), may_start)
        } else {
            (is_watched.then(|| self.sampler()), true)
        };
        self.recorder.append(Event::Machine { machine: Box::new(with_emulation(root, machine)) });
        if let Some(end) = self.interrupted() {
            return end;
        }
        if !may_start {
            return End::Refused;
        }
        self.recorder.append(Event::State { state: machine::state(root, timeline.now_ms()) });
        self.record_unread();
        self.recorder.sync();
        // A review inspects the machine before settings are changed.
        let survey = if looks_first { self.survey() } else { Survey::default() };
        if has_ramps {
            self.ramps(machine);
        }
        self.start_guard();
        if looks_first {
            self.open_settings_of_review();
        } else if is_tuned {
            self.tune(machine);
        } else {
            self.open_settings();
        }
        if let Some(sampler) = sampler {
            self.watch_by(sampler);
        }

        let mut options = self.context.options.clone();
        options.tune &= self.settings.is_some();
        let stages = self.plan(machine, &survey, &options);
        for note in self.tools.take_notes() {
            (self.context.progress)(Progress::Note(note));
        }
        self.run_stages(machine, stages);
        self.interrupted().unwrap_or(End::Finished)
    }

    /// Remaining stages with their estimated times, reported as progress.
    fn plan(&mut self, machine: &Machine, survey: &Survey, options: &Options) -> Vec<Stage> {
        let Attributes { is_whole_run, asks_for_tools, .. } = self.context.task.attributes();
        let available = if asks_for_tools { self.available() } else { AvailableTools::default() };
        let mut stages = self.context.task.stages(&PlanInput { machine, survey, options, available });
        if is_whole_run && !self.meters.is_empty() && !stages.contains(&Stage::LoadStep) {
            // Cold clocks are measured before any load.
            let at = usize::from(stages.first() == Some(&Stage::ColdClocks));
            stages.insert(at, Stage::LoadStep);
        }
        self.estimates = Estimates::of(machine, self.context.expected_mips);
        // A resumed run knows the speed of the machine from its completed stages.
        self.recorder.record().steps.iter().for_each(|step| self.estimates.clock_step(step));
        self.estimate_known(&stages);
        let stages = self.begun.left(stages);
        self.estimate_known(&stages);
        let plan = Plan::of(machine, &stages, self.estimates.left(&stages));
        (self.context.progress)(Progress::Planned(&plan));
        stages
    }

    /// Runs the stages until a signal.
    fn run_stages(&mut self, machine: &Machine, stages: Vec<Stage>) {
        (self.stages, self.at) = (stages, 0);
        while let Some(stage) = self.ahead().first().cloned() {
            if self.interrupted().is_some() {
                return;
            }
            let step = self.stage(machine, &stage);
            if let Some(broken_tool) = step.and_then(|step| self.broken_tool(&stage, &step)) {
                // Repeats the stage with the replacement, which also replaces all later uses.
                replace_program(&mut self.stages[self.at..], broken_tool);
                continue;
            }
            self.at += 1;
            if stage == Stage::ColdClocks
                && let Some(left) = self.time_left().filter(|left| left.all >= WORTH_TELLING)
            {
                (self.context.progress)(Progress::Left(left));
            }
        }
    }

    /// Time left from the current stage on.
    fn time_left(&self) -> Option<TimeLeft> {
        self.estimates.left(self.ahead())
    }

    /// Remaining stages, the current one first.
    fn ahead(&self) -> &[Stage] {
        self.stages.get(self.at..).unwrap_or_default()
    }

    /// Finds the sensors of the machine.
    fn sampler(&self) -> Sampler {
        Sampler::new(self.context.root, &self.sampling(self.context.options.interval))
    }

    /// Identifies the machine and its sensors while waiting for an idle system; true if the run may start.
    fn gate(&mut self) -> (Sampler, bool) {
        let sampling = self.sampling(self.context.options.interval);
        let while_waiting = self.context.while_waiting;
        let RunContext { root, machine, timeline, options, cancelled, progress, .. } = &mut self.context;
        let (root, machine): (&Root, &LazyMachine) = (root, machine);
        // CPU time of this program does not count as busy.
        let (mut gate, sampler) = std::thread::scope(|scope| {
            let looks = || {
                machine.machine();
                let sampler = Sampler::new(root, &sampling);
                while_waiting();
                sampler
            };
            let looking = threads::spawn_scoped(scope, "looks", looks);
            let on_busy = &mut |gate: &Gate, left| progress(Progress::GateWaits(gate, left));
            let gate = gate::wait_until_idle((root, timeline), options, cancelled, on_busy);
            // Without a thread, do it now.
            let sampler = looking.map_or_else(|_| looks(), threads::join);
            (gate, sampler)
        });
        let boot_messages = self.boot_messages_present.clone();
        gate::check_facts(&mut gate, root, machine.machine(), boot_messages);
        let may_start = gate.passed || gate.forced;
        self.recorder.append(Event::Gate { gate });
        (sampler, may_start)
    }

    /// Adds unreadable sources of all readers to the Record.
    fn record_unread(&mut self) {
        for missing in self.context.root.take_unread() {
            self.recorder.append(Event::Unread { missing });
        }
    }

    fn interrupted(&self) -> Option<End> {
        match self.context.cancelled.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(End::Interrupted { signal }),
        }
    }

    fn start_guard(&mut self) {
        let journal = self.context.journal.filter(|_| self.context.options.tune);
        match Guard::start(journal, self.group.as_ref(), self.site.notes().as_deref()) {
            Ok(guard) => {
                self.guard = Some(guard);
                self.open_journal_in_guard();
            }
            Err(error) => (self.context.progress)(Progress::Note(format!(
                "Cannot start the guard process: {error}. If this run is killed, use `sbc-bench recover`."
            ))),
        }
    }

    pub(super) fn open_journal_in_guard(&mut self) {
        let descriptor = self.settings.as_ref().and_then(Settings::journal_descriptor);
        if let (Some(guard), Some(descriptor)) = (&mut self.guard, descriptor) {
            guard.open_journal(&descriptor);
        }
    }

    /// Replaces a killed guard.
    fn check_guard(&mut self) {
        if self.guard.as_mut().is_some_and(Guard::has_ended) {
            self.guard = None;
            let note = "The guard process was killed; started another one.";
            (self.context.progress)(Progress::Note(note.into()));
            self.start_guard();
        }
    }

    fn start_meters(&mut self) {
        let progress = &mut self.context.progress;
        let mut tell = |sentence| progress(Progress::Note(sentence));
        let options = &self.context.options;
        self.meters = meters::start(&options.meters, options.user.as_deref(), &mut tell);
        self.meters.iter().filter_map(Meter::note).for_each(|note| tell(note.to_owned()));
    }

    /// Options of the background sampler.
    fn sampling(&self, interval: Duration) -> SamplerOptions {
        let Attributes { sampler_ppm, follows_power, .. } = self.context.task.attributes();
        SamplerOptions {
            interval,
            budget_ppm: sampler_ppm.unwrap_or(SamplerOptions::default().budget_ppm),
            measures: true,
            follows_power,
            external_values: self.meters.iter().map(Meter::feed).collect(),
            ..SamplerOptions::default()
        }
    }

    /// Starts the background sampler.
    fn watch_by(&mut self, sampler: Sampler) {
        match SamplerThread::start(sampler, self.context.timeline) {
            Ok(thread) => self.recorder.watch_by(thread),
            Err(error) => {
                let note = format!("Background sampling is not available: {error}.");
                (self.context.progress)(Progress::Note(note));
            }
        }
    }

    /// Restores all settings, stops the sampler, and closes the Record. Settings come first, because a source that
    /// hangs can delay the rest.
    fn finish(mut self, end: End) -> FinishedRun {
        let (root, timeline) = (self.context.root, self.context.timeline);
        self.restore_settings();
        self.recorder.stop_sampler();
        drop(self.guard.take());
        self.tell_settings_left();
        if end != End::Refused {
            let state: State = machine::state(root, timeline.now_ms());
            self.recorder.append(Event::State { state });
        }
        self.recorder.flush();
        self.record_unread();
        self.record_start();
        let run = &self.recorder.record().run;
        let elapsed_ms = run.elapsed_until_ms(timeline.now_ms());
        self.recorder.append(Event::Ended { end, elapsed_ms });
        self.recorder.finish()
    }
}
