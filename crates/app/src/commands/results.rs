//! `sbc-bench results`: tables of many results, as published lists have them; a site of them; their course over time.

use super::many::{Many, files_or_last, read_many, write};
use super::{Command, site, trend};
use crate::{look, output};
use anyhow::{Context, bail};
use explain::results::{FORMATS, Filter, Row, SORT_KEYS, Table, USUAL_ORDER, sort};
use std::path::PathBuf;

/// The format that is a page.
const PAGE: &str = "html";
/// Where nobody knows how wide the reader's terminal is.
const COLUMNS_USUAL: usize = 80;

/// Print a table of many results; also as a web site or over time
///
/// With --site: static pages with relative links: a table with filters, a page for each result, board, SoC and core type,
/// and all data. What did not change since the last call is not written again.
///
/// With --over-time: the results of each machine by date, and where its figures changed permanently.
#[derive(Debug, clap::Args)]
pub(crate) struct Results {
    /// Logs or result files; `-` reads standard input; with --site also directories of them [default: the last run]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Sort by 7zip-multi, 7zip-single, aes, clock, device, khs, memcpy or memset
    #[arg(long, value_name = "KEY", default_value = USUAL_ORDER)]
    sort: String,
    /// Output format: md, csv, json, html, or text for a terminal [default: md; with --over-time text]
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// Print the table as JSON (same as --format json)
    #[arg(long)]
    json: bool,
    /// Write an HTML page to FILE
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "json"])]
    html: Option<PathBuf>,
    /// Only results of SoCs with this text in their name
    #[arg(long, value_name = "TEXT")]
    soc: Option<String>,
    /// Only results of boards with this text in their name
    #[arg(long, value_name = "TEXT")]
    board: Option<String>,
    /// Only results of this day or later
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    since: Option<String>,
    /// Only results whose verdict is valid
    #[arg(long)]
    valid: bool,
    /// Write a web site to DIR: an empty directory, or one that an earlier call has written
    #[arg(long, value_name = "DIR", conflicts_with_all = OF_TABLES)]
    site: Option<PathBuf>,
    /// Address that the site will have; a feed and a sitemap need it
    #[arg(long, value_name = "URL", value_parser = site::base, requires = "site")]
    url: Option<String>,
    /// Show where figures of a machine changed permanently; at least four results per machine are needed
    #[arg(long, conflicts_with_all = ["site", "sort", "soc", "board", "since", "valid"])]
    over_time: bool,
}

/// Options of a table, which a site has none of.
const OF_TABLES: [&str; 8] = ["format", "json", "html", "sort", "soc", "board", "since", "valid"];

impl Command for Results {
    fn run(mut self: Box<Self>, _: &machine::Root) -> anyhow::Result<u8> {
        self.files = files_or_last(&self.files)?;
        if let Some(folder) = &self.site {
            return site::write(&self.files, folder, self.url.as_deref());
        }
        match self.over_time {
            true => {
                let format = if self.format.is_none() && !self.json { "text" } else { self.format()? };
                trend::run(&self.files, format, self.html.as_deref())
            }
            false => run(&self),
        }
    }
}

impl Results {
    /// The format that was asked for.
    ///
    /// # Errors
    /// One sentence: it was asked for two.
    fn format(&self) -> anyhow::Result<&str> {
        match (self.format.as_deref(), self.json) {
            (None | Some("json"), true) => Ok("json"),
            (Some(other), true) => anyhow::bail!("--json cannot be combined with --format {other}."),
            (given, false) => Ok(given.unwrap_or("md")),
        }
    }

    /// Which results are wanted.
    fn filter(&self) -> Filter {
        Filter { soc: self.soc.clone(), board: self.board.clone(), since: self.since.clone(), valid: self.valid }
    }
}

/// A day as `2026-11-23`.
fn day(text: &str) -> Result<String, String> {
    let day = text.parse::<jiff::civil::Date>().map_err(|_| "must be a day such as 2026-11-23".to_owned())?;
    Ok(day.to_string())
}

fn run(args: &Results) -> anyhow::Result<u8> {
    let id = args.format()?;
    let page = |table: &Table<'_>| page::results(table.rows);
    let written: Option<fn(&Table<'_>) -> String> = match id == PAGE || args.html.is_some() {
        true => Some(page),
        false => FORMATS.iter().find(|known| known.id == id).map(|format| format.write),
    };
    let written = written.with_context(|| {
        let mut known: Vec<&str> = FORMATS.iter().map(|format| format.id).chain([PAGE]).collect();
        known.sort_unstable();
        format!("--format must be one of {}.", known.join(", "))
    })?;
    let Many { results, status } = read_many(&args.files, 1)?;
    let mut rows: Vec<Row> = Vec::new();
    for (name, record, explained) in &results {
        if let Some((whole, ..)) = results.iter().find(|(_, other, _)| record.run.is_part_of(&other.run)) {
            output::note(&format!("{name} has no row: its run was resumed and is complete in {whole}."));
            continue;
        }
        rows.push(Row::of(record, explained, name));
    }
    let filter = args.filter();
    let count = rows.len();
    rows.retain(|row| filter.wants(row));
    if rows.is_empty() {
        bail!("None of {count} results matches {}.", filter.words());
    }
    if rows.len() < count {
        output::note(&format!("{} of {count} results match {}.", rows.len(), filter.words()));
    }
    sort(&mut rows, &args.sort).with_context(|| {
        let known: Vec<&str> = SORT_KEYS.iter().map(|key| key.id).collect();
        format!("--sort must be one of {}.", known.join(", "))
    })?;
    let columns = look::columns().unwrap_or(COLUMNS_USUAL);
    let text = written(&Table { rows: &rows, columns });
    write(&text, args.html.as_deref())?;
    Ok(status)
}
