//! Reference data: figures of real boards from published logs, compiled in.
//!
//! `data/reference.tsv` has one row per log with all main figures, the verdict and the source file; `cargo xtask corpus`
//! writes it. Expectations derived from it are computed on each request.

mod expected;
mod same_cpu;
mod same_soc;
mod soc;
mod table;

pub use expected::ExpectedRange;
pub use same_soc::UsualValues;
pub use soc::soc_key;
pub use table::{parse, write};

use crate::word_size::userland_bits;
use facts::figures::{Figure, FigureKey, core_name};
use facts::stats::median_absolute_deviation;
use facts::view::ScoreKey;
use facts::{Deficit, Explanation, Facts, Verdict};
use record::{Record, Source};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Source of the figures, as one sentence for page footers. `sbc-bench licences` prints the licence.
pub const SOURCE: &str =
    "Reference figures: results at github.com/ThomasKaiser/sbc-bench, © 2018 Thomas Kaiser, BSD-3-Clause.";

/// Minimum number of results for a usual value; the examined one may be among them.
const ROWS_MIN: usize = 3;
/// Minimum number of boards: all results of one board could share a defect.
const BOARDS_MIN: usize = 2;

/// Robust standard deviation: the median absolute deviation, scaled to a normal distribution.
pub(crate) fn scatter(values: &[f64]) -> Option<f64> {
    const NORMAL_SCALE: f64 = 1.4826;
    Some(NORMAL_SCALE * median_absolute_deviation(values)?)
}

/// Content of a cell without data in the log.
pub(crate) const NOTHING: &str = "-";

/// Rows of the built-in table. The lint of the tables finds a broken table; without it there is nothing to compare with.
static BUILTIN_ROWS: LazyLock<Vec<Row>> =
    LazyLock::new(|| parse(include_str!("../../../../data/reference.tsv")).unwrap_or_default());
static BUILTIN: Reference = Reference { has_builtin: true, own: Vec::new() };

/// The built-in rows.
pub(crate) fn builtin_rows() -> &'static [Row] {
    &BUILTIN_ROWS
}

/// Figures of real boards, one row for each log. All references share the built-in rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reference {
    pub(crate) has_builtin: bool,
    /// Rows besides the built-in ones.
    pub own: Vec<Row>,
}

/// One log.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Name of the source file.
    pub source: String,
    /// Name of the board.
    pub board: Option<String>,
    /// Name of the board for people, if the list of published results has a different one than the log.
    pub name: Option<String>,
    /// Name of the SoC or CPU in the log.
    pub soc: Option<String>,
    /// Key of comparison, [`soc_key`].
    pub soc_key: Option<String>,
    /// Clusters in order.
    pub cores: Vec<RowCore>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// Distribution.
    pub distribution: Option<String>,
    /// Day of the run, `2024-03-01`.
    pub date: Option<String>,
    /// Version of the program that wrote the log.
    pub version: Option<String>,
    /// Bits of a word in its programs: 32 or 64.
    pub userland_bits: Option<u32>,
    /// Verdict of the rules.
    pub verdict: Verdict,
    /// True for published results, which other users measured. Other rows may be earlier runs of the compared board, with
    /// the same defect.
    pub is_published: bool,
    /// Figures by key, one per measured cluster.
    pub figures: BTreeMap<FigureKey, Vec<RowFigure>>,
}

/// One cluster of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowCore {
    /// Number of CPUs.
    pub count: usize,
    /// Core type, if known.
    pub core_type: Option<String>,
}

/// One figure of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowFigure {
    /// Index of the cluster; `None` for figures of all CPUs.
    pub cluster: Option<usize>,
    /// Value in the unit of its key.
    pub value: f64,
    /// False if it is not comparable with others.
    pub comparable: bool,
    /// False if a cause lowered it. Other figures of the log may be sound.
    pub sound: bool,
}

impl Reference {
    /// Reference data of the program.
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// Rows of valid results.
    pub fn builtin_and(own: Vec<Row>) -> Self {
        Self { has_builtin: true, own }
    }

    /// These rows alone.
    pub fn of(own: Vec<Row>) -> Self {
        Self { has_builtin: false, own }
    }

    /// All rows, the built-in ones first.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        let builtin = if self.has_builtin { builtin_rows() } else { &[] };
        builtin.iter().chain(&self.own)
    }

    /// Rows with undisturbed results.
    pub fn valid_rows(&self) -> impl Iterator<Item = &Row> {
        let is_valid = |row: &&Row| row.verdict == Verdict::Valid;
        self.rows().filter(is_valid)
    }
}

impl Row {
    /// Row of a result.
    pub fn of(facts: &Facts<'_>, explained: &Explanation, source: &str) -> Self {
        let machine = &facts.machine;
        let text = |fact: &record::Fact<String>| fact.known().map(|text| facts::plain(text));
        let soc = text(facts.soc());
        let cores = machine.clusters.iter().map(|cluster| RowCore {
            count: cluster.cpus.len(),
            core_type: cluster.cpus.first().and_then(|cpu| core_name(facts, *cpu)),
        });
        let mut figures: BTreeMap<FigureKey, Vec<RowFigure>> = BTreeMap::new();
        let all = facts.figures();
        for figure in all.iter().filter(|figure| figure.is_main) {
            let known = figures.entry(figure.key.clone()).or_default();
            add(known, figure, is_sound(facts, explained, figure));
            if let Some((key, best)) = same_cpu::best_run(facts, figure) {
                figures.insert(key, vec![best]);
            }
        }
        Self {
            source: source.to_owned(),
            board: text(&machine.board).filter(|board| !board.is_empty()),
            soc_key: soc.as_deref().map(soc_key),
            soc,
            cores: cores.collect(),
            kernel: text(&machine.kernel_release),
            distribution: text(&machine.distribution),
            date: facts.run.started.known().and_then(|utc_ms| day(*utc_ms)),
            version: match &facts.source {
                Source::Log(log) => Some(log.version.clone()).filter(|text| !text.is_empty()),
                Source::Run { version, .. } => Some(version.clone()),
            },
            // A row without figures is not a reference.
            verdict: if all.is_empty() { Verdict::Invalid } else { explained.verdict },
            userland_bits: userland_bits(machine),
            name: None,
            is_published: false,
            figures,
        }
    }

    /// Figure of one cluster, or of all CPUs.
    pub fn figure(&self, key: &FigureKey, cluster: Option<usize>) -> Option<&RowFigure> {
        let mut figures = self.figures.get(key)?.iter();
        figures.find(|figure| figure.cluster == cluster)
    }

    /// True for two readings of one result, one of which may be incomplete.
    pub fn is_same_result(&self, other: &Self) -> bool {
        // Most rows differ here, which costs less than a lookup of each figure.
        if self.origin() != other.origin() && self.figures != other.figures {
            return false;
        }
        let both = |(key, own)| Some((own, other.figures.get(key)?));
        let mut common = self.figures.iter().filter_map(both).peekable();
        let is_equal = |(own, other): (&Vec<RowFigure>, &Vec<RowFigure>)| {
            own.iter().map(|figure| figure.value).eq(other.iter().map(|figure| figure.value))
        };
        common.peek().is_some() && common.all(is_equal)
    }

    fn origin(&self) -> [Option<&str>; 4] {
        [self.date.as_deref(), self.version.as_deref(), self.kernel.as_deref(), self.board.as_deref()]
    }

    /// Core type behind a figure.
    pub fn core_type(&self, figure: &RowFigure) -> Option<&str> {
        self.cores.get(figure.cluster?)?.core_type.as_deref()
    }
}

/// True for a figure that no known cause lowered: by the verdict of its score (for clocks, of all main scores), and by known
/// causes of a deficit relative to similar boards.
pub fn is_sound(record: &Record, explained: &Explanation, figure: &Figure) -> bool {
    let score = record.steps.get(figure.step).map(ScoreKey::of);
    let own = explained.scores.iter().find(|known| Some(&known.score) == score.as_ref());
    let of_main = || explained.scores.iter().filter(|known| known.is_main).map(|known| known.verdict).max();
    let verdict = own.map(|known| known.verdict).or_else(of_main).unwrap_or(explained.verdict);
    let place = (figure.step, figure.core.as_ref().map(|core| core.cluster));
    let is_low = |deficit: &Deficit| deficit.cause.is_some() && deficit.figures.contains(&place);
    verdict <= Verdict::Unproven && !explained.deficit.as_ref().is_some_and(is_low)
}

/// Adds a value for its cluster, replacing one that is not comparable.
fn add(known: &mut Vec<RowFigure>, figure: &Figure, sound: bool) {
    let new = RowFigure {
        cluster: figure.core.as_ref().map(|core| core.cluster),
        value: figure.value,
        comparable: figure.not_comparable.is_none(),
        sound,
    };
    match known.iter_mut().find(|old| old.cluster == new.cluster) {
        Some(old) if new.comparable && !old.comparable => *old = new,
        Some(_) => {}
        None => known.push(new),
    }
}

/// `2024-03-01` in UTC.
pub(crate) fn day(utc_ms: i64) -> Option<String> {
    facts::utc(utc_ms, "%Y-%m-%d")
}
