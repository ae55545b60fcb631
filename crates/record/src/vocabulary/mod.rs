//! The words that crates share: what a channel is of, which workload ran in which form, what kind of run it was, which
//! rule said something.
//!
//! Each is a type with one place for its spelling. Text is read into it where it comes in (JSON, logs, the command line)
//! and written where it goes out; between the two doors code asks the type and compares no text. A word that this program
//! does not know, because a newer one wrote it, is kept as it is.
//!
//! It holds for each type, and a property test says so, that any text survives being read and written.

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
