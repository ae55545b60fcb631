//! Facts of one Record: every view of it, computed at most once, on first use.
//!
//! A run makes one Record; a Record becomes `Facts` once. Rules, answers, comparisons and reports take `&Facts`.

use crate::figures::equivalent::in_known_methods;
use crate::view::{
    self, BelowTop, ClockFall, ClusterClock, Cooling, CpuUse, Decline, DoubtedColumn, Halves, Heat, LoadClock, Phase,
    ScoreSteps, Waited,
};
use crate::{Figure, Finding, figures, soc};
use record::{Bound, Fact, Record, RuleId, Variant, Window};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

/// Declares views: a cell of each in `Views`, and a method of `Facts` that fills it on first use.
macro_rules! views {
    ($($(#[$doc:meta])* $name:ident: $value:ty = $compute:expr;)*) => {
        #[derive(Default)]
        struct Views {
            $($name: OnceCell<$value>,)*
        }

        impl Facts<'_> {
            $($(#[$doc])*
            pub fn $name(&self) -> &$value {
                let compute: fn(&Self) -> $value = $compute;
                self.views.$name.get_or_init(|| compute(self))
            })*
        }
    };
}

/// Declares views with one argument: a table of each in `ViewsOf`, and a method of `Facts` that computes a value once
/// for each argument.
macro_rules! views_of {
    ($($(#[$doc:meta])* $name:ident($argument:ty): $value:ty = $compute:expr;)*) => {
        #[derive(Default)]
        struct ViewsOf {
            $($name: RefCell<Vec<($argument, $value)>>,)*
        }

        impl Facts<'_> {
            $($(#[$doc])*
            pub fn $name(&self, argument: &$argument) -> $value {
                let known = self.views_of.$name.borrow().iter().find(|(key, _)| key == argument).cloned();
                known.map_or_else(
                    || {
                        let compute: fn(&Self, &$argument) -> $value = $compute;
                        let value = compute(self, argument);
                        self.views_of.$name.borrow_mut().push((argument.clone(), value.clone()));
                        value
                    },
                    |(_, value)| value,
                )
            })*
        }
    };
}

/// A Record with its views. It dereferences to the Record.
pub struct Facts<'a> {
    /// The Record.
    pub record: &'a Record,
    views: Views,
    views_of: ViewsOf,
    found: RefCell<BTreeMap<RuleId, Rc<[Finding]>>>,
}

impl<'a> Facts<'a> {
    /// Facts of this Record; nothing is computed yet.
    pub fn of(record: &'a Record) -> Self {
        Self { record, views: Views::default(), views_of: ViewsOf::default(), found: RefCell::default() }
    }

    /// Findings of a rule; `check` is called once.
    pub fn found(&self, rule: RuleId, check: impl FnOnce() -> Vec<Finding>) -> Rc<[Finding]> {
        let known = self.found.borrow().get(&rule).cloned();
        known.unwrap_or_else(|| {
            let found: Rc<[Finding]> = check().into();
            self.found.borrow_mut().insert(rule, Rc::clone(&found));
            found
        })
    }

    /// Phases of workloads that are limited by one of these. A drive is waited for by design while a drive is measured.
    pub fn phases_bound_by(&self, bounds: &[Bound]) -> Vec<Phase> {
        self.phases().iter().filter(|phase| bounds.contains(&phase.bound)).cloned().collect()
    }

    /// Temperature of the SoC at its hottest moment of the whole run; `None` without a temperature.
    pub fn heat_of_run(&self) -> Option<Heat> {
        self.heat(&view::whole_run())
    }
}

impl Deref for Facts<'_> {
    type Target = Record;

    fn deref(&self) -> &Record {
        self.record
    }
}

impl fmt::Debug for Facts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Facts").field("record", self.record).finish_non_exhaustive()
    }
}

views! {
    /// Periods in which one workload ran.
    phases: Vec<Phase> = |facts| view::phases(facts);
    /// Comparable numbers of the Record.
    figures: Vec<Figure> = |facts| figures(facts);
    /// The same figures, converted to the methods of the reference data where that is possible.
    known_figures: Vec<Figure> = |facts| in_known_methods(facts, facts.figures());
    /// Scores, and the steps that measured each.
    scores: Vec<ScoreSteps> = |facts| view::scores(facts);
    /// Columns of reported clocks that are wrong.
    doubted_columns: Vec<DoubtedColumn> = |facts| view::doubted_columns(facts);
    /// Falls of reported clocks under full load.
    clock_falls: Vec<ClockFall> = |facts| view::clock_falls(facts, facts.phases(), facts.doubted_columns());
    /// Reliable clocks, read all over the run.
    load_clocks: Vec<LoadClock> = |facts| view::load_clocks(facts, facts.phases(), facts.doubted_columns());
    /// Name of the SoC.
    soc: Fact<String> = |facts| soc::name(&facts.machine);
    /// Scores that fell while they were measured.
    declines: Vec<Decline> = |facts| view::declines(facts);
    /// Steps of which the halves differ.
    halves: Vec<Halves> = |facts| view::halves(facts);
    /// Cooling devices that lowered limits of policies.
    limits_lowered: Vec<Cooling> = |facts| view::limits_lowered(facts);
    /// Limits of policies that other programs lowered.
    limits_lowered_by_programs: Vec<Cooling> = |facts| view::limits_lowered_by_programs(facts);
    /// Cooling devices that acted.
    raised_cooling: Vec<Cooling> = |facts| view::raised_cooling(facts);
    /// Policies that spent time below their highest OPP under load.
    residency_below_top: Vec<BelowTop> = |facts| view::residency_below_top(facts);
    /// Workloads that waited for memory; `None` if none did.
    waited_for_memory: Option<Waited> = |facts| view::waited_for_memory(facts);
    /// Totals of 7-zip on all CPUs, each with its step.
    multi_totals: Vec<(usize, f64)> = |facts| view::multi_totals(facts);
}

views_of! {
    /// Hottest moment of the SoC within a window.
    heat(Window): Option<Heat> = |facts, window| view::heat(facts, *window);
    /// Use of the CPUs within a window.
    cpu_use(Window): Vec<CpuUse> = |facts, window| view::cpu_use(facts, *window);
    /// Steady clocks of clusters in passes of a variant.
    cluster_clocks(Variant): Vec<ClusterClock> = |facts, variant| view::cluster_clocks(facts, variant);
    /// Clocks of clusters in passes of a variant.
    all_cluster_clocks(Variant): Vec<ClusterClock> = |facts, variant| view::all_cluster_clocks(facts, variant);
}
