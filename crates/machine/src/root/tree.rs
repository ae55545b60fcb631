//! A root, where it lies, and writing below it.

use super::judge::WritePolicy;
use super::missing_from;
use super::unread::{self, Unread};
use crate::faults::{self, Call};
use identify::{BoardFile, Entry, missing_errno, normal};
use record::{Missing, Reading};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The root of everything that is read. Cheap to clone; clones share what is written to a board.
#[derive(Debug, Clone)]
pub struct Root {
    pub(super) tree: Arc<Tree>,
    /// Files that are read from memory instead, for example another `/proc/cpuinfo`.
    pub(super) replaced: Arc<BTreeMap<String, Vec<u8>>>,
    /// How a board handles writes.
    pub(super) judge: Option<WritePolicy>,
    /// What could not be read, although it is there.
    pub(super) unread: Arc<Unread>,
}

/// Where a root lies.
#[derive(Debug)]
pub(super) enum Tree {
    Directory(PathBuf),
    Board(Mutex<BoardFile>),
}

impl Root {
    fn of(tree: Tree) -> Self {
        Self { tree: Arc::new(tree), replaced: Arc::default(), judge: None, unread: Arc::default() }
    }

    /// What is there and could not be read since last asked, by whomever; each path once, without what users may
    /// not read.
    pub fn take_unread(&self) -> Vec<Missing> {
        self.unread.take()
    }

    pub(super) fn failed(&self, path: &str, error: &std::io::Error) -> Missing {
        self.failed_by(path, error.raw_os_error().unwrap_or(libc::EIO))
    }

    pub(super) fn failed_by(&self, path: &str, errno: i32) -> Missing {
        let missing = missing_errno(path, errno);
        self.unread.note(&missing, errno);
        missing
    }

    /// The same root in which one file reads as `content`.
    pub fn with_file(&self, path: &str, content: &[u8]) -> Self {
        let mut replaced = (*self.replaced).clone();
        replaced.insert(normal(path), content.to_vec());
        Self { replaced: Arc::new(replaced), ..self.clone() }
    }

    /// The same board with a kernel that judges what is written to its files.
    pub fn with_judge(&self, judge: WritePolicy) -> Self {
        Self { judge: Some(judge), ..self.clone() }
    }

    /// True if the file system that holds this folder lets nothing be written.
    pub fn is_read_only(&self, path: &str) -> bool {
        match &*self.tree {
            Tree::Directory(_) => rustix::fs::statvfs(self.real(path))
                .is_ok_and(|fs| fs.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY)),
            Tree::Board(_) => false,
        }
    }

    /// The running system.
    pub fn system() -> Self {
        Self {
            // There is one running system, however many values stand for it.
            unread: unread::of_system(),
            ..Self::of(Tree::Directory(PathBuf::from("/")))
        }
    }

    /// A directory with `proc`, `sys`, `etc` ... in it.
    pub fn of_folder(path: &Path) -> Self {
        Self::of(Tree::Directory(path.to_path_buf()))
    }

    /// What a board file of this name holds.
    ///
    /// # Errors
    /// It is not a board file.
    pub fn of_board_file(name: &str, bytes: &[u8]) -> Reading<Self> {
        Self::from_board(&String::from_utf8_lossy(bytes))
            .map_err(|(line, text)| Missing::garbled(format!("{name} line {line}"), &text))
    }

    /// A machine without any file.
    pub fn empty() -> Self {
        Self::of_board(BoardFile::default())
    }

    /// A board from its text.
    ///
    /// # Errors
    /// Number and text of the line that cannot be understood.
    pub fn from_board(text: &str) -> Result<Self, (usize, String)> {
        Ok(Self::of_board(BoardFile::parse(text)?))
    }

    /// The machine whose files these are.
    pub fn of_board(board: BoardFile) -> Self {
        Self::of(Tree::Board(Mutex::new(board)))
    }

    /// True for the running system: only then do devices, ioctls and system calls mean anything.
    pub fn is_system(&self) -> bool {
        matches!(&*self.tree, Tree::Directory(path) if path == Path::new("/"))
    }

    /// True for a board in one file: its files answer at once and never hang.
    pub fn is_board(&self) -> bool {
        matches!(&*self.tree, Tree::Board(_))
    }

    /// Writes a value to an existing file, in one write as the kernel wants it.
    ///
    /// # Errors
    /// As [`Root::read`].
    pub fn write(&self, path: &str, value: &str) -> Reading<()> {
        match &*self.tree {
            Tree::Directory(_) => {
                // One call for a test's plan: a setting is written or it is not.
                let write = || {
                    let mut options = File::options();
                    let options = options.write(true).truncate(true);
                    options.open(self.real(path))?.write_all(value.as_bytes())
                };
                faults::pass(Call::Write, self.real(path), write).map_err(|e| missing_from(path, &e))
            }
            Tree::Board(board) => match board_entry(board, path)? {
                (_, Entry::Error(errno)) => Err(missing_errno(path, errno)),
                (resolved, _) => {
                    let judged = match &self.judge {
                        Some(judge) => judge.of(path, value),
                        None => Ok(value.to_owned()),
                    };
                    let mut bytes = judged.map_err(|e| missing_errno(path, e))?.into_bytes();
                    bytes.push(b'\n');
                    held(board).insert(&resolved, Entry::Content(bytes));
                    Ok(())
                }
            },
        }
    }

    /// Every file of a board with its text, for tests that compare before and after; empty for
    /// directories.
    pub fn board_files(&self) -> Vec<(String, String)> {
        let Tree::Board(board) = &*self.tree else {
            return Vec::new();
        };
        let board = held(board);
        let contents = board.entries().filter_map(|(path, entry)| match entry {
            Entry::Content(bytes) => Some((path.to_owned(), String::from_utf8_lossy(bytes).into_owned())),
            _ => None,
        });
        contents.collect()
    }

    pub(super) fn real(&self, path: &str) -> PathBuf {
        match &*self.tree {
            Tree::Directory(directory) => directory.join(path.trim_start_matches('/')),
            Tree::Board(_) => PathBuf::from(path),
        }
    }
}

/// A board for as long as it is looked at.
pub(super) fn held(board: &Mutex<BoardFile>) -> MutexGuard<'_, BoardFile> {
    board.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The path behind all links, and what stands there now.
pub(super) fn board_entry(board: &Mutex<BoardFile>, path: &str) -> Reading<(String, Entry)> {
    held(board).entry(path).map(|(resolved, entry)| (resolved, entry.clone()))
}
