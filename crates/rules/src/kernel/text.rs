//! The verdict over a kernel in words.

use super::remarks::option;
use super::{KernelVerdict, Origin};
use facts::lines::wrapped;
use facts::plain;
use record::{KernelFacts, Record};
use std::fmt::Write;

/// Kernel configuration in one short line.
pub fn lines(record: &Record) -> Vec<String> {
    let machine = &record.machine;
    let facts = record.surveys.first().map(|survey| &survey.kernel);
    let mut words = Vec::new();
    if let Some(hz) = facts.and_then(|facts| option(facts, "HZ")) {
        words.push(format!("CONFIG_HZ={}", plain(hz)));
    }
    words.extend(facts.and_then(preemption));
    if words.is_empty()
        && let Some(found) = machine.features.iter().find(|feature| feature.name == "preemption")
    {
        words.push(plain(&found.value));
    }
    if let Some(bytes) = machine.page_size_bytes.known() {
        words.push(format!("{} KiB pages", bytes / 1024));
    }
    if let Some(governor) = facts.and_then(default_governor) {
        words.push(format!("default governor {governor}"));
    }
    words
}

/// The model of preemption that the configuration chose.
fn preemption(facts: &KernelFacts) -> Option<String> {
    let names = ["PREEMPT_RT", "PREEMPT_DYNAMIC", "PREEMPT_LAZY", "PREEMPT", "PREEMPT_VOLUNTARY", "PREEMPT_NONE"];
    let name = names.into_iter().find(|name| option(facts, name) == Some("y"))?;
    Some(name.to_owned())
}

fn default_governor(facts: &KernelFacts) -> Option<String> {
    let options = facts.config.known()?;
    let found = options.iter().find_map(|option| {
        let name = option.name.strip_prefix("CPU_FREQ_DEFAULT_GOV_")?;
        (option.value == "y").then(|| name.to_lowercase())
    })?;
    Some(plain(&found))
}

/// Everything for people.
pub fn text(record: &Record, verdict: &KernelVerdict) -> String {
    let mut text = String::new();
    let arch = record.machine.kernel_arch.known().map_or("", String::as_str);
    let _ = writeln!(text, "Kernel {} {}", plain(&verdict.release), plain(arch));
    let built = lines(record);
    if !built.is_empty() {
        let _ = writeln!(text, "{}", wrapped(&built.join(", "), 0));
    }
    if let Some(build) = record.machine.kernel_version.known() {
        let _ = writeln!(text, "{}", wrapped(&plain(build), 0));
    }
    text.push('\n');
    for finding in &verdict.findings {
        let _ = writeln!(text, "{}", wrapped(&format!(" * {}", finding.sentence()), 3));
    }
    if verdict.origins.is_empty() {
        if let Some(words) = of_nobody(&verdict.release) {
            let _ = writeln!(text, "{}", wrapped(&format!(" * {words}"), 3));
        }
    } else {
        text.push_str("\nKernel origin and evidence:\n");
        verdict.origins.iter().for_each(|origin| text.push_str(&origin_text(origin)));
    }
    let facts = record.surveys.first().map(|survey| &survey.kernel);
    text.push_str(&facts.map(weaknesses).unwrap_or_default());
    if let Some(missing) = facts.and_then(|facts| facts.config.missing()) {
        let _ = writeln!(text, "\nKernel configuration unknown: {missing}.");
    }
    text
}

/// Description of a release without a vendor; empty without a release.
fn of_nobody(release: &str) -> Option<String> {
    let numbers = release.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let suffix = match numbers.strip_prefix("-rc") {
        Some(candidate) => candidate.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => numbers,
    };
    if release.is_empty() {
        None
    } else if suffix.is_empty() {
        Some(
            "No sign of a vendor, distribution or community kernel; it may be an unmodified mainline kernel."
                .to_owned(),
        )
    } else {
        Some(format!(
            "No sign of a vendor, distribution or community kernel; its local suffix {} is unknown.",
            plain(suffix)
        ))
    }
}

fn origin_text(origin: &Origin) -> String {
    let mut text = format!("   {} (confidence {} %)\n", plain(&origin.name), origin.confidence_percent);
    for trace in &origin.traces {
        let line = format!("      {} in {} ({} %)", plain(&trace.what), plain(&trace.from), trace.weight_percent);
        let _ = writeln!(text, "{}", wrapped(&line, 9));
    }
    text
}

fn weaknesses(facts: &KernelFacts) -> String {
    let there: Vec<String> = weakness_lines(facts);
    if there.is_empty() {
        return String::new();
    }
    let mut text = "\nCPU vulnerabilities and mitigations:\n".to_owned();
    for line in there {
        let _ = writeln!(text, "{}", wrapped(&format!("   {line}"), 6));
    }
    text
}

/// One line for each vulnerability of this CPU.
pub fn weakness_lines(facts: &KernelFacts) -> Vec<String> {
    facts
        .vulnerabilities
        .iter()
        .filter(|weakness| weakness.value != "Not affected")
        .map(|weakness| format!("{}: {}", plain(&weakness.name.replace('_', " ")), plain(&weakness.value)))
        .collect()
}
