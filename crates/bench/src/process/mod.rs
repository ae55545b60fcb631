//! Other programs: found, started, watched and ended; the guard that ends them where the run is killed.

pub mod child;
pub(crate) mod guard;
pub mod lava;
pub(crate) mod search_path;
pub(crate) mod standstill;
pub mod tools;
