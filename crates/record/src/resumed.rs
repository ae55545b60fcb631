//! Runs that went on after they had died: what is kept to go on with, and how the part before and the part after
//! become one [`Record`]. Both lie on one axis of time, whose zero is the first start.

use crate::Total;
use crate::{Aftermath, DiedIn, End, Event, Fact, Record, Resumed, Run, Samples};
use std::collections::BTreeMap;

/// Samples of the part before are written in blocks of so many rows: a line of a stream has to fit into memory.
const ROWS: usize = 500;
/// A board whose clock was reset does not know how long nothing ran: then the parts stand so far apart.
const APART_MS: i64 = 1000;
/// A step in which the machine died so often is not tried again.
const DEATHS_MAX: usize = 2;

impl Resumed {
    /// A run that died so goes on at this moment; none if it did not die.
    pub fn of(run: &Run, now_utc_ms: i64) -> Option<Self> {
        let died_in = run.died_in.clone().filter(|_| run.end == End::Died)?;
        let died_utc_ms = run.started.known()?.saturating_add(died_in.at_ms);
        let away_ms = Some(now_utc_ms.saturating_sub(died_utc_ms)).filter(|away_ms| *away_ms > 0);
        Some(Self {
            boot_id: run.boot_id.clone(),
            at_ms: died_in.at_ms.saturating_add(away_ms.unwrap_or(APART_MS)),
            died_in,
            away_ms,
        })
    }
}

impl Run {
    /// Time from the start to this moment without that in which nothing ran.
    pub fn elapsed_until_ms(&self, at_ms: i64) -> u64 {
        let gap = |resumed: &Resumed| resumed.at_ms.saturating_sub(resumed.died_in.at_ms);
        let gaps: i64 = self.resumed.iter().map(gap).total();
        u64::try_from(at_ms.saturating_sub(gaps)).unwrap_or(0)
    }

    /// Every place where it died, whether it went on or not.
    pub fn deaths(&self) -> impl Iterator<Item = &DiedIn> {
        let last = self.died_in.as_ref().filter(|_| self.end == End::Died);
        self.resumed.iter().map(|part| &part.died_in).chain(last)
    }

    /// Steps in which the machine died (not only this program) so often that they are not tried again.
    pub fn deadly_steps(&self) -> Vec<String> {
        let mut deaths: BTreeMap<&str, usize> = BTreeMap::new();
        for died in self.deaths() {
            let restarted = died.aftermath.known().map(Aftermath::has_restarted);
            if let (Some(step), Some(true)) = (&died.step, restarted) {
                *deaths.entry(step).or_default() += 1;
            }
        }
        let deadly = deaths.into_iter().filter(|(_, times)| *times >= DEATHS_MAX);
        deadly.map(|(step, _)| step.to_owned()).collect()
    }

    /// True if the other is this run, gone on with: then all that is here is in it.
    pub fn is_part_of(&self, other: &Run) -> bool {
        let next = other.resumed.get(self.resumed.len());
        self.end == End::Died
            && self.started.known().is_some()
            && self.started == other.started
            && next.is_some_and(|next| next.boot_id == self.boot_id)
    }
}

impl Aftermath {
    /// True if the machine was rebooted; what is not known counts as that.
    pub fn has_restarted(&self) -> bool {
        self.restarted.known() != Some(&false)
    }
}

impl Record {
    /// Goes on with a run that died, in this boot.
    pub fn resume(&mut self, resumed: Resumed, boot_id: String) {
        self.run.died_in = None;
        self.run.boot_id = boot_id;
        self.run.resumed.push(resumed);
    }

    /// The events that make this Record of a run that goes on.
    pub fn into_events(self) -> Vec<Event> {
        let Self {
            schema,
            source,
            run,
            gate,
            machine,
            states,
            settings,
            unmet_settings,
            steps,
            samples,
            soc_temperature: choice,
            marks,
            kernel_messages,
            surveys,
            probes,
            unread,
        } = self;
        let mut events = vec![Event::Started { schema, source, run: Box::new(run) }];
        if let Fact::Known(gate) = gate {
            events.push(Event::Gate { gate });
        }
        events.push(Event::Machine { machine: Box::new(machine) });
        events.extend(states.into_iter().map(|state| Event::State { state }));
        let changes = settings.into_iter();
        events.extend(changes.map(|change| Event::SettingChanged { change }));
        let unmet = unmet_settings.into_iter();
        events.extend(unmet.map(|unmet| Event::SettingUnmet { unmet }));
        events.extend(steps.into_iter().map(|step| Event::Step { step: Box::new(step) }));
        samples_into(&mut events, samples);
        if !choice.is_not_reached() {
            events.push(Event::SocTemperature { choice });
        }
        events.extend(marks.into_iter().map(|mark| Event::Mark { mark }));
        events.push(Event::KernelMessages { messages: kernel_messages });
        events.extend(surveys.into_iter().map(|survey| Event::Survey { survey: Box::new(survey) }));
        events.extend(probes.into_iter().map(|probe| Event::Probe { probe: Box::new(probe) }));
        events.extend(unread.into_iter().map(|missing| Event::Unread { missing }));
        events
    }
}

fn samples_into(events: &mut Vec<Event>, samples: Samples) {
    // Rows that were folded are as far apart as the interval says.
    let Samples { interval_ms, folds: _, at_ms, lines: _, mut channels, cost } = samples;
    let columns: Vec<_> = channels.iter_mut().map(|channel| std::mem::take(&mut channel.values)).collect();
    if !channels.is_empty() {
        events.push(Event::Channels { interval_ms, channels });
    }
    for from in (0..at_ms.len()).step_by(ROWS) {
        let rows = from..at_ms.len().min(from + ROWS);
        let part = |column: &Vec<Option<i64>>| column.get(rows.clone()).unwrap_or_default().to_vec();
        events
            .push(Event::Samples { at_ms: at_ms[rows.clone()].to_vec(), columns: columns.iter().map(part).collect() });
    }
    events.push(Event::SamplerCost { cost });
}

#[cfg(test)]
mod tests;
