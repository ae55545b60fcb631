//! Reading from a root: whole files, their beginnings, names, links, and files that are read again and again.

use super::missing_from;
use super::source::Source;
use super::tree::{Root, Tree, board_entry, held};
use crate::faults::{self, Call};
use identify::{Entry, Tree as _, missing_errno, natural_key};
use record::Reading;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// No file of the kernel that is worth reading is larger; larger ones are cut here.
pub(crate) const FILE_BYTES_MAX: u64 = 4 << 20;
/// What the kernel gives in one read of most of its files.
const PAGE_BYTES: usize = 4096;

impl Root {
    /// The whole file as text; bytes that are not UTF-8 are replaced.
    ///
    /// # Errors
    /// Absent, denied or any other error of the kernel.
    pub fn read(&self, path: &str) -> Reading<String> {
        self.as_tree().read(path)
    }

    /// The file as text without white space and NULs at both ends: for files of one value.
    ///
    /// # Errors
    /// As [`Root::read`]; an empty file is garbled.
    pub fn read_value(&self, path: &str) -> Reading<String> {
        self.as_tree().read_value(path)
    }

    /// The file as one number.
    ///
    /// # Errors
    /// As [`Root::read`]; garbled if it is no number.
    pub fn read_number<T: std::str::FromStr>(&self, path: &str) -> Reading<T> {
        self.as_tree().read_number(path)
    }

    /// What identification reads through: its forms of reading are those of a root.
    fn as_tree(&self) -> &dyn identify::Tree {
        self
    }

    /// The whole file.
    ///
    /// # Errors
    /// As [`Root::read`].
    pub fn read_bytes(&self, path: &str) -> Reading<Vec<u8>> {
        if let Some(content) = self.replaced.get(path) {
            return Ok(content.clone());
        }
        match &*self.tree {
            Tree::Directory(_) => {
                // Nearly every file of the kernel fits; without room, each takes three reads more.
                let mut bytes = Vec::with_capacity(PAGE_BYTES);
                let file = open(&self.real(path)).map_err(|e| self.failed(path, &e))?;
                faults::pass(Call::Read, self.real(path), || file.take(FILE_BYTES_MAX).read_to_end(&mut bytes))
                    .map_err(|e| self.failed(path, &e))?;
                Ok(bytes)
            }
            Tree::Board(board) => match board_entry(board, path)?.1 {
                Entry::Content(bytes) => Ok(bytes),
                Entry::Error(errno) => Err(self.failed_by(path, errno)),
                Entry::Link(_) => Err(missing_errno(path, libc::EISDIR)),
            },
        }
    }

    /// The first bytes of a file that is large and read once; fewer where it is shorter.
    ///
    /// # Errors
    /// As [`Root::read`].
    pub fn read_head(&self, path: &str, bytes: usize) -> Reading<Vec<u8>> {
        let source = self.source(path)?;
        let mut head = vec![0; bytes];
        let count = source.read_into(&mut head);
        head.truncate(count.map_err(|errno| self.failed_by(path, errno))?);
        Ok(head)
    }

    /// Names in a directory, numbers in order of value (`cpu2` before `cpu10`).
    ///
    /// # Errors
    /// As [`Root::read`].
    pub fn list(&self, path: &str) -> Reading<Vec<String>> {
        let mut names: Vec<String> = match &*self.tree {
            #[expect(clippy::disallowed_methods, reason = "this is the one place that lists")]
            Tree::Directory(_) => faults::pass(Call::List, self.real(path), || std::fs::read_dir(self.real(path)))
                .map_err(|e| self.failed(path, &e))?
                .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
                .collect(),
            Tree::Board(board) => match board_entry(board, path) {
                Ok((_, Entry::Error(errno))) => return Err(self.failed_by(path, errno)),
                _ => return held(board).list(path),
            },
        };
        names.sort_by_key(|name| natural_key(name));
        names.dedup();
        Ok(names)
    }

    /// Target of a symbolic link, as it stands in the link.
    ///
    /// # Errors
    /// As [`Root::read`]; `EINVAL` if it is no link.
    pub fn link(&self, path: &str) -> Reading<String> {
        match &*self.tree {
            Tree::Directory(_) => faults::pass(Call::Link, self.real(path), || std::fs::read_link(self.real(path)))
                .map(|target| target.to_string_lossy().into_owned())
                .map_err(|e| match e.raw_os_error() {
                    // It is no link, which is an answer.
                    Some(libc::EINVAL) => missing_from(path, &e),
                    _ => self.failed(path, &e),
                }),
            Tree::Board(board) => held(board).link(path),
        }
    }

    /// Opens a file that is read again and again.
    ///
    /// # Errors
    /// As [`Root::read`].
    pub fn source(&self, path: &str) -> Reading<Source> {
        match &*self.tree {
            Tree::Directory(_) => open(&self.real(path)).map(Source::File).map_err(|e| self.failed(path, &e)),
            Tree::Board(board) => {
                board_entry(board, path)?;
                Ok(Source::Board(self.clone(), path.to_owned()))
            }
        }
    }
}

/// Opens for reading without ever waiting for another program, as a pipe would.
fn open(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    faults::pass(Call::Open, path, || File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path))
}
