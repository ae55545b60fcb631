//! Settings at the beginning of a run: the journal, the guard, and governors to performance. A review
//! raises them later, group by group.

use super::Runner;
use crate::context::Progress;
use crate::guard::Guard;
use machine::settings::{Node, Settings};
use record::{Event, Machine};

impl Runner<'_> {
    /// Governors to performance, the highest clock allowed. Each change is on disk before it is made.
    pub(super) fn tune(&mut self, machine: &Machine) {
        if machine.policies.is_empty() {
            return;
        }
        self.open_settings();
        let Some(settings) = &mut self.settings else {
            return;
        };
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
    }

    /// Takes the journal and starts the guard, where settings may be changed at all.
    pub(super) fn open_settings(&mut self) {
        let Some(journal) = self.context.journal.filter(|_| self.context.options.tune) else {
            return;
        };
        let settings = match Settings::new(self.context.root, journal) {
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
        self.settings = Some(settings);
    }
}
