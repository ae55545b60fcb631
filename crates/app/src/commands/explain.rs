//! `sbc-bench explain`, `sbc-bench report`: reads Records, the streams of runs that died, and text
//! logs, and says what they mean.

use super::reports::{all, find};
use crate::{input, output, status};
use bench::Tools;
use explain::{Document, OfFile};
use facts::Verdict;
use logs::any_file::{self, Unreadable};
use record::Record;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A Record of an hour with hundreds of channels has a quarter of that.
const FILE_BYTES_MAX: u64 = 256 << 20;

/// `explain FILES`: text one after the other, or one JSON array.
pub(crate) fn run(files: &[PathBuf], json: bool, details: bool, check: bool) -> anyhow::Result<u8> {
    let mut entries: Vec<OfFile> = Vec::new();
    let mut failed = false;
    let mut worst = Verdict::Valid;
    let format = if details { "details" } else { "text" };
    for file in files {
        let name = file.display().to_string();
        let record = match read(file) {
            Ok(record) => record,
            Err(error) if files.len() == 1 => return Err(error),
            // One file that cannot be read must not hide what the others say.
            Err(error) => {
                failed = true;
                match json {
                    true => entries.push(OfFile::Unread { file: name, error: format!("{error:#}") }),
                    false => output::print(&format!("=== {name}\n{error:#}\n\n"))?,
                }
                continue;
            }
        };
        if json {
            let (explained, document) = Document::explained(&record);
            worst = worst.max(explained.verdict);
            entries.push(OfFile::Read(Box::new(document.from_file(&name))));
            continue;
        }
        let explained = explain::explain(&record);
        worst = worst.max(explained.verdict);
        let text = find(format)?.text(&record, &explained);
        output::print(&match files.len() {
            1 => text,
            _ => format!("=== {name}\n{text}\n"),
        })?;
    }
    if json {
        output::print(&format!("{}\n", serde_json::to_string_pretty(&entries)?))?;
    }
    Ok(match (failed, check) {
        (true, _) => status::FAILURE,
        (false, true) => status::of(worst),
        (false, false) => 0,
    })
}

/// `report FILE --format ID`.
pub(crate) fn report(file: &Path, format: &str) -> anyhow::Result<u8> {
    let report = find(format)?;
    let record = read(file)?;
    if !report.is_of(&record) {
        let others: Vec<&str> = all().into_iter().filter(|other| other.is_of(&record)).map(|other| other.id).collect();
        let file = file.display();
        anyhow::bail!("{file} has no data for the report {format}; its reports: {}.", others.join(", "));
    }
    let text = report.text(&record, &explain::explain(&record));
    let text = match report.id {
        "lava" => bench::lava::give(&Tools::on_path(), &text).map_err(|failure| anyhow::anyhow!(failure.message))?,
        _ => text,
    };
    output::print(&text)?;
    Ok(0)
}

/// A Record from any supported file; `-` is standard input.
pub(crate) fn read(file: &Path) -> anyhow::Result<Record> {
    anyhow::ensure!(!file.is_dir(), "{0} is a directory; pass its files, for example {0}/*.", file.display());
    read_from(input::open(file)?, file)
}

/// A file that was read to its end and is about something else, in one sentence.
#[derive(Debug)]
pub(crate) struct NoResults(String);

impl std::fmt::Display for NoResults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoResults {}

/// A Record from any supported file, which is named like this.
pub(crate) fn read_from(input: impl Read, file: &Path) -> anyhow::Result<Record> {
    let bytes = crate::input::whole(input, file, FILE_BYTES_MAX)?;
    any_file::read(bytes, record::VALUES_MAX).map_err(|why| {
        let file = file.display();
        match why {
            Unreadable::Packed(packer) => {
                anyhow::anyhow!("{file} is compressed; use {packer} -dc FILE | sbc-bench explain -.")
            }
            Unreadable::Stream(missing) => anyhow::Error::new(missing).context(file.to_string()),
            Unreadable::NoSamples => anyhow::anyhow!("{file} is a recording without samples."),
            Unreadable::Json(error) => {
                anyhow::Error::new(error).context(format!("{file} is JSON but not an sbc-bench result file"))
            }
            Unreadable::NoResults(text) => match command_for(&text) {
                Some((what, way)) => NoResults(format!("{file} is {what} and contains no results; use {way}.")),
                None => {
                    NoResults(format!("{file} contains no results; it is neither an sbc-bench log nor a result file."))
                }
            }
            .into(),
        }
    })
}

/// What a text without results is, and the command that reads it; none for what nothing here reads.
fn command_for(text: &str) -> Option<(&'static str, &'static str)> {
    if machine::BoardFile::is_one(text) {
        return Some(("a snapshot of a machine", "sbc-bench --root FILE identify"));
    }
    machine::is_cpuinfo(text).then_some(("/proc/cpuinfo", "sbc-bench identify --cpuinfo FILE"))
}
