//! `sbc-bench explain`: reads Records, the streams of runs that died, and text logs, and says what they mean: as text, in
//! another format, as a page, as pictures.

use super::Command;
use super::known::reference;
use super::many::{self, files_or_last};
use crate::{input, output, status};
use anyhow::Context;
use bench::Tools;
use explain::{Document, OfFile};
use facts::Verdict;
use logs::any_file::{self, Unreadable};
use machine::Root;
use machine::files::{self, Access};
use record::Record;
use report::REPORTS;
use rules::Report;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A Record of an hour with hundreds of channels has a quarter of that.
pub(super) const FILE_BYTES_MAX: u64 = 256 << 20;

/// Explain logs or result files; also as page, card or plots
///
/// Prints whether the scores are valid, what they lost to which cause, and what helps.
#[derive(Debug, clap::Args)]
pub(crate) struct Explain {
    /// Logs of any sbc-bench version, or result files; `-` reads standard input [default: the last run]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print verdict, main results, causes and findings of each file as a JSON array
    #[arg(long)]
    json: bool,
    /// Show the evidence behind each statement, with the lines of the log
    #[arg(long, short = 'v', alias = "verbose", conflicts_with = "json")]
    details: bool,
    /// Exit with 2 if any result is degraded and with 3 if any is invalid
    #[arg(long)]
    check: bool,
    /// Print another report (see `list reports`)
    #[arg(long, value_name = "ID", conflicts_with_all = ["json", "details"])]
    format: Option<String>,
    /// Write an HTML page with verdict, causes, timeline, plots and figures to FILE
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "details", "format"])]
    html: Option<PathBuf>,
    /// Write a picture of 1200 x 630 for links to FILE (PNG)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "details", "format"])]
    card: Option<PathBuf>,
    /// Write all plots of the result to DIR as PNG and SVG
    #[arg(long, alias = "png", value_name = "DIR", conflicts_with_all = ["json", "details", "format"])]
    plots: Option<PathBuf>,
}

impl Command for Explain {
    fn run(mut self: Box<Self>, _: &Root) -> anyhow::Result<u8> {
        self.files = files_or_last(&self.files)?;
        let of_one = [
            ("--format", self.format.is_some()),
            ("--html", self.html.is_some()),
            ("--card", self.card.is_some()),
            ("--plots", self.plots.is_some()),
        ];
        match (of_one.iter().find(|(_, is_given)| *is_given), self.files.as_slice()) {
            (None, _) => self.print_all(),
            (Some(_), [file]) => self.write_one(file),
            (Some((option, _)), _) => anyhow::bail!("{option} takes one FILE."),
        }
    }
}

impl Explain {
    /// Text one after the other, or one JSON array.
    fn print_all(&self) -> anyhow::Result<u8> {
        let mut entries: Vec<OfFile> = Vec::new();
        let mut failed = false;
        let mut worst = Verdict::Valid;
        let format = if self.details { "details" } else { "text" };
        for file in &self.files {
            let name = file.display().to_string();
            let record = match read(file) {
                Ok(record) => record,
                Err(error) if self.files.len() == 1 => return Err(error),
                // One file that cannot be read must not hide what the others say.
                Err(error) => {
                    failed = true;
                    match self.json {
                        true => entries.push(OfFile::Unread { file: name, error: format!("{error:#}") }),
                        false => output::print(&format!("=== {name}\n{error:#}\n\n"))?,
                    }
                    continue;
                }
            };
            if self.json {
                let (explained, document) = Document::explained(&record);
                worst = worst.max(explained.verdict);
                entries.push(OfFile::Read(Box::new(document.from_file(&name))));
                continue;
            }
            let explained = explain::explain(&record);
            worst = worst.max(explained.verdict);
            let text = find(format)?.text(&record, &explained);
            output::print(&match self.files.len() {
                1 => text,
                _ => format!("=== {name}\n{text}\n"),
            })?;
        }
        if self.json {
            output::print(&format!("{}\n", serde_json::to_string_pretty(&entries)?))?;
        }
        Ok(match failed {
            true => status::FAILURE,
            false => self.status(worst),
        })
    }

    fn status(&self, verdict: Verdict) -> u8 {
        if self.check { status::of(verdict) } else { 0 }
    }

    /// One result in another format, or as files.
    fn write_one(&self, file: &Path) -> anyhow::Result<u8> {
        let format = self.format.as_deref().map(find).transpose()?;
        let record = read(file)?;
        if let Some(report) = format.filter(|report| !report.is_of(&record)) {
            let others: Vec<&str> =
                all_reports().into_iter().filter(|other| other.is_of(&record)).map(|other| other.id).collect();
            let (file, id) = (file.display(), report.id);
            anyhow::bail!("{file} has no data for the report {id}; its reports: {}.", others.join(", "));
        }
        let explained = explain::explain(&record);
        if let Some(report) = format {
            let text = report.text(&record, &explained);
            output::print(&match report.id {
                "lava" => {
                    bench::lava::give(&Tools::on_path(), &text).map_err(|failure| anyhow::anyhow!(failure.message))?
                }
                _ => text,
            })?;
            return Ok(self.status(explained.verdict));
        }
        let reference = reference(&[])?;
        if let Some(page) = &self.html {
            many::write(&page::page(&record, &explained, &reference), Some(page))?;
        }
        if self.card.is_some() || self.plots.is_some() {
            self.draw(&page::drawings(&record, &explained, &reference))?;
        }
        Ok(self.status(explained.verdict))
    }

    /// Writes the pictures; names those of the directory.
    fn draw(&self, drawings: &[page::Drawing]) -> anyhow::Result<()> {
        if let Some(card) = &self.card {
            let drawing = drawings.iter().find(|drawing| drawing.name == page::CARD);
            let drawing = drawing.context("the result has no card")?;
            files::replace_unsynced(card, &drawing.png().map_err(anyhow::Error::msg)?, Access::World)?;
        }
        let Some(folder) = &self.plots else { return Ok(()) };
        files::make_all(folder)?;
        for drawing in drawings {
            let png = drawing.png().map_err(anyhow::Error::msg)?;
            for (ending, bytes) in [("png", png), ("svg", drawing.svg.clone().into_bytes())] {
                let path = folder.join(format!("{}.{ending}", drawing.name));
                files::replace_unsynced(&path, &bytes, Access::World)?;
                output::print(&format!("{}\n", path.display()))?;
            }
        }
        Ok(())
    }
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
        return Some(("a snapshot of a machine", "sbc-bench inspect identify FILE"));
    }
    machine::is_cpuinfo(text).then_some(("/proc/cpuinfo", "sbc-bench inspect identify FILE"))
}

/// All reports, sorted by id.
pub(super) fn all_reports() -> Vec<&'static Report> {
    let mut all: Vec<&Report> = REPORTS.iter().chain([&page::REPORT]).collect();
    all.sort_by_key(|report| report.id);
    all
}

/// The report with this id.
///
/// # Errors
/// There is none; the sentence names those that there are.
pub(super) fn find(id: &str) -> anyhow::Result<&'static Report> {
    let all = all_reports();
    let found = all.iter().find(|report| report.id == id).copied();
    found.with_context(|| {
        let known: Vec<&str> = all.iter().map(|report| report.id).collect();
        format!("Unknown report {id:?}; known reports: {}.", known.join(", "))
    })
}
