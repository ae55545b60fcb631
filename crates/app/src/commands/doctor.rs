//! `sbc-bench inspect doctor`: what can be measured on this machine, and reasons and remedies for the rest. For bug reports.

use super::Command;
use crate::args::groups::RootFlags;
use crate::paths::Paths;
use bench::doctor::{Availability, Capability, examine, examine_tools};
use console::output;
use facts::lines::{padded, width};
use facts::{plain, wrapped};
use machine::Root;
use record::Machine;
use redact::Redactor;
use serde_json::{Value, json};
use std::fmt::Write;

/// Column of the reason.
const INDENT: usize = 26;

/// Show what can be measured here, and what is missing
///
/// Rights, cycle counters, cpufreq, sensors, kernel log and external tools: each with the reason where it is
/// missing, and a command or package that helps. Changes nothing and measures nothing.
#[derive(Debug, clap::Args)]
pub(crate) struct Doctor {
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    root: RootFlags,
}

impl Command for Doctor {
    fn recovers_first(&self) -> bool {
        false
    }

    fn run(self: Box<Self>, root: &Root) -> anyhow::Result<u8> {
        let results = Paths::choose(!root.is_system() || machine::is_root(), None).history;
        let (machine, mut subjects) = examine(root, &results);
        // Programs are those of this system, not of the machine whose files these are.
        let mut tools = if root.is_system() { examine_tools(&super::tools::tools()?) } else { Vec::new() };
        let mut redactor = Redactor::default();
        for row in subjects.iter_mut().chain(&mut tools) {
            // The output goes into bug reports.
            row.because = redactor.line(&plain(&row.because));
        }
        if self.json {
            output::print_json(&value(&machine, &subjects, &tools))?;
        } else {
            output::print_text(&text(&subjects, &tools))?;
        }
        Ok(0)
    }
}

fn value(machine: &Machine, subjects: &[Capability], tools: &[Capability]) -> Value {
    let row = |row: &Capability| {
        json!({
            "subject": row.subject,
            "measurable": row.measurable.as_str(),
            "because": row.because,
            "way_out": Some(&row.way_out).filter(|way_out| !way_out.is_empty()),
        })
    };
    let rows = |rows: &[Capability]| rows.iter().map(row).collect::<Vec<_>>();
    json!({
        "version": env!("SBC_BENCH_VERSION"),
        "board": machine.board.known(),
        "kernel": machine.kernel_release.known(),
        "subjects": rows(subjects),
        "tools": rows(tools),
    })
}

fn text(subjects: &[Capability], tools: &[Capability]) -> String {
    let mut text = String::new();
    for (heading, rows) in [("Can be measured", subjects), ("External tools", tools)] {
        if !rows.is_empty() {
            let _ = writeln!(text, "{heading}:");
            rows.iter().for_each(|row| text.push_str(&paragraph(row)));
            text.push('\n');
        }
    }
    let count = |is: Availability| subjects.iter().filter(|row| row.measurable == is).count();
    let counts = [Availability::Yes, Availability::Partly, Availability::No, Availability::Unknown]
        .map(|is| format!("{} {}", count(is), is.as_str()));
    let _ = write!(text, "{} subjects: {}", subjects.len(), counts.join(", "));
    if !tools.is_empty() {
        let found = tools.iter().filter(|row| row.measurable == Availability::Yes).count();
        let _ = write!(text, "; {found} of {} tools", tools.len());
    }
    text.push_str(".\nFor a bug report, add the output of `sbc-bench snapshot`.\n");
    text
}

/// One subject with its reason, and below it the remedy.
fn paragraph(row: &Capability) -> String {
    let head = format!("  {:<7} {:<15}", row.measurable.as_str(), row.subject);
    let because = wrapped(&format!("{:INDENT$}{}", "", row.because), INDENT);
    let mut text = if width(&head) < INDENT {
        format!("{}{}\n", padded(&head, INDENT), because.trim_start())
    } else {
        format!("{head}\n{because}\n")
    };
    if !row.way_out.is_empty() {
        let way_out = wrapped(&format!("{:INDENT$}-> {}", "", row.way_out), INDENT + 3);
        let _ = writeln!(text, "{way_out}");
    }
    text
}
