//! Reads logs of the bash program `sbc-bench`, every version from before 0.4 (2018) on, into
//! the same Record that a run of this program makes.
//!
//! [`read`] never fails: what could not be understood is kept with its line number
//! ([`Log::unread`]), what is kept for reports only is kept whole ([`Log::blocks`]), and what a
//! log does not say is missing with that reason. Nothing is guessed.
//!
//! How it works: `sections` splits the text at headings, one file per kind of section turns it
//! into values, `assemble` puts the Record together once clusters and times are known. All of
//! it is one pass over the lines.
//!
//! Workloads of logs: `clock` (variants `cold`, `hot-after`, `parallel-idle`,
//! `parallel-loaded`), `memory-bandwidth`, `memory-latency` (`tinymembench...`, `ramlat`),
//! `openssl` (the algorithm, with `-parallel` where all CPUs worked at once), `sevenzip`
//! (`single`, `multi`, `core-type`), `cpuminer`, `cpuminer-per-cpu`, `stockfish`, `stress-ng`.
//! Their `method` is 0 where the bash program's own tools measured, else the major version of
//! the tool.
//!
//! [`Log::unread`]: record::Log::unread
//! [`Log::blocks`]: record::Log::blocks

#![forbid(unsafe_code)]

pub mod any_file;
mod assemble;
mod cited;
mod clocks;
mod closing;
mod clusters;
#[cfg(test)]
mod digest;
mod draft;
mod firmware;
mod free;
mod header;
mod loads;
mod loose;
mod monitor;
mod openssl;
mod phases;
mod ramlat;
pub mod redact;
mod review;
mod rows;
mod sections;
mod sevenzip;
mod states;
#[cfg(test)]
mod tests;
mod text;
mod throttling;
mod timeline;
mod tinymembench;
mod topology;
mod verdicts;

use draft::Draft;
use record::{LogBlock, Record};
use sections::{Kind, Line, Section};

/// So much of a text that is no log is kept to show what it is.
const FOREIGN_CHARS: usize = 2000;

/// The Record of a log. Any text is accepted: one that is no log gives a Record without
/// figures, whose only block says so.
pub fn read(text: &str) -> Record {
    let lines = sections::lines(text);
    let mut draft =
        Draft { log: record::Log { lines: lines.len() as u32, ..record::Log::default() }, ..Draft::default() };
    if !lines.iter().any(is_mark) {
        foreign(&lines, &mut draft);
        return assemble::finish(draft);
    }
    let lines = last_run(&lines, &mut draft);
    for section in sections::split(lines) {
        read_section(&section, &mut draft);
    }
    let mut record = assemble::finish(draft);
    cited::keep(&mut record, lines);
    record
}

/// True if the text looks like a log of the bash program, whole or in part.
pub fn looks_like_log(text: &str) -> bool {
    text.lines().take(5000).zip(1..).any(|(text, number)| is_mark(&Line { number, text: text.trim_end_matches('\r') }))
}

/// A line that only such a log has.
fn is_mark(line: &Line<'_>) -> bool {
    const MARKS: [&str; 10] = [
        "Checking cpufreq OPP",
        "Cpufreq OPP:",
        "Distributor ID:",
        "Executing benchmark ",
        "System health while running",
        "Tested with sbc-bench v",
        "Testing clockspeeds again",
        "Testing maximum cpufreq again",
        // Reviews of a few versions do not name their version.
        "### Clockspeeds (idle vs",
        "tinymembench v",
    ];
    let text = line.text.trim_start();
    MARKS.iter().any(|mark| text.starts_with(mark)) || header::is_header(text)
}

/// The last run of a file that holds several: the local log is appended to, never rotated. The
/// header lines of the others are kept.
fn last_run<'a, 't>(lines: &'a [Line<'t>], draft: &mut Draft) -> &'a [Line<'t>] {
    let headers: Vec<usize> = (0..lines.len()).filter(|index| header::is_header(lines[*index].text)).collect();
    let [earlier @ .., last] = headers.as_slice() else {
        return lines;
    };
    if earlier.is_empty() {
        return lines;
    }
    let earlier: Vec<Line<'_>> = earlier.iter().map(|index| lines[*index]).collect();
    draft.block_of(LogBlock::EARLIER_RUNS, &earlier);
    &lines[*last..]
}

fn foreign(lines: &[Line<'_>], draft: &mut Draft) {
    let heading = match lines.iter().all(Line::is_blank) {
        true => "empty",
        false => "not an sbc-bench log",
    };
    let mut text = String::new();
    for line in lines {
        if text.len() >= FOREIGN_CHARS {
            break;
        }
        text.extend(line.text.chars().take(FOREIGN_CHARS));
        text.push('\n');
    }
    draft.log.blocks.push(LogBlock { line: 1, heading: heading.to_string(), text: text.trim_end().to_string() });
}

fn read_section(section: &Section<'_, '_>, draft: &mut Draft) {
    match section.kind {
        Kind::System => header::read(section, draft),
        Kind::Loose => loose::read(section, draft),
        Kind::DeviceInfo | Kind::Bios | Kind::ThreadxVersion | Kind::ThreadxConfig => {
            firmware::read(section, draft);
        }
        Kind::ThreadxSettings | Kind::ArmbianRelease => firmware::read(section, draft),
        Kind::Uptime | Kind::Iostat | Kind::Free | Kind::Swapon | Kind::Zswap | Kind::Power => {
            states::read(section, draft);
        }
        Kind::Clocks => clocks::read(section, draft),
        Kind::ClocksAgain => clocks::read_again(section, draft),
        Kind::ParallelClocks => clocks::read_parallel(section, draft),
        Kind::Sensors => draft.block("sensors", section),
        Kind::Tinymembench => tinymembench::read(section, draft),
        Kind::TinymembenchLatency => tinymembench::read_latency(section, draft),
        Kind::Ramlat => ramlat::read(section, draft),
        Kind::OpenSsl => openssl::read(section, draft),
        Kind::SevenZip => sevenzip::read(section, draft),
        Kind::Cpuminer => loads::read_cpuminer(section, draft),
        Kind::Stockfish => loads::read_stockfish(section, draft),
        Kind::OwnSeries => loads::read_own_series(section, draft),
        Kind::StressNg => loads::read_stress_ng(section, draft),
        Kind::DramClocks => draft.block("dram-clocks", section),
        Kind::ThermalSource => loose::read_thermal_source(section, draft),
        Kind::Monitor => monitor::read(section, draft),
        Kind::Throttling => throttling::read_statistics(section, draft),
        Kind::FirmwareBits => throttling::read_firmware_bits(section, draft),
        Kind::KernelMessages => closing::read_kernel_messages(section, draft),
        Kind::Topology => topology::read(section, draft),
        Kind::Lscpu => topology::read_lscpu(section, draft),
        Kind::Processor => draft.block("processor", section),
        Kind::Labels => closing::read_labels(section, draft),
        Kind::KernelSupport => verdicts::read_kernel_support(section, draft),
        Kind::Memory => draft.block("memory-modules", section),
        Kind::Caches => closing::read_caches(section, draft),
        Kind::OppTables => draft.block("opp-tables", section),
        Kind::Validation => verdicts::read_validation(section, draft),
        Kind::Governors => verdicts::read_governors(section, draft),
        Kind::ClockTree => draft.block("clock-tree", section),
        Kind::Summary => verdicts::read_summary(section, draft),
        Kind::Review => verdicts::read_review(section, draft),
        Kind::Durations => draft.block("durations", section),
    }
}
