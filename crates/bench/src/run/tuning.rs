//! Settings of a run: tuning, verification before each step, restoration.

use super::Runner;
use super::tell::outcome_recorder;
use crate::run::context::Progress;
use machine::settings::{Node, Settings};
use record::{Event, Machine, RestoreOutcome, UnrestoredSetting};
use std::time::Duration;

/// Maximum time to cool below the first trip point of the kernel.
const COOLS_WITHIN: Duration = Duration::from_secs(30);
const NAP: Duration = Duration::from_millis(200);

impl Runner<'_> {
    /// Sets governors to performance and clocks to the highest allowed. Each change is journaled first.
    pub(super) fn tune(&mut self, machine: &Machine) {
        if machine.policies.is_empty() && !self.context.task.attributes().changes_machine {
            return;
        }
        self.open_settings();
        self.wait_until_cool(machine);
        let asked = self.context.options.clock_khz_max;
        let timeline = self.context.timeline;
        let Some(settings) = &mut self.settings else { return };
        let mut tell = outcome_recorder(&mut self.recorder, self.context.progress, timeline, None);
        for policy in &machine.policies {
            let top = policy.clock_khz_max.known().copied();
            let max = match (top, asked) {
                (Some(top), Some(max)) => Some(top.min(max)),
                (top, _) => top,
            };
            let mut wanted = vec![(Node::Governor(policy.policy), "performance".to_owned())];
            wanted.extend(max.map(|khz| (Node::ClockMax(policy.policy), khz.to_string())));
            for (node, value) in wanted {
                // The outcome is reported; the run continues with the setting in force.
                tell(settings.set(node, &value));
            }
        }
        drop(tell);
        self.recorder.sync();
    }

    /// Waits while cooling lowers a limit: the user's limit is then unknown and could not be restored.
    fn wait_until_cool(&mut self, machine: &Machine) {
        let timeline = self.context.timeline;
        let end_ms = timeline.now_ms() + COOLS_WITHIN.as_millis() as i64;
        let mut is_told = false;
        while self.interrupted().is_none() && timeline.now_ms() < end_ms {
            let Some(settings) = &self.settings else { return };
            let mut policies = machine.policies.iter();
            let hidden = policies.find_map(|policy| settings.is_hidden(Node::ClockMax(policy.policy)));
            let Some(why) = hidden else { return };
            if !std::mem::replace(&mut is_told, true) {
                let note = format!("Waiting up to {} s for the CPUs to cool down: {why}.", COOLS_WITHIN.as_secs());
                (self.context.progress)(Progress::Note(note));
            }
            timeline.sleep(NAP);
        }
    }

    /// Opens the journal once, if settings may be changed.
    pub(super) fn open_settings(&mut self) {
        if self.settings.is_some() || self.is_untunable {
            return;
        }
        let Some(journal) = self.context.journal.filter(|_| self.context.options.tune) else { return };
        match Settings::new(self.context.root, journal) {
            Ok(settings) => {
                (self.context.on_settings)(settings.way_back());
                self.settings = Some(settings);
                self.open_journal_in_guard();
            }
            Err(missing) => {
                self.is_untunable = true;
                self.why_not_tuned = format!("No settings are tuned: {missing}.");
                (self.context.progress)(Progress::Note(self.why_not_tuned.clone()));
            }
        }
    }

    /// Verifies the settings before a step: sets those that differ once more, or reports them.
    pub(super) fn check_settings(&mut self, step: &str) {
        let Some(settings) = &mut self.settings else { return };
        let outcomes = settings.check();
        let timeline = self.context.timeline;
        let mut tell = outcome_recorder(&mut self.recorder, self.context.progress, timeline, Some(step));
        for outcome in outcomes {
            tell(outcome);
        }
    }

    /// Restores every setting.
    pub(super) fn restore_settings(&mut self) {
        let restored = self.settings.take().map(|mut settings| settings.restore());
        for (path, restored) in restored.unwrap_or_default() {
            self.recorder.append(Event::SettingRestored { path, restored });
        }
    }

    /// Reports the settings that the Record calls left changed. The guard has tried again by now; a setting that has its old
    /// value is recorded as restored.
    pub(super) fn tell_settings_left(&mut self) {
        let root = self.context.root;
        let record = self.recorder.record();
        let is_back = |at: usize, left: &UnrestoredSetting| {
            left.is_failure() && root.read_value(left.path()).is_ok_and(|now| now == record.settings[at].old)
        };
        let left = record.settings_left().filter(|(at, left)| is_back(*at, left));
        let back: Vec<String> = left.map(|(_, left)| left.path().to_owned()).collect();
        for path in back {
            self.recorder.append(Event::SettingRestored { path, restored: RestoreOutcome::Done });
        }
        for (_, left) in self.recorder.record().settings_left() {
            (self.context.progress)(Progress::Note(left.sentence()));
        }
    }
}
