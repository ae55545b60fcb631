//! `sbc-bench results`: tables of many results, their site, and their changes over time.

use super::explained_files::{files_or_last, named_or_last, read_each, write};
use super::site::sources::Source;
use super::{Command, site, trend};
use crate::args::written::{Form, WrittenFlags};
use anyhow::{Context, bail};
use clap::ValueEnum;
use console::{output, terminal_caps};
use explain::results::{FORMATS, Filter, Row, SORT_KEYS, Table, USUAL_ORDER, sort};
use record::{End, Run};
use std::path::PathBuf;

/// Columns where standard output is not a terminal.
const COLUMNS_USUAL: usize = 80;

/// Print a table of many results; also as a web site or over time
///
/// With --site: static pages with relative links: a table with filters, a page for each result, board, SoC and core type,
/// and all data. What did not change since the last call is not written again.
///
/// With --over-time: the results of each machine by date, and where its figures changed permanently.
#[derive(Debug, clap::Args)]
pub(crate) struct Results {
    /// Logs, result files or directories of them; `-` reads standard input [default: the last run]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Sort by 7zip-multi, 7zip-single, aes, clock, device, khs, memcpy or memset
    #[arg(long, value_name = "KEY", default_value = USUAL_ORDER)]
    sort: String,
    #[command(flatten)]
    written: WrittenFlags,
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
    #[arg(long, alias = "out", value_name = "DIR", conflicts_with_all = OF_TABLES)]
    site: Option<PathBuf>,
    /// Address that the site will have; a feed and a sitemap need it
    #[arg(long, value_name = "URL", value_parser = site::base, requires = "site")]
    url: Option<String>,
    /// Show where figures of a machine changed permanently; at least four results per machine are needed
    #[arg(long, conflicts_with_all = ["site", "sort", "soc", "board", "since", "valid"])]
    over_time: bool,
}

/// Options that apply to tables only.
const OF_TABLES: [&str; 8] = ["format", "json", "html", "sort", "soc", "board", "since", "valid"];

impl Command for Results {
    fn run(self: Box<Self>, _: &machine::Root) -> anyhow::Result<u8> {
        if let Some(folder) = &self.site {
            return site::write(&named_or_last(&self.files)?, folder, self.url.as_deref());
        }
        let files = files_or_last(&self.files)?;
        if self.over_time { trend::run(&files, self.written.form(Form::Text)) } else { run(&self, &files) }
    }
}

impl Results {
    fn filter(&self) -> Filter {
        Filter { soc: self.soc.clone(), board: self.board.clone(), since: self.since.clone(), valid: self.valid }
    }
}

/// Parses a day such as `2026-11-23`.
fn day(text: &str) -> Result<String, String> {
    let day = text.parse::<jiff::civil::Date>().map_err(|_| "must be a day such as 2026-11-23".to_owned())?;
    Ok(day.to_string())
}

fn run(args: &Results, files: &[Source]) -> anyhow::Result<u8> {
    // Tables in files and pipes are pasted into reviews.
    let usual = if terminal_caps::columns().is_some() { Form::Text } else { Form::Md };
    let (form, file) = args.written.form(usual);
    let id = form.to_possible_value();
    let format = FORMATS.iter().find(|known| id.as_ref().is_some_and(|id| id.get_name() == known.id));
    let (read, status) = read_each(files, 1, |name, explained| {
        let row = Row::of(&explained, &name);
        (explained.facts.run.clone(), row)
    })?;
    // Only runs that died may be part of another one.
    let whole = |run: &Run| {
        let mut others = read.iter().filter(|_| run.end == End::Died);
        others.find(|(other, _)| run.is_part_of(other)).map(|(_, row)| &row.file)
    };
    for (name, whole) in read.iter().filter_map(|(run, row)| Some((&row.file, whole(run)?))) {
        output::note(&format!("{name} has no row: its run was resumed and is complete in {whole}."));
    }
    let is_whole: Vec<bool> = read.iter().map(|(run, _)| whole(run).is_none()).collect();
    let rows = read.into_iter().zip(is_whole).filter(|(_, is_whole)| *is_whole);
    let mut rows: Vec<Row> = rows.map(|((_, row), _)| row).collect();
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
    let columns = terminal_caps::columns().unwrap_or(COLUMNS_USUAL);
    let text = match format {
        Some(format) => (format.write)(&Table { rows: &rows, columns }),
        None => page::results(&rows),
    };
    write(&text, (form, file))?;
    Ok(status)
}
