//! Tests of the reports over the corpus, one module per subject.

#![allow(clippy::disallowed_methods, reason = "tests read files")]

#[path = "../../explain/tests/files/mod.rs"]
mod files;
mod foreign_lines;
mod own_log;
mod told_once;
