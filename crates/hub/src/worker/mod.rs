//! Workers: processes that unpack, redact, read, explain and draw uploads. A worker has limits for CPU time and memory, and
//! no file or socket but the pipes to its hub. Its death ends one request, and cannot affect the hub, the database or other
//! requests.

mod frame;
mod inside;
mod pool;
mod view;

pub use inside::run;
pub use pool::{Read, Stop, Visit, WorkerFailure, Workers};
pub use view::{Shown, View};

use crate::derive::Derived;
use crate::limits::{LimitRefusal, Limits};
use serde::{Deserialize, Serialize};

/// Stack of the thread that reads, in bytes: deep JSON and deep directories need less.
const STACK_BYTES: usize = 16 << 20;

/// Messages from the hub to a worker.
#[derive(Debug, Serialize, Deserialize)]
enum Ask {
    /// Read an upload, which follows, except its first `skip` files.
    Upload { limits: Limits, alias: String, skip: usize },
    /// Decision whether to read the file named last.
    Wanted(bool),
    /// Derive a result from its original, which follows, compressed.
    Derive { limits: Limits, alias: String, hash: String, size: usize },
    /// Show the results whose originals come next.
    Show { limits: Limits, view: View, originals: usize },
    /// An original, which follows, compressed.
    Original { hash: String, size: usize },
}

/// Messages from a worker to the hub.
#[derive(Debug, Serialize, Deserialize)]
enum Reply {
    /// No file of the upload can be stored.
    Refused(LimitRefusal),
    /// The next file of an upload.
    File { name: String, received_hash: String },
    /// The redacted file follows, compressed.
    Redacted { hash: String, size: usize },
    /// The derived data, or the reason that there is none.
    Derived(Box<Result<Derived, String>>),
    /// All files were read.
    End,
    /// A page follows, or the reason that there is none.
    Shown(Result<(), String>),
}
