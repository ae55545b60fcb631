//! The verdict on a Record: diagnosis, the document of it, tables of results, the view of a monitor.
//!
//! Everything here is a pure function: no files, no processes, no clock, no printing. The same
//! Record gives the same findings and the same text on every machine.

#![forbid(unsafe_code)]

pub mod diagnosis;
pub mod document;
pub mod monitor;
pub mod results;
pub mod watched;

#[cfg(test)]
pub(crate) use testkit::records as test_support;

pub use diagnosis::narrative::{Narrative, Paragraph, remedy};
pub use diagnosis::{explain, explain_findings};
pub use document::{Document, FileElement, printed_findings};
