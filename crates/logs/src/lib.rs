//! Reads logs of the bash program `sbc-bench`, of every version since before 0.4 (2018), into the same Record as a run
//! of this program.
//!
//! [`read`] never fails: lines that no reader understands keep their line number ([`Log::unread`]), text for reports is
//! kept whole ([`Log::blocks`]), and facts absent from a log are missing with that reason. No value is guessed.
//!
//! `sections` splits the text at headings, one file per kind of section parses it, and `assemble` builds the Record
//! when clusters and times are known. All of this is one pass over the lines.
//!
//! Workloads of logs: `clock` (variants `cold`, `hot-after`, `parallel-idle`, `parallel-loaded`), `memory-bandwidth`,
//! `memory-latency` (`tinymembench...`, `ramlat`), `openssl` (the algorithm, with `-parallel` for all CPUs at once),
//! `sevenzip` (`single`, `multi`, `core-type`), `cpuminer`, `cpuminer-per-cpu`, `stockfish`, `stress-ng`. Their
//! `method` is 0 for the bash program's own tools, else the major version of the tool.
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

/// Maximum number of lines read of one run: a day and a half of monitoring at one line a second. The longest published
/// log has 7,663 lines. Each line that no reader understands costs memory, so the limit bounds all lists of a Record.
const LINES_MAX: usize = 131_072;

/// Maximum number of characters kept of a text that is not a log.
const FOREIGN_CHARS: usize = 2000;

/// Reads the Record of a log. Accepts any text: text that is not a log gives a Record without figures, whose only block
/// contains the text.
pub fn read(text: &str) -> Record {
    let lines = sections::lines(text);
    let mut draft =
        Draft { log: record::Log { lines: lines.len() as u32, ..record::Log::default() }, ..Draft::default() };
    if !lines.iter().any(is_mark) {
        foreign(&lines, &mut draft);
        return assemble::finish(draft);
    }
    let lines = first_lines(last_run(&lines, &mut draft), &mut draft);
    for section in sections::split(lines) {
        read_section(&section, &mut draft);
    }
    let mut record = assemble::finish(draft);
    cited::keep(&mut record, lines);
    record
}

/// The first [`LINES_MAX`] lines; the number of further lines is kept as an unread line.
fn first_lines<'a, 't>(lines: &'a [Line<'t>], draft: &mut Draft) -> &'a [Line<'t>] {
    let (read, further) = lines.split_at(lines.len().min(LINES_MAX));
    if let Some(first) = further.first() {
        let text = format!("{} lines after the first {LINES_MAX} are not read", further.len());
        draft.log.unread.push(record::LogLine { line: first.number, text });
    }
    read
}

/// True if the text looks like a log of the bash program or a part of one.
pub fn looks_like_log(text: &str) -> bool {
    text.lines().take(5000).zip(1..).any(|(text, number)| is_mark(&Line { number, text: text.trim_end_matches('\r') }))
}

/// True for a line that occurs only in such logs.
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
        // Reviews of a few versions do not contain their version.
        "### Clockspeeds (idle vs",
        "tinymembench v",
    ];
    let text = line.text.trim_start();
    MARKS.iter().any(|mark| text.starts_with(mark)) || header::is_header(text)
}

/// Lines of the last run of a file: the local log is appended to, never rotated. The header lines of earlier runs are
/// kept.
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
    let heading = if lines.iter().all(Line::is_blank) { "empty" } else { "not an sbc-bench log" };
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
