//! Gain of each setting: the same short steps ran as found, and after each raised group of settings.
//!
//! A difference counts if it exceeds the noise of the steps.

use facts::Facts;
use facts::figures::Figure;
use record::{Record, Step};
use serde::Serialize;

/// Spread of short steps on a quiet machine, in percent; smaller differences are noise.
const NOISE_PERCENT_MIN: f64 = 2.0;

/// Effect of raising one group of settings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gain {
    /// The group.
    pub group: String,
    /// One row per figure.
    pub rows: Vec<GainRow>,
}

/// One figure before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GainRow {
    /// Name of the figure.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Value before the group was raised.
    pub before: f64,
    /// Value after it.
    pub after: f64,
    /// Improvement in percent; negative for worse.
    pub gain_percent: f64,
    /// Change in percent; negative for a decrease.
    pub change_percent: f64,
    /// Variation of the figure itself, in percent.
    pub noise_percent: f64,
}

impl GainRow {
    /// True if the difference is larger than chance.
    pub fn counts(&self) -> bool {
        self.gain_percent.abs() > self.noise_percent
    }
}

/// Gains of all raised groups, in order.
pub fn attribution(record: &Record) -> Vec<Gain> {
    let mut states: Vec<Vec<String>> = Vec::new();
    for probe in &record.probes {
        if !states.contains(&probe.raised) {
            states.push(probe.raised.clone());
        }
    }
    states
        .windows(2)
        .filter_map(|pair| {
            let group = pair[1].last()?.clone();
            let (before, after) = (measured(record, &pair[0]), measured(record, &pair[1]));
            let rows = after.iter().filter_map(|figure| row(&before, figure)).collect();
            Some(Gain { group, rows })
        })
        .collect()
}

/// Effect of all groups together: the first state against the last.
pub fn whole_gain(record: &Record) -> Option<Gain> {
    let first = &record.probes.first()?.raised;
    let last = &record.probes.last()?.raised;
    if first == last {
        return None;
    }
    let (before, after) = (measured(record, first), measured(record, last));
    Some(Gain { group: last.join(" + "), rows: after.iter().filter_map(|figure| row(&before, figure)).collect() })
}

/// Main figures of one state as medians over repetitions.
fn measured(record: &Record, raised: &[String]) -> Vec<Figure> {
    let of_state = record.probes.iter().filter(|probe| probe.raised == raised);
    let steps: Vec<Step> = of_state.map(|probe| probe.step.clone()).collect();
    let alone =
        Record { steps, machine: record.machine.clone(), ..Record::new(record.source.clone(), record.run.clone()) };
    Facts::from(alone).figures().iter().filter(|figure| figure.is_main).cloned().collect()
}

fn row(before: &[Figure], after: &Figure) -> Option<GainRow> {
    let same = before.iter().find(|known| known.key == after.key && known.core == after.core)?;
    let spread = |figure: &Figure| figure.spread_percent.unwrap_or(0.0);
    Some(GainRow {
        name: after.name(),
        unit: after.unit.clone(),
        before: same.value,
        after: after.value,
        gain_percent: after.gain_percent(same.value)?,
        change_percent: after.change_from(same.value).percent()?,
        // Twice the deviation holds nineteen of twenty repetitions.
        noise_percent: NOISE_PERCENT_MIN.max(2.0 * spread(same).max(spread(after))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, own_run, with_step};
    use record::{Probe, Variant, WorkloadId};

    fn probe(record: &mut Record, raised: &[&str], mips: u32) {
        let made = with_step(own_run(), WorkloadId::Lzma, Variant::SINGLE, &[0], (0.0, 1.0), compression(mips));
        record.probes.push(Probe {
            raised: raised.iter().map(|group| (*group).to_owned()).collect(),
            step: made.steps[0].clone(),
        });
    }

    #[test]
    fn each_group_gets_what_it_gave() {
        let mut record = own_run();
        for (raised, mips) in [(&[][..], 1000), (&["CPU governor"], 1200), (&["CPU governor", "memory governor"], 1212)]
        {
            probe(&mut record, raised, mips);
            probe(&mut record, raised, mips);
        }
        let found = attribution(&record);
        let found: Vec<(&str, f64, bool)> = found
            .iter()
            .map(|gain| (gain.group.as_str(), gain.rows[0].gain_percent.round(), gain.rows[0].counts()))
            .collect();
        assert_eq!(found, [("CPU governor", 20.0, true), ("memory governor", 1.0, false)]);
        let whole = whole_gain(&record).unwrap();
        assert!(whole.rows[0].counts());
        assert!(attribution(&own_run()).is_empty() && whole_gain(&own_run()).is_none());
    }
}
