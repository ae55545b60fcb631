//! The table of answers. Each question is one file: its result as text, plots and reports, and its rules. `bench` has
//! the question of the same id.

pub mod ab;
mod clock;
mod core_to_core;
mod dram_throttling;
pub mod efficiency;
mod memory;
mod power;
mod scaling;
pub mod sensitivity;
mod thermal;

use crate::tables::{Answer, Plot};
use facts::Facts;
use facts::lines::narrowed;
use record::QuestionId;
use record::StableSort;

/// All answers, sorted by question.
pub const ANSWERS: &[Answer] = &[
    ab::ANSWER,
    clock::ANSWER,
    core_to_core::ANSWER,
    dram_throttling::ANSWER,
    efficiency::ANSWER,
    Answer::plain(QuestionId::Loads),
    memory::ANSWER,
    Answer::plain(QuestionId::Program),
    Answer::plain(QuestionId::Review),
    sensitivity::ANSWER,
    Answer::plain(QuestionId::Standard),
    thermal::ANSWER,
    Answer::plain(QuestionId::Workload),
    power::ANSWER,
    scaling::ANSWER,
];

/// Sections of all questions that a Record has answers to, in lines of at most this many columns.
pub fn texts(facts: &Facts<'_>, columns: usize) -> impl Iterator<Item = String> {
    let texts = ANSWERS.iter().map(|answer| (answer.text)(facts)).filter(|text| !text.is_empty());
    texts.map(move |text| narrowed(&text, columns))
}

/// All plots, sorted by id.
pub fn all_plots() -> Vec<Plot> {
    let mut plots: Vec<Plot> = ANSWERS.iter().flat_map(|answer| answer.plots).copied().collect();
    plots.stable_sort_by_key(|plot| plot.id);
    plots
}

/// All plots of a Record with their names, sorted by name.
pub fn plots(facts: &Facts<'_>) -> Vec<(&'static str, String)> {
    let drawn = all_plots().into_iter();
    drawn.filter_map(|plot| Some((plot.name(), (plot.draw)(facts)?))).collect()
}

#[cfg(test)]
mod tests {
    mod plots;

    use super::*;
    use record::Mode;

    #[test]
    fn every_question_has_one_answer_and_a_run_leads_to_it() {
        assert!(ANSWERS.windows(2).all(|pair| pair[0].id < pair[1].id));
        for question in Mode::ALL.iter().filter_map(Mode::question) {
            assert!(ANSWERS.iter().any(|answer| answer.id == question), "{question:?} has no answer");
        }
    }

    #[test]
    fn plots_are_called_by_what_they_show() {
        let plots = all_plots();
        assert!(plots.windows(2).all(|pair| pair[0].id < pair[1].id));
        for plot in plots {
            assert!(plot.id.starts_with("plot-"), "{}", plot.id);
            assert!(plot.about.ends_with("as SVG."), "{}", plot.id);
        }
    }
}
