//! Splits a log into sections, each opened by its heading.
//!
//! This module parses headings only; the reader of each kind parses the content. Splitting is one pass without
//! look-back, so that a truncated log splits in the same way up to its end.

use super::section_kind::Kind;

/// One line of a log without its line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'t> {
    /// Number, from 1.
    pub(super) number: u32,
    /// Text of the line.
    pub(super) text: &'t str,
}

impl Line<'_> {
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// A section: consecutive lines, the first of which opened it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Section<'a, 't> {
    pub(super) kind: Kind,
    pub(super) lines: &'a [Line<'t>],
}

impl<'a, 't> Section<'a, 't> {
    /// The line that opened the section.
    pub(super) fn heading(&self) -> Line<'t> {
        self.lines[0]
    }

    /// The lines after the first.
    pub(super) fn body(&self) -> &'a [Line<'t>] {
        &self.lines[1..]
    }
}

/// Splits a text into lines. Drops carriage returns and a byte order mark.
pub(super) fn lines<'t>(text: &'t str) -> Vec<Line<'t>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let without_return = |text: &'t str| if text.ends_with('\r') { text.trim_end_matches('\r') } else { text };
    text.lines().zip(1..).map(|(text, number)| Line { number, text: without_return(text) }).collect()
}

/// Splits a log into sections, in order. Every line is in exactly one section.
pub(super) fn split<'a, 't>(lines: &'a [Line<'t>]) -> Vec<Section<'a, 't>> {
    let mut sections = Vec::new();
    let mut start = 0;
    let mut kind = Kind::System;
    let mut separators = 0;
    for (index, line) in lines.iter().enumerate() {
        let next = if is_separator(line.text) && kind != Kind::Review {
            separators += 1;
            Some(Kind::Loose)
        } else {
            opens(line.text, kind, separators > 0)
        };
        if let Some(next) = next {
            if index > start {
                sections.push(Section { kind, lines: &lines[start..index] });
            }
            start = index;
            kind = next;
        } else if kind == Kind::Summary {
            // The summary is one line; later lines belong to no section.
            sections.push(Section { kind, lines: &lines[start..index] });
            start = index;
            kind = Kind::Loose;
        }
    }
    if start < lines.len() {
        sections.push(Section { kind, lines: &lines[start..] });
    }
    sections
}

/// True for a line of only `#`, at least forty of them.
pub(super) fn is_separator(text: &str) -> bool {
    // Called for every line: a cheap test first.
    let text = text.trim_start();
    text.starts_with('#') && {
        let text = text.trim_end();
        text.len() >= 40 && text.bytes().all(|byte| byte == b'#')
    }
}

/// Line prefixes that open a section anywhere, in order of precedence.
const HEADINGS: &[(&str, Kind)] = &[
    ("** cpuminer", Kind::Cpuminer),
    ("/boot/config.txt:", Kind::ThreadxConfig),
    ("/sys/kernel/debug/clk/clk_summary diff", Kind::ClockTree),
    ("7-zip total scores", Kind::ConsoleSevenZip),
    ("ATTENTION:", Kind::Attention),
    ("Actual ThreadX settings", Kind::ThreadxSettings),
    ("Armbian release info", Kind::ArmbianRelease),
    ("BIOS/UEFI", Kind::Bios),
    ("CPU sysfs topology", Kind::Topology),
    ("CPU topology", Kind::Topology),
    ("Checking cpufreq OPP", Kind::Clocks),
    ("Cpuminer total scores", Kind::ConsoleCpuminer),
    ("DIMM configuration", Kind::Memory),
    ("DRAM clock transitions", Kind::DramClocks),
    ("DT compat:", Kind::Labels),
    ("Device Info:", Kind::DeviceInfo),
    ("Durations:", Kind::Durations),
    ("Executing \"stress-ng", Kind::StressNg),
    ("Executing Stockfish", Kind::Stockfish),
    ("Executing benchmark on each cluster", Kind::OpenSsl),
    ("Executing benchmark twice", Kind::OpenSsl),
    ("Executing ramlat", Kind::Ramlat),
    ("Executing tinymembench", Kind::Tinymembench),
    ("Filename\t", Kind::Swapon),
    ("Filename ", Kind::Swapon),
    ("Full results uploaded to ", Kind::Progress),
    ("Hardware sensors:", Kind::Sensors),
    ("Measuring every CPU alone", Kind::ParallelClocks),
    ("Measuring highest clockspeeds", Kind::ParallelClocks),
    ("Memory performance", Kind::ConsoleMemory),
    ("Monitoring data for each run:", Kind::Loose),
    ("OpenSSL results", Kind::ConsoleOpenSsl),
    ("Power monitoring on socket", Kind::Power),
    ("Querying ThreadX on RPi", Kind::FirmwareBits),
    ("Querying firmware on RPi", Kind::FirmwareBits),
    ("RAM configuration", Kind::Memory),
    ("Raspberry Pi ThreadX version", Kind::ThreadxVersion),
    ("Results validation:", Kind::Validation),
    ("Signature:", Kind::Labels),
    ("SoC guess:", Kind::Labels),
    ("Status of performance related", Kind::Governors),
    ("Stockfish scores", Kind::ConsoleOther),
    ("System health while running", Kind::Monitor),
    ("Testing clockspeeds again", Kind::ClocksAgain),
    ("Testing maximum cpufreq again", Kind::ClocksAgain),
    ("Thermal source:", Kind::ThermalSource),
    ("ThreadX configuration", Kind::ThreadxConfig),
    ("Throttling occured. Cpufreq", Kind::Throttling),
    ("Throttling statistics", Kind::Throttling),
    ("Uptime:", Kind::Uptime),
    ("WARNING: ZSWAP", Kind::Zswap),
    ("Wrong thermal source:", Kind::ThermalSource),
    ("Zswap active", Kind::Zswap),
    ("avg-cpu:", Kind::Iostat),
    ("block size :", Kind::TinymembenchLatency),
    ("dmesg output while", Kind::KernelMessages),
];

/// Line prefixes that repeat within their own section, in order of precedence.
const AGAIN: &[(&str, Kind)] = &[
    ("7-Zip ", Kind::SevenZip),
    ("Cpufreq OPP:", Kind::Clocks),
    ("No cpufreq support", Kind::Clocks),
    ("p7zip Version", Kind::SevenZip),
    ("tinymembench v", Kind::Tinymembench),
];

/// Finds the heading at the start of a line. Called for every line, so an index by first letter limits the candidates.
fn heading(headings: &[(&str, Kind)], trimmed: &str, first: u8) -> Option<Kind> {
    let letter = |(start, _): &(&str, Kind)| start.as_bytes()[0];
    let from = headings.partition_point(|heading| letter(heading) < first);
    let mut possible = headings[from..].iter().take_while(|heading| letter(heading) == first);
    possible.find(|(start, _)| trimmed.starts_with(start)).map(|(_, kind)| *kind)
}

/// Kind of section that a line opens in the current section; `None` if the line belongs to the current section.
fn opens(text: &str, current: Kind, after_separator: bool) -> Option<Kind> {
    let trimmed = text.trim_start();
    let first = *trimmed.as_bytes().first()?;
    match current {
        // The review is Markdown that repeats much of the log: only its own headings open sections.
        Kind::Review => return trimmed.starts_with("### ").then_some(Kind::Review),
        // Kernel messages and clock trees are foreign text up to the next separator.
        Kind::KernelMessages | Kind::ClockTree => return None,
        _ => {}
    }
    // Most lines are rows of numbers: they open 7-zip, and tables among lines that belong to no section.
    const ROWS_OPEN: [Kind; 5] = [Kind::System, Kind::Loose, Kind::Caches, Kind::OppTables, Kind::ReportVerdict];
    if first.is_ascii_digit() && first != b'7' && !ROWS_OPEN.contains(&current) {
        return None;
    }
    if matches!(current, Kind::System | Kind::Loose | Kind::ReportVerdict) {
        if super::first_line::is_report_verdict(trimmed) {
            return Some(Kind::ReportVerdict);
        }
        if super::first_line::report_title(trimmed).is_some() {
            return Some(Kind::ReportFigures);
        }
        if trimmed.starts_with("| Figure | Value | Unit |") {
            return Some(Kind::ReportTable);
        }
    }
    if matches!(current, Kind::ReportVerdict | Kind::ReportFigures | Kind::ReportTable) {
        return None;
    }
    if is_progress(trimmed) {
        return (current != Kind::Progress).then_some(Kind::Progress);
    }
    if first == b's' && super::first_line::parse(trimmed).is_some() {
        return (current != Kind::System).then_some(Kind::System);
    }
    if let Some(kind) = announced(trimmed, first) {
        // Several lines of these sections match an opening.
        let several = matches!(kind, Kind::Labels | Kind::Zswap | Kind::Iostat);
        return (kind != current || !several).then_some(kind);
    }
    match heading(AGAIN, trimmed, first) {
        Some(kind) => (kind != current).then_some(kind),
        None => super::section_shapes::opens(trimmed, text, current, after_separator),
    }
}

/// True for a line that the bash program prints while it runs: `Executing tinymembench. Done.`
pub(super) fn is_progress(trimmed: &str) -> bool {
    const STARTS: [&str; 3] = ["Checking cpufreq OPP", "Executing ", "Installing needed tools"];
    super::text::start_of(trimmed, &STARTS).is_some()
        && (trimmed.contains(". Done") || trimmed.contains(": Done") || trimmed.contains("... "))
}

/// True for a line that opens a section anywhere.
pub(super) fn is_heading(trimmed: &str) -> bool {
    trimmed.as_bytes().first().is_some_and(|first| {
        announced(trimmed, *first).is_some() || heading(AGAIN, trimmed, *first).is_some() || is_progress(trimmed)
    })
}

fn announced(trimmed: &str, first: u8) -> Option<Kind> {
    executed(trimmed).or_else(|| heading(HEADINGS, trimmed, first))
}

/// Kind of an `Executing` line, determined by the name of the tool.
fn executed(trimmed: &str) -> Option<Kind> {
    let what = trimmed.strip_prefix("Executing ")?;
    if what.starts_with("benchmark ") {
        return Some(if trimmed.contains("-threaded") {
            Kind::SevenZip
        } else if trimmed.contains(" on cpu") {
            Kind::Tinymembench
        } else {
            Kind::OpenSsl
        });
    }
    // Only this program names workloads with their method: `Executing simd@1 on CPUs 0-3`.
    what.split(' ').next().is_some_and(|workload| workload.contains('@')).then_some(Kind::OwnSeries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Total;

    #[test]
    fn every_line_is_in_exactly_one_section() {
        let text = "sbc-bench v0.9.72 Board (x)\n\nUptime: 1\n\n\
            ##########################################################################\n\n\
            Checking cpufreq OPP:\n\nCpufreq OPP: 800 Measured: 799 (1/2/3)\n\
            ##########################################################################\n\
            | Board | 800 MHz | 5.10 | Debian | 5 | 6 | 7 | 8 | 9 | - |\nmore\n";
        let lines = lines(text);
        let sections = split(&lines);
        let kinds: Vec<Kind> = sections.iter().map(|section| section.kind).collect();
        assert_eq!(
            kinds,
            [Kind::System, Kind::Uptime, Kind::Loose, Kind::Clocks, Kind::Loose, Kind::Summary, Kind::Loose]
        );
        let count: usize = sections.iter().map(|section| section.lines.len()).total();
        assert_eq!(count, lines.len());
    }

    /// Every heading must occur in a log; other headings are dead code.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "logs are files of this repository")]
    fn every_heading_stands_in_a_log_of_the_repository() {
        // Headings of this program's own logs; `tests/own_log.rs` reads them.
        const OWN: [&str; 1] = ["Measuring every CPU alone"];
        const CONSOLE: [&str; 7] = [
            "ATTENTION:",
            "Cpuminer total scores",
            "Full results uploaded to ",
            "Memory performance",
            "OpenSSL results",
            "Stockfish scores",
            "7-zip total scores",
        ];
        const BY_SHAPE: [Kind; 12] = [
            Kind::System,
            Kind::Loose,
            Kind::Free,
            Kind::SevenZip,
            Kind::Summary,
            Kind::Review,
            Kind::Lscpu,
            Kind::Processor,
            Kind::Labels,
            Kind::KernelSupport,
            Kind::Caches,
            Kind::OppTables,
        ];
        let mut missing: Vec<&str> = HEADINGS.iter().map(|(start, _)| *start).collect();
        missing.retain(|start| !OWN.contains(start) && !CONSOLE.contains(start));
        let mut kinds = BY_SHAPE.to_vec();
        for folder in ["src/fixtures", "../explain/tests/composed", "../explain/tests/composed/reviews"] {
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            for file in std::fs::read_dir(folder).unwrap() {
                let Ok(text) = std::fs::read_to_string(file.unwrap().path()) else { continue };
                let lines = lines(&text);
                missing.retain(|start| {
                    let mut texts = lines.iter().map(|line| line.text.trim_start());
                    !texts.any(|text| text.starts_with(start))
                });
                let found: Vec<Kind> = split(&lines).iter().map(|section| section.kind).collect();
                kinds.retain(|kind| !found.contains(kind));
            }
        }
        assert!(missing.is_empty() && kinds.is_empty(), "{missing:?} {kinds:?}");
    }

    #[test]
    fn headings_are_in_order() {
        for headings in [HEADINGS, AGAIN] {
            assert!(headings.is_sorted_by_key(|(start, _)| *start));
        }
    }

    #[test]
    fn kernel_messages_end_only_at_a_separator() {
        let text = "dmesg output while running the benchmarks:\n\nUptime: 5\n[ 1.0] Checking cpufreq OPP\n\
            ##########################################################################\nUptime: x\n";
        let lines = lines(text);
        let kinds: Vec<Kind> = split(&lines).iter().map(|section| section.kind).collect();
        assert_eq!(kinds, [Kind::KernelMessages, Kind::Loose, Kind::Uptime]);
    }
}
