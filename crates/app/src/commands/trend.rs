//! `sbc-bench results --over-time`: results of one machine by date, and where their figures changed.

use super::explained_files::{ExplainedFiles, read_many, write};
use super::site::sources::Source;
use crate::args::written::Form;
use compare::trend::{self, Sample, trends};
use console::{output, status};
use std::path::Path;

/// Prints trends in this format, or writes them to a file.
pub(super) fn run(files: &[Source], (form, file): (Form, Option<&Path>)) -> anyhow::Result<u8> {
    let ExplainedFiles { results, status: unread } = read_many(files, 1)?;
    let samples: Vec<Sample<'_>> = results
        .iter()
        .map(|(name, explained)| Sample {
            name: name.clone(),
            facts: &explained.facts,
            verdict: explained.assessment.verdict,
        })
        .collect();
    let trends = trends(&samples);
    let is_empty = trends.iter().all(|trend| trend.results.is_empty());
    let text = match form {
        Form::Text => trend::text(&trends),
        Form::Md => trend::markdown_text(&trends),
        Form::Csv => trend::csv(&trends),
        Form::Json => serde_json::to_string_pretty(&trends)? + "\n",
        Form::Html => page::trends(&trends),
    };
    write(&text, (form, file))?;
    if is_empty {
        output::note("No result can be used for a trend: all are invalid, died or have no date.");
        return Ok(status::FAILURE);
    }
    Ok(unread)
}
