//! `sbc-bench results`: tables of many results, as published lists have them.

use super::many::{Many, read_many, write};
use crate::args::ResultsArgs;
use crate::{look, output};
use anyhow::{Context, bail};
use explain::results::{FORMATS, Row, SORT_KEYS, Table, sort};

/// The format that is a page.
const PAGE: &str = "html";
/// Where nobody knows how wide the reader's terminal is.
const COLUMNS_USUAL: usize = 80;

pub(crate) fn run(args: &ResultsArgs) -> anyhow::Result<u8> {
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
