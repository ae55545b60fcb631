//! Reads and sets Linux: root, identity, settings, sensors, sampler.
//!
//! The only crate that opens `/proc`, `/sys` and `/dev`. It never starts a process and never
//! prints. Everything is read through a [`Root`], so that a directory or one text file can stand
//! in for a whole machine.

#![deny(unsafe_code)]

pub mod perf;
mod root;
mod sampler;
pub mod sensors;
mod syscall;
pub mod timeline;
pub mod vcio;

pub use root::{Root, Source};
pub use sampler::{Options as SamplerOptions, Sampler, SamplerThread, SourceCost};
pub use timeline::Timeline;
