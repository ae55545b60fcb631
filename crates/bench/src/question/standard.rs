//! Question: the standard benchmark.

use super::refusal::{StartFacts, misnamed};
use super::{Attributes, PlanInput, Question, Task};
use crate::plan::load::Load;
use crate::plan::options::Options;
use crate::plan::stage::{Stage, between_clocks};
use crate::plan::standard;
use record::{Mode, QuestionId, WorkloadId};

/// The standard benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standard;

pub(super) static QUESTION: Question = Question {
    id: QuestionId::Standard,
    mode: Mode::Standard,
    asked_by: "run",
    about: "What does the machine score, and why?",
};

impl Task for Standard {
    fn question(&self) -> &'static Question {
        &QUESTION
    }

    fn mode(&self, options: &Options) -> Mode {
        if options.extensive { Mode::Extensive } else { QUESTION.mode.clone() }
    }

    fn attributes(&self) -> Attributes {
        Attributes { replaces_programs: true, ..Attributes::default() }
    }

    fn refusal(&self, asked: &StartFacts) -> Option<String> {
        misnamed(asked, WorkloadId::SevenZip)
    }

    fn stages(&self, planning: &PlanInput) -> Vec<Stage> {
        let PlanInput { machine, options, available, .. } = *planning;
        let jobs = standard::jobs(machine, options, available);
        let mut stages: Vec<Stage> = jobs.into_iter().map(Stage::Job).collect();
        if options.scores && (options.stockfish || options.extensive) {
            stages.extend(Load::usual(WorkloadId::Stockfish).stages(machine));
        }
        between_clocks(stages)
    }
}
