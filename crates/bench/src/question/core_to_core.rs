//! Question: latency of data between each pair of CPUs.

use super::{PlainVerb, Question};
use crate::plan::standard::core_to_core;
use record::{Mode, QuestionId};

pub(super) static QUESTION: Question = Question {
    id: QuestionId::CoreToCore,
    mode: Mode::CoreToCore,
    asked_by: "core-to-core",
    about: "How long does a cache line take from one CPU to another?",
};

pub(super) static VERB: PlainVerb = PlainVerb {
    question: &QUESTION,
    help: "Measure core-to-core latency and show clusters",
    more: "Half of the round trip of a cache line between every two CPUs, and the groups that show in it.",
    jobs: |machine, cpus| vec![core_to_core(machine, cpus)],
    between_two: Some("the latency between them"),
    is_watched: false,
};
