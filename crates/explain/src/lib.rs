//! What a Record means: statistics, rules, reference data, reports, and the reading of old logs.
//!
//! Everything here is a pure function: no files, no processes, no clock, no printing. The same
//! Record gives the same findings and the same text on every machine.

#![forbid(unsafe_code)]

pub mod any_file;
pub mod case;
pub mod change;
pub mod compare;
mod config_txt;
pub mod diagnosis;
pub mod document;
mod elasticity;
mod explanation;
pub mod figures;
pub mod finding;
pub mod foreign;
pub mod kernel;
pub mod lines;
pub mod logs;
pub mod monitor;
mod names;
pub mod number;
mod outcome;
pub mod plain;
pub mod plot;
pub mod questions;
pub mod redact;
pub mod reference;
mod rendering;
pub mod results;
pub mod rules;
mod share;
pub mod sheet;
pub mod soc;
pub mod stats;
pub mod survey;
mod tables;
pub mod thermal;
pub mod throttle;
pub mod trend;
pub mod view;
mod watch;
pub mod watched;

#[cfg(test)]
pub(crate) use testkit::records as test_support;

pub use change::signed_percent;
pub use diagnosis::told::{Paragraph, Told};
pub use document::{Document, OfFile, printed_findings};
pub use explanation::{
    Basis, Cause, Diagnosis, Expected, Explanation, Ledger, Method, Part, Points, ScoreVerdict, Taken, Tenths,
    WholePercents,
};
pub use figures::{Figure, figures};
pub use finding::{Finding, Place, Quantity, Scope, Severity, Span, Verdict, Witness};
pub use lines::{duration, how_many, size_words, unmeasured, utc, wrapped};
pub use number::{number, with_unit};
pub use outcome::outcome;
pub use plain::{harmless, markup, plain, shortened};
pub use questions::{ANSWERS, ab, all_plots, efficiency, plots, sensitivity, texts};
pub use record::{cpu_list, cpu_words};
pub use rendering::for_people;
pub use share::Share;
pub use tables::{Answer, Made, Plot, Report};
