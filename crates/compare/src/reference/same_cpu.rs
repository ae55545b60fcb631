//! The best that a CPU is known to reach on all its CPUs: what a run that was slowed down from its beginning cannot tell
//! itself.

use super::{Reference, Row, RowFigure, day, soc_key};
use facts::Facts;
use facts::figures::{Figure, FigureKey};
use record::{Total, WorkloadId};

/// Ends the key of the best repetition of a figure on all CPUs.
const BEST: &str = "best";
/// The result that is asked about is left out: the same day and a score that differs by less than this, as a share.
const SAME: f64 = 0.001;

/// The best repetition of the score on all CPUs of a Record, which has several.
pub(super) fn best_run(facts: &Facts<'_>, figure: &Figure) -> Option<(FigureKey, RowFigure)> {
    let totals = facts.multi_totals();
    // A figure of power belongs to the same step.
    let is_of = figure.key.is_of(WorkloadId::SevenZip) && totals.iter().any(|(step, _)| *step == figure.step);
    let best = totals.iter().map(|(_, mips)| *mips).reduce(f64::max)?;
    let comparable = figure.not_comparable.is_none();
    (is_of && figure.repetitions > 1)
        .then(|| (best_key(&figure.key), RowFigure { cluster: None, value: best, comparable, sound: true }))
}

fn best_key(key: &FigureKey) -> FigureKey {
    let Ok(key) = format!("{key} {BEST}").parse();
    key
}

impl Reference {
    /// The best repetition of this figure on other boards with the same CPU. Also of those whose score was lowered by
    /// something: their best is a lower bound of what the CPU can do.
    pub fn best_of_same_cpu(&self, facts: &Facts<'_>, figure: &Figure) -> Option<f64> {
        let wanted = soc_key(facts.soc().known()?);
        let date = facts.run.started.known().and_then(|utc_ms| day(*utc_ms));
        let cpus: usize = facts.machine.clusters.iter().map(|cluster| cluster.cpus.len()).total();
        let is_same_cpu = |row: &&Row| {
            let of_row: usize = row.cores.iter().map(|core| core.count).total();
            row.soc_key.as_ref() == Some(&wanted) && of_row == cpus
        };
        let value = |row: &Row, key: &FigureKey| row.figure(key, None).filter(|f| f.comparable).map(|f| f.value);
        let is_other = |row: &&Row| {
            let known = value(row, &figure.key);
            let is_same_score = known.is_some_and(|known| (known / figure.value - 1.0).abs() < SAME);
            !(is_same_score && row.date == date)
        };
        let rows = self.rows().filter(is_same_cpu).filter(is_other);
        let best = rows.filter_map(|row| value(row, &best_key(&figure.key)).or_else(|| value(row, &figure.key)));
        best.reduce(f64::max)
    }
}
