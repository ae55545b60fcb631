//! `sbc-bench results`: tables of many results, as published lists have them.

use super::many::{Many, read_many};
use crate::output;
use anyhow::Context;
use explain::results::{FORMATS, Row, SORT_KEYS, sort};
use std::path::PathBuf;

pub(crate) fn run(files: &[PathBuf], key: &str, format: &str) -> anyhow::Result<u8> {
    let format = FORMATS.iter().find(|known| known.id == format);
    let format = format.with_context(|| {
        let known: Vec<&str> = FORMATS.iter().map(|format| format.id).collect();
        format!("--format must be one of {}.", known.join(", "))
    })?;
    let Many { results, status } = read_many(files, 1)?;
    let mut rows: Vec<Row> = Vec::new();
    for (name, record, explained) in &results {
        if let Some((whole, ..)) = results.iter().find(|(_, other, _)| record.run.is_part_of(&other.run)) {
            output::note(&format!("{name} has no row: its run was resumed and is complete in {whole}."));
            continue;
        }
        rows.push(Row::of(record, explained, name));
    }
    sort(&mut rows, key).with_context(|| {
        let known: Vec<&str> = SORT_KEYS.iter().map(|key| key.id).collect();
        format!("--sort must be one of {}.", known.join(", "))
    })?;
    output::print(&(format.write)(&rows))?;
    Ok(status)
}
