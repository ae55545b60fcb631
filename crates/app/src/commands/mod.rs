//! One file for each command.

pub(crate) mod compare;
pub(crate) mod explain;
pub(crate) mod identify;
pub(crate) mod kernel;
pub(crate) mod known;
pub(crate) mod list;
pub(crate) mod many;
pub(crate) mod mark;
pub(crate) mod monitor;
pub(crate) mod plots;
pub(crate) mod recover;
pub(crate) mod redact;
mod reports;
pub(crate) mod restore;
pub(crate) mod results;
mod resume;
pub(crate) mod review;
pub(crate) mod run;
pub(crate) mod single;
pub(crate) mod snapshot;
mod start;
pub(crate) mod storage;
pub(crate) mod tools;
pub(crate) mod trend;
pub(crate) mod upload;
mod way_on;
pub(crate) mod workloads;
