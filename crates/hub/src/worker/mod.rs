//! Workers: processes of this program in which all that strangers sent is unpacked, redacted, read, explained and drawn. A
//! worker has limits of CPU time and memory, and no file or socket but the pipes to its hub. What ends it ends one
//! request: nothing that was sent can reach the hub, its database or another request.

mod frame;
mod inside;
mod pool;
mod view;

pub use inside::run;
pub use pool::{Failed, Read, Stop, Visit, Workers};
pub use view::View;

use crate::derive::Derived;
use crate::limits::{Limits, Refused};
use serde::{Deserialize, Serialize};

/// Stack of the thread that reads: deep JSON and deep directories take less.
const STACK_BYTES: usize = 16 << 20;

/// What a hub tells its worker. Bytes follow where it says so.
#[derive(Debug, Serialize, Deserialize)]
enum Ask {
    /// Read an upload, whose bytes follow; without its first files, which were read before.
    Upload { limits: Limits, alias: String, skip: usize },
    /// Whether the file that was named is read; else the next one is.
    Wanted(bool),
    /// Derive a result from its original, which follows, compressed.
    Derive { limits: Limits, alias: String, hash: String, size: usize },
    /// Show the results whose originals are told next.
    Show { limits: Limits, view: View, originals: usize },
    /// One of them, which follows, compressed.
    Original { hash: String, size: usize },
}

/// What a worker tells its hub.
#[derive(Debug, Serialize, Deserialize)]
enum Reply {
    /// Nothing of an upload can be kept.
    Refused(Refused),
    /// The next file of an upload.
    File { name: String, received_hash: String },
    /// It was redacted, and follows, compressed.
    Redacted { hash: String, size: usize },
    /// What is derived from it, or why nothing is.
    Derived(Box<Result<Derived, String>>),
    /// All files were read.
    End,
    /// A page, which follows, or why there is none.
    Shown(Result<(), String>),
}
