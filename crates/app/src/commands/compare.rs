//! `sbc-bench compare`: one result among known boards, or several side by side.

use super::known::reference;
use super::many::{Many, read_many, write};
use crate::args::{Form, WrittenFlags};
use compare::{Side, compare, rank, ranking_csv, ranking_markdown, ranking_text};
use explain::Document;
use serde_json::Value;
use std::path::PathBuf;

pub(crate) fn run(files: &[PathBuf], with: &[PathBuf], written: &WrittenFlags) -> anyhow::Result<u8> {
    let Many { results, status } = read_many(files, files.len().min(2))?;
    let (form, file) = written.form();
    let text = match results.as_slice() {
        [(_, record, explained)] => {
            let ranking = rank(record, explained, &*reference(with)?);
            match form {
                Form::Text => ranking_text(&ranking),
                Form::Md => ranking_markdown(&ranking),
                Form::Csv => ranking_csv(&ranking),
                Form::Json => {
                    let mut value = serde_json::to_value(&ranking)?;
                    value["result"] = serde_json::to_value(Document::of(record, explained))?;
                    printed(value)?
                }
                Form::Html => page::ranking(&ranking),
            }
        }
        _ if !with.is_empty() => anyhow::bail!("--with adds results to rank one result against; give one FILE."),
        several => {
            let sides: Vec<Side<'_>> = several
                .iter()
                .map(|(name, record, explained)| Side { name: name.clone(), record, explained })
                .collect();
            let comparison = compare(&sides);
            match form {
                Form::Text => compare::text(&comparison),
                Form::Md => compare::markdown_text(&comparison),
                Form::Csv => compare::csv(&comparison),
                Form::Json => {
                    let mut value = serde_json::to_value(&comparison)?;
                    for (index, (_, record, explained)) in several.iter().enumerate() {
                        value["sides"][index]["result"] = serde_json::to_value(Document::of(record, explained))?;
                    }
                    printed(value)?
                }
                Form::Html => page::comparison(&comparison),
            }
        }
    };
    write(&text, file)?;
    Ok(status)
}

/// Missing values are `null` with their reasons next to them, as in all JSON.
fn printed(mut value: Value) -> anyhow::Result<String> {
    record::flatten(&mut value);
    Ok(serde_json::to_string_pretty(&value)? + "\n")
}
