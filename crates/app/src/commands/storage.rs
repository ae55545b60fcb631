//! `sbc-bench -S`, `sbc-bench inspect storage`: disks, cards, buses, memory modules and power supply, and problems of them.

use super::Command;
use super::review::looked_at;
use crate::args::groups::RootFlags;
use console::output;
use facts::{Facts, Finding, Severity};
use machine::Root;
use record::{Record, Survey};
use rules::Subject;
use rules::survey::{self, words};
use std::sync::atomic::AtomicI32;

/// Show disks, cards, memory modules and power supply
///
/// Disks and SD cards with their bus speed and health.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Storage {
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) root: RootFlags,
}

impl Command for Storage {
    fn run(self: Box<Self>, root: &Root) -> anyhow::Result<u8> {
        let record = looked_at(root, workloads::survey::survey(root, 0, &AtomicI32::new(0)));
        let mut findings = rules::check_at_rest(&Facts::of(&record));
        findings.retain(|finding| rules::is_about(finding, Subject::Storage));
        if self.json {
            let survey = &record.surveys[0];
            let mut value = serde_json::json!({
                "disks": survey.disks, "pci": survey.pci, "usb": survey.usb, "flash": survey.flash,
                "mounts": survey.mounts, "memory": survey.memory, "supplies": survey.supplies, "swaps": survey.swaps,
                "findings": explain::printed_findings(&findings),
                "left_out": survey.left_out,
            });
            record::flatten(&mut value);
            output::print_json(&value)?;
        } else {
            output::print_text(&text(&record, &findings))?;
        }
        Ok(0)
    }
}

/// Checks of reviews only.
const OF_REVIEWS: [&str; 2] = ["CPU clocks", "kernel"];

fn text(record: &Record, findings: &[Finding]) -> String {
    let survey = &record.surveys[0];
    let sections: [(&str, Vec<String>); 8] = [
        ("Storage", words::disk_lines(survey)),
        ("Flash", words::flash_lines(survey)),
        ("PCIe", words::pci_lines(survey)),
        ("USB", words::usb_lines(survey)),
        ("Memory", [words::memory_lines(survey), memory_clocks(survey)].concat()),
        ("Swap", words::swap_lines(survey)),
        ("Power", words::supply_lines(survey)),
        ("Not checked", survey.left_out.iter().map(|line| facts::plain(line)).collect()),
    ];
    let mut text = String::new();
    for (heading, lines) in sections {
        if !lines.is_empty() {
            text.push_str(&format!("{heading}:\n"));
            lines.iter().for_each(|line| text.push_str(&format!("{}\n", facts::wrapped(&format!("   {line}"), 6))));
            text.push('\n');
        }
    }
    if text.is_empty() {
        text.push_str("No storage, bus or power information available.\n\n");
    }
    if findings.is_empty() {
        let mut seen = survey::inspected_parts(record);
        seen.retain(|what| !OF_REVIEWS.contains(what));
        text.push_str(&format!("{}\n", facts::wrapped(&survey::all_clear(&seen), 0)));
    } else {
        text.push_str("Problems found:\n")
    }
    for finding in findings {
        let mark = if finding.severity == Severity::Info { ' ' } else { '!' };
        text.push_str(&output::row(&format!(" {mark}"), 3, &finding.sentence()));
    }
    text
}

/// Clocks of memory controllers with frequency scaling.
fn memory_clocks(survey: &Survey) -> Vec<String> {
    let of_memory = survey.scalers.iter().filter(|scaler| scaler.kind == record::ScalerKind::Memory);
    of_memory
        .map(|scaler| {
            let mhz = |fact: &record::Fact<u64>| fact.known().map_or("?".into(), |hz| (hz / 1_000_000).to_string());
            let governor = scaler.governor.known().map_or("unknown", String::as_str);
            format!(
                "{}: {} of {} MHz, governor {}",
                facts::plain(&scaler.name),
                mhz(&scaler.clock_hz),
                mhz(&scaler.clock_hz_max),
                facts::plain(governor)
            )
        })
        .collect()
}
