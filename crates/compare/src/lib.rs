//! Comparisons: one result among the reference data, or several results side by side.
//!
//! Compares only figures with equal keys (`workload@method`, form and name) and lists the others with the reason. The
//! rules decide whether a result is valid; a comparison repeats their verdict.

#![forbid(unsafe_code)]

mod causes;
mod difference;
mod formats;
mod limit;
mod line;
mod noise;
mod pairing;
mod pairs;
mod rank;
pub mod reference;
mod settings;
mod text;
pub mod trend;
mod word_size;

#[cfg(test)]
pub(crate) use testkit::records as test_support;

pub(crate) use difference::times;
pub use difference::{Difference, LikelyDifference};
pub use formats::{csv, markdown_text};
pub use limit::{Baselines, Limit, LimitAnswer, LimitOutcome};
pub use line::Line;
pub use noise::noise_percent;
pub use rank::{
    Answer, Bar, ClockGroup, Entry, Extremes, Gap, LikelyCause, NamedBoard, Neighbours, OTHERS_MIN, Placement, Range,
    Ranking, answer_among_similar, by_clock, neighbours, published_name, rank, rank_for_people, ranking_csv,
    ranking_markdown, ranking_text,
};
pub use settings::{Setting, settings, settings_of};
pub use text::{Detail, labels, text};

use facts::figures::equivalent::{in_common_methods, version_of};
use facts::figures::main::{HEADLINES, Headline};
use facts::figures::{Figure, titles_among};
use facts::foreign::one_line;
use facts::view::{ScoreKey, spread_percent};
use facts::{Cause, Explained, Explanation, Facts, Finding, Severity, Tenths, Verdict};
use pairs::FigureRow;
use record::{StableSort, WorkloadId};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Maximum number of results with a sentence for each.
const SENTENCES_MAX: usize = 4;

/// One of the results that are compared.
#[derive(Debug, Clone)]
pub struct Side<'a> {
    /// Name, for example its file.
    pub name: String,
    /// The result.
    pub explained: &'a Explained<'a>,
}

/// Something that could not be compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Omission {
    /// Figure, workload or result.
    pub what: String,
    /// Why.
    pub why: String,
}

/// A line for each reason, after everything that it holds for: `AES-128-CBC; AES-256-CBC: not measured in B`.
pub fn left_out_lines(left_out: &[Omission]) -> Vec<String> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for Omission { what, why } in left_out {
        match groups.iter_mut().find(|(known, _)| known == why) {
            Some((_, names)) => names.push(what),
            None => groups.push((why, vec![what])),
        }
    }
    groups.into_iter().map(|(why, names)| format!("{}: {why}", names.join("; "))).collect()
}

/// Several results side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// First sentences: which results are invalid, and how fast the others are.
    pub sentences: Vec<String>,
    /// The results in the given order, all compared with the first.
    pub sides: Vec<NamedResult>,
    /// Settings that differ.
    pub settings: Vec<Setting>,
    /// Figures that at least two results have, in the order of the first.
    pub lines: Vec<Line>,
    /// Figures of one result only, and figures that are not comparable.
    pub left_out: Vec<Omission>,
}

/// A result in a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedResult {
    /// Name.
    pub name: String,
    /// Board, or host if the board is unknown.
    pub board: Option<String>,
    /// The verdict of the rules.
    pub verdict: Verdict,
    /// Reasons of an invalid result, in sentences; else empty.
    pub invalid_because: Vec<String>,
}

/// Loss of a score by one cause.
#[derive(Debug, Clone, PartialEq)]
pub struct Loss {
    /// Cause.
    pub cause: Cause,
    /// Loss in percent of the score without it.
    pub percent: f64,
    /// Finding that shows it.
    pub finding: String,
}

/// Cause of differences, with the figures that it explains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CauseOfSeveral {
    /// Letter of the result.
    pub letter: String,
    /// Cores of the figures, if the results have figures of several.
    pub cores: Option<String>,
    /// Cause and its evidence.
    pub words: String,
    /// Effects, if known, each with its figures; none for a loss, whose words have them.
    pub effects: Vec<(Option<String>, Vec<String>)>,
    /// True for the loss of a result by a known cause.
    is_loss: bool,
}

impl CauseOfSeveral {
    /// `B: Different core type: Cortex-A72 instead of Cortex-A76 (libc memory copy; libc memory fill).`
    pub fn sentence(&self) -> String {
        self.with_figures(usize::MAX)
    }

    /// Sentence with at most this many figures of each effect.
    fn with_figures(&self, count_max: usize) -> String {
        let mut words = self.words.trim_end_matches('.').to_owned();
        for (effect, figures) in &self.effects {
            words += &effect.as_ref().map_or_else(String::new, |effect| format!("; {effect}"));
            let more = figures.len().saturating_sub(count_max);
            let more = if more > 1 { format!(" and {more} more") } else { String::new() };
            let listed = if more.is_empty() { figures.as_slice() } else { &figures[..count_max] };
            words += &format!(" ({}{more})", listed.join("; "));
        }
        let cores = self.cores.as_ref().map_or_else(String::new, |cores| format!(", {cores}"));
        format!("{}{cores}: {words}.", self.letter)
    }

    /// Adds a figure to those with this effect.
    fn add(&mut self, effect: Option<&String>, figure: &str) {
        let is_listed = |figures: &Vec<String>| figures.iter().any(|known| known == figure);
        if self.effects.iter().any(|(_, figures)| is_listed(figures)) {
            return;
        }
        match self.effects.iter_mut().find(|(known, _)| known.as_ref() == effect) {
            Some((_, figures)) => figures.push(figure.to_owned()),
            None => self.effects.push((effect.cloned(), vec![figure.to_owned()])),
        }
    }
}

impl Comparison {
    /// Lines of main figures.
    pub fn main_lines(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| line.is_main)
    }

    /// True if a sentence for each result would be too many.
    fn is_long(&self) -> bool {
        self.sides.len() > SENTENCES_MAX
    }

    /// Invalid results, then the speed of each valid one: `B is 0.80 times as fast as A in 7-zip on all CPUs (13190 and 16448
    /// MIPS).` Of many results only the best and the worst.
    fn opening(&self) -> Vec<String> {
        let is_invalid = |side: &NamedResult| side.verdict == Verdict::Invalid;
        let invalid = labels().zip(&self.sides).filter(|(_, side)| is_invalid(side));
        let invalid =
            invalid.map(|(letter, side)| text::invalid(&format!("{letter} ({})", side.name), &side.invalid_because));
        if self.is_long() {
            return invalid.chain(self.extremes()).collect();
        }
        let valid = labels().zip(&self.sides).enumerate().skip(1).filter(|(_, (_, side))| !is_invalid(side));
        let valid = valid.filter(|_| !self.sides.first().is_none_or(is_invalid));
        let sentence = |(index, (letter, _)): (usize, (String, &NamedResult))| {
            self.by_importance()
                .find_map(|line| line.values.first().copied().flatten().and_then(|_| line.sentence(index, &letter)))
                .unwrap_or_else(|| format!("{letter} has no figure that can be compared with A."))
        };
        invalid.chain(valid.map(sentence)).collect()
    }

    /// Best and worst of the results that are not invalid, in the figure that people ask for first.
    fn extremes(&self) -> Option<String> {
        let line = self.by_importance().next()?;
        let mut order = line.best_first();
        order.retain(|index| self.sides[*index].verdict != Verdict::Invalid);
        let of = |index: usize, letter: &str| {
            let board = self.sides[index].board.as_deref().unwrap_or("unknown board");
            format!("{letter} ({}, {} {})", text::cut(board), line.value_words(index), line.unit)
        };
        let letters: Vec<String> = labels().take(self.sides.len()).collect();
        let (best, worst) = (*order.first()?, *order.last()?);
        let (best, worst) = (of(best, &letters[best]), of(worst, &letters[worst]));
        Some(format!("Of {} results with {}, {best} is the best and {worst} the worst.", order.len(), line.words()))
    }

    /// Main figures, those that people ask for first at the front, clocks at the end.
    fn by_importance(&self) -> impl Iterator<Item = &Line> {
        let place = |line: &Line| HEADLINES.iter().position(|headline| headline.is_of(&line.key));
        let mut lines: Vec<&Line> = self.main_lines().collect();
        lines.stable_sort_by_key(|line| (line.key.is_of(WorkloadId::Clock), place(line).unwrap_or(HEADLINES.len())));
        lines.into_iter()
    }

    /// Lines of the figures that people ask for first, with their words.
    pub fn headlines(&self) -> Vec<(&'static str, &Line)> {
        let line = |headline: &'static Headline| {
            Some((headline.words, self.main_lines().find(|line| headline.is_of(&line.key))?))
        };
        HEADLINES.iter().filter_map(line).collect()
    }

    /// Causes of differences: losses of each result, then likely causes that the opening sentences do not name for their one
    /// figure. Each cause is listed once.
    pub fn causes(&self) -> Vec<CauseOfSeveral> {
        let mut all = self.losses();
        let has_several = self.main_lines().filter_map(Line::core_types).collect::<BTreeSet<_>>().len() > 1;
        for line in self.by_importance() {
            for (letter, difference) in labels().zip(&line.differences) {
                let cause = difference.as_ref().and_then(|difference| difference.cause.as_ref());
                // A loss names its finding above.
                let has_loss = line.losses.iter().any(|losses| !losses.is_empty());
                let Some(cause) = cause.filter(|cause| cause.id != Cause::Diagnosis || !has_loss) else { continue };
                // Core types are in the words of their difference.
                let cores = line.core_types().filter(|_| has_several && cause.id != Cause::CoreType);
                let is_same = |known: &&mut CauseOfSeveral| {
                    known.letter == letter && known.words == cause.words && known.cores == cores
                };
                match all.iter_mut().find(is_same) {
                    Some(known) => known.add(cause.detail.as_ref(), &line.title),
                    None => {
                        let effects = vec![(cause.detail.clone(), vec![line.title.clone()])];
                        all.push(CauseOfSeveral { letter, cores, words: cause.words.clone(), effects, is_loss: false });
                    }
                }
            }
        }
        let opening = self.sentences.join(" ");
        for cause in &mut all {
            let is_told = cause.cores.is_none() && opening.contains(cause.words.trim_end_matches('.'));
            let is_told_for = |effect: &Option<String>| effect.as_ref().is_none_or(|effect| opening.contains(effect));
            cause.effects.retain(|(effect, figures)| !(is_told && figures.len() == 1 && is_told_for(effect)));
        }
        all.retain(|cause| cause.is_loss || !cause.effects.is_empty());
        all
    }

    /// Losses of each result by known causes; those with the same finding once.
    fn losses(&self) -> Vec<CauseOfSeveral> {
        let mut all: Vec<CauseOfSeveral> = Vec::new();
        for (index, letter) in labels().take(self.sides.len()).enumerate() {
            let mut lost: Vec<(&Loss, Vec<String>)> = Vec::new();
            for line in self.main_lines() {
                for loss in line.losses.get(index).into_iter().flatten() {
                    let part = format!("{:.0} % of {}", loss.percent, line.title);
                    match lost.iter_mut().find(|(known, _)| known.cause == loss.cause) {
                        Some((_, parts)) if parts.contains(&part) => {}
                        Some((_, parts)) => parts.push(part),
                        None => lost.push((loss, vec![part])),
                    }
                }
            }
            for (loss, parts) in lost {
                let cause = facts::lines::capitalised(loss.cause.words());
                let words = format!("{cause} took {}: {}", facts::lines::listed(&parts), loss.finding);
                match all.iter_mut().find(|known| known.words == words) {
                    Some(known) => known.letter += &format!(" and {letter}"),
                    None => {
                        let letter = letter.clone();
                        all.push(CauseOfSeveral { letter, cores: None, words, effects: Vec::new(), is_loss: true });
                    }
                }
            }
        }
        all
    }

    /// Estimated values: letter of the result, figure, and source of the estimate.
    pub fn estimates(&self) -> impl Iterator<Item = (String, &Line, &str)> {
        self.main_lines().flat_map(|line| {
            let estimated = labels().zip(&line.estimated);
            estimated.filter_map(move |(letter, words)| Some((letter, line, words.as_deref()?)))
        })
    }
}

/// Compares results. Differences and causes are relative to the first result that has the figure.
pub fn compare(sides: &[Side<'_>]) -> Comparison {
    let facts: Vec<&Facts<'_>> = sides.iter().map(|side| side.explained.facts.in_lines()).collect();
    let figures = in_common_methods(&facts);
    let measured = sides.iter().zip(figures).map(|(side, figures)| ResultFigures::new(side, figures));
    let measured: Vec<ResultFigures<'_>> = measured.collect();
    let (lined, left_out) = pairs::line_up(&measured);
    let mut lines: Vec<Line> = lined.iter().map(|lined| line(&measured, lined)).collect();
    let titles = titles_among(lines.iter().map(|line| &line.key));
    for (line, title) in lines.iter_mut().zip(titles) {
        line.title = title;
    }
    let comparison = Comparison {
        sentences: Vec::new(),
        sides: measured
            .iter()
            .map(|side| NamedResult {
                name: side.name.clone().into_owned(),
                board: facts::machine_name(&side.facts.machine).cloned(),
                verdict: side.assessment.verdict,
                invalid_because: invalid_because(side.assessment),
            })
            .collect(),
        settings: settings(&facts),
        lines,
        left_out,
    };
    Comparison { sentences: comparison.opening(), ..comparison }
}

/// Findings that make a result invalid, in sentences.
fn invalid_because(explained: &Explanation) -> Vec<String> {
    let findings = explained.findings.iter().filter(|_| explained.verdict == Verdict::Invalid);
    findings.filter(|finding| finding.severity == Severity::Invalid).map(Finding::sentence).collect()
}

/// A result with its figures.
pub(crate) struct ResultFigures<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) facts: &'a Facts<'a>,
    pub(crate) assessment: &'a Explanation,
    pub(crate) figures: Vec<Figure>,
}

/// One end of a comparison.
pub(crate) type End<'a> = (&'a ResultFigures<'a>, &'a Figure);

impl<'a> ResultFigures<'a> {
    fn new(side: &'a Side<'a>, figures: Vec<Figure>) -> Self {
        let Explained { facts, assessment } = side.explained;
        Self { name: one_line(&side.name), facts: facts.in_lines(), assessment, figures }
    }
}

fn line(sides: &[ResultFigures<'_>], lined: &FigureRow<'_>) -> Line {
    let mut base: Option<(usize, &Figure)> = None;
    let mut cores: Vec<String> = Vec::new();
    let mut differences = Vec::new();
    for (side, figure) in lined.figures.iter().enumerate() {
        let label = figure.and_then(|figure| figure.core.as_ref());
        if let Some(label) = label.map(facts::figures::Core::label)
            && !cores.contains(&label)
        {
            cores.push(label);
        }
        differences.push(match (base, figure) {
            (Some((base_side, base)), Some(figure)) => difference((&sides[base_side], base), (&sides[side], figure)),
            _ => None,
        });
        base = base.or(figure.map(|figure| (side, figure)));
    }
    let first = base.map(|(_, figure)| figure);
    let estimated = lined.figures.iter().zip(sides).map(|(figure, side)| {
        let version = version_of(side.facts, (*figure)?);
        figure.and_then(|figure| figure.estimated_words(version.as_deref()))
    });
    Line {
        estimated: estimated.collect(),
        key: lined.key.clone(),
        title: String::new(),
        cores,
        unit: first.map_or_else(String::new, |figure| figure.unit.clone()),
        values: lined.figures.iter().map(|figure| figure.map(|figure| figure.value)).collect(),
        differences,
        losses: sides.iter().zip(&lined.figures).map(|(side, figure)| losses(side, *figure)).collect(),
        is_main: first.is_some_and(|figure| figure.is_main),
    }
}

/// Losses of the score of a figure by known causes, of at least two percent.
fn losses(side: &ResultFigures<'_>, figure: Option<&Figure>) -> Vec<Loss> {
    const LEAST: Tenths = Tenths(20);
    let step = figure.and_then(|figure| side.facts.steps.get(figure.step));
    let ledger = step.and_then(|step| side.assessment.ledger(&ScoreKey::of(step)));
    let parts = ledger.into_iter().flat_map(|ledger| &ledger.parts).filter(|part| part.points.percent >= LEAST);
    let loss = |part: &facts::Part| {
        let root = side.assessment.diagnoses.get(part.diagnosis)?.root;
        let finding = side.assessment.findings.get(root)?.sentence();
        Some(Loss { cause: part.cause, percent: part.points.percent.as_percent(), finding })
    };
    parts.filter_map(loss).collect()
}

/// Drops the spread of the repetitions if a known cause explains it: it is not noise.
fn without_causes<'a>((side, figure): End<'a>) -> Cow<'a, Figure> {
    if losses(side, Some(figure)).iter().all(|loss| loss.cause == Cause::NotVisible) {
        return Cow::Borrowed(figure);
    }
    Cow::Owned(Figure { spread_percent: None, ..figure.clone() })
}

fn difference(base: End<'_>, other: End<'_>) -> Option<Difference> {
    let change = other.1.change_from(base.1.value);
    let noise_percent = noise_percent(&without_causes(base), &without_causes(other));
    // Symmetric in both values.
    let distance = spread_percent(&[base.1.value, other.1.value])?;
    let is_real = distance > noise_percent;
    Some(Difference {
        change_percent: change.percent()?,
        gain_percent: change.gain_percent()?,
        word: change.word(),
        noise_percent,
        is_real,
        cause: is_real.then(|| causes::likely(base, other)).flatten(),
    })
}

#[cfg(test)]
mod tests;
