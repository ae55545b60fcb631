//! A hub of one's own: takes results, keeps them, never loses one, shows and compares them.
//!
//! What was sent is kept redacted and whole; everything else is derived from it and made once more when rules improve.
//! Nothing of the state is in the process: several of them can share one PostgreSQL.

#![forbid(unsafe_code)]

pub mod archive;
pub mod clock;
pub mod derive;
pub mod limits;
pub mod names;
pub mod originals;
pub mod results;
pub mod sorts;
pub mod store;
pub mod submit;
pub mod tokens;
pub mod verify;
