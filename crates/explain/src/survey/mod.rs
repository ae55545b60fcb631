//! What a look over the machine means: settings that cost performance, links that are slower than they
//! could be, cards that lie, disks that die. Found before anything is measured.
//!
//! These rules stand in the table of all rules, but their findings are about the machine and not about
//! the validity of scores: a worn disk does not make a 7-zip score wrong. `Degraded` here means that
//! the machine could do more.

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

use crate::Place;
use record::{Record, Survey};

/// The first look over the machine.
fn first(record: &Record) -> Option<&Survey> {
    record.surveys.first()
}

/// A field of the first look.
fn place(field: &str) -> Place {
    Place::Field(format!("surveys.0.{field}"))
}

#[cfg(test)]
mod tests;
