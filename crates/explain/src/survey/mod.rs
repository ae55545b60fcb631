//! What a look over the machine means: settings that cost performance, links that are slower than they
//! could be, cards that lie, disks that die. Found before anything is measured.
//!
//! The table of checks is like the table of rules, but its findings are about the machine and not about
//! the validity of scores: a worn disk does not make a 7-zip score wrong. `Degraded` here means that
//! the machine could do more.

mod attribution;
mod bus;
mod cards;
mod cpufreq;
mod cpus;
mod devfreq;
mod difference;
mod disks;
mod health;
mod memory;
mod power;
mod raspberry;
pub(crate) mod table;
pub mod words;

pub use attribution::{Gain, GainRow, attribution, whole_gain};
pub use cards::Verdict as CardVerdict;
pub use difference::differences;

use crate::rules::{self, Rule};
use crate::{Finding, Place};
use record::{Record, Survey};

/// All checks, sorted by id.
pub const CHECKS: &[Rule] = &[
    bus::ASPM,
    cards::COUNTERFEIT,
    cards::ERRORS,
    cards::SLOW,
    cards::SIZE,
    cards::WORN,
    cpufreq::BOOST,
    cpufreq::GOVERNOR,
    cpufreq::LIMIT,
    cpus::KEPT_AWAY,
    devfreq::GOVERNOR,
    devfreq::LIMIT,
    health::DISK,
    disks::FUSE,
    disks::SCHEDULER,
    cpus::INTERRUPTS,
    cpufreq::IO_IS_BUSY,
    memory::CLOCK,
    memory::CHANNELS,
    disks::SYNC,
    cpufreq::ONDEMAND,
    bus::PCIE,
    power::SUPPLY,
    raspberry::CONFIG,
    bus::SATA,
    bus::SATA_POWER,
    cpufreq::SCHEDUTIL_BLIND,
    cpufreq::SCHEDUTIL_SLOW,
    memory::SWAP_PRIORITY,
    memory::HUGE_PAGES,
    bus::UAS,
    bus::USB,
];

/// Rules about runs that also hold for a machine at rest.
const RULES_AT_REST: &[&str] = &[
    "offline-cpus",
    "rpi-firmware",
    "swap-on-slow-storage",
    "virtualised",
    "zswap-on-zram",
];

/// Everything that the first look over the machine tells, worst first. Empty without a look.
pub fn check(record: &Record) -> Vec<Finding> {
    if record.surveys.is_empty() {
        return Vec::new();
    }
    let at_rest = rules::RULES
        .iter()
        .filter(|rule| RULES_AT_REST.contains(&rule.id.as_str()));
    let mut findings: Vec<Finding> = CHECKS
        .iter()
        .chain(at_rest)
        .flat_map(|check| check.findings(record))
        .collect();
    findings.sort_by_key(|finding| {
        (
            std::cmp::Reverse(finding.severity),
            std::cmp::Reverse(finding.confidence_percent),
        )
    });
    findings
}

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
