//! Stages of reviews: inspection, settings raised group by group with short steps between, and monitoring.

use super::Runner;
use super::steps::step_name;
use super::tell::outcome_recorder;
use crate::plan::stage::Group;
use crate::run::context::{Progress, window_since};
use machine::Sampler;
use record::{Event, Machine, Mark, Outcome, Probe, Scores, Step, StepMeasurement, WorkloadId};
use std::sync::atomic::Ordering;
use std::time::Duration;
use workloads::job::Job;

/// Sampling interval of open-ended monitoring.
const WATCH_INTERVAL: Duration = Duration::from_secs(5);
/// Sampling interval while a command runs.
const COMMAND_INTERVAL: Duration = Duration::from_secs(1);
/// Interval of monitor lines, in milliseconds.
const LINE_MS: i64 = 60_000;
/// Interval between checks for a signal.
const NAP: Duration = Duration::from_millis(100);

impl Runner<'_> {
    /// Inspects the machine, records the survey and returns it.
    pub(super) fn survey(&mut self) -> record::Survey {
        let at_ms = self.context.timeline.now_ms();
        let survey = workloads::survey::survey(self.context.root, at_ms, self.context.cancelled);
        self.recorder.append(Event::Survey { survey: Box::new(survey.clone()) });
        self.recorder.sync();
        survey
    }

    /// Opens the journal, or reports why no setting is raised.
    pub(super) fn open_settings_of_review(&mut self) {
        self.open_settings();
        // A failed attempt to open it was already reported.
        let why = match (self.context.options.tune, self.context.journal) {
            (false, _) => "NOTUNING=yes is set",
            (true, None) => "it needs root",
            (true, Some(_)) => return,
        };
        let note = format!("No setting is tuned: {why}. The machine is monitored as it is.");
        (self.context.progress)(Progress::Note(note));
    }

    /// Raises one group; refused settings are reported and stay unchanged.
    pub(super) fn raise(&mut self, group: &Group) {
        let timeline = self.context.timeline;
        let Some(settings) = &mut self.settings else { return };
        let mut tell = outcome_recorder(&mut self.recorder, self.context.progress, timeline, None);
        for (node, value) in &group.nodes {
            tell(settings.set(*node, value));
        }
        drop(tell);
        self.recorder.sync();
    }

    /// Runs a short step that is not a result of the machine.
    pub(super) fn probe(&mut self, machine: &Machine, job: &Job, raised: &[String]) -> Step {
        let name = match raised.last() {
            None => format!("{} as found", step_name(job)),
            Some(group) => format!("{}, {group}", step_name(job)),
        };
        let mut step = self.step_of(machine, job, &name);
        self.look_at_time_of(&mut step);
        self.recorder.flush();
        self.recorder.append(Event::Probe { probe: Box::new(Probe { raised: raised.to_vec(), step: step.clone() }) });
        self.recorder.sync();
        step
    }

    /// Monitors until a signal or the end of the command. The signal ends only the monitoring, so that the report
    /// follows; a second signal ends that too.
    pub(super) fn watch(&mut self, machine: &Machine, command: Option<&Job>) {
        self.sampler_every(match command {
            Some(_) => COMMAND_INTERVAL,
            None => WATCH_INTERVAL,
        });
        let line = |job: &Job| match &job.definition {
            Some(definition) => definition.command_line(),
            None => step_name(job),
        };
        let note = match command {
            Some(job) => format!("Monitoring while {} runs.", line(job)),
            None => "Monitoring. Start your workload now. Type a line to add a mark; press Ctrl-C for the report."
                .to_owned(),
        };
        (self.context.progress)(Progress::Note(note));
        let start = self.moment();
        match command {
            Some(job) => {
                self.job(machine, job);
            }
            None => self.wait_for_signal(),
        }
        self.context.cancelled.store(0, Ordering::Relaxed);
        let variant = command.map(line).unwrap_or_default();
        let outcome = Outcome::Done(StepMeasurement::Scores(Scores::default()));
        self.step_ended(Step {
            threads: 0,
            window: window_since(self.context.timeline, start),
            ..Step::new(WorkloadId::Watch, 1, variant, outcome)
        });
    }

    fn wait_for_signal(&mut self) {
        let timeline = self.context.timeline;
        let mut shown_ms = timeline.now_ms() - LINE_MS + 2 * WATCH_INTERVAL.as_millis() as i64;
        while self.interrupted().is_none() {
            timeline.sleep(NAP);
            let mut typed = self.context.marks.as_mut().map(|marks| marks()).unwrap_or_default();
            for text in typed.drain(..) {
                let at_ms = timeline.now_ms();
                self.recorder.append(Event::Mark { mark: Mark { at_ms, text } });
            }
            if timeline.now_ms() - shown_ms >= LINE_MS {
                shown_ms = timeline.now_ms();
                self.recorder.flush();
                (self.context.progress)(Progress::Watched(self.recorder.record()));
            }
        }
    }

    /// Restarts the sampler with this interval: hours at the rate of a benchmark would fill memory and disk.
    fn sampler_every(&mut self, interval: Duration) {
        self.recorder.stop_sampler();
        let sampler = Sampler::new(self.context.root, &self.sampling(interval));
        self.watch_by(sampler);
    }
}
