//! A Record, and what several rules ask of it: computed once, when the first one asks.

use crate::view::{self, Phase, ScoreSteps};
use crate::{Figure, Finding, figures};
use record::{Record, RuleId};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A Record with the views of it. What two rules need is a field here; a view is a pure function of the Record, and
/// of other fields.
pub struct Case<'a> {
    pub(crate) record: &'a Record,
    phases: OnceCell<Vec<Phase>>,
    figures: OnceCell<Vec<Figure>>,
    scores: OnceCell<Vec<ScoreSteps>>,
    found: RefCell<BTreeMap<RuleId, Rc<[Finding]>>>,
}

impl<'a> Case<'a> {
    /// Of this Record.
    pub(crate) fn of(record: &'a Record) -> Self {
        Self {
            record,
            phases: OnceCell::new(),
            figures: OnceCell::new(),
            scores: OnceCell::new(),
            found: RefCell::default(),
        }
    }

    /// Stretches in which one workload ran.
    pub(crate) fn phases(&self) -> &[Phase] {
        self.phases.get_or_init(|| view::phases(self.record))
    }

    /// Every number that can be set next to those of others.
    pub(crate) fn figures(&self) -> &[Figure] {
        self.figures.get_or_init(|| figures(self.record))
    }

    /// What was measured, and by which steps.
    pub(crate) fn scores(&self) -> &[ScoreSteps] {
        self.scores.get_or_init(|| view::scores(self.record))
    }

    /// What a rule finds; `look` is asked once.
    pub(crate) fn found(&self, rule: RuleId, look: impl FnOnce() -> Vec<Finding>) -> Rc<[Finding]> {
        let known = self.found.borrow().get(&rule).cloned();
        known.unwrap_or_else(|| {
            let found: Rc<[Finding]> = look().into();
            self.found.borrow_mut().insert(rule, Rc::clone(&found));
            found
        })
    }
}
