//! Resumed runs: skips completed steps and steps in which the machine died repeatedly.

use super::Runner;
use crate::run::context::window_since;
use crate::run::resume::{StageStart, why_left_out};
use machine::Root;
use record::{Event, Missing, Outcome, Record, RestoreOutcome, Step};
use workloads::job::Job;

/// Settles settings that were changed when the run died: guard, next start or reboot have restored them, or another
/// process has changed them.
pub fn settle(root: &Root, record: &mut Record) {
    let is_this_boot = root.read_value("/proc/sys/kernel/random/boot_id").is_ok_and(|now| now == record.run.boot_id);
    let all = record.settings.clone();
    for change in &mut record.settings {
        // The value before the first change is the user's.
        let mut same = all.iter().filter(|other| other.path == change.path);
        let users = same.clone().next().map(|first| &first.old);
        if change.restored != RestoreOutcome::Pending {
            continue;
        }
        change.restored = match root.read_value(&change.path) {
            _ if !is_this_boot => RestoreOutcome::Done,
            Ok(now) if Some(&now) == users => RestoreOutcome::Done,
            Ok(now) if change.disturbed && change.read_back.known() == Some(&now) => RestoreOutcome::Pending,
            // Ended with its process or governor, or reads as the current clock.
            _ if change.disturbed => RestoreOutcome::Done,
            Ok(now) if same.any(|other| other.new == now) => RestoreOutcome::Pending,
            Ok(now) => RestoreOutcome::LeftAlone(now),
            Err(missing) => RestoreOutcome::Failed(missing.to_string()),
        };
    }
}

impl Runner<'_> {
    /// Starts the stage with this key; false if it was completed before the death.
    pub(super) fn begins(&mut self, words: &str) -> bool {
        self.measured = 0;
        match self.begun.beginning(words) {
            StageStart::Done => return false,
            // The Record already has its start.
            StageStart::GoesOn(steps) => self.measured = steps,
            StageStart::New => self.recorder.append(Event::StageBegins { stage: words.to_owned() }),
        }
        true
    }

    /// The next step of this stage that was measured before the death; `None` to run it.
    pub(super) fn is_already_measured(&mut self) -> Option<Step> {
        let behind = self.measured;
        self.measured = behind.saturating_sub(1);
        let steps = &self.recorder.record().steps;
        let at = steps.len().checked_sub(behind)?;
        steps.get(at).cloned()
    }

    /// Reason to skip a step of this name: the machine died in it repeatedly.
    pub(super) fn why_left_out(&self, name: &str) -> Option<Missing> {
        let why = why_left_out(&self.recorder.record().run, name)?;
        Some(Missing::unsupported(name, why))
    }

    /// Records the skipped job once for all its repetitions.
    pub(super) fn job_left_out(&mut self, job: &Job, why: Missing) -> Step {
        let is_same = |step: &&Step| {
            job.is_of(step) && job.set_clock == step.set_clock && matches!(step.outcome, Outcome::Skipped(_))
        };
        if let Some(step) = self.recorder.record().steps.last().filter(is_same) {
            return step.clone();
        }
        self.step_left_out(Step {
            cpus: job.cpus.clone(),
            threads: job.threads,
            repetition: job.repetition,
            set_clock: job.set_clock,
            ..Step::new(job.name(), 0, job.variant.clone(), Outcome::Skipped(why))
        })
    }

    /// Records a skipped step once.
    pub(super) fn step_left_out(&mut self, step: Step) -> Step {
        let window = window_since(self.context.timeline, self.moment());
        self.step_ended(Step { window, ..step })
    }
}
