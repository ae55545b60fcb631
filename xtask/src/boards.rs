//! `data/boards.tsv`: boards by name, generated from lists outside of this repository.
//!
//! Rows edited by hand take precedence over Armbian's list, and that over device trees of the kernel.

use crate::workspace;
use anyhow::{Context, Result};
use facts::soc::{self, board_key};
use record::{Fact, Machine, NamedValue};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const TABLE: &str = "data/boards.tsv";
/// Maximum number of SoCs that a board can have.
const SOCS_MAX: usize = 4;

/// Folder of the lists: `SBC_BENCH_BOARDS`, or `shared/boards` in the checkout or a folder above it.
pub(crate) fn folder() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("SBC_BENCH_BOARDS") {
        return Some(PathBuf::from(named));
    }
    let root = workspace::root();
    let mut above = root.ancestors().map(|folder| folder.join("shared/boards"));
    above.find(|folder| folder.is_dir())
}

/// A board with its SoCs.
struct Board {
    name: String,
    socs: Vec<String>,
    source: String,
    /// File of its device tree without folder and ending; empty for rows edited by hand.
    tree: String,
}

/// Name of a file without its folder and ending.
fn stem(path: &str) -> String {
    Path::new(path).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Rows of a list, without its header.
pub(crate) fn list(folder: &Path, file: &str) -> Result<Vec<Vec<String>>> {
    let path = folder.join(file);
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    Ok(text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect())
}

/// Names of the SoCs in the `compatible` property of a device tree.
pub(crate) fn socs_of_tree(compatible: &str) -> Vec<String> {
    let compatible = compatible.split(' ').map(str::to_owned).collect();
    soc::identify(&Machine { compatible, ..Machine::default() }).names()
}

/// Names of the SoCs in a description.
pub(crate) fn socs_of_text(text: &str) -> Vec<String> {
    let value = NamedValue { name: "hardware".to_owned(), value: text.to_owned(), from: "list".to_owned() };
    soc::identify(&Machine { chip: vec![value], ..Machine::default() }).names()
}

/// Writes the table.
pub(crate) fn main() -> Result<()> {
    let folder = folder()
        .context("there is no shared/boards in a folder above this one; SBC_BENCH_BOARDS can name its place")?;
    let path = workspace::root().join(TABLE);
    let old = std::fs::read_to_string(&path).context(TABLE)?;
    let mut boards: Vec<Board> = by_hand(&old).collect();
    for row in list(&folder, "devicetrees.tsv")? {
        if let [model, compatible, file, ..] = row.as_slice() {
            let socs = socs_of_tree(compatible);
            boards.push(Board { name: model.clone(), socs, source: "linux".to_owned(), tree: stem(file) });
        }
    }
    for row in list(&folder, "names.tsv")? {
        if let [name, _, description, _, file, ..] = row.as_slice() {
            let socs = socs_of_text(description);
            boards.push(Board { name: name.clone(), socs, source: "armbian".to_owned(), tree: stem(file) });
        }
    }
    let mut table: BTreeMap<String, Board> = BTreeMap::new();
    for board in boards.into_iter().filter(|board| (1..=SOCS_MAX).contains(&board.socs.len())) {
        match table.get_mut(&board_key(&board.name)) {
            Some(known) if known.source == "linux" && board.source == "linux" => {
                known.socs.extend(board.socs);
                known.socs.sort();
                known.socs.dedup();
            }
            // A board of which the SoC differs has a device tree for each.
            Some(known) if known.source == "linux" && board.source == "armbian" && has_other_soc(known, &board) => {
                known.socs.extend(board.socs);
            }
            // Descriptions name the chip. A device tree may name its die or a related chip.
            Some(known) if known.source == "linux" && board.source == "armbian" => *known = board,
            Some(_) => {}
            None => drop(table.insert(board_key(&board.name), board)),
        }
    }
    let head: Vec<&str> = old.lines().take_while(|line| line.starts_with('#')).collect();
    let mut text = head.join("\n") + "\nkey\tname\tsocs\tsource\n";
    for board in table.values() {
        let name = board.name.trim();
        text += &format!("{}\t{name}\t{}\t{}\n", board_key(name), board.socs.join(", "), board.source);
    }
    std::fs::write(&path, &text).context(TABLE)?;
    println!("wrote {TABLE}: {} boards, {} KiB", text.lines().count() - head.len() - 1, text.len() >> 10);
    Ok(())
}

/// Rows edited by hand. Their source is `maker`, followed by `; ` and a reason if they contradict the lists.
fn by_hand(table: &str) -> impl Iterator<Item = Board> {
    table.lines().filter_map(|line| match line.split('\t').collect::<Vec<_>>().as_slice() {
        [_, name, socs, source] if source.starts_with("maker") => Some(Board {
            name: (*name).to_owned(),
            socs: socs.split(", ").map(str::to_owned).collect(),
            source: (*source).to_owned(),
            tree: String::new(),
        }),
        _ => None,
    })
}

/// True if two boards of one name have different device trees, each named after its SoC.
fn has_other_soc(one: &Board, other: &Board) -> bool {
    let is_named_after_soc = |board: &Board| {
        let chips = board.socs.iter().filter_map(|soc| soc.split(' ').next_back()).map(str::to_lowercase);
        chips.clone().count() == 1 && chips.into_iter().all(|chip| board.tree.split('-').any(|part| part == chip))
    };
    one.socs != other.socs && [one, other].into_iter().all(is_named_after_soc)
}

/// A machine with only a board name.
pub(crate) fn named(board: &str) -> Machine {
    Machine { board: Fact::Known(board.to_owned()), ..Machine::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_edited_by_hand_are_kept_with_their_reason() {
        let rows: Vec<String> = by_hand(include_str!("../../data/boards.tsv")).map(|board| board.source).collect();
        assert!(rows.iter().any(|source| source == "maker") && rows.iter().any(|source| source.starts_with("maker; ")));
    }
}
