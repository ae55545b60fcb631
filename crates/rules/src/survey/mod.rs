//! Checks of a machine at rest: settings that cost performance, slow links, counterfeit cards, failing disks.
//!
//! These rules are part of the table of all rules, but their findings are about the machine and not about the validity
//! of scores: a worn disk does not make a 7-zip score wrong. `Degraded` here means that the machine could do more.

mod attribution;
pub(crate) mod bus;
pub(crate) mod cards;
pub(crate) mod cpufreq;
pub(crate) mod cpus;
pub(crate) mod devfreq;
mod difference;
pub(crate) mod disks;
pub(crate) mod health;
pub(crate) mod memory;
pub(crate) mod power;
pub(crate) mod raspberry;
pub(crate) mod table;
mod units;
pub mod words;

pub use attribution::{Gain, GainRow, attribution, whole_gain};
pub use cards::Verdict as CardVerdict;
pub use difference::differences;

use facts::Place;
use record::{Record, Scaler, ScalerKind, Survey};

fn first(record: &Record) -> Option<&Survey> {
    record.surveys.first()
}

/// Inspected parts of the machine in words; empty if nothing was readable.
pub fn inspected_parts(record: &Record) -> Vec<&'static str> {
    let Some(survey) = first(record) else { return Vec::new() };
    let seen = [
        ("CPU clocks", survey.scalers.iter().any(|scaler| scaler.kind == ScalerKind::Cpu && is_readable(scaler))),
        ("memory and bus clocks", survey.scalers.iter().any(|scaler| scaler.kind != ScalerKind::Cpu)),
        ("storage", !survey.disks.is_empty()),
        ("PCIe", !survey.pci.is_empty()),
        ("USB", !survey.usb.is_empty()),
        ("memory modules", !survey.memory.is_empty()),
        ("swap", !survey.swaps.is_empty()),
        ("power supply", !survey.supplies.is_empty()),
        ("kernel", record.machine.kernel_release.known().is_some_and(|release| !release.is_empty())),
    ];
    seen.into_iter().filter(|(_, seen)| *seen).map(|(name, _)| name).collect()
}

/// True if the settings that slow down a CPU were readable.
fn is_readable(scaler: &Scaler) -> bool {
    scaler.governor.known().is_some() && scaler.limit_hz_max.known().is_some()
}

/// Sentence without findings: names the inspected parts, or states that there were none.
pub fn all_clear(seen: &[&str]) -> String {
    match seen {
        [] => "Nothing on this machine could be checked.".to_owned(),
        seen => format!("No problems found. Checked: {}.", seen.join(", ")),
    }
}

fn place(field: &str) -> Place {
    Place::Field(format!("surveys.0.{field}"))
}

#[cfg(test)]
mod tests;
