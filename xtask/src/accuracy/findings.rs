//! Published findings in logs of the corpus that the logs' own verdicts lack or get wrong: which of them rules report.

use super::{Judgement, Table};
use crate::workspace;
use anyhow::{Context, Result};
use facts::Finding;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Parts of a corpus with lists of findings.
const PARTS: [&str; 2] = ["open", "more"];
/// Categories with the rules that report them; a rule behind `!` must not.
fn categories() -> Result<BTreeMap<String, Vec<String>>> {
    let path = workspace::root().join("crates/explain/tests/composed/truth/categories.tsv");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1).filter_map(|line| line.split_once('\t'));
    Ok(rows.map(|(name, rules)| (name.to_owned(), rules.split(' ').map(str::to_owned).collect())).collect())
}

/// Published findings: wrong where a rule takes an artefact or false throttling for real.
pub(super) fn check(corpus: &Path, table: &mut Table) -> Result<()> {
    let categories = categories()?;
    for part in PARTS {
        let list = std::fs::read_to_string(corpus.join(format!("missed_{part}.json")))?;
        let list: Vec<Value> = serde_json::from_str(&list)?;
        let mut by_file: BTreeMap<String, Vec<Finding>> = BTreeMap::new();
        for entry in &list {
            let word = |name: &str| entry[name].as_str().unwrap_or_default();
            let (file, category) = (word("file"), word("cat"));
            if !by_file.contains_key(file) {
                let bytes = std::fs::read(corpus.join(part).join("results").join(file))?;
                let found = explain::explain(logs::read(&String::from_utf8_lossy(&bytes))).assessment.findings;
                by_file.insert(file.to_owned(), found);
            }
            let has = |rule: &str| by_file[file].iter().any(|finding| finding.rule.as_str() == rule);
            let rules = categories.get(category).with_context(|| format!("no rules for {category}"))?;
            let artefact = rules.iter().filter_map(|rule| rule.strip_prefix('!')).find(|rule| has(rule));
            let mut reports = rules.iter().filter(|rule| !rule.starts_with('!')).peekable();
            let judgement = match artefact {
                Some(rule) => Judgement::Wrong(format!("{file}: {rule} reports {category}")),
                None if reports.peek().is_none() || reports.any(|rule| has(rule)) => Judgement::Right,
                None => Judgement::Missing,
            };
            table.add("published findings", judgement);
        }
    }
    Ok(())
}
