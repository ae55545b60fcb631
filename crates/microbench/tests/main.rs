//! Tests of the crate as others call it, one module per subject.

mod loaders;
mod no_allocation;
