//! Best known score of a CPU model on all its cores, for runs that were slowed down from the start.

use super::{Reference, Row, RowFigure, day, soc_key};
use facts::Facts;
use facts::figures::{Figure, FigureKey};
use record::{Total, WorkloadId};

/// Last word of the key of the best repetition of a figure on all CPUs.
const BEST: &str = "best";
/// Maximum relative difference of two readings of one result from the same day.
const SAME: f64 = 0.001;

/// Best of several repetitions of the score on all CPUs.
pub(super) fn best_run(facts: &Facts<'_>, figure: &Figure) -> Option<(FigureKey, RowFigure)> {
    let totals = facts.multi_totals();
    // Figures of power belong to the same step.
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
    /// Best repetition of this figure on other boards with the same CPU, including lowered scores, which are a lower bound of
    /// its ability.
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
