//! Identification: names of boards and device trees, and every `/proc/cpuinfo` of the corpus with CPUs removed, doubled
//! and reordered.

use super::{Judgement, Table};
use crate::{boards, workspace};
use anyhow::Result;
use facts::soc;
use machine::{Texts, root_of_texts};
use record::Machine;
use std::path::Path;

/// Folders of cpuinfo files in a corpus.
const FOLDERS: [&str; 2] = ["open/results/cpuinfo", "more/results/cpuinfo"];

pub(super) fn check(corpus: &Path, table: &mut Table) -> Result<()> {
    if let Some(folder) = boards::folder() {
        names(&folder, table)?;
        trees(&folder, table)?;
    }
    cpuinfo(corpus, table)
}

/// SoCs found against those that are right: all of the first must be among the second, or the other way round.
pub(super) fn judge(name: &str, found: &[String], right: &[String]) -> Judgement {
    let is_in = |one: &String, all: &[String]| all.iter().any(|other| other.eq_ignore_ascii_case(one));
    let within = |some: &[String], all: &[String]| some.iter().all(|one| is_in(one, all));
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

fn names(folder: &Path, table: &mut Table) -> Result<()> {
    for cells in boards::list(folder, "names.tsv")? {
        let [name, _, description, ..] = cells.as_slice() else { continue };
        let right = boards::socs_of_text(description);
        if !right.is_empty() {
            table.add("names of boards", judge(name, &named(&boards::named(name)), &right));
        }
    }
    Ok(())
}

fn trees(folder: &Path, table: &mut Table) -> Result<()> {
    for cells in boards::list(folder, "devicetrees.tsv")? {
        let [model, compatible, file, ..] = cells.as_slice() else { continue };
        let mut right = boards::socs_of_tree(compatible);
        table.add("device trees", if right.is_empty() { Judgement::Missing } else { Judgement::Right });
        if !right.is_empty() {
            // A tree may name the base part in its compatible and the variant on the board in its file name.
            let chip = file.rsplit('/').next().and_then(|name| name.split('-').next()).unwrap_or_default();
            let vendors = compatible.split(' ').filter_map(|name| name.split(',').next());
            right.extend(vendors.flat_map(|vendor| boards::socs_of_tree(&format!("{vendor},{chip}"))));
            table.add("models of device trees", judge(model, &named(&boards::named(model)), &right));
        }
    }
    Ok(())
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

fn cpuinfo(corpus: &Path, table: &mut Table) -> Result<()> {
    let mut files = Vec::new();
    for folder in FOLDERS.map(|folder| corpus.join(folder)).iter().filter(|folder| folder.is_dir()) {
        files.extend(workspace::entries(folder)?);
    }
    files.sort();
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
        for (row, mutation) in MUTATIONS {
            let mut blocks = blocks.clone();
            mutation(&mut blocks);
            let (found_candidates, found) = of(&blocks);
            let name = workspace::name(&file);
            let judgement = match (found.as_slice(), own.as_slice()) {
                ([], []) if found_candidates.is_empty() && candidates.is_empty() => Judgement::Missing,
                ([], _) => Judgement::Refused,
                (_, []) => Judgement::Wrong(format!("{name}: {} from nothing", found.join(", "))),
                _ => judge(&name, &found, &own),
            };
            table.add(row, judgement);
        }
    }
    Ok(())
}
