//! `sbc-bench compare`: one result among known boards, or several side by side.

use super::explain::read;
use crate::output;
use explain::compare::{Side, compare, rank, ranking_text, text};
use explain::reference::Reference;
use explain::{Finding, rules};
use record::Record;
use std::path::PathBuf;

pub(crate) fn run(files: &[PathBuf], json: bool) -> anyhow::Result<u8> {
    let mut results: Vec<(String, Record, Vec<Finding>)> = Vec::new();
    for file in files {
        let record = read(file)?;
        let findings = rules::check(&record);
        results.push((file.display().to_string(), record, findings));
    }
    let (as_json, as_text) = match results.as_slice() {
        [(_, record, findings)] => {
            let ranking = rank(record, findings, Reference::builtin());
            (serde_json::to_string_pretty(&ranking)?, ranking_text(&ranking))
        }
        several => {
            let sides: Vec<Side<'_>> =
                several.iter().map(|(name, record, findings)| Side { name: name.clone(), record, findings }).collect();
            let comparison = compare(&sides);
            (serde_json::to_string_pretty(&comparison)?, text(&comparison))
        }
    };
    output::print(&if json { as_json + "\n" } else { as_text })?;
    Ok(0)
}
