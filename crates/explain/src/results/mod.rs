//! Tables of many results, in the columns that lists of results have used for years.
//!
//! Every row carries the verdict of the rules: a score quoted from such a table
//! must not lose it. Names of boards, kernels and distributions are foreign text and are escaped
//! for each format.

mod entry;
mod filter;
mod formats;
pub mod summary;
mod text;

use crate::document::Results;
use facts::figures::Figure;
use facts::figures::equivalent::version_of;
use facts::figures::main::{
    cipher_kb_per_s, comparable, memory_mb_per_s, series_median, sevenzip_multi_mips, sevenzip_single_mips, tens,
};
use facts::{Explained, Facts, Verdict, view};
use record::StableSort;
use record::{MemoryOperation, Variant, WorkloadId};
use rules::system_time::is_of_engine;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use summary::columns;

pub use entry::{Entry, EntryFigure};
pub use filter::Filter;
pub use formats::{FORMATS, Format, notes};

/// Headings of the columns; the verdict and the file follow.
pub const COLUMNS: [&str; 10] = [
    "Device / details",
    "Clockspeed",
    "Kernel",
    "Distro",
    "7-zip multi",
    "7-zip single",
    "AES",
    "memcpy",
    "memset",
    "kH/s",
];
/// Index of the AES cell.
const AES: usize = 6;

/// One result in a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Source file.
    pub file: String,
    /// Cells for people, `-` for unmeasured values.
    pub cells: [String; 10],
    /// The figures behind the last six cells, not rounded: MIPS, MIPS, kB/s, MB/s, MB/s, kH/s.
    pub figures: [Option<f64>; 6],
    /// The highest measured clock in kHz.
    pub clock_khz: Option<u32>,
    /// SoC, if identified.
    pub soc: Option<String>,
    /// The day on which it was measured, where it was measured: `2026-11-23`.
    pub day: Option<String>,
    /// The highest temperature of the SoC in thousandths of a degree.
    pub millicelsius_max: Option<i64>,
    /// The highest power.
    pub power_max: Option<Power>,
    /// The verdict of the rules.
    pub verdict: Verdict,
    /// The step in which the run died, if it did.
    pub died_in: Option<String>,
    /// The steps in which it died and went on, one for each time.
    pub resumed_after: Vec<String>,
    /// What programs get: the main results as `--json` of one result has them. A cell that opens with `~` cannot be
    /// compared with the others of its column: another version of 7-zip, fewer dictionaries, several threads on one
    /// core, AES that an engine computed.
    pub(crate) results: Results,
    /// How the two scores were estimated where another version of 7-zip ran, in words; cells and figures are the estimates
    /// then, and the cells open with `≈`.
    pub sevenzip_estimated: [Option<String>; 2],
}

/// Table to print.
#[derive(Debug, Clone, Copy)]
pub struct Table<'a> {
    /// The results, in their order.
    pub rows: &'a [Row],
    /// Columns of the terminal, for formats that people read there.
    pub columns: usize,
}

/// The highest power of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Power {
    /// In milliwatts.
    pub mw: f64,
    /// False for the counters of a processor, which do not see the rest of the board.
    pub is_whole: bool,
}

/// A column to sort by.
pub struct SortKey {
    /// Name on the command line.
    pub id: &'static str,
    compare: fn(&Row, &Row) -> Ordering,
}

/// Default sort key.
pub const USUAL_ORDER: &str = "device";

/// All columns, sorted by id. The best value comes first, missing ones last.
pub const SORT_KEYS: &[SortKey] = &[
    SortKey { id: "7zip-multi", compare: |a, b| best_first(a.figures[0], b.figures[0]) },
    SortKey { id: "7zip-single", compare: |a, b| best_first(a.figures[1], b.figures[1]) },
    SortKey { id: "aes", compare: |a, b| best_first(a.figures[2], b.figures[2]) },
    SortKey { id: "clock", compare: |a, b| best_first(a.clock_khz.map(f64::from), b.clock_khz.map(f64::from)) },
    SortKey { id: "device", compare: |a, b| a.cells[0].to_lowercase().cmp(&b.cells[0].to_lowercase()) },
    SortKey { id: "khs", compare: |a, b| best_first(a.figures[5], b.figures[5]) },
    SortKey { id: "memcpy", compare: |a, b| best_first(a.figures[3], b.figures[3]) },
    SortKey { id: "memset", compare: |a, b| best_first(a.figures[4], b.figures[4]) },
];

fn best_first(a: Option<f64>, b: Option<f64>) -> Ordering {
    let value = |figure: Option<f64>| figure.unwrap_or(f64::NEG_INFINITY);
    value(b).total_cmp(&value(a))
}

impl Row {
    /// The row of a result.
    pub fn of(explained: &Explained<'_>, file: &str) -> Self {
        let Explained { facts, assessment } = explained;
        let all = facts.figures();
        let memory = |operation| memory_mb_per_s(facts, all, operation).map(|rate| rate as f64);
        let clocks = facts.cluster_clocks(&Variant::COLD);
        let mut cells = columns(facts, assessment);
        if let Some(name) = compare::published_name(facts, assessment) {
            name.clone_into(&mut cells[0]);
        }
        let mut sevenzip_comparable = comparable(all);
        let as_listed = [Variant::MULTI, Variant::SINGLE].map(|variant| as_listed(facts, &variant));
        for ((cell, comparable), figure) in cells[4..6].iter_mut().zip(&mut sevenzip_comparable).zip(&as_listed) {
            if let Some(figure) = figure {
                let mark = if figure.estimate.is_some() { "≈" } else { "" };
                *cell = format!("{mark}{}", tens(figure.value.round() as u64));
                *comparable = figure.estimate.is_none();
            } else if cell != "-" && !*comparable {
                cell.insert(0, '~');
            }
        }
        if assessment.findings.iter().any(is_of_engine) && cells[AES] != "-" {
            cells[AES].insert(0, '~');
        }
        let mips =
            |at: usize, measured: Option<u32>| as_listed[at].map(|figure| figure.value).or(measured.map(f64::from));
        Self {
            file: file.to_owned(),
            cells,
            results: Results::of(facts, assessment),
            sevenzip_estimated: as_listed.map(|figure| {
                let figure = figure?;
                figure.estimated_words(version_of(facts, figure).as_deref())
            }),
            figures: [
                mips(0, sevenzip_multi_mips(facts, all)),
                mips(1, sevenzip_single_mips(all)),
                cipher_kb_per_s(all, &Variant::AES_256_CBC).map(|rate| rate as f64),
                memory(MemoryOperation::Copy),
                memory(MemoryOperation::Fill),
                series_median(all, WorkloadId::Cpuminer),
            ],
            clock_khz: clocks.iter().map(|clock| clock.measured_khz).max(),
            soc: facts.soc().known().cloned(),
            day: crate::monitor::day(facts),
            millicelsius_max: facts.heat_of_run().map(|heat| heat.millicelsius_max),
            power_max: power_max(facts),
            verdict: assessment.verdict,
            died_in: view::death(facts).map(|death| death.step.clone()),
            resumed_after: facts
                .deaths()
                .iter()
                .take(facts.run.resumed.len())
                .map(|death| death.step.clone())
                .collect(),
        }
    }
}

impl Row {
    /// Text among the main results, such as `kernel` or `distribution`; `None` if missing.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.results.iter().find(|(key, _)| *key == name)?.1.as_str()
    }

    /// Number among the main results; `None` if missing.
    fn number(&self, name: &str) -> Option<f64> {
        self.results.iter().find(|(key, _)| *key == name)?.1.as_f64()
    }

    /// Board and details; `None` without a name.
    pub fn board(&self) -> Option<&str> {
        Some(self.cells[0].as_str()).filter(|name| *name != "-" && !name.is_empty())
    }
}

/// The best score of 7-zip in this form as that of the version of the lists, if the run's own is of another one: measured
/// as its second version, or estimated.
fn as_listed<'a>(facts: &'a Facts<'_>, variant: &Variant) -> Option<&'a Figure> {
    let scores = facts.known_figures().iter().filter(|figure| figure.key.is_of(WorkloadId::SevenZip));
    let scores = scores.filter(|figure| figure.is_main && figure.key.is_form(variant));
    let scores = scores.filter(|figure| !facts.figures().contains(figure));
    scores.max_by(|a, b| a.value.total_cmp(&b.value))
}

fn power_max(facts: &Facts<'_>) -> Option<Power> {
    let power = facts.power_mw(&view::whole_run()).into_iter().map(|(_, mw)| mw);
    let mw = power.filter(|mw| mw.is_finite()).reduce(f64::max)?;
    Some(Power { mw, is_whole: facts.power_source().as_ref()?.is_whole() })
}

/// The order of rows by a key; those that are equal keep the order of their files. None if there is no such key.
pub fn order(id: &str) -> Option<impl Fn(&Row, &Row) -> Ordering> {
    let key = SORT_KEYS.iter().find(|key| key.id == id)?;
    Some(|a: &Row, b: &Row| (key.compare)(a, b).then_with(|| a.file.cmp(&b.file)))
}

/// Sorts rows by this key. None if there is no such key.
pub fn sort(rows: &mut [Row], id: &str) -> Option<()> {
    rows.stable_sort_by(order(id)?);
    Some(())
}

#[cfg(test)]
mod tests;
