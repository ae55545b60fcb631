//! Row types of the tables: a rule with its text, its check, and the reports that show it; a report; a plot;
//! an answer to a question.

use compare::reference::Reference;
use facts::{Explanation, Facts, Finding};
use record::{QuestionId, RuleId, WorkBound};
use std::sync::Arc;

/// A check over a Record.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Kebab-case name, unique.
    pub id: RuleId,
    /// One sentence that describes the condition the rule detects.
    pub about: &'static str,
    /// Thresholds of the loads whose phases it checks; empty for a rule that checks the Record as a whole.
    pub loads: &'static [WorkBound],
    /// Check function.
    pub check: Check,
    /// Subjects whose reports show its findings.
    pub subjects: &'static [Subject],
    /// Role of its findings in reports.
    pub role: Role,
    /// Component that a harmful finding reports as throttled.
    pub throttles: ThrottledPart,
    /// Applies to a run, a machine at rest, or both.
    pub when: Precondition,
}

/// The check of a rule: a pure function of the facts of a Record.
pub type Check = fn(&Facts<'_>) -> Vec<Finding>;

/// Subject of a report on a part of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Clocks.
    Clock,
    /// Latency and bandwidth of memory.
    Memory,
    /// Latency between CPUs.
    CoreToCore,
    /// Disks, cards, buses, memory modules and power supply.
    Storage,
}

/// Role of a finding in reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Cause of lower or invalid scores; shown if it is harmful.
    Cause,
    /// Answer to the question of the run.
    Answer,
    /// Worth showing if nothing went wrong.
    GoodNews,
    /// Missing measurement; sorted before all causes of the same severity.
    Gap,
}

/// Component that a harmful finding reports as throttled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThrottledPart {
    /// No effect.
    No,
    /// CPUs: the reported clock was not sustained.
    Clock,
    /// CPUs, because of heat: the reported clock was not sustained.
    ClockByHeat,
    /// Memory.
    Memory,
}

impl ThrottledPart {
    /// True if the reported clock was not sustained.
    pub fn is_of_the_clock(self) -> bool {
        matches!(self, Self::Clock | Self::ClockByHeat)
    }
}

/// Input that a rule applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precondition {
    /// A run.
    Run,
    /// A machine at rest, as inspected.
    Rest,
    /// Either.
    Both,
}

impl Rule {
    /// Rule on runs, with the values of most rules. `data/relations.tsv` describes it; that of a question describes itself.
    pub(crate) const fn new(id: RuleId, check: Check) -> Self {
        Self {
            id,
            about: "",
            loads: &[],
            check,
            subjects: &[],
            role: Role::Cause,
            throttles: ThrottledPart::No,
            when: Precondition::Run,
        }
    }

    /// Rule on a machine at rest.
    pub(crate) const fn at_rest(id: RuleId, check: Check) -> Self {
        Self { when: Precondition::Rest, ..Self::new(id, check) }
    }

    /// Rule on disks, cards, buses, memory modules or power supply of a machine at rest.
    pub(crate) const fn of_storage(id: RuleId, check: Check) -> Self {
        Self { subjects: &[Subject::Storage], ..Self::at_rest(id, check) }
    }

    /// Findings in a Record; computes them at most once for the same facts.
    pub(crate) fn found(&self, facts: &Facts<'_>) -> Arc<[Finding]> {
        facts.found(self.id, || (self.check)(facts))
    }
}

/// Output format of a Record.
#[derive(Clone, Copy)]
pub struct Report {
    /// Kebab-case name, unique.
    pub id: &'static str,
    /// One sentence that describes its purpose.
    pub about: &'static str,
    /// True for machine-readable formats, which keep full names.
    pub for_programs: bool,
    /// True for Records with the data that it needs.
    pub fits: fn(&Facts<'_>) -> bool,
    /// Function that renders it.
    pub made: Renderer,
}

/// Function that renders a report.
#[derive(Clone, Copy)]
pub enum Renderer {
    /// Renders a Record with its assessment.
    Text(fn(&Facts<'_>, &Explanation) -> String),
    /// Renders a Record with its assessment among the known results, in lines of at most this many columns.
    Lines(fn(&Facts<'_>, &Explanation, &Reference, usize) -> String),
    /// Renders a Record with the findings on one subject.
    Part(Subject, fn(&Facts<'_>, &[Finding]) -> String),
    /// Renders a plot as SVG, or nothing if the Record has no data for it.
    Plot(fn(&Facts<'_>) -> Option<String>),
}

impl Report {
    /// A report for people on all results.
    pub const fn of(render: fn(&Facts<'_>, &Explanation) -> String) -> Self {
        Self { id: "", about: "", for_programs: false, fits: |_| true, made: Renderer::Text(render) }
    }

    /// As [`Report::of`], among the known results and in lines for a terminal.
    pub const fn lines(render: fn(&Facts<'_>, &Explanation, &Reference, usize) -> String) -> Self {
        Self { id: "", about: "", for_programs: false, fits: |_| true, made: Renderer::Lines(render) }
    }

    /// True if the Record has data for this report.
    pub fn is_of(&self, facts: &Facts<'_>) -> bool {
        match self.made {
            Renderer::Plot(draw) => draw(facts).is_some(),
            Renderer::Text(_) | Renderer::Lines(_) | Renderer::Part(..) => (self.fits)(facts),
        }
    }

    /// A report for people on one subject.
    pub const fn part(subject: Subject, render: fn(&Facts<'_>, &[Finding]) -> String) -> Self {
        Self { id: "", about: "", for_programs: false, fits: |_| true, made: Renderer::Part(subject, render) }
    }
}

/// A plot, which is also available as a report.
#[derive(Clone, Copy)]
pub struct Plot {
    /// Kebab-case name, unique, same as its report: `plot-thermal`.
    pub id: &'static str,
    /// One sentence that describes its content.
    pub about: &'static str,
    /// Renders the plot, if the Record has data for it.
    pub draw: fn(&Facts<'_>) -> Option<String>,
}

impl Plot {
    /// Base name of its files: `thermal`.
    pub fn name(&self) -> &'static str {
        self.id.strip_prefix("plot-").unwrap_or(self.id)
    }

    /// The plot as a report.
    pub fn report(&self) -> Report {
        Report { id: self.id, about: self.about, for_programs: false, fits: |_| true, made: Renderer::Plot(self.draw) }
    }
}

/// Presentation of a question's result; `bench` has the question of the same id.
#[derive(Clone)]
pub struct Answer {
    /// The question.
    pub id: QuestionId,
    /// Section in the reports `text` and `log`; empty if the Record has no result.
    pub text: fn(&Facts<'_>) -> String,
    /// Reports on this question alone.
    pub reports: &'static [Report],
    /// Its plots.
    pub plots: &'static [Plot],
    /// Rules that check its result.
    pub rules: &'static [Rule],
}

impl Answer {
    /// Section of questions without one: always empty.
    pub const NO_TEXT: fn(&Facts<'_>) -> String = |_| String::new();

    /// Answer to a question that the general reports cover.
    pub const fn plain(id: QuestionId) -> Self {
        Self { id, text: Self::NO_TEXT, reports: &[], plots: &[], rules: &[] }
    }
}
