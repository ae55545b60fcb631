//! Results that differ most: logs, a result of this program, and variants of one that no machine needs to make.

use crate::workspace;
use anyhow::{Context, Result};
use record::{End, Outcome, Record, StepMeasurement, Unit};
use std::fs;
use std::path::{Path, PathBuf};
use testkit::records::{died_run, resumed_run};

/// A thermal test on a virtual board, with power.
const THERMAL: &str = "crates/page/tests/thermal.json";
/// Files of the checkout.
const FILES: [(&str, &str); 8] = [
    ("throttled", "crates/explain/tests/composed/0.9.72-hot.txt"),
    ("swapped", "crates/explain/tests/composed/0.7.9-swapping.txt"),
    ("one-core", "crates/explain/tests/composed/0.9.35-one-cpu.txt"),
    ("risc-v", "crates/explain/tests/composed/0.9.61-riscv-out-of-memory.txt"),
    ("without-temperature", "crates/explain/tests/composed/0.9.13-no-temperature.txt"),
    ("review", "crates/explain/tests/composed/reviews/three-clusters.md"),
    ("guest", "crates/explain/tests/own/two-policies.json"),
    ("thermal-test", THERMAL),
];
/// A machine with 96 cores, in the collection of published logs.
const NINETY_SIX: (&str, &str) = ("96-cores", "open/results/3N5c.txt");
/// Name and change of a variant.
type Variant = (&'static str, fn(&mut Record));
/// Variants of the thermal test.
const VARIANTS: [Variant; 3] = [("died", die), ("two-boots", resume), ("no-clock", hide_clocks)];

/// Name and file of each result; variants are written into this folder.
pub(super) fn files(folder: &Path) -> Result<Vec<(&'static str, PathBuf)>> {
    let mut files: Vec<_> = FILES.iter().map(|(name, path)| (*name, workspace::root().join(path))).collect();
    match crate::corpus::corpus().map(|folder| folder.join(NINETY_SIX.1)).filter(|log| log.is_file()) {
        Some(log) => files.push((NINETY_SIX.0, log)),
        None => workspace::skip("picture of a machine with 96 cores: the collection of published logs is not here")?,
    }
    let text = fs::read_to_string(workspace::root().join(THERMAL))?;
    for (name, change) in VARIANTS {
        let mut record = record::from_json(&text).context(THERMAL)?;
        change(&mut record);
        let file = folder.join(name).with_extension("json");
        fs::write(&file, serde_json::to_string(&record)?)?;
        files.push((name, file));
    }
    Ok(files)
}

/// Ends the run in its longest step.
fn die(record: &mut Record) {
    let longest = record.steps.iter().enumerate().max_by_key(|(_, step)| step.window.elapsed_ms());
    let Some((at, step)) = longest else { return };
    let (name, at_ms) = (step.workload.to_string(), i64::midpoint(step.window.start_ms, step.window.end_ms));
    record.steps.truncate(at);
    let kept = record.samples.at_ms.partition_point(|sample_ms| *sample_ms <= at_ms);
    record.samples.at_ms.truncate(kept);
    record.samples.channels.iter_mut().for_each(|channel| channel.values.truncate(kept));
    (record.run.end, record.run.elapsed_ms) = (End::Died, None);
    record.run.died_in = died_run(Some(true)).run.died_in;
    if let Some(death) = &mut record.run.died_in {
        (death.step, death.at_ms) = (Some(name), at_ms);
    }
}

/// Marks the run as resumed after a restart of the machine.
fn resume(record: &mut Record) {
    record.run.resumed = resumed_run().run.resumed;
}

/// Removes measured and reported clocks.
fn hide_clocks(record: &mut Record) {
    record.steps.retain(|step| !matches!(step.outcome, Outcome::Done(StepMeasurement::Clock(_))));
    record.samples.channels.retain(|channel| channel.unit != Unit::Kilohertz);
    record.machine.policies.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_result_of_the_checkout_is_there() {
        for (name, path) in FILES {
            assert!(workspace::root().join(path).is_file(), "{name}: {path}");
        }
    }
}
