//! `sbc-bench explain`: explains Records, streams of runs that died, and logs, as text, in another format, as a page or as
//! pictures.

use super::Command;
use super::explained_files::{self, files_or_last};
use super::known::reference;
use super::limits;
use super::site::sources::Source;
use super::unread::Unread;
use crate::args::limits::LimitFlags;
use crate::args::written::Form;
use anyhow::Context;
use console::read::{NamedRecord, read, read_all};
use console::terminal_caps::text_columns;
use console::{output, status};
use explain::{Document, FileElement};
use facts::Verdict;
use facts::lines::wrapped_at;
use machine::Root;
use machine::files::{self, Access};
use page::Drawing;
use process::tools::Tools;
use record::StableSort;
use report::REPORTS;
use rules::Report;
use std::path::{Path, PathBuf};

/// Explain logs or result files; also as page, card or plots
///
/// Prints whether the scores are valid, what they lost to which cause, and what helps.
#[derive(Debug, clap::Args)]
pub(crate) struct Explain {
    /// Logs of any sbc-bench version, result files, or directories of them; `-` reads standard input [default: the last run]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print verdict, main results, causes and findings of each file as a JSON array
    #[arg(long)]
    json: bool,
    /// Show the evidence behind each statement, with the lines of the log
    #[arg(long, short = 'v', alias = "verbose", conflicts_with = "json")]
    details: bool,
    /// Exit with 3 if any result is invalid, else with 2 if any is degraded, else with 7 if any is unproven
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
    #[command(flatten)]
    limits: LimitFlags,
}

impl Command for Explain {
    fn run(self: Box<Self>, _: &Root) -> anyhow::Result<u8> {
        let files = files_or_last(&self.files)?;
        let of_one = [
            ("--format", self.format.is_some()),
            ("--html", self.html.is_some()),
            ("--card", self.card.is_some()),
            ("--plots", self.plots.is_some()),
        ];
        match (of_one.iter().find(|(_, is_given)| *is_given), files.as_slice()) {
            (None, _) => self.print_all(&files),
            (Some(_), [file]) => self.write_one(&file.path),
            (Some((option, _)), _) => anyhow::bail!("{option} takes one FILE."),
        }
    }
}

impl Explain {
    /// Text one after the other, or one JSON array.
    fn print_all(&self, files: &[Source]) -> anyhow::Result<u8> {
        let mut entries: Vec<FileElement> = Vec::new();
        let (mut failed, mut limit_failed) = (false, false);
        let mut unread = Unread::default();
        let mut worst = Verdict::Valid;
        let format = if self.details { "details" } else { "text" };
        for source in files {
            let file = &source.path;
            let results = match read_all(file) {
                Ok(results) => results,
                Err(error) if files.len() == 1 => return Err(error),
                // Reports of other files follow.
                Err(error) => {
                    let file = file.display().to_string();
                    if source.is_named {
                        failed = true;
                    } else {
                        unread.add(&source.name, false, &error);
                    }
                    if self.json {
                        entries.push(FileElement::Unread { file, error: format!("{error:#}") })
                    } else if source.is_named {
                        output::print(&format!("=== {file}\n{error:#}\n\n"))?
                    }
                    continue;
                }
            };
            let is_alone = files.len() == 1 && results.len() == 1;
            if results.len() > 1 && !self.json {
                output::print(&format!("{} contains {} results.\n\n", file.display(), results.len()))?;
            }
            for NamedRecord { name, record } in results {
                let explained = explain::explain(record);
                worst = worst.max(explained.assessment.verdict);
                let answers = limits::answers(&self.limits, Some(file), &explained)?;
                limit_failed |= limits::is_failure(&answers);
                let sentences = limits::sentences(&answers);
                if self.json {
                    let document = Document::of(&explained.facts, &explained.assessment);
                    entries.push(FileElement::Read(Box::new(document.from_file(&name))));
                    sentences.lines().for_each(output::note);
                    continue;
                }
                let mut text = find(format)?.text_in(&explained, reference, text_columns());
                if !sentences.is_empty() {
                    let line = |line| wrapped_at(line, 3, text_columns()) + "\n";
                    text = format!("{text}\n{}", sentences.lines().map(line).collect::<String>());
                }
                output::print_text(&if is_alone { text } else { format!("=== {name}\n{text}\n") })?;
            }
        }
        if self.json {
            output::print_json(&entries)?;
        }
        failed |= unread.end() == status::FAILURE;
        Ok(if failed { status::FAILURE } else { self.status(worst, limit_failed) })
    }

    fn status(&self, verdict: Verdict, limit_failed: bool) -> u8 {
        match self.check.then(|| status::of(verdict)) {
            Some(status::INVALID) => status::INVALID,
            _ if limit_failed => status::FAILURE,
            status => status.unwrap_or(0),
        }
    }

    /// One result in another format, or as files.
    fn write_one(&self, file: &Path) -> anyhow::Result<u8> {
        let format = self.format.as_deref().map(find).transpose()?;
        let explained = explain::explain(read(file)?);
        let facts = &explained.facts;
        if let Some(report) = format.filter(|report| !report.is_of(facts)) {
            let others: Vec<&str> =
                all_reports().into_iter().filter(|other| other.is_of(facts)).map(|other| other.id).collect();
            let (file, id) = (file.display(), report.id);
            anyhow::bail!("{file} has no data for the report {id}; its reports: {}.", others.join(", "));
        }
        let answers = limits::answers(&self.limits, Some(file), &explained)?;
        let status = self.status(explained.assessment.verdict, limits::is_failure(&answers));
        if let Some(report) = format {
            let text = report.text_in(&explained, reference, text_columns());
            output::print(&match report.id {
                "lava" => {
                    process::lava::give(&Tools::on_path(), &text).map_err(|failure| anyhow::anyhow!(failure.message))?
                }
                "junit" => report::junit(facts.in_lines(), &explained.assessment, &limits::cases(&answers)),
                "github-summary" => text + &limits::markdown(&answers),
                _ => text,
            })?;
            if !["junit", "github-summary"].contains(&report.id) {
                // Other formats have no field for limits.
                limits::sentences(&answers).lines().for_each(output::note);
            }
            return Ok(status);
        }
        let subject = page::Subject::of(&explained, reference());
        if let Some(page) = &self.html {
            explained_files::write(&subject.page(), (Form::Html, Some(page)))?;
        }
        if self.card.is_some() || self.plots.is_some() {
            let drawings = subject.drawings();
            self.card.iter().try_for_each(|card| write_card(&drawings, card))?;
            let plots = self.plots.as_deref().map(|folder| write_plots(&drawings, folder)).transpose()?;
            plots.iter().flatten().try_for_each(|path| output::print(&format!("{}\n", path.display())))?;
        }
        limits::sentences(&answers).lines().for_each(output::note);
        Ok(status)
    }
}

/// Writes the card.
pub(super) fn write_card(drawings: &[Drawing], file: &Path) -> anyhow::Result<()> {
    let card = drawings.iter().find(|drawing| drawing.name == page::CARD).context("the result has no card")?;
    Ok(files::replace_unsynced(file, &card.png().map_err(anyhow::Error::msg)?, Access::World)?)
}

/// Writes all pictures to a directory as PNG and SVG. Returns their paths.
pub(super) fn write_plots(drawings: &[Drawing], folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    files::make_all(folder)?;
    let mut paths = Vec::new();
    for drawing in drawings {
        let png = drawing.png().map_err(anyhow::Error::msg)?;
        for (ending, bytes) in [("png", png.as_slice()), ("svg", drawing.svg.as_bytes())] {
            let path = folder.join(format!("{}.{ending}", drawing.name));
            files::replace_unsynced(&path, bytes, Access::World)?;
            paths.push(path);
        }
    }
    Ok(paths)
}

/// All reports, sorted by id.
pub(super) fn all_reports() -> Vec<&'static Report> {
    let mut all: Vec<&Report> = REPORTS.iter().chain([&page::REPORT]).collect();
    all.stable_sort_by_key(|report| report.id);
    all
}

/// Reports of earlier versions that a line of `jq` replaces.
const BY_JQ: [&str; 5] = ["bencher", "kcidb", "otava-csv", "phoronix", "squad"];

/// The report with this id.
///
/// # Errors
/// No report has this id; the sentence lists the known ids, or names the document with the line that replaces it.
pub(super) fn find(id: &str) -> anyhow::Result<&'static Report> {
    anyhow::ensure!(
        !BY_JQ.contains(&id),
        "The report {id:?} is not built in; use its line of jq in other-systems.md (packages: /usr/share/doc/sbc-bench, source: docs)."
    );
    let all = all_reports();
    let found = all.iter().find(|report| report.id == id).copied();
    found.with_context(|| {
        let known: Vec<&str> = all.iter().map(|report| report.id).collect();
        format!("Unknown report {id:?}; known reports: {}.", known.join(", "))
    })
}
