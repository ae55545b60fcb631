//! Paths in a snapshot: files for identification, sensors, settings and idle check, and names below them that are
//! omitted. Paths that are not listed here are missing in all snapshots.

use record::table::{Table, word_list};
use std::sync::LazyLock;

/// Part of a path to include.
#[derive(Clone, Copy)]
pub(super) enum FilePolicy {
    /// This file.
    File,
    /// First bytes of the file: the header of a program.
    Header,
    /// The whole directory tree, without following links.
    Tree,
    /// Every entry of a class: the link, and the tree of its target.
    Class,
    /// These files of every entry, separated by blanks.
    Files(&'static str),
}

/// All paths with their parts, from `data/snapshot_paths.tsv`.
pub(super) fn places() -> impl Iterator<Item = (&'static str, FilePolicy)> {
    const PLACES: Table = Table::of(include_str!("../../../../data/snapshot_paths.tsv"));
    PLACES.rows().map(|row| {
        let policy = match row.get("part") {
            "file" => FilePolicy::File,
            "header" => FilePolicy::Header,
            "tree" => FilePolicy::Tree,
            "class" => FilePolicy::Class,
            _ => FilePolicy::Files(row.get("files")),
        };
        (row.get("path"), policy)
    })
}

/// Name prefix of the nodes with operating points, below the root of the device tree.
pub(super) const OPP_TABLE: &str = "opp-table";

/// Names that are never opened: private, with side effects, or useless.
static SKIPPED: LazyLock<Vec<&str>> = LazyLock::new(|| word_list("snapshot-skipped"));

/// False for files that contain only private or useless data.
pub(super) fn is_wanted(name: &str) -> bool {
    const PRIVATE: &[&str] = &["serial", "uuid", "asset_tag", "unique_id", "wwid", "address", "eui"];
    !SKIPPED.contains(&name) && !PRIVATE.iter().any(|part| name.contains(part))
}
