//! Child processes: search, start, observation, end, guard against leftovers, scratch folders.

#![forbid(unsafe_code)]
// Tests create their programs by path, in their own directories.
#![cfg_attr(any(test, feature = "testing"), allow(clippy::disallowed_methods))]

pub mod child;
pub mod curl;
pub mod guard;
pub mod interruption;
pub mod lava;
pub mod scratch;
pub mod search_path;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod tools;
