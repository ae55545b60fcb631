//! `sbc-bench trend`: results of one machine by date, and where their figures changed.

use super::many::{Many, read_many, write};
use crate::args::{Form, WrittenFlags};
use crate::{output, status};
use compare::trend::{self, Sample, trends};
use std::path::PathBuf;

pub(crate) fn run(files: &[PathBuf], written: &WrittenFlags) -> anyhow::Result<u8> {
    let Many { results, status: unread } = read_many(files, 1)?;
    let samples: Vec<Sample<'_>> = results
        .iter()
        .map(|(name, record, explained)| Sample { name: name.clone(), record, verdict: explained.verdict })
        .collect();
    let trends = trends(&samples);
    let is_empty = trends.iter().all(|trend| trend.results.is_empty());
    let (form, file) = written.form();
    let text = match form {
        Form::Text => trend::text(&trends),
        Form::Md => trend::markdown_text(&trends),
        Form::Csv => trend::csv(&trends),
        Form::Json => serde_json::to_string_pretty(&trends)? + "\n",
        Form::Html => page::trends(&trends),
    };
    write(&text, file)?;
    if is_empty {
        output::note("No result can be used for a trend: all are invalid, died or have no date.");
        return Ok(status::FAILURE);
    }
    Ok(unread)
}
