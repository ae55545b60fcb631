//! Check: disk-health. What smartctl reported of a disk: failing, worn, hot, errors on medium or cable.

use super::{first, place};
use crate::tables::Rule;
use facts::{Facts, Finding, Quantity, Severity};
use record::{Disk, Health, RuleId};

pub(crate) const DISK: Rule = Rule::of_storage(RuleId::own("disk-health"), check);

/// Flash slows down and ages above; its makers give 70 °C as the limit.
const HOT_FLASH_CELSIUS: i64 = 60;
/// Rotating disks die earlier above 45 °C.
const HOT_ROTATING_CELSIUS: i64 = 45;
/// Three quarters of the life its maker gave it.
const WORN_PERCENT: u64 = 75;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let disks = first(facts).map_or(&[][..], |survey| &survey.disks);
    disks
        .iter()
        .filter_map(|disk| Some((disk, disk.health.known()?)))
        .flat_map(|(disk, health)| of_disk(disk, health))
        .collect()
}

fn of_disk(disk: &Disk, health: &Health) -> Vec<Finding> {
    let mut found = state(disk, health);
    for (count, sure, template) in counters(health) {
        if let Some(count) = count.filter(|count| *count > 0) {
            found.push(finding(disk, Severity::Degraded, sure, template, count));
        }
    }
    // Most entries are harmless questions that the disk did not understand.
    if let Some(count) = health.error_log_entries.filter(|count| *count > 0) {
        let template = "The error log of {disk} has {value} entries (usually harmless).";
        found.push(finding(disk, Severity::Info, 60, template, count));
    }
    found
}

fn finding(disk: &Disk, severity: Severity, sure: u8, template: &'static str, value: u64) -> Finding {
    Finding::new(DISK.id, severity, template)
        .confidence(sure)
        .with("disk", Quantity::Text(disk.name.clone()))
        .with("value", Quantity::Count(value.try_into().unwrap_or(i64::MAX)))
        .at(place("disks"))
}

fn state(disk: &Disk, health: &Health) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut add = |sure, template, value| {
        found.push(finding(disk, Severity::Degraded, sure, template, value));
    };
    if health.passed == Some(false) {
        let template = "Disk {disk} reports that it is failing (SMART); back up its data now.";
        add(99, template, 0);
    }
    let hot = match disk.rotational {
        Some(true) => HOT_ROTATING_CELSIUS,
        _ => HOT_FLASH_CELSIUS,
    };
    if let Some(celsius) = health.temp_celsius.filter(|celsius| *celsius > hot) {
        let template = "Disk {disk} is at {value} °C, above its limit.";
        add(97, template, celsius.unsigned_abs());
    }
    if let Some(percent) = health.worn_percent.filter(|percent| *percent > WORN_PERCENT) {
        add(95, "Disk {disk} has used {value} % of its rated lifetime.", percent);
    }
    found
}

/// Health counters of disks, with confidence and meaning.
fn counters(health: &Health) -> [(Option<u64>, u8, &'static str); 6] {
    [
        (health.media_errors, 97, "Disk {disk} has {value} media and data integrity errors."),
        (health.uncorrectable, 97, "Disk {disk} has {value} uncorrectable sectors."),
        (health.pending, 95, "Disk {disk} has {value} pending sectors."),
        (health.reallocated, 90, "Disk {disk} has {value} reallocated sectors."),
        (health.end_to_end_errors, 90, "Disk {disk} reports {value} end-to-end data errors."),
        (health.cable_errors, 85, "Disk {disk} reports {value} interface CRC errors; check the cable."),
    ]
}
