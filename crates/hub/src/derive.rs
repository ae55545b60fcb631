//! Derives names, figures, verdict and headline from an original. A pure function of bytes, so that better rules
//! improve old results.

use crate::names::Kind;
use crate::sorts::SORTS;
use compare::reference::Row as Reference;
use compare::trend;
use explain::Narrative;
use explain::results::Row;
use facts::Figure;
use logs::any_file;
use record::{Record, Source};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Maximum number of sample values read of a recording; a few bytes can encode a row of hundreds.
const VALUES_MAX: usize = 4 << 20;

/// Data that the database stores with the original of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultSummary {
    /// Mode of the run, or `log`.
    pub kind: String,
    /// Board and cores, or the alias.
    pub machine: String,
    pub started_utc_ms: Option<i64>,
    pub names: Vec<(Kind, String)>,
    pub core_types: Vec<String>,
    /// `valid`, `unproven`, `degraded` or `invalid`.
    pub verdict: String,
    /// Step in which the run died.
    pub died_in: Option<String>,
    /// First paragraph of the report.
    pub headline: String,
    /// Cells of the table of results.
    pub cells: Vec<String>,
    pub figures: Vec<MainFigure>,
    /// Sort keys in the order of [`SORTS`].
    pub sorted_by: [Option<f64>; SORTS.len()],
}

impl ResultSummary {
    /// Limits the start of the run to its arrival: a board with a wrong clock must not always be the latest.
    #[must_use]
    pub fn came(mut self, received_utc_ms: i64) -> Self {
        self.started_utc_ms = self.started_utc_ms.map(|started| started.min(received_utc_ms));
        self
    }
}

/// Main figure of a history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MainFigure {
    /// Key and cluster; only equal keys are compared.
    pub key: String,
    pub name: String,
    pub value: f64,
    pub unit: String,
    pub higher_is_better: bool,
}

/// Record of an original, or one sentence why it has none.
pub fn record(bytes: Vec<u8>) -> Result<Record, String> {
    let read = catch_unwind(AssertUnwindSafe(|| any_file::read(bytes, VALUES_MAX)));
    match read {
        Ok(read) => read.map_err(|why| why.to_string()),
        Err(_) => Err("the file could not be read because of a defect in this program".to_owned()),
    }
}

/// Derives data from a Record. `alias` is the sender's name of the machine. An error is one sentence: a rule panicked.
pub fn derive(record: &Record, alias: Option<&str>) -> Result<ResultSummary, String> {
    catch_unwind(AssertUnwindSafe(|| of(record, alias)))
        .map_err(|_| "the result could not be explained because of a defect in this program".to_owned())
}

fn of(record: &Record, alias: Option<&str>) -> ResultSummary {
    let explained = explain::explain(record);
    let row = Row::of(&explained, "");
    let reference = Reference::of(&explained.facts, &explained.assessment, "");
    let figures = explained.facts.figures();
    let cores: Vec<String> = reference
        .cores
        .iter()
        .map(|core| format!("{}x {}", core.count, core.core_type.as_deref().unwrap_or("unknown")))
        .collect();
    let core_types: BTreeSet<String> = reference.cores.iter().filter_map(|core| core.core_type.clone()).collect();
    let named = [
        (Kind::Board, facts::machine_name(&record.machine).map(|board| compare::NamedBoard::of(board).name)),
        (Kind::Soc, reference.soc.clone()),
        (Kind::Cores, Some(cores.join(" + ")).filter(|cores| !cores.is_empty())),
        (Kind::Kernel, reference.kernel.clone()),
        (Kind::Distribution, reference.distribution.clone()),
    ];
    let clock = row.clock_khz.map(f64::from);
    let [multi, single, aes, copy, fill, miner] = row.figures;
    ResultSummary {
        kind: match &record.source {
            Source::Log(_) => "log".to_owned(),
            Source::Run { .. } => facts::plain(record.run.mode.as_str()),
        },
        machine: facts::plain(alias.unwrap_or(&trend::machine(&explained.facts))),
        started_utc_ms: record.run.started.known().copied(),
        names: named.into_iter().filter_map(|(kind, name)| Some((kind, name?))).collect(),
        core_types: core_types.into_iter().collect(),
        verdict: row.verdict.to_string(),
        died_in: row.died_in.as_deref().map(facts::plain),
        headline: facts::harmless(&headline(&Narrative::of(&explained.facts, &explained.assessment))).into_owned(),
        cells: row.cells.iter().map(|cell| facts::plain(cell)).collect(),
        figures: figures.iter().filter(|figure| figure.is_main && figure.not_comparable.is_none()).map(main).collect(),
        sorted_by: [clock, multi, single, aes, copy, fill, miner],
    }
}

/// The verdict and the losses of each score, in sentences. The place among known boards is not one of them: it changes with
/// each later result, and only the page of a result knows those of today.
fn headline(narrative: &Narrative) -> String {
    let sentences = std::iter::once(&narrative.verdict).chain(&narrative.answers).chain(&narrative.ledgers);
    sentences.cloned().collect::<Vec<_>>().join(" ")
}

fn main(figure: &Figure) -> MainFigure {
    let cluster = figure.core.as_ref().map(|core| format!(" #{}", core.cluster)).unwrap_or_default();
    MainFigure {
        key: format!("{}{cluster}", figure.key),
        name: facts::plain(&figure.name()),
        value: figure.value,
        unit: facts::plain(&figure.unit),
        higher_is_better: figure.higher_is_better,
    }
}
