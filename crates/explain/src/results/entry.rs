//! Summary of a result for the pages of a site, so that each Record is read once.

use super::Row;
use compare::reference::is_sound;
use compare::settings_of;
use facts::view::ScoreKey;
use facts::{Cause, Explained, Explanation, Facts, Figure, Tenths};
use record::{Run, Variant};
use serde::{Deserialize, Serialize};

/// One result of a site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Row in tables; its board is named as in the list of published results, if it is one of them.
    pub row: Row,
    /// Memory in KiB (`MemTotal`).
    pub memory_kib: Option<u64>,
    /// UTC of its start in milliseconds since 1970.
    pub started_ms: Option<i64>,
    /// Core types, each once.
    pub core_types: Vec<String>,
    /// Main figures that can be compared.
    pub figures: Vec<EntryFigure>,
    /// Rules whose findings explain lower or invalid scores, and the cause of a deficit relative to similar boards, each once.
    pub causes: Vec<String>,
    /// Known settings by name.
    pub settings: Vec<(String, String)>,
    /// Run, if it died or was resumed: another result may contain it.
    pub run: Option<Box<Run>>,
}

/// One figure of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntryFigure {
    /// Workload: only figures with equal keys are comparable.
    pub key: String,
    /// The key in words.
    pub title: String,
    /// Its value.
    pub value: f64,
    /// Unit of the value.
    pub unit: String,
    /// True if a higher value is better.
    pub higher_is_better: bool,
    /// True for bandwidth and latency of memory, which follow no clock of a core.
    pub is_of_memory: bool,
    /// Core type of the measured core; `None` for all CPUs together or if unknown.
    pub core_type: Option<String>,
    /// Measured clock of that core in kHz; `None` for several threads.
    pub clock_khz: Option<u32>,
    /// Whether the figure is free of known losses.
    #[serde(default)]
    pub is_sound: bool,
    /// Largest loss in words: `heat 34 %`; `None` if no loss is known.
    #[serde(default)]
    pub lost_to: Option<String>,
}

impl Entry {
    /// The entry of a result.
    pub fn of(explained: &Explained<'_>, file: &str) -> Self {
        let Explained { facts, assessment } = explained;
        let clocks = facts.cluster_clocks(&Variant::COLD);
        let clock_of = |cpus: &[u32]| {
            let of_core = clocks.iter().filter(|clock| cpus.contains(&clock.cpu));
            of_core.map(|clock| clock.measured_khz).max()
        };
        let all = facts.figures();
        let main = all.iter().filter(|figure| figure.is_main && figure.not_comparable.is_none());
        let main: Vec<EntryFigure> = main
            .filter(|figure| figure.value.is_finite())
            .map(|figure| EntryFigure {
                key: figure.key.to_string(),
                title: figure.key.title(),
                value: figure.value,
                unit: figure.unit.clone(),
                higher_is_better: figure.higher_is_better,
                is_of_memory: figure.key.workload().is_of_memory(),
                core_type: figure.core.as_ref().and_then(|core| core.core_type.clone()),
                clock_khz: figure
                    .core
                    .as_ref()
                    .filter(|_| facts.steps[figure.step].threads == 1)
                    .and_then(|core| clock_of(&core.cpus)),
                is_sound: is_sound(facts, assessment, figure),
                lost_to: lost_to(facts, assessment, figure),
            })
            .collect();
        let types = facts.machine.cpus.iter().filter_map(|cpu| facts::figures::core_name(facts, cpu.cpu));
        let types = types.chain(main.iter().filter_map(|figure| figure.core_type.clone()));
        let causes = assessment.diagnoses.iter().map(|cause| assessment.findings[cause.root].rule.to_string());
        // Sentences of a diagnosis have the same cause.
        let is_told = |cause: &Cause| assessment.diagnoses.iter().any(|diagnosis| diagnosis.cause == *cause);
        let of_deficit = assessment.deficit.as_ref().and_then(|deficit| deficit.cause);
        let causes = causes.chain(of_deficit.filter(|cause| !is_told(cause)).map(|cause| cause.words().to_owned()));
        let row = Row::of(explained, file);
        let is_part = facts.run.end == record::End::Died || !facts.run.resumed.is_empty();
        Self {
            row,
            memory_kib: facts.machine.memory_kib.known().copied(),
            started_ms: facts.run.started.known().copied(),
            core_types: each_once(types),
            causes: each_once(causes),
            settings: settings_of(facts)
                .into_iter()
                .filter_map(|(name, value)| Some((name.to_owned(), value?)))
                .collect(),
            run: is_part.then(|| Box::new(facts.run.clone())),
            figures: main,
        }
    }

    /// Whether the other result is the completed run of this one.
    pub fn is_part_of(&self, other: &Self) -> bool {
        self.run.as_ref().zip(other.run.as_ref()).is_some_and(|(part, whole)| part.is_part_of(whole))
    }
}

/// Largest loss of a figure by one cause, else the cause of its deficit relative to similar boards.
fn lost_to(facts: &Facts<'_>, assessment: &Explanation, figure: &Figure) -> Option<String> {
    const LEAST: Tenths = Tenths(20);
    let ledger = facts.steps.get(figure.step).and_then(|step| assessment.ledger(&ScoreKey::of(step)));
    let parts = ledger.iter().flat_map(|ledger| &ledger.parts).filter(|part| part.points.percent >= LEAST);
    let most = parts.max_by_key(|part| part.points.percent);
    let most = most.map(|most| format!("{} {:.0} %", most.cause.words(), most.points.percent.as_percent()));
    let place = (figure.step, figure.core.as_ref().map(|core| core.cluster));
    let deficit = assessment.deficit.as_ref().filter(|deficit| deficit.figures.contains(&place));
    most.or_else(|| Some(deficit?.cause?.words().to_owned()))
}

fn each_once(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Record;

    #[test]
    fn entry_is_read_as_it_was_written() {
        let text = include_str!("../../tests/own/two-policies.json");
        let record: Record = serde_json::from_str(text).unwrap();
        let entry = Entry::of(&crate::diagnosis::explain(&record), "a.json");
        assert!(!entry.figures.is_empty() && !entry.settings.is_empty(), "{entry:?}");
        let written = serde_json::to_string(&entry).unwrap();
        let again: Entry = serde_json::from_str(&written).unwrap();
        assert_eq!(again, entry);
        assert_eq!(serde_json::to_string(&again).unwrap(), written);
        let rows = |entry: &Entry| {
            (super::super::FORMATS[0].write)(&super::super::Table {
                rows: std::slice::from_ref(&entry.row),
                columns: 80,
            })
        };
        assert_eq!(rows(&again), rows(&entry));
    }
}
