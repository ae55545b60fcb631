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
mod cleanup;
mod clocks;
mod clusters;
mod console_output;
#[cfg(test)]
mod digest;
mod draft;
mod firmware;
mod first_line;
mod foreign_file;
mod free_rows;
mod header;
mod html;
mod list_row;
mod loads;
mod monitor;
mod openssl;
mod own_report;
mod phases;
mod posts;
mod prefixes;
mod ramlat;
pub mod redact;
mod review;
mod row_shapes;
mod rows;
mod section_kind;
mod section_shapes;
mod sections;
mod sevenzip;
mod states;
mod summary_row;
#[cfg(test)]
mod tests;
mod text;
mod throttling;
mod timeline;
mod tinymembench;
mod topology;
mod totals;
mod trailer;
mod transfer;
mod unheaded;
mod verdicts;
mod wraps;

pub use foreign_file::ForeignFile;

use draft::Draft;
use posts::{Post, PostKind};
use record::{LogBlock, Record, StableSort, Total};
use section_kind::Kind;
use sections::{Line, Section};
use wraps::Wrap;

/// Maximum number of lines read of one run: a day and a half of monitoring at one line a second. The longest published
/// log has 7,663 lines. Each line that no reader understands costs memory, so the limit bounds all lists of a Record.
const LINES_MAX: usize = 131_072;

/// Maximum number of results read of one text. The longest published list has a few hundred.
const RESULTS_MAX: usize = 1000;

/// Maximum number of characters kept of a text that is not a log.
const FOREIGN_CHARS: usize = 2000;

/// A result in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct TextResult {
    /// Number of its first line, from 1.
    pub line: u32,
    /// Its Record.
    pub record: Record,
}

/// Reads the Record of a log. Accepts any text: text that is not a log gives a Record without figures, whose only block
/// contains the text. Of several results the last is read: the local log is appended to, never rotated.
pub fn read(text: &str) -> Record {
    read_all(text).pop().map_or_else(|| foreign(text), |result| result.record)
}

/// Reads every result of a text, in order: logs, console output, reviews and lines of results lists, in whatever form they
/// were posted. The list is empty if the text contains none.
pub fn read_all(text: &str) -> Vec<TextResult> {
    let messages = transfer::strings_of_json(text);
    let text = messages.as_deref().unwrap_or(text);
    let results = read_plain(text);
    let is_lacking = results.is_empty() || not_understood(&results, &[]) >= ENCODED_BYTES_MIN;
    if is_lacking && let Some(decoded) = transfer::decoded(text) {
        let decoded = read_plain(&decoded);
        if !decoded.is_empty() && values(&decoded) >= values(&results) {
            return decoded;
        }
    }
    results
}

/// Reads every result of a text that is not encoded.
fn read_plain(text: &str) -> Vec<TextResult> {
    let text = cleanup::clean(text);
    let lines = sections::lines(&text);
    let mut results = read_lines(&lines);
    let mut best = not_understood(&results, &lines);
    let mut found = values(&results);
    for (wrap, min) in [(Wrap::Hard, 1), (Wrap::Soft, WRAPPED_BYTES_MIN)] {
        if best < min {
            break;
        }
        let Some((text, numbers)) = wraps::unwrap(&lines, wrap) else { continue };
        let lines: Vec<Line<'_>> =
            text.lines().zip(&numbers).map(|(text, number)| Line { number: *number, text }).collect();
        let unwrapped = read_lines(&lines);
        let rest = not_understood(&unwrapped, &lines);
        // Lines that are joined by mistake hide values; a broken row may count twice, in a log and in its review.
        let makes_sense = rest < best / 20 && best > TABLE_BYTES;
        if rest < best && (makes_sense || values(&unwrapped) >= found) {
            (found, best) = (values(&unwrapped), rest);
            results = unwrapped;
        }
    }
    results
}

/// Texts of the results in a text and the numbers of their first lines. Lines before the first result are part of its text.
pub(crate) fn split(text: &str) -> Vec<(u32, String)> {
    let text = cleanup::clean(text);
    let lines = sections::lines(&text);
    let mut texts: Vec<(u32, String)> = Vec::new();
    let mut above = String::new();
    for post in posts::split(&lines) {
        let mut text = if post.is_result() { std::mem::take(&mut above) } else { String::new() };
        for line in &post.lines {
            text.push_str(line.text);
            text.push('\n');
        }
        match post.lines.first() {
            Some(first) if post.is_result() => texts.push((first.number, text)),
            _ => above.push_str(&text),
        }
    }
    texts
}

/// Minimum unread size for a text to count as encoded.
const ENCODED_BYTES_MIN: usize = 200;

/// Minimum unread size for lines to count as wrapped at blanks. Logs have a few unread lines.
const WRAPPED_BYTES_MIN: usize = 40;

/// Cost of a lost table in unread bytes.
const TABLE_BYTES: usize = 1000;

/// Cost of a reading: bytes of unread lines, and for a first line without its date and each result after the
/// first as much as a table has.
fn not_understood(results: &[TextResult], lines: &[Line<'_>]) -> usize {
    if results.is_empty() {
        let has_mark = lines.iter().any(|line| posts::is_mark(line.text));
        return if has_mark { usize::MAX } else { 0 };
    }
    let unread = results.iter().filter_map(|result| match &result.record.source {
        record::Source::Log(log) => {
            // A first line without its date was cut.
            let is_cut = log.header_name.as_ref().is_some_and(|name| name.contains(" (") && !name.ends_with(')'));
            let unread: usize = log.unread.iter().map(|line| line.text.len()).total();
            Some(unread + usize::from(is_cut) * TABLE_BYTES)
        }
        record::Source::Run { .. } => None,
    });
    unread.total() + (results.len() - 1) * TABLE_BYTES
}

/// Number of rows of monitoring and of steps with figures, of the result that has most. A review that is taken for a result
/// of its own repeats those of its log.
fn values(results: &[TextResult]) -> usize {
    let of = |result: &TextResult| {
        let is_done = |step: &&record::Step| matches!(step.outcome, record::Outcome::Done(_));
        result.record.samples.at_ms.len() + result.record.steps.iter().filter(is_done).count()
    };
    results.iter().map(of).max().unwrap_or(0)
}

/// Reads the results in these lines. Lines before the first result are unread lines of it.
fn read_lines(lines: &[Line<'_>]) -> Vec<TextResult> {
    let (results, others): (Vec<Post<'_>>, Vec<Post<'_>>) = posts::split(lines).into_iter().partition(Post::is_result);
    let (read, further) = results.split_at(results.len().min(RESULTS_MAX));
    let mut results: Vec<TextResult> = read.iter().filter_map(read_post).collect();
    if let Some(line) = further.first().and_then(|post| post.lines.first())
        && let Some(TextResult { record: Record { source: record::Source::Log(log), .. }, .. }) = results.last_mut()
    {
        let text = format!("{} results after the first {RESULTS_MAX} are not read", further.len());
        log.unread.push(record::LogLine { line: line.number, text });
    }
    if let Some(TextResult { record: Record { source: record::Source::Log(log), .. }, .. }) = results.first_mut() {
        for line in others.iter().flat_map(|post| &post.lines).filter(|line| !line.is_blank()) {
            log.lines += 1;
            if !unheaded::is_fence(line.text.trim()) {
                log.unread.push(record::LogLine { line: line.number, text: line.text.to_string() });
            }
        }
        log.unread.stable_sort_by_key(|line| line.line);
    }
    results
}

/// Reads the result in the lines of a post; `None` for a post without lines.
fn read_post(post: &Post<'_>) -> Option<TextResult> {
    let mut draft =
        Draft { log: record::Log { lines: post.lines.len() as u32, ..record::Log::default() }, ..Draft::default() };
    let lines = first_lines(&post.lines, &mut draft);
    if post.kind == PostKind::Row {
        for line in lines.iter().filter(|line| !line.is_blank()) {
            if list_row::is_row(line.text) {
                summary_row::read(line, &mut draft);
            } else if !unheaded::is_fence(line.text.trim()) {
                draft.unread(line);
            }
        }
    } else {
        let lines = own_report::without_heading(lines, &mut draft);
        for section in sections::split(lines) {
            read_section(&section, &mut draft);
        }
    }
    let mut record = assemble::finish(draft);
    cited::keep(&mut record, lines);
    Some(TextResult { line: post.lines.first()?.number, record })
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

/// Columns of tables other than the monitoring, as `TABLE COLUMN`.
const TABLE_COLUMNS: [&str; 16] = [
    "Checking-cpufreq-OPP Cpufreq-OPP",
    "Checking-cpufreq-OPP ThreadX",
    "Checking-cpufreq-OPP Measured",
    "7-zip dictionary",
    "7-zip Speed",
    "7-zip Usage",
    "7-zip R/U",
    "7-zip Rating",
    "tinymembench rate",
    "tinymembench spread",
    "tinymembench latency",
    "ramlat latency",
    "openssl throughput",
    "iostat %steal",
    "free used",
    "swapon used",
];

/// Every part of the format that a reader knows: sections, columns of the monitoring, columns of other tables.
/// `data/log_format.tsv` has a row for each.
pub fn format_parts() -> Vec<String> {
    let sections = Kind::ALL.iter().map(|kind| format!("section {kind:?}"));
    let monitoring = monitor::columns().map(|column| format!("monitoring {column}"));
    let lscpu = topology::lscpu_fields().map(|field| format!("lscpu {field}"));
    sections.chain(monitoring).chain(lscpu).chain(TABLE_COLUMNS.map(str::to_owned)).collect()
}

/// True if the text contains lines that occur only in texts of sbc-bench.
pub fn looks_like_log(text: &str) -> bool {
    text.lines().take(5000).any(posts::is_mark)
}

/// A Record without figures, whose only block is the text.
fn foreign(text: &str) -> Record {
    let lines = sections::lines(text);
    let mut draft =
        Draft { log: record::Log { lines: lines.len() as u32, ..record::Log::default() }, ..Draft::default() };
    let heading = if lines.iter().all(Line::is_blank) { "empty" } else { "not an sbc-bench log" };
    let mut text = String::new();
    for line in &lines {
        if text.len() >= FOREIGN_CHARS {
            break;
        }
        text.extend(line.text.chars().take(FOREIGN_CHARS));
        text.push('\n');
    }
    draft.log.blocks.push(LogBlock { line: 1, heading: heading.to_string(), text: text.trim_end().to_string() });
    assemble::finish(draft)
}

fn read_section(section: &Section<'_, '_>, draft: &mut Draft) {
    match section.kind {
        Kind::System => header::read(section, draft),
        Kind::Loose => unheaded::read(section, draft),
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
        Kind::ThermalSource => unheaded::read_thermal_source(section, draft),
        Kind::Monitor => monitor::read(section, draft),
        Kind::Throttling => throttling::read_statistics(section, draft),
        Kind::FirmwareBits => throttling::read_firmware_bits(section, draft),
        Kind::KernelMessages => trailer::read_kernel_messages(section, draft),
        Kind::Topology => topology::read(section, draft),
        Kind::Lscpu => topology::read_lscpu(section, draft),
        Kind::Processor => draft.block("processor", section),
        Kind::Labels => trailer::read_labels(section, draft),
        Kind::KernelSupport => verdicts::read_kernel_support(section, draft),
        Kind::Memory => draft.block("memory-modules", section),
        Kind::Caches => trailer::read_caches(section, draft),
        Kind::OppTables => draft.block("opp-tables", section),
        Kind::Validation => verdicts::read_validation(section, draft),
        Kind::Governors => verdicts::read_governors(section, draft),
        Kind::ClockTree => draft.block("clock-tree", section),
        Kind::Summary => verdicts::read_summary(section, draft),
        Kind::Review => verdicts::read_review(section, draft),
        Kind::Durations => draft.block("durations", section),
        Kind::Progress => console_output::read_progress(section, draft),
        Kind::Attention => console_output::read_attention(section, draft),
        Kind::ConsoleMemory => console_output::read_memory(section, draft),
        Kind::ConsoleSevenZip => console_output::read_sevenzip(section, draft),
        Kind::ConsoleCpuminer => console_output::read_cpuminer(section, draft),
        Kind::ConsoleOpenSsl => console_output::read_openssl(section, draft),
        Kind::ConsoleOther => console_output::read_other(section, draft),
        Kind::ReportVerdict => own_report::read_verdict(section, draft),
        Kind::ReportFigures => own_report::read(section, draft),
        Kind::ReportTable => own_report::read_table(section, draft),
    }
}
