//! Resumed runs: data to resume with, and merging of the parts into one [`Record`]. All parts share one time axis,
//! whose zero is the first start.

use crate::Total;
use crate::{Aftermath, DeathPoint, End, Event, Fact, FailureKind, Outcome, Record, Resumption, Run, Samples, Step};
use std::collections::BTreeMap;

/// Number of rows per block of earlier samples, because a line of a stream must fit into memory.
const ROWS: usize = 500;
/// Distance of the parts if the clock was reset and the time between them is unknown.
const APART_MS: i64 = 1000;
/// Maximum number of deaths in one step before it is skipped.
const DEATHS_MAX: usize = 2;

impl Resumption {
    /// Resumption of a run that died, at this time; `None` if it did not die.
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
    /// Time from the start to `at_ms`, without the time between parts.
    pub fn elapsed_until_ms(&self, at_ms: i64) -> u64 {
        let gap = |resumed: &Resumption| resumed.at_ms.saturating_sub(resumed.died_in.at_ms);
        let gaps: i64 = self.resumed.iter().map(gap).total();
        u64::try_from(at_ms.saturating_sub(gaps)).unwrap_or(0)
    }

    /// Every point at which the run died, including one from which it was not resumed.
    pub fn deaths(&self) -> impl Iterator<Item = &DeathPoint> {
        let last = self.died_in.as_ref().filter(|_| self.end == End::Died);
        self.resumed.iter().map(|part| &part.died_in).chain(last)
    }

    /// True if the run can be resumed where its data allow it.
    pub fn is_unfinished(&self) -> bool {
        match self.end {
            End::Died => self.died_in.is_some(),
            End::Interrupted { .. } => true,
            End::Finished | End::Refused => false,
        }
    }

    /// Steps in which the machine (not only this program) died too often to be tried again.
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

    /// True if `other` is a continuation of this run and therefore contains all of its data.
    pub fn is_part_of(&self, other: &Run) -> bool {
        let next = other.resumed.get(self.resumed.len());
        matches!(self.end, End::Died | End::Interrupted { .. })
            && self.started.known().is_some()
            && self.started == other.started
            && next.is_some_and(|next| next.boot_id == self.boot_id)
    }
}

impl Aftermath {
    /// True if the machine was rebooted; unknown counts as rebooted.
    pub fn has_restarted(&self) -> bool {
        self.restarted.known() != Some(&false)
    }
}

impl Record {
    /// Makes a run that a signal stopped one without an end, as one that died: the step that the signal may have cut short is
    /// removed.
    pub fn reopen(&mut self) {
        let End::Interrupted { signal } = self.run.end else { return };
        let at_ms = self.last_sign_ms();
        let first = self.run.stages.last().map_or(0, |stage| stage.first_step).min(self.steps.len());
        let is_cut =
            |step: &Step| matches!(&step.outcome, Outcome::Failed(failure) if failure.kind == FailureKind::Interrupted);
        let cut = self.steps[first..].iter().rev().take_while(|step| is_cut(step)).count();
        // A step in this process keeps the values measured so far.
        let cut = cut.max(1).min(self.steps.len() - first);
        let removed = self.steps.split_off(self.steps.len() - cut);
        let step = removed.first();
        self.run.end = End::Died;
        self.run.elapsed_ms = None;
        self.run.died_in = Some(DeathPoint {
            step: step.map(|step| format!("{} {}", step.workload, step.variant).trim_end().to_owned()),
            repetition: step.map_or(0, |step| step.repetition),
            began_ms: step.map(|step| step.window.start_ms),
            at_ms,
            signal: Some(signal),
            ..DeathPoint::default()
        });
    }

    /// Continues a run that died, in the boot of this id.
    pub fn resume(&mut self, resumed: Resumption, boot_id: String) {
        self.run.died_in = None;
        self.run.boot_id = boot_id;
        self.run.resumed.push(resumed);
    }

    /// Events that recreate this Record of a run to be resumed.
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
    // Folded rows have the distance of the folded interval.
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
