//! What is done with foreign bytes in fuzzing: a table of targets, each a function of bytes that must neither
//! panic nor hang nor ask for much memory, for any bytes.

mod altered;
pub mod coverage;
pub mod limits;
pub mod mutate;
mod records;
pub mod scaling;
mod targets;

pub use targets::{Target, made, targets};
