//! The only sockets of the program: power meters, hubs and releases that the user named; pages and metrics that the user asked
//! to be served.

#![forbid(unsafe_code)]
// Tests make their files by path, in folders of their own.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod address;
pub mod browser;
mod curl;
pub mod exporter;
mod fetch;
pub mod hub;
pub mod meters;
pub mod references;
pub mod server;
pub mod update;
