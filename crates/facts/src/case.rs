//! A Record, and what several rules ask of it: computed once, when the first one asks.

use crate::figures::equivalent::in_known_methods;
use crate::view::{self, ClockFall, DoubtedColumn, LoadClock, Phase, ScoreSteps};
use crate::{Figure, Finding, figures, soc};
use record::{Fact, Record, RuleId};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A Record with the views of it. What two rules need is a field here; a view is a pure function of the Record, and
/// of other fields.
pub struct Case<'a> {
    /// The Record itself.
    pub record: &'a Record,
    phases: OnceCell<Vec<Phase>>,
    figures: OnceCell<Vec<Figure>>,
    known_figures: OnceCell<Vec<Figure>>,
    scores: OnceCell<Vec<ScoreSteps>>,
    doubted_columns: OnceCell<Vec<DoubtedColumn>>,
    clock_falls: OnceCell<Vec<ClockFall>>,
    load_clocks: OnceCell<Vec<LoadClock>>,
    soc: OnceCell<Fact<String>>,
    found: RefCell<BTreeMap<RuleId, Rc<[Finding]>>>,
}

impl<'a> Case<'a> {
    /// Of this Record.
    pub fn of(record: &'a Record) -> Self {
        Self {
            record,
            phases: OnceCell::new(),
            figures: OnceCell::new(),
            known_figures: OnceCell::new(),
            scores: OnceCell::new(),
            doubted_columns: OnceCell::new(),
            clock_falls: OnceCell::new(),
            load_clocks: OnceCell::new(),
            soc: OnceCell::new(),
            found: RefCell::default(),
        }
    }

    /// Stretches in which one workload ran.
    pub fn phases(&self) -> &[Phase] {
        self.phases.get_or_init(|| view::phases(self.record))
    }

    /// Every number that can be set next to those of others.
    pub fn figures(&self) -> &[Figure] {
        self.figures.get_or_init(|| figures(self.record))
    }

    /// The same in the methods of the known results, as far as that is possible.
    pub fn known_figures(&self) -> &[Figure] {
        self.known_figures.get_or_init(|| in_known_methods(self.record, self.figures()))
    }

    /// What was measured, and by which steps.
    pub fn scores(&self) -> &[ScoreSteps] {
        self.scores.get_or_init(|| view::scores(self.record))
    }

    /// Columns of claimed clocks that cannot be believed.
    pub fn doubted_columns(&self) -> &[DoubtedColumn] {
        self.doubted_columns.get_or_init(|| view::doubted_columns(self.record))
    }

    /// Falls of claimed clocks under full load.
    pub fn clock_falls(&self) -> &[ClockFall] {
        self.clock_falls.get_or_init(|| view::clock_falls(self.record, self.phases(), self.doubted_columns()))
    }

    /// The clocks that were read all over the run and can be believed.
    pub fn load_clocks(&self) -> &[LoadClock] {
        self.load_clocks.get_or_init(|| view::load_clocks(self.record, self.phases(), self.doubted_columns()))
    }

    /// The name of the SoC.
    pub fn soc(&self) -> &Fact<String> {
        self.soc.get_or_init(|| soc::name(&self.record.machine))
    }

    /// What a rule finds; `look` is asked once.
    pub fn found(&self, rule: RuleId, look: impl FnOnce() -> Vec<Finding>) -> Rc<[Finding]> {
        let known = self.found.borrow().get(&rule).cloned();
        known.unwrap_or_else(|| {
            let found: Rc<[Finding]> = look().into();
            self.found.borrow_mut().insert(rule, Rc::clone(&found));
            found
        })
    }
}
