//! Question: score of a user's program, with the same gate, sampling and validation as built-in workloads.

use super::refusal::{StartFacts, no_place};
use super::{Attributes, OwnProgram, PlanInput, Question, Task};
use crate::plan::stage::{Stage, between_clocks, repeated};
use record::{Mode, QuestionId};
use workloads::job::Job;
use workloads::job::definition::Definition;
use workloads::job::pinning::places;

/// A user's program.
#[derive(Debug, Clone, PartialEq)]
pub struct Program(pub Definition);

pub(super) static QUESTION: Question = Question {
    id: QuestionId::Program,
    mode: Mode::Command,
    asked_by: "run -- CMD",
    about: "What does a command score, and what limits it?",
};

impl Task for Program {
    fn question(&self) -> &'static Question {
        &QUESTION
    }

    fn attributes(&self) -> Attributes {
        Attributes { asks_for_tools: false, own_program: OwnProgram::Measured, ..Attributes::default() }
    }

    fn stages(&self, planning: &PlanInput) -> Vec<Stage> {
        let definition = &self.0;
        let places = places(planning.machine, &definition.pinning).into_iter();
        let jobs = places.map(|cpus| Job::of_program(definition, cpus));
        between_clocks(jobs.flat_map(|job| repeated(job, definition.repeat)))
    }

    fn refusal(&self, asked: &StartFacts) -> Option<String> {
        let no_place = || no_place(asked, [&self.0.pinning]);
        self.0.missing_program(asked.options.user.as_deref()).or_else(no_place)
    }

    fn definitions(&self) -> Vec<&Definition> {
        vec![&self.0]
    }
}
