//! Tests of the crate as others call it, one module per subject.

#![allow(clippy::disallowed_methods, reason = "tests read files")]

mod absence;
mod copies;
mod corpus;
mod fields;
mod files;
mod invariance;
mod ledger_corpus;
mod planted;
mod power_corpus;
mod redacted_corpus;
mod reference_corpus;
mod rules_corpus;
mod soc_corpus;
mod soc_invariance;
mod variants;
