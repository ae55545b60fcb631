//! A private server for results of sbc-bench: durable storage, pages, comparisons, notifications.
//!
//! Uploads are stored redacted and whole; all else is derived from them, again whenever rules improve. The process
//! keeps no state: several processes can share one PostgreSQL.

#![forbid(unsafe_code)]
#![allow(missing_docs, reason = "no API: the hub's program, tests and benchmarks use it")]

pub mod address;
pub mod changes;
pub mod clock;
pub mod counts;
mod curl;
pub mod derive;
pub mod folders;
pub mod history;
pub mod hooks;
pub mod http;
pub mod hub_state;
pub mod limits;
pub mod log;
pub mod mail;
pub mod names;
pub mod notify;
pub mod originals;
pub mod outdated;
mod outside;
pub mod own;
pub mod page_cache;
pub mod page_store;
mod pages;
pub mod private;
pub mod query;
pub mod quota;
pub mod random;
pub mod rate;
pub mod references;
pub mod removal;
pub mod results;
pub mod serve;
pub mod shares;
pub mod sorts;
pub mod store;
pub mod submit;
pub mod tokens;
pub mod unpack;
pub mod verify;
pub mod work;
pub mod worker;
