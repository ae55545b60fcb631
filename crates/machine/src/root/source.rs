//! A file that is opened once and read repeatedly, for the sampler. [`Root`] reads files once.

use super::tree::Root;
use crate::faults::{self, Call};
use record::MissingReason;
use std::fs::File;

/// Open file for repeated reads.
#[derive(Debug)]
pub enum Source {
    /// Real file; read with `pread` at 0.
    File(File),
    /// File of a board, looked up at every read, because writes change it.
    Board(Root, String),
    /// Source without offsets that may never answer, for tests of timeouts.
    #[cfg(test)]
    Stream(std::os::fd::OwnedFd),
}

impl Source {
    /// Reads the file from its beginning into `buffer`; returns the number of bytes.
    ///
    /// # Errors
    /// The errno of the read.
    pub fn read_into(&self, buffer: &mut [u8]) -> Result<usize, i32> {
        self.read_at(buffer, 0)
    }

    /// Reads at an offset, for devices that map registers to offsets.
    ///
    /// # Errors
    /// The errno of the read.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, i32> {
        match self {
            Source::File(file) => {
                let read = || rustix::io::pread(file, buffer, offset);
                faults::pass_open(Call::Read, file, read).map_err(|e| e.raw_os_error())
            }
            #[cfg(test)]
            Source::Stream(stream) => rustix::io::read(stream, buffer).map_err(|e| e.raw_os_error()),
            Source::Board(root, path) => {
                let bytes = root.read_bytes(path).map_err(|missing| match missing.why {
                    MissingReason::Io(errno) => errno,
                    MissingReason::Denied => libc::EACCES,
                    _ => libc::ENOENT,
                })?;
                let bytes = bytes.get(offset as usize..).unwrap_or_default();
                let count = bytes.len().min(buffer.len());
                buffer[..count].copy_from_slice(&bytes[..count]);
                Ok(count)
            }
        }
    }
}
