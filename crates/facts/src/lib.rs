//! Everything that is computed from one Record: views, figures, SoC, findings, words for people.
//!
//! Everything here is a pure function: no files, no processes, no clock, no printing. The same
//! Record gives the same facts on every machine.

#![forbid(unsafe_code)]

pub mod change;
#[cfg(feature = "count-views")]
pub mod count;
mod explanation;
mod facts;
pub mod figures;
pub mod finding;
pub mod foreign;
pub mod lines;
mod machine_name;
mod names;
pub mod number;
mod outcome;
pub mod plain;
pub mod plot;
mod share;
pub mod sheet;
pub mod soc;
pub mod stats;
pub mod text_table;
pub mod thermal;
pub mod throttle;
pub mod view;
pub mod watch;

#[cfg(test)]
pub(crate) use testkit::records as test_support;

pub use change::signed_percent;
pub use explanation::{
    Basis, Cause, Deficit, Diagnosis, Effect, Elasticity, ExpectedScore, Explanation, Ledger, Limiter, Method, Part,
    Points, ScoreLoss, ScoreVerdict, Size, Tenths, WholePercents, rounded_to_sum,
};
pub use facts::{Explained, Facts};
pub use figures::Figure;
pub use finding::{EvidenceSource, Finding, Place, Quantity, Scope, Severity, Span, Verdict};
pub use lines::{duration, how_many, size_words, unmeasured, utc, wrapped};
pub use machine_name::machine_name;
pub use number::{number, with_unit};
pub use outcome::outcome;
pub use plain::{harmless, markup, plain, shortened};
pub use share::Share;
