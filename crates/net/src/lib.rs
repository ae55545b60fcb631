//! Sockets of the program: power meters, hubs, releases, pages served on request.

#![forbid(unsafe_code)]
// Tests create files by path, in their own directories.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod address;
pub mod browser;
mod curl;
pub mod exporter;
mod fetch;
pub mod hub;
pub mod meters;
pub mod references;
mod request;
pub mod server;
pub mod update;
