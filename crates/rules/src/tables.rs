//! What the rows of tables are: a rule with its words, its check, and where its findings count; a report; a plot;
//! an answer to a question.

use facts::plot::Picture;
use facts::{Explanation, Facts, Finding};
use record::{Bound, QuestionId, Record, RuleId};
use std::rc::Rc;

/// A check over a Record.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Kebab-case name, unique.
    pub id: RuleId,
    /// One sentence on what it looks for.
    pub about: &'static str,
    /// Where to read more.
    pub link: &'static str,
    /// Limits of the loads whose phases it judges; empty for a rule that judges the Record as a whole.
    pub loads: &'static [Bound],
    /// The check itself.
    pub check: Check,
    /// Reports of one subject that show its findings.
    pub subjects: &'static [Subject],
    /// What reports make of its findings.
    pub role: Role,
    /// What a harmful finding of it says was throttled.
    pub throttles: Throttles,
    /// Whether it judges a run, a machine at rest, or both.
    pub when: When,
}

/// The check of a rule: a pure function of the facts of a Record.
pub type Check = fn(&Facts<'_>) -> Vec<Finding>;

/// What a report of a part of the results is about.
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

/// What a finding is to the reader of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A cause of lower or invalid scores; told if it harms.
    Cause,
    /// The answer to the question that the run was made for.
    Answer,
    /// What is worth telling when nothing went wrong.
    GoodNews,
    /// Something that was not measured, which comes before all causes that are as bad.
    Gap,
}

/// What a harmful finding says was throttled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Throttles {
    /// Nothing.
    No,
    /// CPUs, so that the clock shown was not held.
    Clock,
    /// The same, because of heat.
    ClockByHeat,
    /// Memory.
    Memory,
}

impl Throttles {
    /// True if the clock shown was not held.
    pub fn is_of_the_clock(self) -> bool {
        matches!(self, Self::Clock | Self::ClockByHeat)
    }
}

/// What a rule is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// A run.
    Run,
    /// A machine at rest: what a look over it found.
    Rest,
    /// Either.
    Both,
}

impl Rule {
    /// What most rules are. Id, words, link and check are each rule's own.
    pub const PLAIN: Self = Self {
        id: RuleId::own(""),
        about: "",
        link: "",
        loads: &[],
        check: |_| Vec::new(),
        subjects: &[],
        role: Role::Cause,
        throttles: Throttles::No,
        when: When::Run,
    };

    /// Findings in a Record.
    pub fn findings(&self, record: &Record) -> Vec<Finding> {
        (self.check)(&Facts::of(record))
    }

    /// Findings in a Record; its check is called once for the same facts.
    pub(crate) fn found(&self, facts: &Facts<'_>) -> Rc<[Finding]> {
        facts.found(self.id, || (self.check)(facts))
    }
}

/// A way to write a Record.
#[derive(Clone, Copy)]
pub struct Report {
    /// Kebab-case name, unique.
    pub id: &'static str,
    /// One sentence on what it is for.
    pub about: &'static str,
    /// True if programs read it, so that names in it are whole.
    pub for_programs: bool,
    /// True of Records that have what it tells of; of a plot, those that it can draw.
    pub fits: fn(&Record) -> bool,
    /// What makes it.
    pub made: Made,
}

/// What makes a report.
#[derive(Clone, Copy)]
pub enum Made {
    /// A text of a Record and what is to be said of it.
    Text(fn(&Record, &Explanation) -> String),
    /// A text of a Record and the findings about one subject.
    Part(Subject, fn(&Record, &[Finding]) -> String),
    /// A plot as SVG; no text of a Record that has nothing to draw.
    Plot(fn(&Record) -> Option<Picture>),
}

impl Report {
    /// A report for people on everything. Id and words are each report's own.
    pub const fn of(render: fn(&Record, &Explanation) -> String) -> Self {
        Self { id: "", about: "", for_programs: false, fits: |_| true, made: Made::Text(render) }
    }

    /// True if it has something to tell of this Record.
    pub fn is_of(&self, record: &Record) -> bool {
        match self.made {
            Made::Plot(draw) => draw(record).is_some(),
            Made::Text(_) | Made::Part(..) => (self.fits)(record),
        }
    }

    /// A report for people on one subject. Id and words are each report's own.
    pub const fn part(subject: Subject, render: fn(&Record, &[Finding]) -> String) -> Self {
        Self { id: "", about: "", for_programs: false, fits: |_| true, made: Made::Part(subject, render) }
    }
}

/// One plot, which is a report as well.
#[derive(Clone, Copy)]
pub struct Plot {
    /// Kebab-case name, unique, that of its report: `plot-thermal`.
    pub id: &'static str,
    /// One sentence on what it shows.
    pub about: &'static str,
    /// The plot, if the Record has it.
    pub draw: fn(&Record) -> Option<Picture>,
}

impl Plot {
    /// What its files are called: `thermal`.
    pub fn name(&self) -> &'static str {
        self.id.strip_prefix("plot-").unwrap_or(self.id)
    }

    /// It as a report.
    pub fn report(&self) -> Report {
        Report { id: self.id, about: self.about, for_programs: false, fits: |_| true, made: Made::Plot(self.draw) }
    }
}

/// What is told of a question: the twin of what `bench` asks.
#[derive(Clone)]
pub struct Answer {
    /// The question.
    pub id: QuestionId,
    /// Its section of the reports `text` and `log`; empty where the Record has none.
    pub text: fn(&Record) -> String,
    /// Reports of it alone.
    pub reports: &'static [Report],
    /// Its plots.
    pub plots: &'static [Plot],
    /// Rules that judge its result.
    pub rules: &'static [Rule],
}

impl Answer {
    /// The text of questions that have no section of their own.
    pub const NO_TEXT: fn(&Record) -> String = |_| String::new();

    /// The answer to a question of which the reports about all Records tell enough.
    pub const fn plain(id: QuestionId) -> Self {
        Self { id, text: Self::NO_TEXT, reports: &[], plots: &[], rules: &[] }
    }
}
