//! Workers: processes that unpack, redact, read, explain and draw uploads. A worker has limits for CPU time and memory,
//! and no file or socket except the pipes to its hub. Its death ends one request and does not affect the hub, the
//! database or other requests.

mod frame;
mod inside;
mod pool;
mod view;

pub use inside::run;
pub use pool::{Stop, UploadFile, UploadVisitor, Workers};
pub use view::View;

pub use crate::pages::PageContext;

use crate::derive::ResultSummary;
use crate::limits::{LimitRefusal, Limits};
use serde::{Deserialize, Serialize};

/// Stack size of the reading thread; deep JSON and deep directories need less.
const STACK_BYTES: usize = 16 << 20;

/// Messages from the hub to a worker.
#[derive(Debug, Serialize, Deserialize)]
enum WorkerRequest {
    /// Read the upload that follows, except its first `skip` files.
    Upload { limits: Limits, alias: String, skip: usize },
    /// Whether to read the file named last.
    Wanted(bool),
    /// Derive a result from the compressed original that follows.
    Derive { limits: Limits, alias: String, hash: String, size: usize },
    /// Render a page of the originals in the next messages.
    Show { limits: Limits, view: View, originals: usize },
    /// The compressed original follows.
    Original { hash: String, size: usize },
}

/// Messages from a worker to the hub.
#[derive(Debug, Serialize, Deserialize)]
enum Reply {
    /// No file of the upload can be stored.
    Refused(LimitRefusal),
    /// The next file of an upload.
    File { name: String, received_hash: String },
    /// The compressed redacted file follows.
    Redacted { hash: String, size: usize },
    /// Derived data, or the reason that there is none.
    Summary(Box<Result<ResultSummary, String>>),
    /// All files were read.
    End,
    /// A page follows, or the reason that there is none.
    Page(Result<(), String>),
}
