//! Stability of a machine: how often it died during runs, and common properties of these deaths. Only runs of this program
//! count, because other logs may end early for other reasons.

use super::{Sample, whole_of};
use facts::Facts;
use facts::view::{self, Death};
use record::Total;
use serde::Serialize;

/// Common properties of runs that died.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stability {
    /// Number of runs and of parts of resumed runs, without those that the user killed.
    pub runs: usize,
    /// Number of deaths.
    pub died: usize,
    /// Step of all deaths, if there are at least two and it is the same.
    pub always_in: Option<String>,
    /// Minimum of the last temperatures in m°C, if all deaths have one.
    pub millicelsius_min: Option<i64>,
}

/// Stability over all results of one machine; `None` without deaths.
pub(super) fn stability(samples: &[&Sample<'_>]) -> Option<Stability> {
    let own = samples.iter().filter(|sample| !view::is_log(sample.facts));
    // The Record of the whole run contains resumed runs.
    let own = own.filter(|sample| whole_of(sample, samples).is_none());
    let own: Vec<&Facts<'_>> = own.map(|sample| sample.facts).collect();
    // Each part of a resumed run counts.
    let tries: usize = own.iter().map(|facts| 1 + facts.run.resumed.len()).total();
    let of_run = |facts: &&Facts<'_>| -> Vec<(Option<String>, Death)> {
        let steps = facts.run.deaths().map(|died| died.step.clone());
        steps.zip(facts.deaths().iter().cloned()).collect()
    };
    let (killed, deaths): (Vec<_>, Vec<_>) = own.iter().flat_map(of_run).partition(|(_, death)| death.was_killed);
    let first = deaths.first()?.0.clone();
    let is_same = deaths.len() > 1 && deaths.iter().all(|(step, _)| *step == first);
    let last_seen = |(_, death): &(_, Death)| death.seen.as_ref()?.millicelsius;
    let temperatures: Option<Vec<i64>> = deaths.iter().map(last_seen).collect();
    Some(Stability {
        runs: tries - killed.len(),
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
            words.push_str(&format!(", always during {step}"));
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
