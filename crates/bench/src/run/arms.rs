//! Settings and repetition around steps: sides, offline CPUs, emulated clocks, repetition until a median is stable.

use super::Runner;
use super::tell::outcome_recorder;
use machine::Group;
use record::{Machine, Step};
use std::time::Duration;
use workloads::job::Job;
use workloads::job::cpus::online_cpus;
use workloads::job::setting::Setting;
use workloads::measure::repeat;

impl Runner<'_> {
    /// Repeats a job until the median of its score is stable. A failure ends it, because it would recur. Returns the
    /// last step.
    pub(super) fn until_steady(&mut self, machine: &Machine, job: &Job, cap: Duration) -> Option<Step> {
        let mut started_ms = self.context.timeline.now_ms();
        let mut scores: Vec<f64> = Vec::new();
        for repetition in 0.. {
            let job = Job { repetition, ..job.clone() };
            let step = match self.is_already_measured() {
                Some(step) => {
                    started_ms -= step.window.elapsed_ms();
                    step
                }
                None => self.job(machine, &job),
            };
            let values = repeat::scores(&step);
            if values.is_empty() {
                return Some(step);
            }
            let elapsed_ms = self.context.timeline.now_ms() - started_ms;
            let elapsed = Duration::from_millis(elapsed_ms.unsigned_abs());
            // The rule is evaluated after each value, because one step can have several.
            let mut is_enough = self.interrupted().is_some();
            for value in values {
                scores.push(value);
                is_enough |= repeat::is_enough(&scores, elapsed, cap);
            }
            if is_enough {
                return Some(step);
            }
        }
        None
    }

    /// Applies the settings of a side and restores those of the other side.
    pub(super) fn side(&mut self, machine: &Machine, wanted: &[Setting]) {
        let timeline = self.context.timeline;
        let settings = self.settings.as_mut().ok_or(self.why_not_tuned.as_str());
        let mut tell = outcome_recorder(&mut self.recorder, self.context.progress, timeline, None);
        let applied = self.switch.apply(machine, settings, wanted, &mut tell);
        drop(tell);
        self.side_refused = applied.err();
        self.share_percent = wanted.iter().find_map(|setting| match setting {
            Setting::SharePercent(percent) => Some(*percent),
            _ => None,
        });
    }

    /// Takes the CPUs offline that a step must not see, and all others online.
    pub(super) fn switch_cpus(&mut self, off: &[u32]) {
        if !self.hotplug.is_to_do(off) {
            return;
        }
        self.open_settings();
        let timeline = self.context.timeline;
        let settings = self.settings.as_mut().ok_or(self.why_not_tuned.as_str());
        let mut tell = outcome_recorder(&mut self.recorder, self.context.progress, timeline, None);
        let switched = self.hotplug.switch(settings, off, &mut tell);
        drop(tell);
        self.recorder.sync();
        self.not_comparable = switched.err();
    }

    /// Limits the CPU time of the step to its share. A share of 100 % is not a limit.
    pub(super) fn emulate_clock(&mut self, machine: &Machine, job: &Job) {
        let limited = self.group.as_ref().is_some_and(Group::is_limited);
        if self.share_percent.is_none() && !limited {
            return;
        }
        let cpus = match job.cpus.len() {
            0 => online_cpus(machine).len(),
            pinned => pinned,
        };
        let share = self.share_percent.filter(|percent| *percent < 100);
        let limit = share.map(|percent| f64::from(percent) / 100.0 * cpus as f64);
        let Some(group) = &mut self.group else {
            self.side_refused = Some("Emulating a lower clock with a CPU quota needs root.".into());
            return;
        };
        if let Err(missing) = group.limit(limit) {
            self.side_refused = Some(format!("Cannot emulate a lower clock: {missing}."));
        }
    }
}
