//! `sbc-bench compare`: one result among known boards, or several side by side.

use super::known::reference;
use super::many::{Many, read_many};
use crate::output;
use explain::compare::{Side, compare, rank, ranking_text, text};
use std::path::PathBuf;

pub(crate) fn run(files: &[PathBuf], with: &[PathBuf], json: bool) -> anyhow::Result<u8> {
    let Many { results, status } = read_many(files, files.len().min(2))?;
    let (as_json, as_text) = match results.as_slice() {
        [(_, record, explained)] => {
            let ranking = rank(record, explained, &*reference(with)?);
            (serde_json::to_string_pretty(&ranking)?, ranking_text(&ranking))
        }
        _ if !with.is_empty() => anyhow::bail!("--with adds results to rank one result against; give one FILE."),
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
