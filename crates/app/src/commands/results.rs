//! `sbc-bench results`: tables of many results, as published lists have them.

use super::explain::read;
use crate::output;
use anyhow::Context;
use explain::Explanation;
use explain::results::{FORMATS, Row, SORT_KEYS, sort};
use record::Record;
use std::path::PathBuf;

pub(crate) fn run(files: &[PathBuf], key: &str, format: &str) -> anyhow::Result<u8> {
    let format = FORMATS.iter().find(|known| known.id == format);
    let format = format.with_context(|| {
        let known: Vec<&str> = FORMATS.iter().map(|format| format.id).collect();
        format!("--format must be one of {}.", known.join(", "))
    })?;
    let records = files.iter().map(|file| read(file));
    let records = records.collect::<anyhow::Result<Vec<Record>>>()?;
    let mut rows: Vec<Row> = Vec::new();
    for (record, file) in records.iter().zip(files) {
        let name = file.display().to_string();
        let is_whole = |other: &&Record| record.run.is_part_of(&other.run);
        if let Some(at) = records.iter().position(|other| is_whole(&other)) {
            let whole = files[at].display();
            output::note(&format!("{name} has no row: its run was resumed and is complete in {whole}."));
            continue;
        }
        rows.push(Row::of(record, &Explanation::of(record), &name));
    }
    sort(&mut rows, key).with_context(|| {
        let known: Vec<&str> = SORT_KEYS.iter().map(|key| key.id).collect();
        format!("--sort must be one of {}.", known.join(", "))
    })?;
    output::print(&(format.write)(&rows))?;
    Ok(0)
}
