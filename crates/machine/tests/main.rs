//! Tests of the crate as others call it, one module per subject.

#[path = "../../explain/tests/files/mod.rs"]
#[allow(clippy::disallowed_methods, reason = "files of tests, not of a machine")]
mod files;
mod identify;
mod no_allocation;
mod perf;
