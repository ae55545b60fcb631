//! Changes between two inspections of a machine: devices that came or went, slower links, new disk errors. Temperatures
//! and use are ignored.

use super::words::{disk_lines, flash_lines, pci_lines, usb_lines};
use record::{Health, Survey};

/// One line for each change: `-` for the old state, `+` for the new one.
pub fn differences(before: &Survey, after: &Survey) -> Vec<String> {
    let lines = |survey: &Survey| {
        let survey = steady(survey);
        [pci_lines(&survey), usb_lines(&survey), disk_lines(&survey), flash_lines(&survey)].concat()
    };
    let (was, is) = (lines(before), lines(after));
    let gone = was.iter().filter(|line| !is.contains(line)).map(|line| format!("- {line}"));
    let come = is.iter().filter(|line| !was.contains(line)).map(|line| format!("+ {line}"));
    let mut found: Vec<String> = gone.chain(come).collect();
    found.extend(errors(before, after));
    found
}

/// Survey without values that always change.
fn steady(survey: &Survey) -> Survey {
    let mut survey = survey.clone();
    for disk in &mut survey.disks {
        if let record::Fact::Known(health) = &mut disk.health {
            health.temp_celsius = None;
            health.asleep = false;
        }
    }
    survey
}

/// Error counters that rose.
fn errors(before: &Survey, after: &Survey) -> Vec<String> {
    let mut found = Vec::new();
    for disk in &after.disks {
        let Some(was) = before.disks.iter().find(|known| known.name == disk.name) else { continue };
        let card = |disk: &record::Disk| disk.card.as_ref().map_or(0, |card| card.errors + card.tuning_failures);
        if card(disk) > card(was) {
            found.push(format!("! {}: {} new errors on its bus", facts::plain(&disk.name), card(disk) - card(was)));
        }
        if let (Some(was), Some(is)) = (was.health.known(), disk.health.known()) {
            for (name, was, is) in counters(was, is) {
                if is > was {
                    found.push(format!("! {}: {name} rose from {was} to {is}", facts::plain(&disk.name)));
                }
            }
        }
    }
    found
}

fn counters(was: &Health, is: &Health) -> Vec<(&'static str, u64, u64)> {
    [
        ("media errors", was.media_errors, is.media_errors),
        ("error log entries", was.error_log_entries, is.error_log_entries),
        ("reallocated sectors", was.reallocated, is.reallocated),
        ("pending sectors", was.pending, is.pending),
        ("uncorrectable sectors", was.uncorrectable, is.uncorrectable),
        ("interface CRC errors", was.cable_errors, is.cable_errors),
    ]
    .into_iter()
    .filter_map(|(name, was, is)| Some((name, was?, is?)))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{machine, nvme};
    use super::differences;
    use record::PciLink;

    #[test]
    fn second_look_shows_what_changed() {
        let mut before = machine().surveys.remove(0);
        before.pci =
            vec![nvme(PciLink { rate_mt: 16_000, lanes: 4, rate_mt_max: 16_000, lanes_max: 4, ..PciLink::default() })];
        before.pci[0].class = 0x02_00_00;
        let mut after = before.clone();
        assert!(differences(&before, &after).is_empty());
        after.pci[0].link.as_mut().unwrap().rate_mt = 2500;
        let found = differences(&before, &after);
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("- ") && found[1].contains("2.5GT/s (downgraded)"), "{found:?}");
    }
}
