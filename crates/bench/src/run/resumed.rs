//! A run that goes on after it had died: what is measured already is passed over, and what killed the board again
//! and again is left out.

use super::Runner;
use crate::run::resume::{StageStart, why_left_out};
use machine::Root;
use record::{Event, Missing, Outcome, Record, RestoreOutcome, Step, Window};
use workloads::job::Job;

/// Outcome of settings that were changed when the run died: its guard, the next start, or the kernel by
/// rebooting, has restored them by now, or another process has changed them.
pub fn settle(root: &Root, record: &mut Record) {
    let is_this_boot = root.read_value("/proc/sys/kernel/random/boot_id").is_ok_and(|now| now == record.run.boot_id);
    let all = record.settings.clone();
    for change in &mut record.settings {
        // The user's value is the one before the first change.
        let mut same = all.iter().filter(|other| other.path == change.path);
        let users = same.clone().next().map(|first| &first.old);
        if change.restored != RestoreOutcome::Pending {
            continue;
        }
        change.restored = match root.read_value(&change.path) {
            _ if !is_this_boot => RestoreOutcome::Done,
            Ok(now) if Some(&now) == users => RestoreOutcome::Done,
            Ok(now) if change.disturbed && change.read_back.known() == Some(&now) => RestoreOutcome::Pending,
            // Ended with its process or governor, or shows the clock of the moment.
            _ if change.disturbed => RestoreOutcome::Done,
            Ok(now) if same.any(|other| other.new == now) => RestoreOutcome::Pending,
            Ok(now) => RestoreOutcome::LeftAlone(now),
            Err(missing) => RestoreOutcome::Failed(missing.to_string()),
        };
    }
}

impl Runner<'_> {
    /// Begins a stage of these words; false if it was gone through before the run died.
    pub(super) fn begins(&mut self, words: &str) -> bool {
        self.measured = 0;
        match self.begun.beginning(words) {
            StageStart::Done => return false,
            // It is the last that has begun, and stands in the Record.
            StageStart::GoesOn(steps) => self.measured = steps,
            StageStart::New => self.recorder.append(Event::StageBegins { stage: words.to_owned() }),
        }
        true
    }

    /// The next step of this stage that was measured before the run died; none if it is to be run.
    pub(super) fn is_already_measured(&mut self) -> Option<Step> {
        let behind = self.measured;
        self.measured = behind.saturating_sub(1);
        let steps = &self.recorder.record().steps;
        let at = steps.len().checked_sub(behind)?;
        steps.get(at).cloned()
    }

    /// Why a step of this name is not run: the machine died in it again and again.
    pub(super) fn why_left_out(&self, name: &str) -> Option<Missing> {
        let why = why_left_out(&self.recorder.record().run, name)?;
        Some(Missing::unsupported(name, why))
    }

    /// Writes down that this job is not run, once for all its repetitions.
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

    /// The same of any step.
    pub(super) fn step_left_out(&mut self, step: Step) -> Step {
        let timeline = self.context.timeline;
        let (now_ms, utc_ms) = (timeline.now_ms(), timeline.utc_ms());
        self.step_ended(Step {
            window: Window { start_ms: now_ms, end_ms: now_ms, start_utc_ms: Some(utc_ms), end_utc_ms: Some(utc_ms) },
            ..step
        })
    }
}
