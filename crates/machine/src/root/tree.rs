//! A root, its location, and writes to it.

use super::missing_from;
use super::unread_files::{self, UnreadFiles};
use super::write_policy::WritePolicy;
use crate::faults::{self, Call};
use crate::threads::lock;
use identify::{BoardFile, Entry, missing_errno, normal};
use record::{Missing, Reading};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Root of all files that are read. Cheap to clone; clones share writes to a board.
#[derive(Debug, Clone)]
pub struct Root {
    pub(super) tree: Arc<Tree>,
    /// Files replaced by content in memory, for example another `/proc/cpuinfo`.
    pub(super) replaced: Arc<BTreeMap<String, Vec<u8>>>,
    /// Handling of writes by a board.
    pub(super) write_policy: Option<WritePolicy>,
    /// Existing files that could not be read.
    pub(super) unread: Arc<UnreadFiles>,
    /// Names of sensors that are not read.
    ignored_sensors: Arc<Vec<String>>,
}

/// Location of a root.
#[derive(Debug)]
pub(super) enum Tree {
    Directory(PathBuf),
    Board(Mutex<BoardFile>),
}

impl Root {
    fn of(tree: Tree) -> Self {
        Self {
            tree: Arc::new(tree),
            replaced: Arc::default(),
            write_policy: None,
            unread: Arc::default(),
            ignored_sensors: Arc::default(),
        }
    }

    /// The same root without the sensors of these names: a label such as `cpu-thermal`, or the id of a channel.
    pub fn without_sensors(&self, names: &[String]) -> Self {
        Self { ignored_sensors: Arc::new(names.to_vec()), ..self.clone() }
    }

    /// True if none of these names is one of an ignored sensor.
    pub(crate) fn reads_sensor(&self, names: &[&str]) -> bool {
        !names.iter().any(|name| self.ignored_sensors.iter().any(|ignored| ignored.eq_ignore_ascii_case(name)))
    }

    /// Existing files that could not be read since the last call, each path once, without those that users may not
    /// read.
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

    /// Root with the content of one file replaced.
    pub fn with_file(&self, path: &str, content: &[u8]) -> Self {
        let mut replaced = (*self.replaced).clone();
        replaced.insert(normal(path), content.to_vec());
        Self { replaced: Arc::new(replaced), ..self.clone() }
    }

    /// Board with a kernel that handles writes.
    pub fn with_write_policy(&self, write_policy: WritePolicy) -> Self {
        Self { write_policy: Some(write_policy), ..self.clone() }
    }

    /// True if the file system of this directory is read-only.
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
            // All values of the running system share one list.
            unread: unread_files::system(),
            ..Self::of(Tree::Directory(PathBuf::from("/")))
        }
    }

    /// Directory that contains `proc`, `sys`, `etc` ...
    pub fn of_folder(path: &Path) -> Self {
        Self::of(Tree::Directory(path.to_path_buf()))
    }

    /// Parses a board file.
    ///
    /// # Errors
    /// It is not a board file.
    pub fn of_board_file(name: &str, bytes: &[u8]) -> Reading<Self> {
        Self::from_board(&String::from_utf8_lossy(bytes))
            .map_err(|(line, text)| Missing::garbled(format!("{name} line {line}"), &text))
    }

    /// Machine without files.
    pub fn empty() -> Self {
        Self::of_board(BoardFile::default())
    }

    /// Parses the text of a board file.
    ///
    /// # Errors
    /// Number and text of the first invalid line.
    pub fn from_board(text: &str) -> Result<Self, (usize, String)> {
        Ok(Self::of_board(BoardFile::parse(text)?))
    }

    /// Machine of a parsed board file.
    pub fn of_board(board: BoardFile) -> Self {
        Self::of(Tree::Board(Mutex::new(board)))
    }

    /// True for the running system, where devices, ioctls and system calls are available.
    pub fn is_system(&self) -> bool {
        matches!(&*self.tree, Tree::Directory(path) if path == Path::new("/"))
    }

    /// True for a board file, whose reads are immediate.
    pub fn is_board(&self) -> bool {
        matches!(&*self.tree, Tree::Board(_))
    }

    /// Writes a value to an existing file, in one write as the kernel requires.
    ///
    /// # Errors
    /// As [`Root::read`].
    pub fn write(&self, path: &str, value: &str) -> Reading<()> {
        match &*self.tree {
            Tree::Directory(_) => {
                // A fault plan treats the write of a setting as one call.
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
                    let judged = match &self.write_policy {
                        Some(write_policy) => write_policy.of(path, value),
                        None => Ok(value.to_owned()),
                    };
                    let mut bytes = judged.map_err(|e| missing_errno(path, e))?.into_bytes();
                    bytes.push(b'\n');
                    lock(board).insert(&resolved, Entry::Content(bytes));
                    Ok(())
                }
            },
        }
    }

    /// All files of a board with their text, for tests that compare states; empty for directories.
    pub fn board_files(&self) -> Vec<(String, String)> {
        let Tree::Board(board) = &*self.tree else { return Vec::new() };
        let board = lock(board);
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

/// Follows all links and returns the resolved path with its current entry.
pub(super) fn board_entry(board: &Mutex<BoardFile>, path: &str) -> Reading<(String, Entry)> {
    lock(board).entry(path).map(|(resolved, entry)| (resolved, entry.clone()))
}
