//! The answer to a thermal test: its plot and its rule. Its result is in `thermal`, as figures have it too.

mod plot;
mod rule;

use crate::tables::Answer;
use facts::thermal::text;
use record::QuestionId;

/// The answer to it.
pub(super) const ANSWER: Answer =
    Answer { id: QuestionId::Thermal, text, reports: &[], plots: &[plot::PLOT], rules: &[rule::RULE] };
