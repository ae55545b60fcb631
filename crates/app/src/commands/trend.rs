//! `sbc-bench trend`: results of one machine by date, and where their figures changed.

use super::many::{Many, read_many};
use crate::{output, status};
use explain::trend::{Sample, text, trends};
use std::path::PathBuf;

pub(crate) fn run(files: &[PathBuf], json: bool) -> anyhow::Result<u8> {
    let Many { results, status: unread } = read_many(files, 1)?;
    let samples: Vec<Sample<'_>> =
        results.iter().map(|(name, record, explained)| Sample { name: name.clone(), record, explained }).collect();
    let trends = trends(&samples);
    let is_empty = trends.iter().all(|trend| trend.results.is_empty());
    let text = match json {
        true => serde_json::to_string_pretty(&trends)? + "\n",
        false => text(&trends),
    };
    output::print(&text)?;
    if is_empty {
        output::note("No result can be used for a trend: all are invalid, died or have no date.");
        return Ok(status::FAILURE);
    }
    Ok(unread)
}
