//! Reading from a root: whole files, beginnings of files, names, links, times, and files that are read repeatedly.

use super::missing_from;
use super::source::Source;
use super::tree::{Root, Tree, board_entry};
use crate::faults::{self, Call};
use crate::threads::lock;
use identify::{Entry, Tree as _, missing_errno, natural_key};
use record::{Reading, StableSort};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Maximum size of a file; larger ones are truncated.
pub(crate) const FILE_BYTES_MAX: u64 = 4 << 20;
/// Size of one read of most kernel files.
const PAGE_BYTES: usize = 4096;

impl Root {
    /// Reads the whole file as text; invalid UTF-8 is replaced.
    ///
    /// # Errors
    /// The file is absent, access is denied, or another kernel error.
    pub fn read(&self, path: &str) -> Reading<String> {
        self.as_tree().read(path)
    }

    /// Reads a file with a single value: text without surrounding white space and NULs.
    ///
    /// # Errors
    /// As [`Root::read`]; an empty file is garbled.
    pub fn read_value(&self, path: &str) -> Reading<String> {
        self.as_tree().read_value(path)
    }

    /// Reads the file as one number.
    ///
    /// # Errors
    /// As [`Root::read`]; garbled if it is not a number.
    pub fn read_number<T: std::str::FromStr>(&self, path: &str) -> Reading<T> {
        self.as_tree().read_number(path)
    }

    /// View for identification, with the read functions of this root.
    fn as_tree(&self) -> &dyn identify::Tree {
        self
    }

    /// Reads the whole file.
    ///
    /// # Errors
    /// As [`Root::read`].
    pub fn read_bytes(&self, path: &str) -> Reading<Vec<u8>> {
        if let Some(content) = self.replaced.get(path) {
            return Ok(content.clone());
        }
        match &*self.tree {
            Tree::Directory(_) => {
                // Most kernel files fit; without reserved space, each would need three more reads.
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

    /// Reads at most the first `bytes` of a large file.
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

    /// Lists the names in a directory in natural order (`cpu2` before `cpu10`).
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
                _ => return lock(board).list(path),
            },
        };
        names.stable_sort_by_key(|name| natural_key(name));
        names.dedup();
        Ok(names)
    }

    /// Target of a symbolic link, unresolved.
    ///
    /// # Errors
    /// As [`Root::read`]; `EINVAL` if the path is not a link.
    pub fn link(&self, path: &str) -> Reading<String> {
        match &*self.tree {
            Tree::Directory(_) => faults::pass(Call::Link, self.real(path), || std::fs::read_link(self.real(path)))
                .map(|target| target.to_string_lossy().into_owned())
                .map_err(|e| match e.raw_os_error() {
                    // Not a link, which is a valid answer.
                    Some(libc::EINVAL) => missing_from(path, &e),
                    _ => self.failed(path, &e),
                }),
            Tree::Board(board) => lock(board).link(path),
        }
    }

    /// Modification time of a file in UTC milliseconds since 1970; `None` for a board file, which does not contain it.
    pub fn written_utc_ms(&self, path: &str) -> Option<i64> {
        let Tree::Directory(_) = &*self.tree else { return None };
        let meta = std::fs::symlink_metadata(self.real(path)).ok()?;
        Some(meta.mtime().saturating_mul(1000))
    }

    /// Opens a file for repeated reads.
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

/// Opens for reading without blocking, as a pipe would.
fn open(path: &Path) -> std::io::Result<File> {
    faults::pass(Call::Open, path, || File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path))
}
