//! How much is taken in, and why something is not.

use crate::store::Trouble;
use explain::any_file::{FOREIGN_BYTES_MAX, FOREIGN_LOG_BYTES_MAX};

/// Limits of what is taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request.
    pub request_bytes_max: usize,
    /// Bytes of one file when it is unpacked.
    pub file_bytes_max: usize,
    /// Bytes of a file that is text and neither JSON nor a stream: logs of the longest runs have a few hundred KiB, and
    /// reading text takes longest.
    pub log_bytes_max: usize,
    /// Files of an archive.
    pub files_max: usize,
}

impl Default for Limits {
    /// A Record of an hour with hundreds of channels has some MB, and packs to a tenth.
    fn default() -> Self {
        Self {
            request_bytes_max: 8 << 20,
            file_bytes_max: FOREIGN_BYTES_MAX,
            log_bytes_max: FOREIGN_LOG_BYTES_MAX,
            files_max: 200,
        }
    }
}

/// Why nothing of a request was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// It is larger than the limits, with what is.
    TooLarge(String),
    /// It is empty, or an archive without files.
    Empty,
    /// It is packed, and cannot be unpacked.
    Damaged(String),
    /// The database does not take it.
    Store(Trouble),
}

impl From<Trouble> for Refused {
    fn from(trouble: Trouble) -> Self {
        Self::Store(trouble)
    }
}
