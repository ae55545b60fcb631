//! Builds a Record from events: applies each event in turn, and completes the Record after the last one.

use super::Event;
use crate::{Channel, DeathPoint, End, Fact, Gate, Record, RestoreOutcome, SettingChange, StartedStage};
use std::collections::{BTreeMap, HashSet};

impl Record {
    /// Adds one event.
    pub fn apply(&mut self, event: Event) {
        match event {
            // A second start in one stream would be another run; the first one is kept.
            Event::Started { .. } => {}
            Event::StepBegins { step, repetition, at_ms } => {
                let (step, began_ms) = (Some(step), Some(at_ms));
                self.run.died_in = Some(DeathPoint { step, repetition, began_ms, at_ms, ..DeathPoint::default() });
            }
            Event::StageBegins { stage } => {
                let first_step = self.steps.len();
                self.run.stages.push(StartedStage { stage, first_step });
            }
            Event::Gate { gate } => self.take_gate(gate),
            Event::Machine { machine } => self.machine = *machine,
            Event::Survey { survey } => self.surveys.push(*survey),
            Event::Probe { probe } => self.probes.push(*probe),
            Event::Mark { mark } => self.marks.push(mark),
            Event::Unread { missing } => self.unread.push(missing),
            Event::State { state } => self.states.push(state),
            Event::SettingChanged { change } => self.settings.push(change),
            Event::SettingUnmet { unmet } => self.unmet_settings.push(unmet),
            Event::SettingRestored { path, restored } => self.take_restored(path, restored),
            Event::Step { step } => {
                self.run.died_in = None;
                self.steps.push(*step);
            }
            Event::Channels { interval_ms, channels } => {
                self.samples.interval_ms = interval_ms;
                self.take_channels(channels);
            }
            Event::Samples { at_ms, columns } => self.append_samples(&at_ms, columns),
            Event::SocTemperature { choice } => self.soc_temperature = choice,
            Event::Gap { channel, gap } => {
                let found = self.samples.channels.iter_mut().find(|known| known.id == channel);
                if let Some(known) = found {
                    known.gaps.push(gap);
                }
            }
            Event::SamplerCost { cost } => self.samples.cost = cost,
            Event::KernelMessages { messages } => match (&mut self.kernel_messages, messages) {
                (Fact::Known(known), Fact::Known(more)) => known.extend(more),
                (unknown, messages) => *unknown = messages,
            },
            Event::TimeSet { started } => self.run.started = Fact::Known(started),
            Event::Ended { end, elapsed_ms } => {
                self.run.end = end;
                self.run.elapsed_ms = Some(elapsed_ms);
                self.run.died_in = None;
            }
        }
    }

    fn take_gate(&mut self, gate: Gate) {
        let earlier = self.gate.known();
        let was_busy = earlier.is_some_and(|earlier| !earlier.passed);
        // A run whose first part began on a busy machine stays marked as such.
        if !was_busy || self.run.resumed.is_empty() {
            self.gate = Fact::Known(gate);
        }
    }

    /// A path can be changed several times; one restoration applies to all of its changes.
    fn take_restored(&mut self, path: String, restored: RestoreOutcome) {
        let mut is_known = false;
        for change in self.settings.iter_mut().filter(|change| change.path == path) {
            change.restored = restored.clone();
            is_known = true;
        }
        if !is_known {
            self.settings.extend(untold_change(path, restored));
        }
    }

    /// Adds a row of samples, in the order of the last channel list.
    pub fn append_row(&mut self, at_ms: i64, values: Vec<Option<i64>>) {
        self.samples.at_ms.push(at_ms);
        let mut values = values.into_iter();
        for channel in &mut self.samples.channels {
            channel.values.push(values.next().flatten());
        }
    }

    /// Completes the Record after the last event: a run without an end died at the time of its last event.
    pub fn close(&mut self) {
        if self.run.end != End::Died {
            return;
        }
        let at_ms = self.last_sign_ms();
        let died_in = self.run.died_in.get_or_insert_default();
        died_in.at_ms = at_ms.max(died_in.at_ms);
    }

    /// Time of the last event or sample.
    pub(crate) fn last_sign_ms(&self) -> i64 {
        let rows = self.samples.at_ms.last().copied();
        let step = self.steps.last().map(|step| step.window.end_ms);
        let state = self.states.last().map(|state| state.at_ms);
        let setting = self.settings.last().and_then(|setting| setting.at_ms);
        let mark = self.marks.last().map(|mark| mark.at_ms);
        let messages = self.kernel_messages.known();
        let message = messages.and_then(|messages| messages.last()?.at_ms);
        let resumed = self.run.resumed.last().map(|resumed| resumed.at_ms);
        let all = [rows, step, state, setting, mark, message, resumed];
        all.into_iter().flatten().max().unwrap_or(0)
    }

    /// A second sampler of a run continues the first one: known channels keep their values, and channels that the
    /// second one lacks are kept at the end.
    fn take_channels(&mut self, channels: Vec<Channel>) {
        let rows = self.samples.at_ms.len();
        let mut old = std::mem::take(&mut self.samples.channels);
        for mut channel in channels {
            match old.iter().position(|known| known.id == channel.id) {
                Some(at) => self.samples.channels.push(old.remove(at)),
                None => {
                    channel.values = vec![None; rows];
                    self.samples.channels.push(channel);
                }
            }
        }
        self.samples.channels.append(&mut old);
    }

    /// Appends a block; columns that are too short (a cut line) are padded with missing values.
    fn append_samples(&mut self, at_ms: &[i64], columns: Vec<Vec<Option<i64>>>) {
        self.samples.at_ms.extend_from_slice(at_ms);
        let total = self.samples.at_ms.len();
        let mut columns = columns.into_iter();
        for channel in &mut self.samples.channels {
            channel.values.extend(columns.next().unwrap_or_default());
            channel.values.resize(total, None);
        }
    }
}

/// Applies events, but collects restorations and applies them at the end, because each one searches all settings of a
/// Record.
#[derive(Debug, Default)]
pub(crate) struct SettingRestores(BTreeMap<String, (usize, RestoreOutcome)>);

/// Setting that was not restored and whose change is not recorded.
fn untold_change(path: String, restored: RestoreOutcome) -> Option<SettingChange> {
    (restored != RestoreOutcome::Done).then(|| SettingChange {
        path,
        restored,
        disturbed: true,
        ..SettingChange::default()
    })
}

impl SettingRestores {
    /// Applies one event.
    pub(crate) fn apply(&mut self, record: &mut Record, event: Event) {
        match event {
            Event::SettingRestored { path, restored } => {
                self.0.insert(path, (record.settings.len(), restored));
            }
            event => record.apply(event),
        }
    }

    /// Completes the Record after its last event.
    pub(crate) fn end(&mut self, record: &mut Record) {
        let mut is_known = HashSet::new();
        for (at, change) in record.settings.iter_mut().enumerate() {
            match self.0.get_key_value(&change.path) {
                // The restoration does not apply to later changes.
                Some((path, (changes, restored))) if at < *changes => {
                    change.restored = restored.clone();
                    is_known.insert(path.as_str());
                }
                _ => {}
            }
        }
        let unknown = self.0.iter().filter(|(path, _)| !is_known.contains(path.as_str()));
        record
            .settings
            .extend(unknown.filter_map(|(path, (_, restored))| untold_change(path.clone(), restored.clone())));
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChannelId, ChannelKind, Unit};

    /// Record of events after a start.
    fn record_of(events: impl IntoIterator<Item = Event>) -> Record {
        let mut record = crate::stream::nothing_known();
        let mut restores = SettingRestores::default();
        events.into_iter().for_each(|event| restores.apply(&mut record, event));
        restores.end(&mut record);
        record
    }

    const A: ChannelId = ChannelId::own("a");
    const B: ChannelId = ChannelId::own("b");

    fn channel(id: ChannelId) -> Channel {
        Channel::new(id, Unit::Count, ChannelKind::Gauge)
    }

    fn changed(path: &str) -> Event {
        Event::SettingChanged { change: SettingChange { path: path.into(), ..SettingChange::default() } }
    }

    fn restored(path: &str, restored: RestoreOutcome) -> Event {
        let path = path.into();
        Event::SettingRestored { path, restored }
    }

    #[test]
    fn restored_events_match_settings() {
        let many = 60_000;
        let names: Vec<String> = (0..many).map(|n| format!("/sys/{n}")).collect();
        let changes = names.iter().map(|name| changed(name));
        let restorations = names.iter().map(|name| restored(name, RestoreOutcome::Done));
        let record = record_of(changes.chain(restorations).chain([changed("/sys/7")]));
        let back = |change: &&crate::SettingChange| change.restored == RestoreOutcome::Done;
        assert_eq!(record.settings.iter().filter(back).count(), many);
        // A later change is not restored.
        assert_ne!(record.settings.last().unwrap().restored, RestoreOutcome::Done);
    }

    #[test]
    fn settings_that_did_not_come_back_are_kept_without_their_change() {
        let failed = || restored("/sys/side-effect", RestoreOutcome::Failed("EBUSY".into()));
        let events = || [changed("/sys/x"), restored("/sys/x", RestoreOutcome::Done), failed(), failed()];
        let mut applied = record_of([]);
        events().into_iter().for_each(|event| applied.apply(event));
        for record in [record_of(events()), applied] {
            let left: Vec<&str> = record.settings_left().map(|(_, left)| left.path()).collect();
            assert_eq!(left, ["/sys/side-effect"]);
            assert_eq!(record.settings.len(), 2);
        }
        assert_eq!(record_of([restored("/sys/side-effect", RestoreOutcome::Done)]).settings, []);
    }

    #[test]
    fn columns_keep_the_length_of_the_axis() {
        let channels = Event::Channels { interval_ms: 500, channels: vec![channel(A), channel(B)] };
        let block = Event::Samples { at_ms: vec![0, 500], columns: vec![vec![Some(1), Some(2)]] };
        let record = record_of([channels, block]);
        assert_eq!(record.samples.channel(&A).unwrap().values, [Some(1), Some(2)]);
        assert_eq!(record.samples.channel(&B).unwrap().values, [None, None]);
    }

    #[test]
    fn events_survive_json() {
        let event = Event::Samples { at_ms: vec![1], columns: vec![vec![None]] };
        let text = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
    }
}
