//! `sbc-bench redact`: removes private data from a log, Record, stream, recording or board file, and counts it. See [`redact`]
//! and [`logs::redact`].

use super::Command;
use anyhow::Context;
use console::{input, output};
use logs::any_file;
use machine::files::{self, Access};
use redact::Kind;
use std::path::{Path, PathBuf};

/// Maximum size of a file: a recording of weeks.
const BYTES_MAX: u64 = 256 << 20;

/// A redacted file: content, numbers of redacted values, number of damaged lines left out.
pub(super) type RedactedFile = (Vec<u8>, Vec<(Kind, u32)>, usize);

/// Remove private data from logs, result files and snapshots
///
/// Removes names, addresses, serial numbers and commands; also from recordings and streams.
#[derive(Debug, clap::Args)]
pub(crate) struct Redact {
    /// Logs of any sbc-bench version, result files, streams, recordings, .board snapshots
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write to this file (several inputs: to this directory) instead of standard output
    #[arg(long, short, value_name = "FILE|DIR")]
    output: Option<PathBuf>,
}

impl Command for Redact {
    fn run(self: Box<Self>, _: &machine::Root) -> anyhow::Result<u8> {
        let (paths, to) = (&self.files, self.output.as_deref());
        let is_folder = to.is_some_and(Path::is_dir);
        anyhow::ensure!(paths.len() == 1 || is_folder, "Several files need --output with an existing directory.");
        for path in paths {
            let name = path.display();
            let bytes = input::read(path, BYTES_MAX)?;
            let (bytes, counts, damaged) = blanked(&bytes).with_context(|| format!("Cannot redact {name}"))?;
            match to {
                None => output::print(&String::from_utf8_lossy(&bytes))?,
                Some(to) => {
                    let place = match (is_folder, path.file_name()) {
                        (true, Some(name)) => to.join(name),
                        _ => to.to_path_buf(),
                    };
                    let place = std::path::absolute(&place).unwrap_or(place);
                    anyhow::ensure!(
                        std::fs::symlink_metadata(&place).is_err(),
                        "{} already exists and is not overwritten by {name}; use another file or directory.",
                        place.display()
                    );
                    files::replace(&place, &bytes, Access::World).map_err(anyhow::Error::msg)?;
                }
            }
            output::note(&sentence(&name.to_string(), &counts, damaged));
        }
        Ok(0)
    }
}

/// Redacts a file.
///
/// # Errors
/// The file is not text, or a snapshot that cannot be read.
pub(super) fn blanked(bytes: &[u8]) -> anyhow::Result<RedactedFile> {
    anyhow::ensure!(!archive::is_compressed(bytes), "it is compressed; unpack it first");
    let text = any_file::text(bytes);
    anyhow::ensure!(!text.contains('\0'), "it is not text");
    let first = text.lines().find(|line| !line.is_empty() && !line.starts_with('#'));
    if !first.is_some_and(|line| line.starts_with("== /")) {
        let done = logs::redact::redact(bytes);
        return Ok((done.bytes, done.counts, done.damaged));
    }
    let root = machine::Root::from_board(&text)
        .map_err(|(line, _)| anyhow::anyhow!("line {line} is not valid in a .board snapshot"))?;
    let (board, mut redactor) = machine::snapshot_of(&root);
    let head = text.lines().take_while(|line| line.starts_with('#'));
    let ours = board.lines().next().unwrap_or_default();
    let head: String = head.filter(|line| *line != ours).map(|line| redactor.line(line) + "\n").collect();
    let counts = redactor.counts().iter().map(|(kind, count)| (*kind, *count));
    Ok(((head + &board).into_bytes(), counts.collect(), 0))
}

/// Redacted values in one sentence.
pub(super) fn sentence(name: &str, counts: &[(Kind, u32)], damaged: usize) -> String {
    let words: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {}", kind.words())).collect();
    let mut text = if words.is_empty() {
        format!("{name}: nothing to redact")
    } else {
        format!("{name}: redacted {}", words.join(", "))
    };
    if damaged > 0 {
        text.push_str(&format!("; {damaged} damaged lines omitted"));
    }
    text + "."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_no_text_are_refused() {
        for (bytes, expected) in [
            (&b"\x1f\x8b\x08\0"[..], "it is compressed; unpack it first"),
            (b"PK\x03\x04\0\0", "it is not text"),
            (b"Linux\0pi", "it is not text"),
        ] {
            assert_eq!(blanked(bytes).unwrap_err().to_string(), expected);
        }
        let units = "Linux 6.1.84-8 (secrethost42) \t05/12/23 \t_aarch64_ \t(8 CPU)\n".encode_utf16();
        let bytes: Vec<u8> = [0xff, 0xfe].into_iter().chain(units.flat_map(u16::to_le_bytes)).collect();
        let (bytes, counts, _) = blanked(&bytes).unwrap();
        assert!(!String::from_utf8(bytes).unwrap().contains("secrethost42"), "{counts:?}");
    }

    #[test]
    fn redacted_items_are_counted() {
        let counts = [(Kind::Address, 2), (Kind::HostName, 1)];
        assert_eq!(sentence("a", &counts, 0), "a: redacted 2 addresses, 1 host names.");
        assert_eq!(sentence("a", &[], 3), "a: nothing to redact; 3 damaged lines omitted.");
    }
}
