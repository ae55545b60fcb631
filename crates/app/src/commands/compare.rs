//! `sbc-bench compare`: one result among known boards, or several side by side.

use super::Command;
use super::explained_files::{ExplainedFiles, files_or_last, read_many, write};
use super::known::reference_with;
use crate::args::written::{Form, WrittenFlags};
use compare::{Detail, Side, compare, rank, ranking_csv, ranking_markdown, ranking_text};
use console::terminal_caps::text_columns;
use explain::Document;
use serde_json::Value;
use std::path::PathBuf;

/// Rank one result or compare several
///
/// One result is ranked against known boards; several are compared, with the likely causes of differences.
#[derive(Debug, clap::Args)]
pub(crate) struct Compare {
    /// Logs or result files; `-` reads standard input [default: the last run]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Results of your own to rank it against as well: logs, result files, directories of them, or the address of a hub
    ///
    /// Those in /var/lib/sbc-bench/references (of a user: ~/.local/state/sbc-bench/references) always count. What a hub lists is
    /// kept for when it does not answer.
    #[arg(long, value_name = "FILE|DIR|URL", num_args = 1..)]
    with: Vec<PathBuf>,
    /// Show all figures, and settings that differ
    #[arg(long)]
    details: bool,
    #[command(flatten)]
    written: WrittenFlags,
}

impl Command for Compare {
    fn run(self: Box<Self>, _: &machine::Root) -> anyhow::Result<u8> {
        let files = files_or_last(&self.files)?;
        let ExplainedFiles { results, status } = read_many(&files, files.len().min(2))?;
        let (form, file) = self.written.form(Form::Text);
        let columns = text_columns();
        let detail = if self.details { Detail::Full } else { Detail::Summary };
        let text = match results.as_slice() {
            [(_, explained)] => {
                let ranking = rank(explained, &reference_with(&self.with)?);
                match form {
                    Form::Text => ranking_text(&ranking, columns, detail),
                    Form::Md => ranking_markdown(&ranking),
                    Form::Csv => ranking_csv(&ranking),
                    Form::Json => {
                        let mut value = serde_json::to_value(&ranking)?;
                        value["result"] = serde_json::to_value(Document::of(&explained.facts, &explained.assessment))?;
                        printed(value)?
                    }
                    Form::Html => page::ranking(&ranking),
                }
            }
            _ if !self.with.is_empty() => {
                anyhow::bail!("--with adds results to rank one result against; give one FILE.")
            }
            several => {
                let sides: Vec<Side<'_>> =
                    several.iter().map(|(name, explained)| Side { name: name.clone(), explained }).collect();
                let comparison = compare(&sides);
                match form {
                    Form::Text => compare::text(&comparison, columns, detail),
                    Form::Md => compare::markdown_text(&comparison),
                    Form::Csv => compare::csv(&comparison),
                    Form::Json => {
                        let mut value = serde_json::to_value(&comparison)?;
                        for (index, (_, explained)) in several.iter().enumerate() {
                            value["sides"][index]["result"] =
                                serde_json::to_value(Document::of(&explained.facts, &explained.assessment))?;
                        }
                        printed(value)?
                    }
                    Form::Html => page::comparison(&comparison),
                }
            }
        };
        write(&text, (form, file))?;
        Ok(status)
    }
}

/// Renders JSON in which missing values are `null` with their reasons next to them.
fn printed(mut value: Value) -> anyhow::Result<String> {
    record::flatten(&mut value);
    Ok(serde_json::to_string_pretty(&value)? + "\n")
}
