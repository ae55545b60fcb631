//! Where a result stands among the reference data.

use super::{LeftOut, invalid_because};
use crate::figures::{Figure, FigureKey, figures, title_among, verdict_of};
use crate::foreign::in_lines;
use crate::reference::{Reference, Row, RowFigure, parse, soc_key, write};
use crate::stats::median;
use crate::{Explanation, Verdict, soc};
use record::Record;
use serde::Serialize;
use std::collections::BTreeSet;

/// A result among the reference data.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranking {
    /// Board of the result, or its host where the board is not known.
    pub board: Option<String>,
    /// The verdict of the rules.
    pub verdict: Verdict,
    /// Why it is invalid, in sentences; empty if it is not.
    pub invalid_because: Vec<String>,
    /// Its SoC.
    pub soc: Option<String>,
    /// Its main figures, each with its standing.
    pub entries: Vec<Entry>,
    /// Figures and results that take no part.
    pub left_out: Vec<LeftOut>,
}

/// One figure with its standing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// The figure.
    pub figure: Figure,
    /// Its name in words.
    pub title: String,
    /// Among boards of the same SoC (of figures of one core: the same core type in it).
    pub same_soc: Option<Standing>,
    /// Among all cores of the same type.
    pub same_core_type: Option<Standing>,
    /// Among all boards, each with its best core.
    pub all: Standing,
}

/// A place among others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// Place from 1, the best first; equal values share it.
    pub rank: usize,
    /// How many results there are, this one among them.
    pub of: usize,
    /// Middle value of the others.
    pub median: f64,
    /// How much more this result is than that, in percent of it; negative if less.
    pub change_percent: f64,
    /// By how much this result is better than that, in percent; negative if worse.
    pub gain_percent: f64,
}

/// Ranks the main figures of a result among the valid rows of the reference data.
pub fn rank(record: &Record, explained: &Explanation, reference: &Reference) -> Ranking {
    let record = &*in_lines(record);
    let all = figures(record);
    let verdict = verdict_of(&all, explained.verdict);
    let own_row = stored(&Row::of(record, explained.verdict, "-"));
    let is_other = |row: &&Row| Some(&row.figures) != own_row.as_ref().map(|own| &own.figures);
    let rows: Vec<&Row> = reference.valid_rows().filter(is_other).collect();
    let soc = soc::name(&record.machine).known().cloned();
    let key_of_soc = soc.as_deref().map(soc_key);
    let mut left_out = BTreeSet::new();
    let mut entries = Vec::new();
    for figure in all.into_iter().filter(|figure| figure.is_main) {
        if let Some(why) = figure.not_comparable.clone() {
            let what = figure.name();
            left_out.insert(LeftOut { what, why });
            continue;
        }
        match entry(&figure, &rows, key_of_soc.as_deref()) {
            Some(entry) => entries.push(entry),
            None => {
                left_out.insert(no_equal(&figure, reference));
            }
        }
    }
    keep_best(&mut entries);
    let mut left_out: Vec<LeftOut> = left_out.into_iter().collect();
    left_out.extend(rows_left_out(reference, &entries, &rows));
    let keys: Vec<FigureKey> = entries.iter().map(|entry| entry.figure.key.clone()).collect();
    for entry in &mut entries {
        entry.title = title_among(&entry.figure.key, keys.iter());
    }
    Ranking {
        board: record.machine.name().cloned(),
        verdict,
        invalid_because: invalid_because(explained),
        soc,
        entries,
        left_out,
    }
}

/// Of several clusters of one core type only the best stands for it.
fn keep_best(entries: &mut Vec<Entry>) {
    let core_type = |entry: &Entry| entry.figure.core.as_ref()?.core_type.clone();
    let mut kept: Vec<Entry> = Vec::new();
    for entry in entries.drain(..) {
        let same = kept.iter_mut().find(|known| {
            let is_typed = core_type(known).is_some();
            is_typed && known.figure.key == entry.figure.key && core_type(known) == core_type(&entry)
        });
        match same {
            Some(known) if known.all.gain_percent < entry.all.gain_percent => *known = entry,
            Some(_) => {}
            None => kept.push(entry),
        }
    }
    *entries = kept;
}

/// The row as it would be read from the table, with rounded values: a log that is part of the
/// reference data must find itself there.
fn stored(row: &Row) -> Option<Row> {
    parse(&write(std::slice::from_ref(row))).ok()?.pop()
}

fn entry(figure: &Figure, rows: &[&Row], soc: Option<&str>) -> Option<Entry> {
    let core_type = figure.core.as_ref().and_then(|core| core.core_type.as_deref());
    let is_same_core = |row: &Row, other: &RowFigure| {
        figure.core.is_none() || (core_type.is_some() && row.core_type(other) == core_type)
    };
    let values = |wanted: &dyn Fn(&Row, &RowFigure) -> bool| -> Vec<f64> {
        let best = rows.iter().filter_map(|row| best(figure, row, wanted));
        best.collect()
    };
    let same_soc = soc.map(|soc| values(&|row, other| row.soc_key.as_deref() == Some(soc) && is_same_core(row, other)));
    let same_core_type = core_type.map(|_| values(&is_same_core));
    Some(Entry {
        same_soc: same_soc.and_then(|values| standing(figure, &values)),
        same_core_type: same_core_type.and_then(|values| standing(figure, &values)),
        all: standing(figure, &values(&|_, _| true))?,
        title: String::new(),
        figure: figure.clone(),
    })
}

/// The best comparable value of one row.
fn best(figure: &Figure, row: &Row, wanted: &dyn Fn(&Row, &RowFigure) -> bool) -> Option<f64> {
    let others = row.figures.get(&figure.key)?.iter();
    let others = others.filter(|other| other.comparable && wanted(row, other));
    others.map(|other| other.value).reduce(match figure.higher_is_better {
        true => f64::max,
        false => f64::min,
    })
}

/// None without others.
fn standing(figure: &Figure, others: &[f64]) -> Option<Standing> {
    let median = median(others)?;
    let is_better = |other: &&f64| match figure.higher_is_better {
        true => **other > figure.value,
        false => **other < figure.value,
    };
    Some(Standing {
        rank: 1 + others.iter().filter(is_better).count(),
        of: 1 + others.len(),
        median,
        change_percent: figure.change_from(median).percent()?,
        gain_percent: figure.gain_percent(median)?,
    })
}

/// Why a figure has no counterpart.
fn no_equal(figure: &Figure, reference: &Reference) -> LeftOut {
    let workload = figure.key.workload_at_method();
    let keys = reference.rows.iter().flat_map(|row| row.figures.keys());
    let workloads: BTreeSet<&str> =
        keys.filter(|known| known.workload() == figure.key.workload()).map(FigureKey::workload_at_method).collect();
    if workloads.contains(workload) {
        let why = "no valid reference result has this figure".to_owned();
        let what = figure.key.title();
        return LeftOut { what, why };
    }
    let known: Vec<&str> = workloads.into_iter().collect();
    LeftOut {
        what: workload.to_owned(),
        why: match known.as_slice() {
            [] => "no reference result has this workload".to_owned(),
            known => format!("reference results used {}, which is not comparable", known.join(", ")),
        },
    }
}

/// How many results of the reference data take no part, by reason.
fn rows_left_out(reference: &Reference, entries: &[Entry], rows: &[&Row]) -> Vec<LeftOut> {
    let invalid = |row: &&Row| row.verdict != Verdict::Valid;
    let count = reference.rows.iter().filter(invalid).count();
    let mut left_out = Vec::new();
    if count > 0 {
        left_out.push(LeftOut {
            what: format!("{count} of {} reference results", reference.rows.len()),
            why: "degraded or invalid".to_owned(),
        });
    }
    let is_marked = |row: &&&Row, key: &FigureKey| {
        let figures = row.figures.get(key).map_or(&[][..], Vec::as_slice);
        !figures.is_empty() && figures.iter().all(|figure| !figure.comparable)
    };
    let keys: BTreeSet<&FigureKey> = entries.iter().map(|entry| &entry.figure.key).collect();
    for key in keys {
        let count = rows.iter().filter(|row| is_marked(row, key)).count();
        if count > 0 {
            left_out.push(LeftOut {
                what: format!("{} of {count} reference results", key.title()),
                why: "smaller dictionaries, or several threads on one core".to_owned(),
            });
        }
    }
    left_out
}
