//! Reference data: figures of real boards, made from published logs and compiled in.
//!
//! `data/reference.tsv` holds one row for each log with every main figure, the verdict of the
//! rules over it and the file it comes from; `cargo xtask corpus` makes it. Everything else about
//! it (which rows fit a board, what a score should be) is decided here, each time it is asked.

mod expected;
mod same_cpu;
mod same_soc;
mod soc;
mod table;

pub use expected::Expected;
pub use same_soc::Usual;
pub use soc::soc_key;
pub use table::{parse, write};

use facts::figures::{Figure, FigureKey, core_name, verdict_of};
use facts::view::ScoreKey;
use facts::{Deficit, Explanation, Facts, Verdict};
use record::{Record, Source};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Source of the figures, as one sentence for page footers. `sbc-bench licences` prints the licence.
pub const SOURCE: &str =
    "Reference figures: results at github.com/ThomasKaiser/sbc-bench, © 2018 Thomas Kaiser, BSD-3-Clause.";

/// Content of a cell without data in the log.
pub(crate) const NOTHING: &str = "-";

/// Rows of the built-in table. The lint of the tables finds a broken table; without it there is nothing to compare with.
static BUILTIN_ROWS: LazyLock<Vec<Row>> =
    LazyLock::new(|| parse(include_str!("../../../../data/reference.tsv")).unwrap_or_default());
static BUILTIN: Reference = Reference { has_builtin: true, own: Vec::new() };

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
    /// Name of the file it comes from.
    pub source: String,
    /// Name of the board.
    pub board: Option<String>,
    /// Name of the board for people, if the list of published results has another one than the log.
    pub name: Option<String>,
    /// Name of the SoC or CPU as the log tells it.
    pub soc: Option<String>,
    /// Key of comparison, [`soc_key`].
    pub soc_key: Option<String>,
    /// Clusters in their order.
    pub cores: Vec<RowCore>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// Distribution.
    pub distribution: Option<String>,
    /// Day of the run, `2024-03-01`.
    pub date: Option<String>,
    /// Version of the program that wrote the log.
    pub version: Option<String>,
    /// Verdict of the rules.
    pub verdict: Verdict,
    /// True for a row of a table of published results: measured by other users. Any other may be an earlier run of
    /// the very board that is compared, with the same defect.
    pub is_published: bool,
    /// Figures by key, one for each cluster that was measured.
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
    /// Index of the cluster; none for what all CPUs did together.
    pub cluster: Option<usize>,
    /// The value, in the unit that the key has everywhere.
    pub value: f64,
    /// False if it must not be compared with others.
    pub comparable: bool,
    /// False if something lowered it, so that it does not say what the machine can do. What did so to one score
    /// leaves others of the same log what they are.
    pub sound: bool,
}

impl Reference {
    /// The built-in rows.
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// The built-in rows and these.
    pub fn builtin_and(own: Vec<Row>) -> Self {
        Self { has_builtin: true, own }
    }

    /// These rows alone.
    pub fn of(own: Vec<Row>) -> Self {
        Self { has_builtin: false, own }
    }

    /// All rows, the built-in ones first.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        let builtin = if self.has_builtin { BUILTIN_ROWS.as_slice() } else { &[] };
        builtin.iter().chain(&self.own)
    }

    /// Rows whose results say what the machine can do.
    pub fn valid_rows(&self) -> impl Iterator<Item = &Row> {
        let is_valid = |row: &&Row| row.verdict == Verdict::Valid;
        self.rows().filter(is_valid)
    }
}

impl Row {
    /// The row of a Record of which this is to be said.
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
            verdict: verdict_of(all, explained.verdict),
            name: None,
            is_published: false,
            figures,
        }
    }

    /// The figure of one cluster, or of all CPUs.
    pub fn figure(&self, key: &FigureKey, cluster: Option<usize>) -> Option<&RowFigure> {
        let mut figures = self.figures.get(key)?.iter();
        figures.find(|figure| figure.cluster == cluster)
    }

    /// Whether two rows are readings of one result, of which one may lack parts.
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

/// By the verdict of its score, and clocks by that of all main scores; what is below similar boards for a known reason is
/// not sound either.
pub fn is_sound(record: &Record, explained: &Explanation, figure: &Figure) -> bool {
    let score = record.steps.get(figure.step).map(ScoreKey::of);
    let own = explained.scores.iter().find(|known| Some(&known.score) == score.as_ref());
    let of_main = || explained.scores.iter().filter(|known| known.is_main).map(|known| known.verdict).max();
    let verdict = own.map(|known| known.verdict).or_else(of_main).unwrap_or(explained.verdict);
    let place = (figure.step, figure.core.as_ref().map(|core| core.cluster));
    let is_low = |deficit: &Deficit| deficit.cause.is_some() && deficit.figures.contains(&place);
    verdict <= Verdict::Unproven && !explained.deficit.as_ref().is_some_and(is_low)
}

/// One value for each cluster, of two the comparable one.
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
