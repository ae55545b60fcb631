//! Reads and sets Linux: root, identity, settings, sensors, sampler.
//!
//! The only crate that opens `/proc`, `/sys` and `/dev`. It never starts a process and never
//! prints. Everything is read through a [`Root`], so that a directory or one text file can stand
//! in for a whole machine.

#![deny(unsafe_code)]

mod identify;
pub mod kernel_log;
pub mod processes;
mod redact;
mod root;
mod snapshot;
mod state;
pub mod timeline;

pub use identify::identify;
pub use kernel_log::KernelLog;
pub use root::{Root, Source};
pub use snapshot::snapshot;
pub use state::{on_battery, state};
pub use timeline::Timeline;
