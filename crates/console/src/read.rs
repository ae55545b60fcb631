//! A Record of any file that a user names: a result file, the stream of a run that died, a recording, a log.

use crate::input;
use logs::any_file::{self, Unreadable};
use record::Record;
use std::io::Read;
use std::path::Path;

/// A Record of an hour with hundreds of channels has a quarter of that.
pub const FILE_BYTES_MAX: u64 = 256 << 20;

/// A Record from any supported file; `-` is standard input.
pub fn read(file: &Path) -> anyhow::Result<Record> {
    anyhow::ensure!(!file.is_dir(), "{0} is a directory; pass its files, for example {0}/*.", file.display());
    read_from(input::open(file)?, file)
}

/// A file that was read to its end and is about something else, in one sentence.
#[derive(Debug)]
pub struct NoResults(String);

impl std::fmt::Display for NoResults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoResults {}

/// A Record from any supported file, which is named like this.
pub fn read_from(input: impl Read, file: &Path) -> anyhow::Result<Record> {
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

/// Type of a text without results, and the command that reads it; `None` if no command does.
fn command_for(text: &str) -> Option<(&'static str, &'static str)> {
    if machine::BoardFile::is_one(text) {
        return Some(("a snapshot of a machine", "sbc-bench inspect identify FILE"));
    }
    machine::is_cpuinfo(text).then_some(("/proc/cpuinfo", "sbc-bench inspect identify FILE"))
}
