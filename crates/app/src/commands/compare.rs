//! `sbc-bench compare`: one result among known boards, or several side by side.

use super::many::{Many, read_many};
use crate::output;
use explain::compare::{Side, compare, rank, ranking_text, text};
use explain::reference::Reference;
use std::path::PathBuf;

pub(crate) fn run(files: &[PathBuf], json: bool) -> anyhow::Result<u8> {
    let Many { results, status } = read_many(files, files.len().min(2))?;
    let (as_json, as_text) = match results.as_slice() {
        [(_, record, explained)] => {
            let ranking = rank(record, explained, Reference::builtin());
            (serde_json::to_string_pretty(&ranking)?, ranking_text(&ranking))
        }
        several => {
            let sides: Vec<Side<'_>> = several
                .iter()
                .map(|(name, record, explained)| Side { name: name.clone(), record, explained })
                .collect();
            let comparison = compare(&sides);
            (serde_json::to_string_pretty(&comparison)?, text(&comparison))
        }
    };
    output::print(&if json { as_json + "\n" } else { as_text })?;
    Ok(status)
}
