//! Identification: names of boards and device trees, and every `/proc/cpuinfo` of the corpus with CPUs removed, doubled
//! and reordered.

use super::{Judgement, Row};
use crate::boards;
use anyhow::Result;
use facts::soc;
use machine::{Texts, root_of_texts};
use record::Machine;
use std::path::Path;

/// Folders of cpuinfo files in a corpus.
const FOLDERS: [&str; 2] = ["open/results/cpuinfo", "more/results/cpuinfo"];

pub(super) fn rows(corpus: &Path) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    if let Some(folder) = boards::folder() {
        rows.push(names(&folder)?);
        let (models, trees) = trees(&folder)?;
        rows.extend([models, trees]);
    }
    rows.extend(cpuinfo(corpus)?);
    Ok(rows)
}

/// SoCs found against those that are right: all of the first must be among the second, or the other way round.
pub(super) fn judge(name: &str, found: &[String], right: &[String]) -> Judgement {
    let within = |some: &[String], all: &[String]| some.iter().all(|one| all.contains(one));
    match found {
        [] => Judgement::Missing,
        _ if within(found, right) => Judgement::Right,
        _ if within(right, found) => Judgement::Refused,
        _ => Judgement::Wrong(format!("{name}: {} instead of {}", found.join(", "), right.join(", "))),
    }
}

/// Names of the SoC, if something names it.
fn named(machine: &Machine) -> Vec<String> {
    let answer = soc::identify(machine);
    if answer.cores.is_some() { Vec::new() } else { answer.names() }
}

fn names(folder: &Path) -> Result<Row> {
    let mut row = Row::new("names of boards");
    for cells in boards::list(folder, "names.tsv")? {
        let [name, _, description, ..] = cells.as_slice() else { continue };
        let right = boards::socs_of_text(description);
        if !right.is_empty() {
            row.add(judge(name, &named(&boards::named(name)), &right));
        }
    }
    Ok(row)
}

fn trees(folder: &Path) -> Result<(Row, Row)> {
    let (mut models, mut trees) = (Row::new("models of device trees"), Row::new("device trees"));
    for cells in boards::list(folder, "devicetrees.tsv")? {
        let [model, compatible, ..] = cells.as_slice() else { continue };
        let right = boards::socs_of_tree(compatible);
        trees.add(if right.is_empty() { Judgement::Missing } else { Judgement::Right });
        if !right.is_empty() {
            models.add(judge(model, &named(&boards::named(model)), &right));
        }
    }
    Ok((models, trees))
}

/// A change of the blocks of a cpuinfo.
type Mutation = fn(&mut Vec<String>);

const MUTATIONS: [(&str, Mutation); 5] = [
    ("cpuinfo as it is", |_| {}),
    ("cpuinfo with one CPU", |blocks| blocks.truncate(1)),
    ("cpuinfo with half of its CPUs", |blocks| blocks.truncate(blocks.len().div_ceil(2))),
    ("cpuinfo doubled", |blocks| blocks.extend(blocks.clone())),
    ("cpuinfo in reverse", |blocks| blocks.reverse()),
];

fn cpuinfo(corpus: &Path) -> Result<Vec<Row>> {
    let mut files = Vec::new();
    for folder in FOLDERS.map(|folder| corpus.join(folder)).iter().filter(|folder| folder.is_dir()) {
        files.extend(crate::workspace::entries(folder)?);
    }
    files.sort();
    let mut rows: Vec<Row> = MUTATIONS.iter().map(|(name, _)| Row::new(*name)).collect();
    for file in files {
        let text = String::from_utf8_lossy(&std::fs::read(&file)?).into_owned();
        let blocks: Vec<String> =
            text.split("\n\n").filter(|block| !block.trim().is_empty()).map(str::to_owned).collect();
        let of = |blocks: &[String]| {
            let text = blocks.join("\n\n") + "\n";
            let texts = Texts { cpuinfo: Some(text.as_bytes()), ..Texts::default() };
            let machine = machine::identify(&root_of_texts(None, &texts));
            (soc::identify(&machine).names(), named(&machine))
        };
        let (candidates, own) = of(&blocks);
        for (row, (_, mutation)) in rows.iter_mut().zip(MUTATIONS) {
            let mut blocks = blocks.clone();
            mutation(&mut blocks);
            let (found_candidates, found) = of(&blocks);
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            row.add(match (found.as_slice(), own.as_slice()) {
                ([], []) if found_candidates.is_empty() && candidates.is_empty() => Judgement::Missing,
                ([], _) => Judgement::Refused,
                (_, []) => Judgement::Wrong(format!("{name}: {} from nothing", found.join(", "))),
                _ => judge(&name, &found, &own),
            });
        }
    }
    Ok(rows)
}
