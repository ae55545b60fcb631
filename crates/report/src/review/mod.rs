//! Report: the review of a machine in Markdown, with the section order of reviews by the bash program: general
//! information, governors, clocks, performance, devices, file systems, swap, software, kernel. Problems come first,
//! events during monitoring last.
//!
//! All names are sanitised, because devices may report any text.

mod closing;
mod devices;
mod measured;
mod settings;
mod software;

use facts::plain::markdown;
use facts::{Explanation, Facts, Finding, Severity, view};
use record::{Fact, Machine, Record, Survey};
use rules::{Report, kernel, survey};
use std::fmt::Write;

pub(super) const REPORT: Report = Report {
    id: "review",
    about: "Review of the machine in Markdown: settings, clocks, devices, kernel.",
    fits: |record| !record.surveys.is_empty(),
    ..Report::of(render)
};

fn render(facts: &Facts<'_>, explained: &Explanation) -> String {
    let Some(first) = facts.surveys.first() else {
        return String::new();
    };
    let mut text = title(facts);
    let sections = [
        general(facts, first),
        costs(facts),
        settings::section(facts, first),
        measured::clocks(facts, &explained.findings),
        measured::baseline(facts),
        measured::gains(facts),
        devices::section(first),
        devices::filesystems(first),
        devices::swap(facts, first),
        software::versions(facts),
        software::kernel(facts, first),
        closing::section(facts, explained),
        left_out(&facts.machine, first),
    ];
    sections.iter().for_each(|section| text.push_str(section));
    text
}

/// Section with its heading; empty if the body is empty.
fn section(heading: &str, body: &str) -> String {
    match body.trim_end() {
        "" => String::new(),
        body => format!("### {heading}:\n\n{body}\n\n"),
    }
}

/// Lines as a list.
fn list(lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().map(|line| format!("  * {line}\n")).collect()
}

fn title(record: &Record) -> String {
    let machine = &record.machine;
    let name = machine.board.known().or(machine.soc.known());
    let name = name.map_or("Unknown machine".into(), |name| markdown(name));
    let date = explain::monitor::local_time(record, 0);
    let date = date.map(|at| at.strftime("%a, %d %b %Y %H:%M:%S %z").to_string());
    let version = record.source.version();
    format!("# {name}\n\nTested with sbc-bench v{version} on {}.\n\n", date.unwrap_or_else(|| "an unknown date".into()))
}

fn general(record: &Record, first: &Survey) -> String {
    let machine = &record.machine;
    let mut text = String::new();
    let types = view::core_types(record);
    match (machine.clusters.len(), types.len()) {
        (0 | 1, _) | (_, 0) => {}
        (clusters, 1) => {
            let _ = writeln!(text, "The CPU features {clusters} clusters of same core type:\n");
        }
        (clusters, types) => {
            let _ =
                writeln!(text, "The CPU features {clusters} clusters consisting of {types} different core types:\n");
        }
    }
    let known = |fact: &record::Fact<String>| fact.known().map(|text| facts::plain(text));
    let mut words: Vec<String> = known(&facts::soc::name(machine)).into_iter().collect();
    words.extend(known(&machine.kernel_arch).map(|arch| {
        match known(&machine.virtualisation).filter(|kind| kind != "none") {
            Some(kind) => format!("Kernel: {arch} / {kind}"),
            None => format!("Kernel: {arch}"),
        }
    }));
    words.extend(known(&machine.userland_arch).map(|arch| format!("Userland: {arch}")));
    let _ = writeln!(text, "    {}\n    ", words.join(", "));
    for line in facts::view::topology(machine).lines() {
        let _ = writeln!(text, "    {}", facts::harmless(line));
    }
    if let Some(kib) = machine.memory_kib.known() {
        let _ = writeln!(text, "\n{} MiB RAM usable by the kernel", kib / 1024);
    }
    let memory = survey::words::memory_lines(first);
    if !memory.is_empty() {
        let _ = write!(text, "\n{}", list(memory.iter().map(|line| markdown(line))));
    }
    let supplies = survey::words::supply_lines(first);
    if !supplies.is_empty() {
        let _ = write!(text, "\nPower:\n\n{}", list(supplies.iter().map(|line| markdown(line))));
    }
    section("General information", &text)
}

/// Findings of the inspection before measurements.
fn costs(facts: &Facts<'_>) -> String {
    let mut findings = rules::check_at_rest(facts);
    // A kernel without further fixes needs attention, regardless of its speed.
    let kernel = kernel::verdict(facts, &kernel::Eol::shipped()).findings;
    findings.extend(kernel.into_iter().filter(|finding| finding.rule == kernel::ENDED));
    let line = |finding: &Finding| {
        let mark = match finding.severity {
            Severity::Info => "",
            Severity::Degraded | Severity::Invalid => "**!** ",
        };
        format!("{mark}{} (confidence {} %)", markdown(&finding.sentence()), finding.confidence_percent)
    };
    let body = if findings.is_empty() {
        survey::all_clear(&survey::inspected_parts(facts))
    } else {
        list(findings.iter().map(line))
    };
    section("Settings that cost performance", &body)
}

/// Unreadable sources, so that missing data does not look complete.
fn left_out(machine: &Machine, first: &Survey) -> String {
    let policies = machine.policies.iter().flat_map(|policy| {
        let number = policy.policy;
        let governor = why("Governor", number, &policy.governor);
        let limit = why("Clock limit", number, &policy.limit_khz_max);
        let clock = why("Highest clock", number, &policy.clock_khz_max);
        [governor, limit, clock].into_iter().flatten()
    });
    let lines = first.left_out.iter().cloned().chain(policies);
    section("Not checked", &list(lines.map(|line| markdown(&line))))
}

fn why<T>(what: &str, policy: u32, fact: &Fact<T>) -> Option<String> {
    match fact {
        Fact::Missing { missing } if !missing.path.is_empty() => Some(format!("{what} of policy{policy}: {missing}")),
        Fact::Known(_) | Fact::Missing { .. } => None,
    }
}

#[cfg(test)]
mod tests;
