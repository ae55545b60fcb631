//! `sbc-bench results`: tables of many results, as published lists have them.

use super::explain::read;
use crate::output;
use anyhow::Context;
use explain::results::{FORMATS, Row, SORT_KEYS, sort};
use explain::rules;
use std::path::PathBuf;

pub(crate) fn run(files: &[PathBuf], key: &str, format: &str) -> anyhow::Result<u8> {
    let format = FORMATS.iter().find(|known| known.id == format);
    let format = format.with_context(|| {
        let known: Vec<&str> = FORMATS.iter().map(|format| format.id).collect();
        format!("--format is one of {}", known.join(", "))
    })?;
    let mut rows = files
        .iter()
        .map(|file| {
            let record = read(file)?;
            let name = file.display().to_string();
            Ok(Row::of(&record, &rules::check(&record), &name))
        })
        .collect::<anyhow::Result<Vec<Row>>>()?;
    sort(&mut rows, key).with_context(|| {
        let known: Vec<&str> = SORT_KEYS.iter().map(|key| key.id).collect();
        format!("--sort is one of {}", known.join(", "))
    })?;
    output::print(&(format.write)(&rows))?;
    Ok(0)
}
