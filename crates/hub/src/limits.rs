//! Limits of uploads, and reasons of refusals.

use crate::store::StoreError;
use logs::any_file::{FOREIGN_BYTES_MAX, FOREIGN_LOG_BYTES_MAX};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Maximum size of a request.
    pub request_bytes_max: usize,
    /// Maximum size of one file, unpacked.
    pub file_bytes_max: usize,
    /// Maximum size of a file that is neither JSON nor a stream. Logs of the longest runs have a few hundred KiB, and
    /// reading text takes longest.
    pub log_bytes_max: usize,
    /// Maximum number of files in an archive.
    pub files_max: usize,
    /// CPU time of a worker for one request.
    pub cpu_s_max: u64,
    /// Memory of a worker.
    pub memory_bytes_max: u64,
}

impl Default for Limits {
    /// A Record of an hour with hundreds of channels has some MB, and a tenth of that compressed.
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

/// Reason why nothing of a request was stored, or why a page was not made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LimitRefusal {
    /// The limit that is exceeded.
    TooLarge(String),
    /// Empty request, or an archive without files.
    Empty,
    /// Compressed data that cannot be unpacked.
    Damaged(String),
    /// The hub ends, the client is gone, or no process can be started.
    Stopped(String),
    /// The original killed the worker that makes a page of it.
    Died(String),
    /// The worker reported a reason.
    Unreadable(String),
    #[serde(skip)]
    Store(StoreError),
}

impl From<StoreError> for LimitRefusal {
    fn from(trouble: StoreError) -> Self {
        Self::Store(trouble)
    }
}
