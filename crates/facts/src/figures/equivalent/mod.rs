//! Converts figures between methods, so that a new run is comparable with years of results.
//!
//! A clock is the same quantity by any method, and so is a latency with the same definition. Scores of two versions of
//! a program differ by a ratio. `data/method_ratios.tsv` has both, with intervals and sources; a figure estimated by a
//! ratio has an [`Estimate`] and is marked in every output.

mod isa;
mod pairs;
mod table;

use super::{Figure, FigureKey};
use crate::Facts;
use crate::number::number;
use pairs::Pairs;
use record::{Record, Variant, WorkloadId};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeSet;
pub use table::Grade;
use table::{Conversion, conversions};

/// Conversion of a score from one version to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// The figure that was measured.
    pub from: FigureKey,
    /// Measured value.
    pub measured: f64,
    /// Score of the measured version divided by that of the other.
    pub ratio: f64,
    /// With 90 % confidence the other version would give no less,
    pub low: f64,
    /// and no more.
    pub high: f64,
    /// Source of the ratio.
    pub grade: Grade,
}

/// Properties of the machine on which a ratio depends.
#[derive(Debug, Clone, Copy, Default)]
pub struct MachineTraits<'a> {
    /// Instruction set of the programs that ran: `x86-64`, `arm64`.
    pub isa: Option<&'a str>,
    /// Core type.
    pub core_type: Option<&'a str>,
    /// Measured clock of that core.
    pub clock_mhz: Option<f64>,
}

/// A figure in another method.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvertedFigure {
    /// Name in the known results.
    pub key: FigureKey,
    /// Its value there.
    pub value: f64,
    /// Estimation; `None` if both are the same quantity.
    pub estimate: Option<Estimate>,
}

/// The figure in a method of the known results; `None` if it is in one already or there is no conversion.
pub fn convert(key: &FigureKey, value: f64, on: MachineTraits<'_>) -> Option<ConvertedFigure> {
    let conversion = conversions(key).iter().find(|conversion| conversion.fits(key, value, on))?;
    Some(apply(conversion, key, value))
}

fn apply(conversion: &Conversion, key: &FigureKey, value: f64) -> ConvertedFigure {
    let estimate = Estimate {
        from: key.clone(),
        measured: value,
        ratio: conversion.ratio,
        low: value / conversion.ratio_high,
        high: value / conversion.ratio_low,
        grade: conversion.grade,
    };
    let is_same = conversion.grade == Grade::SameQuantity;
    ConvertedFigure {
        key: conversion.key(key),
        value: value / conversion.ratio,
        estimate: Some(estimate).filter(|_| !is_same),
    }
}

/// Figures of a Record converted to another method, except those that the Record also measured in it.
pub fn equivalents(record: &Record, figures: &[Figure]) -> Vec<Figure> {
    let told = equivalents_of(record, figures, &[]).into_iter();
    told.filter_map(|told| if let Equivalent::Converted(figure) = told { Some(*figure) } else { None }).collect()
}

/// This figure in the method of the known results; `None` if it was measured in it or cannot be converted.
pub fn equivalent(record: &Record, figures: &[Figure], figure: &Figure) -> Option<Figure> {
    let at = figures.iter().position(|other| other.key == figure.key && other.core == figure.core)?;
    match equivalents_of(record, figures, &[]).swap_remove(at) {
        Equivalent::Converted(figure) => Some(*figure),
        Equivalent::AsMeasured | Equivalent::Twice => None,
    }
}

/// Every figure, in the method of the known results where possible. A figure measured in both appears once.
pub fn in_known_methods(record: &Record, figures: &[Figure]) -> Vec<Figure> {
    let told = equivalents_of(record, figures, &[]).into_iter();
    let known = figures.iter().zip(told).filter_map(|(figure, told)| match told {
        Equivalent::AsMeasured => Some(figure.clone()),
        Equivalent::Converted(figure) => Some(*figure),
        Equivalent::Twice => None,
    });
    known.collect()
}

/// Figures of several results in common methods: as measured if the others have them too, in the method of the known
/// results if another result has it only there. The ratio of two versions measured in one run applies to others with
/// the same cores.
pub fn in_common_methods(sides: &[&Facts<'_>]) -> Vec<Vec<Figure>> {
    let pairs: Vec<Pairs> = sides.iter().filter_map(|facts| Pairs::of(facts, facts.figures())).collect();
    let told: Vec<Vec<Equivalent>> = sides.iter().map(|facts| equivalents_of(facts, facts.figures(), &pairs)).collect();
    let methods = |figures: &[Figure]| -> BTreeSet<String> {
        figures.iter().map(|figure| figure.key.workload_at_method().to_owned()).collect()
    };
    let measured: Vec<BTreeSet<String>> = sides.iter().map(|facts| methods(facts.figures())).collect();
    let known: Vec<BTreeSet<String>> = sides
        .iter()
        .zip(&told)
        .map(|(facts, told)| {
            let known = facts.figures().iter().zip(told).filter_map(|(figure, told)| told.figure(figure));
            methods(&known.collect::<Vec<Figure>>())
        })
        .collect();
    let has_only_known = |side: usize, figure: &FigureKey, as_known: &FigureKey| {
        known[side].contains(as_known.workload_at_method()) && !measured[side].contains(figure.workload_at_method())
    };
    let common = |at: usize| -> Vec<Figure> {
        let figures = sides[at].figures().iter().zip(&told[at]);
        let chosen = figures.map(|(figure, told)| match told {
            Equivalent::Converted(known)
                if (0..sides.len()).any(|side| side != at && has_only_known(side, &figure.key, &known.key)) =>
            {
                (**known).clone()
            }
            _ => figure.clone(),
        });
        chosen.collect()
    };
    (0..sides.len()).map(common).collect()
}

enum Equivalent {
    AsMeasured,
    Converted(Box<Figure>),
    /// The Record has the figure in that method too.
    Twice,
}

impl Equivalent {
    fn figure(&self, measured: &Figure) -> Option<Figure> {
        match self {
            Self::AsMeasured => Some(measured.clone()),
            Self::Converted(figure) => Some((**figure).clone()),
            Self::Twice => None,
        }
    }
}

/// Converts each figure of a Record: by its own pair of versions, by pairs of similar figures, or by the table.
fn equivalents_of(record: &Record, figures: &[Figure], others: &[Pairs]) -> Vec<Equivalent> {
    let isa = isa::of(record);
    let own = Pairs::of(record, figures);
    let pairs = own.as_ref().or_else(|| others.iter().find(|pairs| pairs.hold_for(record)));
    let listed: Vec<Option<Cow<'_, Figure>>> = figures.iter().map(pairs::listed).collect();
    let one = |figure: &Figure| {
        let core = figure.core.as_ref();
        let core_type = core.and_then(|core| core.core_type.as_deref());
        let on = MachineTraits { isa: isa.as_deref(), core_type, clock_mhz: clock_mhz(figures, figure) };
        let converted =
            pairs.and_then(|pairs| pairs.convert(figure)).or_else(|| convert(&figure.key, figure.value, on));
        let Some(ConvertedFigure { key, value, estimate }) = converted.filter(|_| figure.not_comparable.is_none())
        else {
            return Equivalent::AsMeasured;
        };
        let cluster = |figure: &Figure| figure.core.as_ref().map(|core| core.cluster);
        let is_same = |known: &Cow<'_, Figure>| {
            known.key == key && cluster(known) == cluster(figure) && known.not_comparable.is_none()
        };
        if listed.iter().flatten().any(is_same) {
            Equivalent::Twice
        } else {
            Equivalent::Converted(Box::new(Figure { key, value, estimate, ..figure.clone() }))
        }
    };
    let all = figures.iter().zip(&listed).map(|(figure, listed)| match listed {
        None => Equivalent::Twice,
        Some(listed) if listed.key != figure.key => Equivalent::Converted(Box::new(listed.clone().into_owned())),
        Some(_) => one(figure),
    });
    all.collect()
}

/// Measured cold clock of the cores of a figure.
fn clock_mhz(figures: &[Figure], of: &Figure) -> Option<f64> {
    let cluster = of.core.as_ref()?.cluster;
    let clocks = figures.iter().filter(|clock| clock.key.is_of(WorkloadId::Clock) && clock.key.is_form(&Variant::COLD));
    let mut clocks = clocks.filter(|clock| clock.core.as_ref().is_some_and(|core| core.cluster == cluster));
    clocks.next().map(|clock| clock.value)
}

impl Figure {
    /// `16.02 equivalent: 9900 (9500 to 10300), from 26.02 by 1.05`; `None` for a measured figure. `measured_by` is the
    /// version that ran, if known.
    pub fn estimated_words(&self, measured_by: Option<&str>) -> Option<String> {
        let estimate = self.estimate.as_ref()?;
        let version = |method: u32| match (self.key.workload().id(), method) {
            (Some(WorkloadId::SevenZip), 16) => "16.02".to_owned(),
            (Some(WorkloadId::SevenZip), 9) => "9.20".to_owned(),
            (Some(WorkloadId::OpenSsl), 1) => "OpenSSL 1.1".to_owned(),
            (_, method) => method.to_string(),
        };
        let from = measured_by.map_or_else(|| version(estimate.from.method()), str::to_owned);
        Some(format!(
            "{} equivalent: {} ({} to {}), from {from} by {:.2}",
            version(self.key.method()),
            number(self.value, &self.unit),
            number(estimate.low, &self.unit),
            number(estimate.high, &self.unit),
            estimate.ratio
        ))
    }
}

/// Version of the program behind a figure: `26.02`.
pub fn version_of(record: &Record, figure: &Figure) -> Option<String> {
    let tool = record.steps.get(figure.step)?.tool.as_ref()?;
    let numbers = tool.version.split(|c: char| !c.is_ascii_digit() && c != '.');
    numbers.map(|word| word.trim_matches('.')).find(|word| word.contains('.')).map(str::to_owned)
}

#[cfg(test)]
mod tests;
