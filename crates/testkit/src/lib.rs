//! Test helpers of sbc-bench: the boards of `boards/`, machines of single texts. A dev-dependency only, never part
//! of the binary.

#![forbid(unsafe_code)]

mod agreement;
mod disk;
mod manual;
mod program;
pub mod records;
mod scratch;
mod skip;
mod stuck_mount;
mod terminal;
mod tls;
pub mod virtual_board;
mod wait;

pub use agreement::disagreement;
pub use disk::{Disk, empty_image};
pub use manual::missing_manual_pages;
pub use program::{HASTE, clean_command, limited_user, only, untuned_command};
pub use scratch::Scratch;
pub use skip::{Excuse, excuse, skip, was_skipped};
pub use stuck_mount::StuckMount;
pub use terminal::terminal;
pub use tls::TlsServer;
pub use wait::{ended, wait_for, wait_until};

use std::path::PathBuf;

/// Text of `boards/NAME.board`, for `machine::Root::from_board`.
///
/// # Panics
/// The board does not exist.
pub fn board(name: &str) -> String {
    let path = folder().join(format!("{name}.board"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Names of all boards, in order.
///
/// # Panics
/// The directory `boards` does not exist.
pub fn boards() -> Vec<String> {
    let folder = folder();
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            Some(name.strip_suffix(".board")?.to_owned())
        })
        .collect();
    names.sort();
    names
}

/// Machine identified from these files.
pub fn machine_of(files: &[(&str, Vec<u8>)]) -> record::Machine {
    let root = files.iter().fold(machine::Root::empty(), |root, (path, content)| root.with_file(path, content));
    machine::identify(&root)
}

/// Machine of a board's text.
///
/// # Panics
/// The text is not a board.
pub fn machine_of_board(text: &str) -> record::Machine {
    let root = machine::Root::from_board(text);
    machine::identify(&root.unwrap_or_else(|(line, text)| panic!("line {line}: {text}")))
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../boards")
}

/// Attributes of a file or folder of root in a file system of tests.
fn fuse_attributes(ino: fuser::INodeNo, kind: fuser::FileType, perm: u16, size: u64) -> fuser::FileAttr {
    let time = std::time::UNIX_EPOCH;
    let (atime, mtime, ctime, crtime) = (time, time, time, time);
    let (blocks, nlink, uid, gid, rdev, blksize, flags) = (0, 1, 0, 0, 0, 4096, 0);
    fuser::FileAttr {
        ino,
        size,
        blocks,
        atime,
        mtime,
        ctime,
        crtime,
        kind,
        perm,
        nlink,
        uid,
        gid,
        rdev,
        blksize,
        flags,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_says_where_it_comes_from() {
        let names = boards();
        assert!(names.iter().any(|name| name == "rk3588"));
        for name in names {
            let text = board(&name);
            let header = text.lines().take_while(|line| line.starts_with('#')).count();
            assert!(header > 0, "{name} opens with a comment");
        }
    }
}
