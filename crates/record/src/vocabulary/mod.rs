//! Vocabulary shared by crates: channels, workloads and variants, modes of runs, questions, rules.
//!
//! Each is a type that defines its text in one place. Input (JSON, logs, the command line) is parsed into the type and
//! output is formatted from it; code in between uses the type and never compares text. Unknown words, written by newer
//! versions, are kept unchanged.
//!
//! A property test of each type checks that any text is preserved by parsing and formatting.

#[macro_use]
mod words;

mod channel;
mod mode;
mod question;
mod rule;
mod variant;
mod workload;

pub use channel::*;
pub use mode::Mode;
pub use question::QuestionId;
pub use rule::RuleId;
pub use variant::Variant;
pub use workload::{WorkloadId, WorkloadName};
