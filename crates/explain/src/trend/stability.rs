//! Whether a machine lives through its runs: how often it died, and what these ends have in common. Only runs of
//! this program count: a log of another kind that stops does not tell whether its run did.

use super::Sample;
use crate::view::{self, Death};
use record::Record;
use serde::Serialize;

/// What runs that died have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stability {
    /// Runs of which it is known whether they died; those that somebody killed do not count.
    pub runs: usize,
    /// Those in which the machine died.
    pub died: usize,
    /// The step in which all of them died, if there are two at least and it is the same.
    pub always_in: Option<String>,
    /// The lowest of the temperatures seen last, in m°C, if all of them have one.
    pub millicelsius_min: Option<i64>,
}

/// Over all results of one machine; none if it never died.
pub(super) fn stability(samples: &[&Sample<'_>]) -> Option<Stability> {
    let records = samples.iter().map(|sample| sample.record);
    let own: Vec<&Record> = records.filter(|record| !view::is_log(record)).collect();
    let deaths: Vec<(&Record, Death)> = own
        .iter()
        .filter_map(|record| Some((*record, view::death(record)?)))
        .collect();
    let killed = deaths.iter().filter(|(_, death)| death.was_killed).count();
    let deaths: Vec<&(&Record, Death)> = deaths
        .iter()
        .filter(|(_, death)| !death.was_killed)
        .collect();
    let step = |(record, _): &(&Record, Death)| record.run.died_in.as_ref()?.step.clone();
    let first = step(deaths.first()?);
    let is_same = deaths.len() > 1 && deaths.iter().all(|death| step(death) == first);
    let last_seen = |(_, death): &(&Record, Death)| death.seen.as_ref()?.millicelsius;
    let temperatures: Option<Vec<i64>> = deaths.iter().map(|death| last_seen(death)).collect();
    Some(Stability {
        runs: own.len() - killed,
        died: deaths.len(),
        always_in: first.filter(|_| is_same),
        millicelsius_min: temperatures.and_then(|all| all.into_iter().min()),
    })
}

impl Stability {
    /// `died 3 of 5 times, always in stockfish, at 85 °C or more`.
    pub fn words(&self) -> String {
        let times = if self.runs == 1 { "time" } else { "times" };
        let mut words = format!("died {} of {} {times}", self.died, self.runs);
        if let Some(step) = &self.always_in {
            words.push_str(&format!(", always in {step}"));
        }
        if let Some(millicelsius) = self.millicelsius_min {
            let celsius = millicelsius.div_euclid(1000);
            let at = if self.died == 1 { "last seen at" } else { "at" };
            let more = if self.died == 1 { "" } else { " or more" };
            words.push_str(&format!(", {at} {celsius} °C{more}"));
        }
        words
    }
}
