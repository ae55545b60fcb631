//! The table of targets: everything that reads bytes which others made.

use crate::altered;
use crate::mutate::BYTES_MAX;
use crate::records::{explain_all, replay};
use logs::any_file::{FOREIGN_BYTES_MAX, FOREIGN_LOG_BYTES_MAX};
use machine::{KernelLog, Root, Sampler, SamplerOptions, Timeline};
use record::recording::{RowReader, frame, is_row, payload};
use record::{Record, Run, Source, WorkloadId};
use rules::kernel::{self, Eol};

/// A parser of foreign bytes, and the code that uses its result.
#[derive(Debug, Clone)]
pub struct Target {
    /// Its name, and that of its folder in `fuzz/seeds`.
    pub name: &'static str,
    /// Folders of the repository whose files are seeds as well.
    pub seeds: Vec<String>,
    /// Limit of the caller, in bytes: longer inputs never reach the parser.
    pub bytes_max: usize,
    /// Smallest stack of a thread that calls it, in bytes.
    pub stack_bytes: usize,
    takes: TargetInput,
}

/// Stack of threads that serve pages and read results, in bytes.
const STACK_BYTES: usize = 2 << 20;
/// Stack of the thread that reads the journal of settings, in bytes.
const MACHINE_STACK_BYTES: usize = 256 << 10;
/// Limit for inputs whose callers have none: lines, the user's tables, boards.
const OTHER_BYTES_MAX: usize = 1 << 20;

/// The limits of the callers.
fn bytes_max(name: &str) -> usize {
    match name {
        "log" => FOREIGN_LOG_BYTES_MAX,
        "record" | "record-values" | "recording" | "redact" | "replay" | "stream" | "upload" => FOREIGN_BYTES_MAX,
        "config-gz" | "config-txt" | "cpuinfo" | "dmi" | "kmsg" | "mountinfo" | "spd" => {
            machine::foreign::FILE_BYTES_MAX
        }
        _ => OTHER_BYTES_MAX,
    }
}

/// Makes seeds for targets whose inputs are made of files of the repository.
pub fn made(name: &str) -> Vec<Vec<u8>> {
    match name {
        "board-file" => altered::board_files(),
        _ => Vec::new(),
    }
}

/// Kind of input.
#[derive(Debug, Clone, Copy)]
enum TargetInput {
    Bytes(fn(&[u8])),
    /// Invalid UTF-8 is replaced, as the program does it.
    Text(fn(&str)),
}
use TargetInput::{Bytes, Text};

impl Target {
    /// Does it.
    pub fn run(&self, data: &[u8]) {
        match self.takes {
            Bytes(run) => run(data),
            Text(run) => run(&String::from_utf8_lossy(data)),
        }
    }
}

/// All targets, in order of name.
pub fn targets() -> Vec<Target> {
    let own = OWN.iter().map(|(name, seeds, takes)| {
        let seeds = seeds.iter().map(|seeds| (*seeds).to_owned()).collect();
        Target { name, seeds, bytes_max: bytes_max(name), stack_bytes: STACK_BYTES, takes: *takes }
    });
    let tools = bench::foreign::parsers().map(|(name, run)| Target {
        name,
        seeds: tool_output(name),
        bytes_max: bench::foreign::OUTPUT_BYTES_MAX,
        stack_bytes: STACK_BYTES,
        takes: Text(run),
    });
    let machine = machine::foreign::PARSERS.iter().map(|(name, run)| Target {
        name,
        seeds: Vec::new(),
        bytes_max: machine::foreign::FILE_BYTES_MAX,
        stack_bytes: MACHINE_STACK_BYTES,
        takes: Bytes(*run),
    });
    let mut all: Vec<Target> = own.chain(tools).chain(machine).collect();
    all.sort_by_key(|target| target.name);
    all
}

/// Folders with real output of a tool: that of its name, or those of all tools that one parser reads.
fn tool_output(name: &str) -> Vec<String> {
    let folders = match name {
        "sevenzip" => vec!["7zz", "p7zip"],
        "defined" => [WorkloadId::StressNg, WorkloadId::Sysbench, WorkloadId::Zstd].map(WorkloadId::as_str).to_vec(),
        name => vec![name],
    };
    folders.iter().map(|folder| format!("crates/workloads/tool_output/{folder}")).collect()
}

const BOARDS: &[&str] = &["boards"];
const LOGS: &[&str] =
    &["crates/logs/src/fixtures", "crates/explain/tests/composed", "crates/explain/tests/composed/reviews"];
const RECORDS: &[&str] = &["crates/explain/tests/own"];

const OWN: &[(&str, &[&str], TargetInput)] = &[
    ("archive", &[], Bytes(archived)),
    ("board", BOARDS, Text(board)),
    ("board-file", &[], Bytes(altered::board_file)),
    ("config-gz", &[], Bytes(config_gz)),
    ("config-txt", &[], Bytes(|data| surveyed("/boot/firmware/config.txt", data))),
    ("cpuinfo", &["crates/explain/tests/composed/cpuinfo"], Bytes(|data| surveyed("/proc/cpuinfo", data))),
    ("dmi", &[], Bytes(|data| surveyed("/sys/firmware/dmi/tables/DMI", data))),
    ("eol", &["data"], Text(eol)),
    ("iostat", &[], Text(|text| _ = facts::view::parse_iostat(text))),
    ("lm-sensors", &[], Text(|text| _ = facts::view::parse_sensors(text))),
    ("kmsg", &[], Bytes(kmsg)),
    ("log", LOGS, Text(log)),
    ("mountinfo", &[], Bytes(|data| surveyed("/proc/self/mountinfo", data))),
    ("probe-line", &[], Text(|text| drop(microbench::probe::parse_line(text)))),
    ("probe-pattern", &[], Bytes(|data| drop(microbench::probe::parse_program(data)))),
    ("record", RECORDS, Bytes(record)),
    ("record-values", &[], Text(altered::record)),
    ("recording", &[], Bytes(recording)),
    (
        "redact",
        &["crates/logs/src/fixtures", "crates/explain/tests/own", "fuzz/seeds/recording", "fuzz/seeds/stream"],
        Bytes(redact),
    ),
    ("reference", &["data"], Text(reference)),
    ("replay", &["fuzz/seeds/recording"], Bytes(replay)),
    ("snapshot", BOARDS, Text(snapshot)),
    ("spd", &[], Bytes(|data| surveyed("/sys/bus/i2c/devices/0-0050/eeprom", data))),
    ("stream", &["fuzz/seeds/recording"], Bytes(stream)),
    (
        "upload",
        &[
            "crates/explain/tests/composed",
            "crates/explain/tests/composed/reviews",
            "crates/explain/tests/own",
            "fuzz/seeds/archive",
            "fuzz/seeds/recording",
            "fuzz/seeds/stream",
        ],
        Bytes(upload),
    ),
    ("vocabulary", &[], Text(vocabulary)),
];

/// As it is, and with the right checksum in each header of tar: no mutation would ever find one.
fn archived(data: &[u8]) {
    const LIMITS: archive::Limits = archive::Limits { files_max: 100, bytes_max: 1 << 20 };
    let unpacked = archive::unpacked(data.to_vec(), LIMITS.bytes_max).unwrap_or_else(|_| data.to_vec());
    let mut summed = unpacked.clone();
    for block in summed.as_chunks_mut::<512>().0.iter_mut().filter(|block| block[257..262] == *b"ustar") {
        block[148..156].fill(b' ');
        let total = block.iter().fold(0_u32, |total, byte| total + u32::from(*byte));
        block[148..156].copy_from_slice(format!("{total:06o}\0 ").as_bytes());
    }
    for bytes in [unpacked, summed] {
        archive::is_archive(&bytes);
        let members = archive::members(&bytes, LIMITS).unwrap_or_default();
        let total = members.iter().fold(0, |total, member| total + member.bytes.len());
        assert!(members.len() <= LIMITS.files_max && total <= LIMITS.bytes_max, "{total} bytes");
    }
}

fn board(text: &str) {
    if let Ok(root) = Root::from_board(text) {
        everything(&root);
    }
}

/// Everything that is asked of a machine: identified, its state taken, every sensor discovered and read, and what
/// a run that died has left.
pub(crate) fn everything(root: &Root) {
    machine::identify(root);
    machine::state(root, 0);
    let timeline = Timeline::fake(0);
    let mut sampler = Sampler::new(root, &SamplerOptions::default());
    sampler.tick(&timeline);
    let busy = machine::processes::CpuTimeBaseline::start(root);
    timeline.sleep(std::time::Duration::from_millis(500));
    sampler.tick(&timeline);
    drop(busy.map(|busy| busy.finish()));
    machine::processes::children_of(root, 1);
    drop(machine::Thermometer::find(root).map(|thermometer| thermometer.millicelsius(root)));
    machine::critical_millicelsius(root);
    machine::in_memory(root, std::path::Path::new("/var/lib/sbc-bench"));
    machine::aftermath(root, "another", 0);
    machine::cgroup::has_quota(root);
    drop(machine::available_kib(root));
    drop(machine::on_battery(root));
    explained(root);
}

/// Inspects the input and reports the findings.
fn explained(root: &Root) {
    let source = Source::Run { version: String::new(), target: String::new() };
    let mut record = Record::new(source, Run::default());
    record.machine = machine::identify(root);
    record.surveys = vec![machine::survey(root, 0)];
    for finding in rules::check(&facts::Facts::of(&record)) {
        finding.sentence();
    }
    kernel::text(&record, &kernel::verdict(&record, &Eol::shipped()));
}

/// A machine of which little but one file is known.
fn surveyed(path: &str, data: &[u8]) {
    let root = Root::empty().with_file(path, data);
    explained(&root.with_file("/proc/sys/kernel/osrelease", b"6.1.0\n"));
}

fn config_gz(data: &[u8]) {
    surveyed("/proc/config.gz", data);
    surveyed("/boot/config-6.1.0", data);
}

fn reference(text: &str) {
    if let Ok(rows) = compare::reference::parse(text) {
        compare::reference::write(&rows);
    }
}

fn eol(text: &str) {
    if let Ok(eol) = Eol::parse(text) {
        eol.find((6, 1));
    }
}

fn kmsg(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for line in text.lines() {
        machine::kernel_log::parse_kmsg(line);
    }
    let root = Root::empty().with_file("/dev/kmsg", data);
    if let Ok(mut log) = KernelLog::open(&root) {
        let _ = log.since(&Timeline::fake(0));
    }
    explained(&root);
}

fn log(text: &str) {
    logs::looks_like_log(text);
    logs::read_all(text).iter().for_each(|result| explain_all(&result.record));
}

/// Output of other programs, and truncated files. A Record that can be read can be written and read again.
fn record(data: &[u8]) {
    if let Ok(record) = serde_json::from_slice::<Record>(data) {
        explain_all(&record);
        let json = serde_json::to_string(&record).expect("a Record can be written");
        serde_json::from_str::<Record>(&json).expect("and read again");
    }
}

/// Unchanged lines, and lines with the right length and checksum, which mutation never finds.
fn recording(data: &[u8]) {
    let mut rows = RowReader::default();
    for line in data.split(|byte| *byte == b'\n') {
        let framed = String::from_utf8_lossy(line);
        let framed = frame(framed.splitn(4, ' ').nth(3).unwrap_or(&framed));
        for line in [line, framed.as_bytes()] {
            match payload(line) {
                Some(row) if is_row(row) => drop(rows.row(row, 5)),
                Some(event) => drop(serde_json::from_str::<record::Event>(event)),
                None => rows.mark_lost(),
            }
        }
    }
}

/// Redacted text can be redacted again; long inputs are redacted once, so that the time is that of one pass.
fn redact(data: &[u8]) {
    let redacted = logs::redact::redact(data).bytes;
    if data.len() <= BYTES_MAX {
        logs::redact::redact(&redacted);
    }
}

/// Handles an upload as a hub does: unpacks it, redacts each file, reads it and explains it.
fn upload(data: &[u8]) {
    const LIMITS: archive::Limits = archive::Limits { files_max: 20, bytes_max: 1 << 20 };
    let files = archive::files(data.to_vec(), LIMITS).unwrap_or_default();
    let files: Vec<Vec<u8>> = files
        .into_iter()
        .flat_map(|file| match logs::any_file::split(&file.bytes) {
            Some(texts) => texts.into_iter().map(|(_, text)| text.into_bytes()).collect(),
            None => vec![file.bytes],
        })
        .collect();
    let is_log = |file: &[u8]| !record::is_stream(file) && !file.trim_ascii_start().starts_with(b"{");
    for file in files.into_iter().filter(|file| file.len() <= FOREIGN_LOG_BYTES_MAX || !is_log(file)) {
        let redacted = logs::redact::redact(&file).bytes;
        if let Ok(record) = logs::any_file::read(redacted, 1 << 16) {
            explain_all(&record);
        }
    }
}

fn snapshot(text: &str) {
    if let Ok(root) = Root::from_board(text) {
        let text = machine::snapshot(&root);
        let again = Root::from_board(&text);
        assert!(again.is_ok(), "a snapshot can be replayed: {again:?}");
    }
}

fn stream(bytes: &[u8]) {
    if let Ok(record) = record::read_stream(bytes) {
        explain_all(&record);
    }
}

/// Every word is kept unchanged, whatever its meaning.
fn vocabulary(text: &str) {
    fn survives<T: std::str::FromStr + ToString>(word: &str) {
        let read = word.parse::<T>().ok().map(|value| value.to_string());
        assert_eq!(read.as_deref(), Some(word));
    }
    for word in text.lines() {
        survives::<record::ChannelId>(word);
        survives::<record::WorkloadName>(word);
        survives::<record::Variant>(word);
        survives::<record::Mode>(word);
    }
}
