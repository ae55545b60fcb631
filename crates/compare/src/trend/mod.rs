//! Change over time: results of one machine by date, and permanent changes of their figures.
//!
//! Figures alone decide on a change. Settings that changed at the same point are listed with it as suspects, not as causes.

mod change_points;
mod formats;
mod stability;
mod t_test;
mod text;

pub use change_points::{ChangePoint, change_points};
pub use formats::{COLUMNS, csv, markdown_text};
pub use stability::Stability;
pub use t_test::t_test;
pub use text::text;

use crate::reference::day;
use crate::{Omission, settings, settings_of};
use facts::figures::Figure;
use facts::figures::equivalent::in_common_methods;
use facts::{Facts, Verdict, view};
use record::StableSort;
use serde::Serialize;

/// Minimum number of results for changes.
pub const RESULTS_MIN: usize = 4;
/// Minimum change in percent; printed figures are rounded.
const CHANGE_PERCENT_MIN: f64 = 0.5;

/// One result of a series.
#[derive(Debug, Clone)]
pub struct Sample<'a> {
    /// Name, for example its file.
    pub name: String,
    /// The result.
    pub facts: &'a Facts<'a>,
    /// Verdict on it.
    pub verdict: Verdict,
}

/// All results of one machine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trend {
    /// Board and cores.
    pub machine: String,
    /// The results by date.
    pub results: Vec<DatedResult>,
    /// Number of figures examined.
    pub figures: usize,
    /// Changes by date.
    pub changes: Vec<Change>,
    /// Omitted results.
    pub left_out: Vec<Omission>,
    /// Number of runs that died, if any.
    pub stability: Option<Stability>,
}

impl Trend {
    /// True if there are too few results and nothing else to report.
    pub fn is_only_short(&self) -> bool {
        self.results.len() < RESULTS_MIN && self.stability.is_none() && self.left_out.is_empty()
    }
}

/// A result with its day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DatedResult {
    /// Name.
    pub name: String,
    /// `2024-03-01`.
    pub date: String,
}

/// A figure that changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// The figure with its core type.
    pub figure: String,
    /// Its unit.
    pub unit: String,
    /// Index in [`Trend::results`] of the last result before the change.
    pub last_before: usize,
    /// Index in [`Trend::results`] of the first result after the change.
    pub first_after: usize,
    /// Mean before.
    pub before: f64,
    /// Mean after.
    pub after: f64,
    /// Change in percent; negative for a decrease.
    pub change_percent: f64,
    /// Improvement in percent; negative if worse.
    pub gain_percent: f64,
    /// `better` or `worse`.
    pub word: &'static str,
    /// Probability of chance.
    pub p: f64,
    /// True if values of one side were estimated from another version of the program; the change exceeds the uncertainty of
    /// the estimate.
    pub is_estimated: bool,
    /// Settings that changed between the two results.
    pub settings: Vec<SettingChange>,
}

/// A setting that changed at the same point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettingChange {
    /// Name of the setting.
    pub name: &'static str,
    /// Value before.
    pub before: String,
    /// Value after.
    pub after: String,
}

/// Trends of all machines, in order of first appearance.
pub fn trends(samples: &[Sample<'_>]) -> Vec<Trend> {
    let mut machines: Vec<(String, Vec<&Sample<'_>>)> = Vec::new();
    for sample in samples {
        let name = machine(sample.facts);
        match machines.iter_mut().find(|(known, _)| *known == name) {
            Some((_, samples)) => samples.push(sample),
            None => machines.push((name, vec![sample])),
        }
    }
    machines.into_iter().map(|(name, samples)| trend(name, &samples)).collect()
}

/// Name of a machine: board and cores.
pub fn machine(facts: &Facts<'_>) -> String {
    let known = &facts.machine;
    let name = facts::machine_name(known);
    let settings = settings_of(facts);
    let cores = settings.into_iter().find(|(name, _)| *name == "cores");
    format!(
        "{} ({})",
        name.map_or("unknown machine", String::as_str),
        cores.and_then(|(_, cores)| cores).unwrap_or_else(|| "unknown cores".to_owned())
    )
}

/// 1 January 2018, UTC: year of the first sbc-bench. Boards without a battery start in 1970.
const FIRST_DATE_MS: i64 = 1_514_764_800_000;

fn trend(machine: String, samples: &[&Sample<'_>]) -> Trend {
    let mut left_out = Vec::new();
    let mut dated: Vec<(i64, &Sample<'_>)> = Vec::new();
    for sample in samples {
        let mut leave_out = |why: &str| {
            left_out.push(Omission { what: sample.name.clone(), why: why.to_owned() });
        };
        match sample.facts.run.started.known() {
            _ if let Some(whole) = whole_of(sample, samples) => {
                leave_out(&format!("it was resumed and is complete in {}", whole.name));
            }
            _ if let Some(death) = view::death(sample.facts) => {
                leave_out(&format!("it died during {}", death.step));
            }
            _ if sample.verdict == Verdict::Invalid => leave_out("results invalid"),
            None => leave_out("no date"),
            Some(utc_ms) if *utc_ms < FIRST_DATE_MS => leave_out("the clock of the machine was not set"),
            Some(utc_ms) => dated.push((*utc_ms, sample)),
        }
    }
    dated.stable_sort_by_key(|(utc_ms, _)| *utc_ms);
    let facts: Vec<&Facts<'_>> = dated.iter().map(|(_, sample)| sample.facts).collect();
    let series = series(&facts);
    let mut changes: Vec<Change> = series.iter().flat_map(|series| series.changes(&facts)).collect();
    changes.stable_sort_by_key(|change| change.first_after);
    Trend {
        machine,
        results: dated
            .iter()
            .map(|(utc_ms, sample)| DatedResult { name: sample.name.clone(), date: day(*utc_ms).unwrap_or_default() })
            .collect(),
        figures: series.len(),
        changes,
        left_out,
        stability: stability::stability(samples),
    }
}

/// Result of the run that resumed this one, if present.
fn whole_of<'a>(part: &Sample<'_>, all: &[&'a Sample<'a>]) -> Option<&'a Sample<'a>> {
    let is_whole = |other: &&&Sample<'_>| part.facts.run.is_part_of(&other.facts.run);
    all.iter().find(is_whole).copied()
}

/// One figure over all results that have it.
struct Series {
    /// Index of the result and its figure; at least one.
    values: Vec<(usize, Figure)>,
}

fn series(facts: &[&Facts<'_>]) -> Vec<Series> {
    let cluster = |figure: &Figure| figure.core.as_ref().map(|core| core.cluster);
    let mut all: Vec<Series> = Vec::new();
    for (result, figures) in in_common_methods(facts).into_iter().enumerate() {
        for figure in figures {
            if !figure.is_main || figure.not_comparable.is_some() {
                continue;
            }
            let same = |known: &&mut Series| {
                let first = &known.values[0].1;
                first.key == figure.key && cluster(first) == cluster(&figure)
            };
            match all.iter_mut().find(same) {
                Some(series) => series.values.push((result, figure)),
                None => all.push(Series { values: vec![(result, figure)] }),
            }
        }
    }
    all
}

impl Series {
    fn changes(&self, facts: &[&Facts<'_>]) -> Vec<Change> {
        let values: Vec<f64> = self.values.iter().map(|(_, figure)| figure.value).collect();
        let points = change_points(&values, CHANGE_PERCENT_MIN);
        let change = |point: &ChangePoint| {
            let ((last_before, before), (first_after, after)) =
                (&self.values[point.index - 1], &self.values[point.index]);
            let (last_before, first_after) = (*last_before, *first_after);
            let change = Figure { value: point.after, ..after.clone() }.change_from(point.before);
            // At a change of the program's version, a wrong ratio looks like a change.
            let off_percent = after.estimate_percent(before);
            if change.percent()?.abs() <= off_percent {
                return None;
            }
            Some(Change {
                is_estimated: off_percent > 0.0,
                figure: after.name(),
                unit: after.unit.clone(),
                last_before,
                first_after,
                before: point.before,
                after: point.after,
                change_percent: change.percent()?,
                gain_percent: change.gain_percent()?,
                word: change.word(),
                p: point.p,
                settings: settings_between(facts[last_before], facts[first_after]),
            })
        };
        points.iter().filter_map(change).collect()
    }
}

fn settings_between(before: &Facts<'_>, after: &Facts<'_>) -> Vec<SettingChange> {
    let changed = settings(&[before, after]).into_iter();
    let changed = changed.filter_map(|setting| match setting.values.as_slice() {
        [Some(before), Some(after)] => {
            Some(SettingChange { name: setting.name, before: before.clone(), after: after.clone() })
        }
        _ => None,
    });
    changed.collect()
}

#[cfg(test)]
mod tests;
