//! A figure of several results: values, differences and what they lost, in words.

use super::difference::{relative, times};
use super::{Difference, Loss};
use facts::Cause;
use facts::figures::FigureKey;
use facts::figures::main::HEADLINES;
use facts::number::number;
use record::{StableSort, Total};
use serde::Serialize;

/// One figure of all results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// Key of the figure.
    pub key: FigureKey,
    /// Title.
    pub title: String,
    /// Core types of the values, without repetition; empty for figures of all CPUs.
    pub cores: Vec<String>,
    /// Unit of the values.
    pub unit: String,
    /// Value of each result, if it has the figure.
    pub values: Vec<Option<f64>>,
    /// Source of each value that was estimated from another version of the program, in words.
    pub estimated: Vec<Option<String>>,
    /// Difference of each result from the first that has a value; `None` for that one.
    pub differences: Vec<Option<Difference>>,
    /// What each result lost by known causes.
    #[serde(skip)]
    pub losses: Vec<Vec<Loss>>,
    /// True for the main figures of a workload.
    pub is_main: bool,
}

impl Line {
    /// Name of the figure with its core types: `7-zip, one CPU (Cortex-A53)`.
    pub fn name(&self) -> String {
        if self.cores.is_empty() { self.title.clone() } else { format!("{} ({})", self.title, self.cores.join(" | ")) }
    }

    /// Core types of the values, without CPUs; `None` for figures of all CPUs.
    pub(crate) fn core_types(&self) -> Option<String> {
        let mut types: Vec<&str> = self.cores.iter().filter_map(|core| core.split(" on CPU").next()).collect();
        types.dedup();
        (!types.is_empty()).then(|| types.join(" | "))
    }

    /// Name of the figure in a sentence; of more than two core types without them.
    pub(crate) fn words(&self) -> String {
        let headline = HEADLINES.iter().find(|headline| headline.is_of(&self.key));
        let words = headline.map_or(self.title.as_str(), |headline| headline.words);
        match self.cores.len() {
            1 | 2 => format!("{words} ({})", self.cores.join(" | ")),
            _ => words.to_owned(),
        }
    }

    /// Value of a result as text: `≈1304` if it was estimated, `-` if it is missing.
    pub fn value_words(&self, result: usize) -> String {
        let mark = if self.estimated.get(result).is_some_and(Option::is_some) { "≈" } else { "" };
        let value = self.values.get(result).copied().flatten();
        value.map_or_else(|| "-".to_owned(), |value| format!("{mark}{}", number(value, &self.unit)))
    }

    /// Speed of a result relative to the first, with the losses of both. `None` if one lacks the figure.
    pub(crate) fn sentence(&self, index: usize, letter: &str) -> Option<String> {
        let difference = self.differences.get(index)?.as_ref()?;
        let is_watts = self.key.is_power() && self.unit == "W";
        let (verb, equal) = if is_watts { ("draws", "as much as A") } else { ("is", "as fast as A") };
        let relation = if !difference.is_real {
            format!("{equal}, within the noise of runs ({:.1} %),", difference.noise_percent)
        } else if is_watts {
            format!("{} {equal}", times(1.0 + difference.change_percent / 100.0))
        } else {
            format!("{} than A", self.change_words(difference))
        };
        let figure = self.words();
        let (value, first) = (self.value_words(index), self.value_words(0));
        let lost = self.lost_words(index, letter, difference).unwrap_or_else(|| ".".to_owned());
        let cause = difference.cause.as_ref().filter(|cause| cause.id != Cause::Diagnosis || lost == ".");
        let cause = cause.map_or_else(String::new, |cause| format!(" {cause}"));
        Some(format!("{letter} {verb} {relation} in {figure} ({value} and {first} {}){lost}{cause}", self.unit))
    }

    /// `: heat took 25 % of A. Without this loss B would be 3.5x slower.`
    fn lost_words(&self, index: usize, letter: &str, difference: &Difference) -> Option<String> {
        let mut by_cause: Vec<(&str, Vec<String>)> = Vec::new();
        for (side, letter) in [(0, "A"), (index, letter)] {
            for loss in self.losses.get(side).into_iter().flatten() {
                let words = loss.cause.words();
                let part = format!("{:.0} % of {letter}", loss.percent);
                match by_cause.iter_mut().find(|(known, _)| *known == words) {
                    Some((_, parts)) => parts.push(part),
                    None => by_cause.push((words, vec![part])),
                }
            }
        }
        let count: usize = by_cause.iter().map(|(_, parts)| parts.len()).total();
        let took = |(words, parts): &(&str, Vec<String>)| format!("{words} took {}", facts::lines::listed(parts));
        let losses: Vec<String> = by_cause.iter().map(took).collect();
        let kept = |side: usize| {
            let losses = self.losses.get(side).into_iter().flatten();
            losses.fold(1.0, |kept: f64, loss| kept * (1.0 - loss.percent / 100.0))
        };
        let factor = difference.factor() * kept(0) / kept(index);
        let these = if count == 1 { "this loss" } else { "these losses" };
        (count > 0 && factor.is_finite()).then(|| {
            let percent = 100.0 * (factor - 1.0).abs();
            let without = if percent <= difference.noise_percent {
                "as fast as A".to_owned()
            } else {
                relative(factor, percent, &self.key)
            };
            format!(": {}. Without {these} {letter} would be {without}.", facts::lines::listed(&losses))
        })
    }

    /// Results that have the figure, the best first.
    pub(crate) fn best_first(&self) -> Vec<usize> {
        let gain = |index: &usize| self.differences[*index].as_ref().map_or(0.0, |difference| difference.gain_percent);
        let mut order: Vec<usize> = (0..self.values.len()).filter(|index| self.values[*index].is_some()).collect();
        order.stable_sort_by(|a, b| gain(b).total_cmp(&gain(a)));
        order
    }

    /// `1.7x slower`; `within noise` for imperceptible differences.
    pub fn change_words(&self, difference: &Difference) -> String {
        if difference.is_real { difference.relation(&self.key) } else { "within noise".to_owned() }
    }
}
