//! Pairs: two versions of 7-zip measured consecutively on one CPU of each core type. Their ratio is more accurate than
//! a table, on this machine and on others with the same core types and instruction set.

use super::{ConvertedFigure, Estimate, Grade, isa};
use crate::figures::main::LISTED;
use crate::figures::{Figure, FigureKey};
use crate::stats::mean;
use record::{Record, Variant, WorkloadId};
use std::borrow::Cow;

/// Largest ratio of two pairs on one machine in nine of ten cases.
const SINGLE_APART: f64 = 1.03;
/// Largest difference of the ratios on one CPU and on all CPUs, where a different part of the work waits for memory.
const MULTI_APART: f64 = 1.06;

/// Ratios from the pairs of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pairs {
    isa: Option<String>,
    /// Methods of the other version and of the listed one.
    from: u32,
    to: u32,
    /// For each core type, score of the other version divided by that of the listed one.
    ratios: Vec<(Option<String>, f64)>,
}

impl Pairs {
    /// Pairs of a Record; `None` with a single version.
    pub(super) fn of(record: &Record, figures: &[Figure]) -> Option<Self> {
        let of_form = |variant: Variant| {
            let is_score = |figure: &&Figure| figure.is_main && figure.key.is_of(WorkloadId::SevenZip);
            let scores = figures.iter().filter(is_score).filter(|figure| figure.not_comparable.is_none());
            scores.filter(move |figure| figure.key.is_form(&variant))
        };
        let mut ratios = Vec::new();
        let mut methods = None;
        for second in of_form(Variant::OTHER_VERSION) {
            let cluster = |figure: &Figure| figure.core.as_ref().map(|core| core.cluster);
            let Some(first) = of_form(Variant::SINGLE).find(|first| cluster(first) == cluster(second)) else {
                continue;
            };
            let (from, to) = if is_listed(&first.key) { (second, first) } else { (first, second) };
            let core_type = from.core.as_ref().and_then(|core| core.core_type.clone());
            ratios.push((core_type, from.value / to.value));
            methods = Some((from.key.method(), to.key.method()));
        }
        let (from, to) = methods.filter(|(from, to)| from != to)?;
        Some(Self { isa: isa::of(record), from, to, ratios })
    }

    /// True if they apply to the machine of a Record: same programs and core types.
    pub(super) fn hold_for(&self, record: &Record) -> bool {
        let known = |core_type: &String| self.ratios.iter().any(|(of, _)| of.as_ref() == Some(core_type));
        let mut types = record.machine.clusters.iter().map(|cluster| cluster.core_type.known());
        self.isa.is_some() && isa::of(record) == self.isa && types.all(|core_type| core_type.is_some_and(known))
    }

    /// Converts a score of the other version to the listed one.
    pub(super) fn convert(&self, figure: &Figure) -> Option<ConvertedFigure> {
        let is_multi = figure.key.is_form(&Variant::MULTI);
        let is_score = figure.is_main && (is_multi || figure.key.is_form(&Variant::SINGLE));
        if !is_score || !figure.key.is_of(WorkloadId::SevenZip) || figure.key.method() != self.from {
            return None;
        }
        let core_type = figure.core.as_ref().and_then(|core| core.core_type.as_ref());
        let (ratio, apart) = if is_multi {
            (mean(&self.ratios.iter().map(|(_, ratio)| *ratio).collect::<Vec<_>>())?, MULTI_APART)
        } else {
            (self.ratios.iter().find(|(of, _)| of.as_ref() == core_type)?.1, SINGLE_APART)
        };
        let form = if is_multi { &Variant::MULTI } else { &Variant::SINGLE };
        let value = figure.value / ratio;
        Some(ConvertedFigure {
            key: FigureKey::new(WorkloadId::SevenZip.into(), self.to, form.as_str()),
            value,
            estimate: Some(Estimate {
                from: figure.key.clone(),
                measured: figure.value,
                ratio,
                low: value / apart,
                high: value * apart,
                grade: Grade::MeasuredPair,
            }),
        })
    }
}

/// A figure under its name in lists: the score of the second version on one CPU, if it is the listed one; else `None`.
pub(super) fn listed(figure: &Figure) -> Option<Cow<'_, Figure>> {
    if !figure.key.is_form(&Variant::OTHER_VERSION) || !figure.key.is_of(WorkloadId::SevenZip) {
        return Some(Cow::Borrowed(figure));
    }
    let form = Variant::OTHER_VERSION;
    let (_, name) = figure.key.as_str().split_once(form.as_str())?;
    let key = FigureKey::new(WorkloadId::SevenZip.into(), figure.key.method(), &format!("{}{name}", Variant::SINGLE));
    is_listed(&key).then(|| Cow::Owned(Figure { key, ..figure.clone() }))
}

fn is_listed(key: &FigureKey) -> bool {
    key.is_of(LISTED.0) && key.method() == LISTED.1
}
