//! Lines up the figures of several results by key and by pairs of cores.

use super::pairing::Pairing;
use super::text::labels;
use super::{Omission, ResultFigures};
use facts::figures::{Figure, FigureKey};
use std::collections::{BTreeMap, BTreeSet};

/// One figure of all results, in the order of the results.
#[derive(Debug)]
pub(super) struct FigureRow<'a> {
    pub(super) key: &'a FigureKey,
    pub(super) figures: Vec<Option<&'a Figure>>,
}

/// Figures of at least two results, and those left out.
pub(super) fn line_up<'a>(sides: &'a [ResultFigures<'a>]) -> (Vec<FigureRow<'a>>, Vec<Omission>) {
    let mut keys: Vec<&FigureKey> = Vec::new();
    for figure in sides.iter().flat_map(|side| &side.figures) {
        if !keys.contains(&&figure.key) {
            keys.push(&figure.key);
        }
    }
    let pairing = Pairing::of(sides);
    let lines = keys.iter().flat_map(|key| lines_of(sides, &pairing, key));
    let (shared, alone): (Vec<FigureRow<'_>>, Vec<FigureRow<'_>>) =
        lines.partition(|line| line.figures.iter().flatten().count() > 1);
    let mut left_out: BTreeSet<Omission> = alone
        .iter()
        .flat_map(|line| line.figures.iter().zip(labels()).enumerate())
        .filter_map(|(index, (figure, letter))| Some(((*figure)?, index, letter)))
        .filter(|(figure, ..)| figure.is_main && !is_told(figure, sides))
        .map(|(figure, index, letter)| only_in(&letter, figure, sides, index))
        .collect();
    left_out.extend(sides.iter().zip(labels()).flat_map(|(side, letter)| not_comparable(side, letter)));
    (shared, left_out.into_iter().collect())
}

/// True if another result has the figure as not comparable, which is listed there.
fn is_told(figure: &Figure, sides: &[ResultFigures<'_>]) -> bool {
    let all = sides.iter().flat_map(|side| &side.figures);
    all.filter(|other| other.key == figure.key).any(|other| other.not_comparable.is_some())
}

fn not_comparable<'a>(side: &'a ResultFigures<'a>, letter: String) -> impl Iterator<Item = Omission> + 'a {
    side.figures.iter().filter(|figure| figure.is_main).filter_map(move |figure| {
        let why = figure.not_comparable.as_ref()?;
        Some(Omission { what: figure.name(), why: format!("not comparable in {letter}: {why}") })
    })
}

/// Reason for omitting a figure of a single result.
fn only_in(letter: &str, figure: &Figure, sides: &[ResultFigures<'_>], index: usize) -> Omission {
    let workload = figure.key.workload_at_method();
    let all = sides.iter().flat_map(|side| &side.figures);
    let mut others: BTreeSet<&str> = all
        .filter(|other| other.key.workload() == figure.key.workload())
        .map(|other| other.key.workload_at_method())
        .collect();
    others.remove(workload);
    if let Some(why) = measured_elsewhere(figure, sides) {
        return Omission { what: figure.key.title(), why };
    }
    let elsewhere = sides.iter().enumerate().filter(|(other, _)| *other != index).flat_map(|(_, side)| &side.figures);
    if figure.core.is_some() && elsewhere.clone().any(|other| other.key == figure.key) {
        let why = format!("measured on cores of {letter} that have no counterpart");
        return Omission { what: figure.key.title(), why };
    }
    if others.is_empty() || elsewhere.clone().any(|other| other.key.workload_at_method() == workload) {
        return Omission { what: figure.key.title(), why: format!("measured in {letter} only") };
    }
    let others: Vec<&str> = others.into_iter().collect();
    Omission {
        what: workload.to_owned(),
        why: format!("measured with different, not comparable methods ({})", others.join(", ")),
    }
}

/// Reason for omitting power that another result measured at a different place of the supply.
fn measured_elsewhere(figure: &Figure, sides: &[ResultFigures<'_>]) -> Option<String> {
    let parts = |key: &'_ FigureKey| key.as_str().rsplit_once(' ').map(|(of, place)| (of.to_owned(), place.to_owned()));
    let (of, place) = parts(&figure.key).filter(|_| figure.key.is_power())?;
    let others = sides.iter().flat_map(|side| &side.figures).filter(|other| other.key.is_power());
    let (_, other) = others.filter_map(|other| parts(&other.key)).find(|other| other.0 == of && other.1 != place)?;
    Some(format!(
        "measured at different places ({place}, {other}), which see different parts of the board and its supply"
    ))
}

/// Figures with one key: of all CPUs, then one line for each row of the pairing.
fn lines_of<'a>(sides: &'a [ResultFigures<'a>], pairing: &Pairing, key: &'a FigureKey) -> Vec<FigureRow<'a>> {
    let mut lines: BTreeMap<Option<usize>, FigureRow<'a>> = BTreeMap::new();
    for (index, side) in sides.iter().enumerate() {
        let figures = side.figures.iter();
        for figure in figures.filter(|figure| figure.key == *key && figure.not_comparable.is_none()) {
            let row = figure.core.as_ref().and_then(|core| pairing.row(index, core));
            let line = lines.entry(row).or_insert_with(|| FigureRow { key, figures: vec![None; sides.len()] });
            line.figures[index].get_or_insert(figure);
        }
    }
    lines.into_values().collect()
}
