//! `sbc-bench trend`: results of one machine by date, and where their figures changed.

use super::explain::read;
use crate::output;
use explain::Explanation;
use explain::trend::{Sample, text, trends};
use record::Record;
use std::path::PathBuf;

pub(crate) fn run(files: &[PathBuf], json: bool) -> anyhow::Result<u8> {
    let mut results: Vec<(String, Record, Explanation)> = Vec::new();
    for file in files {
        let record = read(file)?;
        let explained = Explanation::of(&record);
        results.push((file.display().to_string(), record, explained));
    }
    let samples: Vec<Sample<'_>> =
        results.iter().map(|(name, record, explained)| Sample { name: name.clone(), record, explained }).collect();
    let trends = trends(&samples);
    let text = match json {
        true => serde_json::to_string_pretty(&trends)? + "\n",
        false => text(&trends),
    };
    output::print(&text)?;
    Ok(0)
}
