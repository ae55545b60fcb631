//! Limits of uploads, and reasons of refusals.

use crate::store::Trouble;
use logs::any_file::{FOREIGN_BYTES_MAX, FOREIGN_LOG_BYTES_MAX};
use serde::{Deserialize, Serialize};

/// Limits of what is taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
    /// CPU time in seconds that a worker may take for one request.
    pub cpu_s_max: u64,
    /// Memory of a worker in bytes.
    pub memory_bytes_max: u64,
}

impl Default for Limits {
    /// A Record of an hour with hundreds of channels has some MB, and packs to a tenth.
    fn default() -> Self {
        Self {
            request_bytes_max: 8 << 20,
            file_bytes_max: FOREIGN_BYTES_MAX,
            log_bytes_max: FOREIGN_LOG_BYTES_MAX,
            files_max: 200,
            cpu_s_max: 20,
            memory_bytes_max: 512 << 20,
        }
    }
}

/// Why nothing of a request was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LimitRefusal {
    /// It is larger than the limits, with what is.
    TooLarge(String),
    /// It is empty, or an archive without files.
    Empty,
    /// It is packed, and cannot be unpacked.
    Damaged(String),
    /// The hub ends, the client is gone, or no process can be started.
    Stopped(String),
    /// The database does not take it.
    #[serde(skip)]
    Store(Trouble),
}

impl From<Trouble> for LimitRefusal {
    fn from(trouble: Trouble) -> Self {
        Self::Store(trouble)
    }
}
