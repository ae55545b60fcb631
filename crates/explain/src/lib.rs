//! What a Record means: statistics, rules, reference data, reports, and the reading of old logs.
//!
//! Everything here is a pure function: no files, no processes, no clock, no printing. The same
//! Record gives the same findings and the same text on every machine.

#![forbid(unsafe_code)]

pub mod ab;
pub mod compare;
mod config_txt;
pub mod efficiency;
pub mod figures;
mod finding;
mod foreign;
mod headline;
pub mod kernel;
pub mod logs;
pub mod monitor;
mod plain;
pub mod plot;
pub mod redact;
pub mod reference;
pub mod report;
pub mod results;
pub mod rules;
pub mod sensitivity;
mod share;
pub mod soc;
pub mod stats;
pub mod survey;
mod tables;
pub mod thermal;
pub mod throttle;
pub mod trend;
pub mod view;
pub mod watched;

#[cfg(test)]
mod test_support;

pub use figures::{Figure, figures};
pub use finding::{Finding, Place, Quantity, Severity, Verdict, cpu_list, cpu_words, verdict};
pub use headline::headline;
pub use plain::{harmless, plain};
pub use share::Share;

pub(crate) use report::terminal::wrapped;
