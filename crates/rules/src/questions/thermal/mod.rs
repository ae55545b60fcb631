//! Presentation of a thermal test: plot and rule. `facts::thermal` has the result.

mod plot;
mod rule;

use crate::tables::Answer;
use facts::thermal::text;
use record::QuestionId;

/// The answer to it.
pub(super) const ANSWER: Answer =
    Answer { id: QuestionId::Thermal, text, reports: &[], plots: &[plot::PLOT], rules: &[rule::RULE] };
